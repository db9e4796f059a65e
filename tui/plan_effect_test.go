package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"pcgtop/model"
)

// TestPinsThatMayGo: what loses its pin for certain is apart from what may, and why.
func TestPinsThatMayGo(t *testing.T) {
	th := newTheme(Auto, unknown, colorprofile.ASCII, true, true)
	p := &model.Plan{Pins: []model.PinLoss{{Member: "m1", PinID: "x", Certain: true}, {Member: "m2", PinID: "y", Holder: "pay-b"}, {Member: "m3", PinID: "z"}}}
	var text []string
	for _, r := range pins(th, p, 120) {
		text = append(text, strings.TrimSpace(ansi.Strip(r.String())))
	}
	all := strings.Join(text, "\n")
	for _, want := range []string{"unpins   m1 x", "perhaps  m2 pay-b, m3 z: some libraries restart every member at any change"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in\n%s", want, all)
		}
	}
}
