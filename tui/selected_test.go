package tui

import (
	"image/color"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// In the selected row what is wrong keeps its colour, in every look: at the start it is the
// row of the group in trouble.
func TestTheSelectedRowKeepsItsColours(t *testing.T) {
	for _, look := range append(Looks(), Auto) {
		for _, profile := range []colorprofile.Profile{colorprofile.ANSI, colorprofile.ANSI256, colorprofile.TrueColor} {
			s := newStage(t, 120, 40, func(o *Options) { o.Look = look })
			s.send(tea.ColorProfileMsg{Profile: profile})
			s.send(tea.BackgroundColorMsg{Color: color.Black})
			s.show(flows()["stalled"].snapshot())
			th := s.m.theme
			if th.bad.fg == nil {
				t.Fatalf("%s: no colours", look)
			}
			in := func(row, text string, want color.Color) {
				t.Helper()
				for _, r := range s.m.cells {
					if line := plainRow(r); !strings.Contains(line, "▌") || !strings.Contains(line, row) {
						continue
					}
					here := false
					for _, span := range r.spans {
						if here = here || strings.Contains(span.text, "▌"); here && strings.Contains(span.text, text) {
							if span.style.fg != want {
								t.Errorf("%q, profile %v: %q has the colour %v in the selected row, want %v", look, profile, text, span.style.fg, want)
							}
							if span.style.bg == nil && !span.style.reverse {
								t.Errorf("%q, profile %v: %q is not in a selected row", look, profile, text)
							}
							return
						}
					}
				}
				t.Errorf("%q: no selected row with %q and %q:\n%s", look, row, text, s.plain())
			}
			in("stalled", "✗", th.bad.fg)
			s.show(sketch().snapshot()).press("esc", "g", "down", "enter")
			in("absent", "absent", th.bad.fg)
			s.press("up", "up")
			in("m1", "pinned", th.ok.fg)
			in("m1", "A", th.member(0).fg)
		}
	}
}

// plainRow is a row's text.
func plainRow(r *row) string {
	var b strings.Builder
	for _, span := range r.spans {
		b.WriteString(span.text)
	}
	return b.String()
}
