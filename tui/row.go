package tui

import (
	"image/color"
	"pcgtop/tui/glyph"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// style is how a piece of text looks. It can be compared, so that neighbours of one
// style are drawn with one escape code.
type style struct {
	fg, bg                          color.Color
	bold, faint, reverse, underline bool
}

func (s style) strong() style { s.bold = true; return s }

// paint wraps cleaned text in the codes of the style: the only escapes ever drawn.
func (s style) paint(text string) string {
	if s == (style{}) || text == "" {
		return text
	}
	var codes ansi.Style
	if s.bold {
		codes = codes.Bold()
	}
	if s.faint {
		codes = codes.Faint()
	}
	if s.underline {
		codes = codes.Underline(true)
	}
	if s.reverse {
		codes = codes.Reverse(true)
	}
	if s.fg != nil {
		codes = codes.ForegroundColor(s.fg)
	}
	if s.bg != nil {
		codes = codes.BackgroundColor(s.bg)
	}
	return codes.Styled(text)
}

type span struct {
	text  string // cleaned
	style style
	width int
	at    *target // what a click on it does; nil: nothing
}

// row is one line of the screen while it is put together. All text enters through put,
// which makes it safe to draw.
type row struct {
	spans []span
	width int
	ascii bool
}

// safe is the one way from text of anybody's to text that may be drawn.
func (r *row) safe(s string) string { return r.signs(glyph.Screenful(s)) }

// signs writes a cleaned text in ASCII where nothing else is drawn.
func (r *row) signs(s string) string {
	if r.ascii {
		return glyph.ASCII(s)
	}
	return s
}

// put appends text.
func (r *row) put(st style, text string) *row { return r.append(st, r.safe(text)) }

func (r *row) append(st style, safe string) *row { return r.extend(st, safe, nil) }

func (r *row) extend(st style, safe string, at *target) *row {
	if safe == "" {
		return r
	}
	w := glyph.Width(safe)
	if n := len(r.spans); n > 0 && r.spans[n-1].style == st && r.spans[n-1].at == at {
		r.spans[n-1].text += safe
		r.spans[n-1].width += w
	} else {
		r.spans = append(r.spans, span{safe, st, w, at})
	}
	r.width += w
	return r
}

// on says what a click on the row does, where a part of it does nothing of its own.
func (r *row) on(at *target) *row {
	for i := range r.spans {
		if r.spans[i].at == nil {
			r.spans[i].at = at
		}
	}
	return r
}

// target is what a click on a cell does; nil when it does nothing.
func (r *row) target(x int) *target {
	for _, s := range r.spans {
		if x -= s.width; x < 0 {
			return s.at
		}
	}
	return nil
}

// gap appends blanks.
func (r *row) gap(n int) *row { return r.append(style{}, strings.Repeat(" ", max(0, n))) }

// sign appends a sign and a blank. No sign is two blanks, and no more: the selected row
// would colour them.
func (r *row) sign(st style, sign string) *row {
	if sign == " " {
		return r.gap(2)
	}
	return r.put(st, sign).gap(1)
}

// left appends text in a field of w cells, cut or padded. A background fills the field.
func (r *row) left(st style, text string, w int) *row {
	s := r.short(r.safe(text), w)
	pad := style{bg: st.bg, reverse: st.reverse}
	return r.append(st, s).append(pad, strings.Repeat(" ", max(0, w-glyph.Width(s))))
}

// name is left for names: what is missing is missing in the middle, for names of one
// kind differ at the end.
func (r *row) name(st style, text string, w int) *row {
	return r.left(st, glyph.Middle(r.safe(text), w), w)
}

// right is left, padded in front.
func (r *row) right(st style, text string, w int) *row {
	s := r.short(r.safe(text), w)
	return r.gap(w-glyph.Width(s)).append(st, s)
}

func (r *row) short(safe string, w int) string {
	s := glyph.Short(safe, w)
	if r.ascii {
		return glyph.ASCII(s)
	}
	return s
}

// join appends another row.
func (r *row) join(o *row) *row {
	r.spans = append(r.spans, o.spans...)
	r.width += o.width
	return r
}

// fit makes the row exactly w cells wide.
func (r *row) fit(w int) *row {
	if r.width <= w {
		return r.gap(w - r.width)
	}
	return r.cut(0, w)
}

// cut returns the cells from a to b, exactly that many.
func (r *row) cut(a, b int) *row {
	n := &row{ascii: r.ascii}
	at := 0
	for _, s := range r.spans {
		end := at + s.width
		if end > a && at < b {
			text := s.text
			if at < a {
				text = glyph.Skip(text, a-at)
			}
			from := max(at, a)
			text, _ = glyph.Cut(text, b-from)
			n.extend(s.style, text, s.at)
		}
		at = end
	}
	return n.gap(b - a - n.width)
}

// restyle changes how the whole row looks.
func (r *row) restyle(f func(style) style) *row {
	n := &row{ascii: r.ascii, spans: slices.Clone(r.spans), width: r.width}
	for i := range n.spans {
		n.spans[i].style = f(n.spans[i].style)
	}
	return n
}

// String draws the row.
func (r *row) String() string {
	var b strings.Builder
	for i := 0; i < len(r.spans); {
		j, text := i, ""
		for ; j < len(r.spans) && r.spans[j].style == r.spans[i].style; j++ {
			text += r.spans[j].text
		}
		b.WriteString(r.spans[i].style.paint(text))
		i = j
	}
	return b.String()
}
