package model

// Document is something as it is stored, or as the server answered.
type Document struct {
	Title   string // what it is: config, work stream
	From    string // the subject it is from
	Text    string // as it came, usually JSON
	Problem string // why there is no text
}
