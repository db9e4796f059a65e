package tui

import (
	"image/color"
	"math"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
)

// linear is a colour in linear RGB.
type linear [3]float64

func linearOf(c color.Color) linear {
	r, g, b, _ := c.RGBA()
	var l linear
	for i, v := range []uint32{r, g, b} {
		if x := float64(v) / 0xffff; x <= 0.04045 {
			l[i] = x / 12.92
		} else {
			l[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return l
}

// contrast is the ratio of WCAG 2, from 1 to 21.
func contrast(a, b string) float64 {
	light := func(s string) float64 {
		l := linearOf(lipgloss.Color(s))
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2] + 0.05
	}
	x, y := light(a), light(b)
	return max(x/y, y/x)
}

// sights are ways to see: as most people do, and wholly without one kind of cone
// (Machado, Oliveira and Fernandes 2009, severity 1).
func sights() map[string][3]linear {
	return map[string][3]linear{
		"full":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
}

// oklab is a seen colour in the space of that name (Ottosson 2020), in which distance
// is how different two colours look; times 100, about 2 is just noticed.
func (l linear) oklab(sight [3]linear) linear {
	times := func(m [3]linear, v linear) (out linear) {
		for i := range out {
			out[i] = m[i][0]*v[0] + m[i][1]*v[1] + m[i][2]*v[2]
		}
		return out
	}
	seen := times(sight, l)
	for i, x := range seen {
		seen[i] = min(1, max(0, x))
	}
	lms := times([3]linear{{0.4122214708, 0.5363325363, 0.0514459929}, {0.2119034982, 0.6806995451, 0.1073969566}, {0.0883024619, 0.2817188376, 0.6299787005}}, seen)
	for i, x := range lms {
		lms[i] = math.Cbrt(x)
	}
	return times([3]linear{{0.2104542553, 0.7936177850, -0.0040720468}, {1.9779984951, -2.4285922050, 0.4505937099}, {0.0259040371, 0.7827717662, -0.8086757660}}, lms)
}

func apart(a, b string, sight [3]linear) float64 {
	x, y := linearOf(lipgloss.Color(a)).oklab(sight), linearOf(lipgloss.Color(b)).oklab(sight)
	return 100 * math.Sqrt((x[0]-y[0])*(x[0]-y[0])+(x[1]-y[1])*(x[1]-y[1])+(x[2]-y[2])*(x[2]-y[2]))
}

// promise is what a palette has to hold.
type promise struct {
	p        palette
	grounds  []string // what terminals have behind the text
	contrast float64  // of every text to them
	members  float64  // least distance between two members' colours, whoever looks
	states   float64  // between good, doubtful and bad, whoever looks
	kinds    float64  // between a member's colour and a state's, for most people
}

func promises() map[string]promise {
	darks, lights := []string{"#000000", "#1e1e1e", "#282a36"}, []string{"#ffffff", "#fdf6e3"}
	return map[string]promise{
		"dark":           {dark(), darks, 4.5, 9, 6, 11},
		"light":          {light(), lights, 4.5, 11, 6, 12},
		"middle":         {middle(), append(darks[:2:2], lights...), 3.2, 9, 4, 11},
		"contrast-dark":  {contrastDark(), darks, 7, 6.8, 6, 12},
		"contrast-light": {contrastLight(), lights, 7, 11, 6, 12},
	}
}

// Texts are readable on the backgrounds that a palette is for, on the selected row and
// in a banner.
func TestPalettesAreReadable(t *testing.T) {
	for name, c := range promises() {
		p := c.p
		texts := map[string]string{"dim": p.dim, "head": p.head, "accent": p.accent, "ok": p.ok, "warn": p.warn, "bad": p.bad, "info": p.info}
		if p.text != "" {
			texts["text"] = p.text
		}
		for i, h := range p.hues {
			texts["member "+string(rune('A'+i))] = h
		}
		grounds := c.grounds
		if p.chosen != "" {
			grounds = append(grounds[:len(grounds):len(grounds)], p.chosen)
		}
		for what, text := range texts {
			for _, g := range grounds {
				least := c.contrast
				if g == p.chosen && (what == "dim" || what == "head") {
					least = 4 // said second, on the one row that the eye is on already
				}
				if got := contrast(text, g); got < least {
					t.Errorf("%s: %s %s on %s: contrast %.2f, want %.1f", name, what, text, g, got, least)
				}
			}
		}
		if p.onAlarm != "" {
			for _, pair := range [][2]string{{p.onAlarm, p.warn}, {p.onFocus, p.focus}} {
				if got := contrast(pair[0], pair[1]); got < 4.5 {
					t.Errorf("%s: %s on %s: contrast %.2f", name, pair[0], pair[1], got)
				}
			}
		}
	}
}

// Members are told apart by colour, good from bad, and the ones from the others, by
// colour-blind eyes too. That a
// letter and a word stand beside is no reason to make it hard.
func TestPalettesAreToldApart(t *testing.T) {
	for name, c := range promises() {
		for sight, matrix := range sights() {
			least := math.Inf(1)
			for i, a := range c.p.hues {
				for _, b := range c.p.hues[:i] {
					d := apart(a, b, matrix)
					if d < c.members {
						t.Errorf("%s, %s: members' %s and %s: %.1f apart, want %.1f", name, sight, a, b, d, c.members)
					}
					least = min(least, d)
				}
			}
			states := min(apart(c.p.ok, c.p.bad, matrix), apart(c.p.ok, c.p.warn, matrix), apart(c.p.warn, c.p.bad, matrix))
			if states < c.states {
				t.Errorf("%s, %s: ok, warn and bad are %.1f apart, want %.1f", name, sight, states, c.states)
			}
			kinds, want := math.Inf(1), 2.5 // a bit more than is just noticed
			if sight == "full" {
				want = c.kinds
			}
			for _, member := range c.p.hues {
				for _, state := range []string{c.p.ok, c.p.warn, c.p.bad} {
					d := apart(member, state, matrix)
					if kinds = min(kinds, d); d < want {
						t.Errorf("%s, %s: a member's %s and a state's %s are %.1f apart, want %.1f", name, sight, member, state, d, want)
					}
				}
				if d := apart(member, c.p.info, matrix); sight == "full" && d < 6 {
					t.Errorf("%s: a member's %s and %s, which says that all is normal, are %.1f apart", name, member, c.p.info, d)
				}
			}
			t.Logf("%-14s %-12s members %.1f, states %.1f, one from the other %.1f", name, sight, least, states, kinds)
		}
	}
}

// Reduced to 256 colours the members' are still different ones.
func TestMembersDifferIn256Colours(t *testing.T) {
	for name, c := range promises() {
		seen := map[color.Color]string{}
		for _, h := range c.p.hues {
			got := colorprofile.ANSI256.Convert(lipgloss.Color(h))
			if seen[got] != "" {
				t.Errorf("%s: %s and %s are both %v", name, h, seen[got], got)
			}
			seen[got] = h
		}
	}
}

// The terminal's answer chooses the look, unless the user did. Before it the screen is
// readable on either background.
func TestTheTerminalChoosesTheLook(t *testing.T) {
	hue := func(m *Model) color.Color {
		if len(m.theme.hues) == 0 {
			return nil
		}
		return m.theme.hues[0]
	}
	first := func(p palette) color.Color { return lipgloss.Color(p.hues[0]) }
	for _, c := range []struct {
		told                    Look
		before, onDark, onLight color.Color
	}{
		{Auto, first(middle()), first(dark()), first(light())},
		{Contrast, nil, first(contrastDark()), first(contrastLight())},
		{Dark, first(dark()), first(dark()), first(dark())},
		{Light, first(light()), first(light()), first(light())},
		{ContrastDark, first(contrastDark()), first(contrastDark()), first(contrastDark())},
		{ContrastLight, first(contrastLight()), first(contrastLight()), first(contrastLight())},
		{Terminal, lipgloss.Cyan, lipgloss.Cyan, lipgloss.Cyan},
	} {
		s := newStage(t, 100, 30, func(o *Options) { o.Look = c.told }).show(sketch().snapshot())
		if got := hue(s.m); got != c.before {
			t.Errorf("%q, no answer: %v, want %v", c.told, got, c.before)
		}
		if s.send(tea.BackgroundColorMsg{Color: color.Black}); hue(s.m) != c.onDark {
			t.Errorf("%q on black: %v, want %v", c.told, hue(s.m), c.onDark)
		}
		if s.send(tea.BackgroundColorMsg{Color: color.White}); hue(s.m) != c.onLight {
			t.Errorf("%q on white: %v, want %v", c.told, hue(s.m), c.onLight)
		}
		// Suspended and resumed it asks again, where it matters.
		if again := s.send(tea.ResumeMsg{}); (again != nil) != c.told.asks() {
			t.Errorf("%q asks again after a suspension: %v", c.told, again != nil)
		}
	}
}
