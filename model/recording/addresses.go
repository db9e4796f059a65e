package recording

import (
	"regexp"
	"strings"

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

// scrub takes them out of every text of a tree, names included.
func (f *form) scrub(t any) any {
	if f == nil {
		return t
	}
	switch t := t.(type) {
	case string:
		return f.text(t)
	case []any:
		for i := range t {
			t[i] = f.scrub(t[i])
		}
	case map[string]any:
		for name, v := range t {
			t[name] = f.scrub(v)
		}
	}
	return t
}

// text looks closer only where there can be a port. Most texts are times.
func (f *form) text(s string) string {
	const day = len("2006-01-02")
	if len(s) > day && s[day] == 'T' && s[4] == '-' || !strings.Contains(s, ":") {
		return s
	}
	return f.address.ReplaceAllString(s, "")
}

// server leaves the server's URL out, whether it names a host or an address.
func (f *form) server(s model.Server) model.Server {
	if f != nil {
		s.URL = ""
	}
	return s
}
