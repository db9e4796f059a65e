package tui

import (
	"testing"

	"pcgtop/model"
)

// FuzzRaw: whatever is stored or answered, the window that shows it as it is fits the
// screen, lets nothing of it reach the terminal, and can be scrolled to its end.
func FuzzRaw(f *testing.F) {
	for _, name := range hostileNames() {
		f.Add(name, name)
	}
	f.Add(`{"max_members":4,"members":["m1","\u001b[31m"]}`, "")
	f.Add("not\x00JSON\xff\n\n\t\x1b[2J", "no answer within 5s")
	f.Fuzz(func(t *testing.T, text, problem string) {
		in := &inspector{docs: []model.Document{{Title: "config", From: "$KV.a.b", Text: text}, {Title: "stream", From: "$JS.API.STREAM.INFO.S", Problem: problem}}}
		s := newStage(t, 80, 24, func(o *Options) { o.Inspector = in }).show(sketch().snapshot())
		s.send(s.send(press("y"))())
		for _, key := range []string{"G", "g", "tab", "G", "tab"} {
			s.press(key)
		}
		s.press("esc").sees("VERDICT")
	})
}
