package tui

// usualSpans is how many pieces of text a row of a table is made of: room for so many
// costs less than to find it again and again.
const usualSpans = 32

// mostPooled is how many rows are kept to be used again: those of a large window, and what
// goes into them.
const mostPooled = 512

// pool holds the rows of the frame that is drawn, which are used again in the next one:
// they are most of what a frame would leave behind.
type pool struct {
	rows []*row
	used int
}

// row starts a row, which lasts until the next frame is drawn.
func (t *theme) row() *row {
	p := &t.pool
	if p.used == mostPooled {
		return &row{ascii: t.ascii}
	}
	if p.used == len(p.rows) {
		p.rows = append(p.rows, &row{ascii: t.ascii, spans: make([]span, 0, usualSpans)})
	}
	r := p.rows[p.used]
	p.used++
	return r
}

// reuse takes all rows back. None of them may be looked at from now on.
func (p *pool) reuse() {
	for _, r := range p.rows[:p.used] {
		r.spans, r.width = r.spans[:0], 0
	}
	p.used = 0
}
