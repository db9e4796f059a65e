package tui

import (
	"image/color"
	"slices"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"

	"pcgtop/model"
)

// theme is what things mean, as looks. A colour never says anything alone: a word, a
// letter or a sign stands beside it.
type theme struct {
	text   style // what is read
	dim    style // what is read second
	line   style // what only divides
	shade  style // what lies below a window
	title  style // headings
	head   style // the heads of columns
	key    style // a key in a hint
	accent style
	ok     style
	warn   style
	bad    style
	info   style
	alarm  style // a banner
	focus  style // the button or input that has the focus
	button style
	hues   []color.Color // members
	chosen color.Color   // behind the selected row; nil: reversed instead
	ascii  bool
	hints  *strings.Replacer // puts the keys there are into hints; nil: nothing is put

	pool pool
}

// newTheme makes the theme for the colours there are. The terminal's own 16 may have
// been set to anything: greys are then left to it. Of 256, the dark blues behind the
// selected row and the buttons would become a bright one, so greys stand in.
func newTheme(look Look, g ground, profile colorprofile.Profile, noColor, ascii bool) *theme {
	t := &theme{ascii: ascii}
	p := look.on(g)
	switch {
	case p == nil, noColor, profile <= colorprofile.ASCII:
		t.plain()
	case profile <= colorprofile.ANSI, look == Terminal:
		t.basic()
	default:
		if profile == colorprofile.ANSI256 {
			p.greys()
		}
		t.rich(p)
	}
	return t
}

// greys makes the backgrounds those that 256 colours have.
func (p *palette) greys() {
	switch p.chosen {
	case dark().chosen:
		p.chosen, p.button = "236", "238"
	case light().chosen:
		p.chosen, p.button = "254", "252"
	}
}

func (t *theme) rich(p *palette) {
	c := lipgloss.Color
	t.shade = style{fg: c(p.shade)}
	t.dim, t.line, t.head = style{fg: c(p.dim)}, style{fg: c(p.line)}, style{fg: c(p.head)}
	t.title, t.key, t.accent = style{bold: true}, style{fg: c(p.accent), bold: true}, style{fg: c(p.accent)}
	t.ok, t.warn, t.bad, t.info = style{fg: c(p.ok)}, style{fg: c(p.warn)}, style{fg: c(p.bad), bold: true}, style{fg: c(p.info)}
	t.alarm, t.focus = style{fg: c(p.warn), reverse: true, bold: true}, style{reverse: true, bold: true}
	if p.onAlarm != "" {
		t.alarm, t.focus = style{fg: c(p.onAlarm), bg: c(p.warn), bold: true}, style{fg: c(p.onFocus), bg: c(p.focus), bold: true}
	}
	if p.chosen != "" {
		t.chosen, t.button = c(p.chosen), style{bg: c(p.button)}
	}
	if p.text != "" {
		t.text.fg, t.title.fg = c(p.text), c(p.text)
	}
	for _, h := range p.hues {
		t.hues = append(t.hues, c(h))
	}
}

func (t *theme) basic() {
	t.shade, t.dim, t.line, t.head = style{faint: true}, style{faint: true}, style{faint: true}, style{faint: true}
	t.title, t.key, t.accent = style{bold: true}, style{fg: lipgloss.Cyan, bold: true}, style{fg: lipgloss.Cyan}
	t.ok, t.warn, t.bad, t.info = style{fg: lipgloss.Green}, style{fg: lipgloss.Yellow}, style{fg: lipgloss.Red, bold: true}, style{fg: lipgloss.Cyan}
	t.alarm = style{fg: lipgloss.Yellow, reverse: true, bold: true}
	t.focus, t.button = style{reverse: true, bold: true}, style{}
	t.hues = []color.Color{lipgloss.Cyan, lipgloss.Magenta, lipgloss.BrightBlue} // blue itself is hardly seen on black; the others are the states'
}

func (t *theme) plain() {
	t.shade, t.dim, t.line, t.head = style{faint: true}, style{faint: true}, style{faint: true}, style{faint: true}
	t.title, t.key, t.bad = style{bold: true}, style{bold: true}, style{bold: true}
	t.alarm, t.focus = style{reverse: true, bold: true}, style{reverse: true, bold: true}
}

// hint is a finding's, with the keys there are.
func (t *theme) hint(f model.Finding) string {
	if t.hints == nil {
		return f.Hint
	}
	return t.hints.Replace(f.Hint)
}

// member is the look of the i-th member, always beside its letter.
func (t *theme) member(i int) style {
	if i < 0 || len(t.hues) == 0 {
		return style{bold: true}
	}
	return style{fg: t.hues[i%len(t.hues)], bold: true}
}

// selected marks a whole row as the one that keys act upon. What is good or bad keeps its
// colour, and so do members: the row is often the one in trouble.
func (t *theme) selected(r *row) *row {
	return r.restyle(func(s style) style {
		switch {
		case t.chosen != nil && s.bg == nil:
			s.bg = t.chosen
		case t.chosen == nil && t.tells(s.fg):
			s = style{fg: s.fg, reverse: true, bold: s.bold}
		case t.chosen == nil:
			s = style{reverse: true, bold: s.bold}
		}
		return s
	})
}

// tells tells whether a colour says what state something is in, or which member it is.
func (t *theme) tells(c color.Color) bool {
	return c != nil && (c == t.ok.fg || c == t.warn.fg || c == t.bad.fg || slices.Contains(t.hues, c))
}

// old dims a row whose values may no longer hold. A word says so too.
func (t *theme) old(r *row) *row {
	return r.restyle(func(s style) style {
		if s == t.alarm {
			return s
		}
		return style{fg: t.dim.fg, faint: t.dim.faint, bg: s.bg, reverse: s.reverse, underline: s.underline}
	})
}

// below dims a row that lies below a window; clicks there do nothing.
func (t *theme) below(r *row) *row {
	n := r.restyle(func(style) style { return t.shade })
	for i := range n.spans {
		n.spans[i].at = nil
	}
	return n
}

// related marks a cell that belongs to what is selected elsewhere.
func (t *theme) related(s style) style {
	if t.chosen != nil {
		s.bg = t.chosen
	} else {
		s.underline = true
	}
	return s
}

// verdict is a verdict's sign and look.
func (t *theme) verdict(v model.Verdict) (string, style) {
	switch v {
	case model.VerdictUnreadable, model.VerdictOffline, model.VerdictBroken, model.VerdictStalled:
		return "✗", t.bad
	case model.VerdictBehind, model.VerdictDegraded:
		return "!", t.warn
	case model.VerdictUnknown:
		return "…", t.dim
	case model.VerdictIdle:
		return "·", t.dim
	case model.VerdictOK:
		return "✓", t.ok
	}
	return "?", t.warn
}

// severity is a finding's sign and look.
func (t *theme) severity(s model.Severity) (string, style) {
	switch s {
	case model.Critical:
		return "✗", t.bad
	case model.Warning:
		return "!", t.warn
	}
	return "·", t.info
}

// state is a member's sign and look. The sign is blank where nothing is wrong.
func (t *theme) state(s model.State) (string, style) {
	switch s {
	case model.StatePinned:
		return " ", t.ok
	case model.StateWaiting:
		return " ", t.info
	case model.StateAbsent, model.StateCannotRun, model.StateElsewhere, model.StateOffline:
		return "✗", t.bad
	case model.StateNoPull, model.StatePaused:
		return "!", t.warn
	case model.StateUnknown:
		return "?", t.dim
	}
	return "·", t.dim
}
