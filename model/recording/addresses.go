package recording

import (
	"regexp"

	"pcgtop/model"
)

// form is the JSON form of snapshots without network addresses, in whatever text they
// stand: those of instances are in events and histories of pins too. A nil form keeps
// them.
type form struct{ address *regexp.Regexp }

// newForm finds addresses with their ports, and the blank before.
func newForm() *form {
	return &form{regexp.MustCompile(` ?(\b\d{1,3}(\.\d{1,3}){3}|\[[0-9a-fA-F:.]*:[0-9a-fA-F:.]*(%\w+)?\]):\d{1,5}\b`)}
}

// json takes them out of a piece of JSON.
func (r *form) json(b []byte) []byte {
	if r == nil {
		return b
	}
	return r.address.ReplaceAll(b, nil)
}

// server leaves the server's URL out, whether it names a host or an address.
func (r *form) server(s model.Server) model.Server {
	if r != nil {
		s.URL = ""
	}
	return s
}
