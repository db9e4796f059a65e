package tui

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The cells of a picture, in its units. Most fonts with one width are 0.6 as wide as
// high; those that are not are fitted, see [svg.word].
const (
	cellWidth  = 8.4
	cellHeight = 18.0
	fontSize   = 14.0
	baseline   = 13.2 // from the top of a cell
	margin     = 14.0
)

// svg draws rows as a picture that any viewer shows alike: every word stands at its
// own place, whatever the font, and lines and bars are drawn as shapes, so that they
// join.
type svg struct {
	b      strings.Builder
	fg, bg color.Color // of what has no colour of its own
}

// writeSVG draws rows of w cells, on what lies behind them.
func writeSVG(out io.Writer, rows []*row, w int, fg, bg color.Color) error {
	d := &svg{fg: fg, bg: bg}
	width, height := 2*margin+float64(w)*cellWidth, 2*margin+float64(len(rows))*cellHeight
	fmt.Fprintf(&d.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace" font-size="%s">`+"\n",
		units(width), units(height), units(width), units(height), units(fontSize))
	fmt.Fprintf(&d.b, `<rect width="100%%" height="100%%" rx="6" fill="%s"/>`+"\n", hex(bg))
	for y, r := range rows {
		d.row(r.fit(w), margin+float64(y)*cellHeight)
	}
	d.b.WriteString("</svg>\n")
	_, err := io.WriteString(out, d.b.String())
	return err
}

// row draws what lies behind the row first, and then what stands in it.
func (d *svg) row(r *row, y float64) {
	x := margin
	for i := 0; i < len(r.spans); {
		_, bg := d.colours(r.spans[i].style)
		n, from := 0, i
		for ; i < len(r.spans) && sameColour(bg, d.behind(r.spans[i].style)); i++ {
			n += r.spans[i].width
		}
		if !sameColour(bg, d.bg) && i > from {
			d.rect(x, y, float64(n)*cellWidth, cellHeight, bg)
		}
		x += float64(n) * cellWidth
	}
	x = margin
	for _, s := range r.spans {
		d.span(s, x, y)
		x += float64(s.width) * cellWidth
	}
}

// span draws words, signs and shapes one by one.
func (d *svg) span(s span, x, y float64) {
	word, from, cells := "", x, 0
	end := func() {
		d.word(word, s.style, from, y, cells)
		word, cells = "", 0
	}
	for text := s.text; text != ""; {
		cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
		text = text[len(cluster):]
		switch {
		case cluster == " ":
			end()
		case d.shape(cluster, s.style, x, y):
			end()
		default:
			alone := !plainLetter(cluster) // its font may be another
			if alone {
				end()
			}
			if word == "" {
				from = x
			}
			word += cluster
			cells += w
			if alone {
				end()
			}
		}
		x += float64(w) * cellWidth
	}
	end()
}

// plainLetter tells whether every font with one width has it.
func plainLetter(cluster string) bool { return len(cluster) == 1 && cluster[0] > ' ' }

// word draws text over so many cells exactly.
func (d *svg) word(word string, st style, x, y float64, cells int) {
	if word == "" {
		return
	}
	fg, _ := d.colours(st)
	fmt.Fprintf(&d.b, `<text x="%s" y="%s" fill="%s"`, units(x), units(y+baseline), hex(fg))
	if cells > 1 || !plainLetter(word) {
		fmt.Fprintf(&d.b, ` textLength="%s" lengthAdjust="spacingAndGlyphs"`, units(float64(cells)*cellWidth))
	}
	if st.bold {
		d.b.WriteString(` font-weight="700"`)
	}
	if st.faint {
		d.b.WriteString(` fill-opacity=".6"`)
	}
	if st.underline {
		d.b.WriteString(` text-decoration="underline"`)
	}
	d.b.WriteByte('>')
	_ = xml.EscapeText(&d.b, []byte(word)) // a builder takes everything
	d.b.WriteString("</text>\n")
}

// colours are what the text and what lies behind it are drawn in.
func (d *svg) colours(st style) (fg, bg color.Color) {
	fg, bg = d.fg, d.bg
	if st.fg != nil {
		fg = st.fg
	}
	if st.bg != nil {
		bg = st.bg
	}
	if st.reverse {
		fg, bg = bg, fg
	}
	return fg, bg
}

func (d *svg) behind(st style) color.Color {
	_, bg := d.colours(st)
	return bg
}

func (d *svg) rect(x, y, w, h float64, c color.Color) {
	fmt.Fprintf(&d.b, `<rect x="%s" y="%s" width="%s" height="%s" fill="%s" shape-rendering="crispEdges"/>`+"\n", units(x), units(y), units(w), units(h), hex(c))
}

// shape draws a glyph that is a bar or a line, from edge to edge; false: it is neither.
func (d *svg) shape(cluster string, st style, x, y float64) bool {
	runes := []rune(cluster)
	if len(runes) != 1 {
		return false
	}
	fg, _ := d.colours(st)
	switch r := runes[0]; {
	case r >= '▁' && r <= '█':
		h := cellHeight * float64(r-'▁'+1) / 8
		d.rect(x, y+cellHeight-h, cellWidth, h, fg)
	case r >= '▉' && r <= '▏':
		d.rect(x, y, cellWidth*float64('▏'-r+1)/8, cellHeight, fg)
	default:
		return d.lines(r, fg, x, y)
	}
	return true
}

// Which edges a line of a box goes to.
const (
	toLeft = 1 << iota
	toRight
	toTop
	toBottom
	double
)

// lines draws the pieces of boxes.
func (d *svg) lines(r rune, fg color.Color, x, y float64) bool {
	edges, ok := map[rune]int{
		'─': toLeft | toRight, '│': toTop | toBottom, '┌': toRight | toBottom, '┐': toLeft | toBottom, '└': toRight | toTop, '┘': toLeft | toTop,
		'├': toTop | toBottom | toRight, '┤': toTop | toBottom | toLeft, '═': toLeft | toRight | double,
	}[r]
	if !ok {
		return false
	}
	cx, cy := x+cellWidth/2, y+cellHeight/2
	var path strings.Builder
	line := func(x1, y1, x2, y2 float64) {
		fmt.Fprintf(&path, "M%s %sL%s %s", units(x1), units(y1), units(x2), units(y2))
	}
	offsets := []float64{0}
	if edges&double != 0 {
		offsets = []float64{-1.5, 1.5}
	}
	for _, o := range offsets {
		for i, to := range [][2]float64{{x, cy + o}, {x + cellWidth, cy + o}, {cx, y}, {cx, y + cellHeight}} {
			if edges&(1<<i) != 0 {
				line(cx, cy+o, to[0], to[1])
			}
		}
	}
	fmt.Fprintf(&d.b, `<path d="%s" stroke="%s" stroke-linecap="square"/>`+"\n", path.String(), hex(fg))
	return true
}

// units writes a length without needless digits.
func units(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", v), "0"), ".")
}

func hex(c color.Color) string {
	if own, is := c.(ansi.BasicColor); is {
		if names := xterm(); int(own) < len(names) {
			return names[own]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// xterm is the 16 colours as xterm shows them, which many terminals come near to.
func xterm() [16]string {
	return [16]string{"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
		"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff"}
}

func sameColour(a, b color.Color) bool { return hex(a) == hex(b) }
