package tui

import (
	"fmt"
	"strings"

	"pcgtop/model"
)

// The least window that a screen is drawn in.
const (
	leastWidth  = 40
	leastHeight = 12
)

// unsized is said where no size comes: bubbletea passes on none of more than 4096 cells in
// one direction, or 1,048,576 in all.
const unsized = "window too large, or of no size: 4096 by 256 is the most"

func (m *Model) tooSmall() bool { return m.width < leastWidth || m.height < leastHeight }

// bodySize is what the header, the banners and the footer leave.
func (m *Model) bodySize() (w, h int) {
	return m.width, m.height - 2 - len(m.banners())
}

// frame puts the screen together: at most height lines, each at most width cells.
func (m *Model) frame() string {
	m.cells = nil
	m.theme.pool.reuse()
	if m.width <= 0 || m.height <= 0 {
		if m.snap.Link.State == model.LinkLive { // the size comes before, if it does
			return unsized
		}
		return ""
	}
	if m.tooSmall() {
		notice := fmt.Sprintf("%dx%d needed", leastWidth, leastHeight)
		if long := "window too small: " + notice; len(long) <= m.width {
			notice = long
		}
		return m.theme.row().put(m.theme.warn, notice).fit(m.width).String()
	}
	rows := append([]*row{m.header()}, m.banners()...)
	w, h := m.bodySize()
	body := m.body(w, h)
	for len(body) < h {
		body = append(body, m.theme.row())
	}
	rows = append(rows, body[:h]...)
	rows = m.overlay(rows)
	rows = append(rows, m.footer())
	rows = m.message.over(m.theme, rows, m.width)
	m.cells = rows
	lines := make([]string, len(rows))
	for i, r := range rows {
		lines[i] = strings.TrimRight(r.fit(m.width).String(), " ")
	}
	return strings.Join(lines, "\n")
}

func (m *Model) body(w, h int) []*row {
	if m.events != nil {
		return m.events.view(m, w, h)
	}
	if m.group != nil {
		return m.group.view(m, w, h)
	}
	return m.overview.view(m, w, h)
}
