package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/tui/glyph"
)

// tone is how a message is meant.
type tone int

const (
	plainly tone = iota
	good
	sorry
)

// message is the line at the bottom that says what came of something. It goes with the
// next key press, or after a time.
type message struct {
	tone tone
	text string
	n    int // counts messages up, so that the time of one does not end the next
}

// How long messages stay: what went wrong is read more slowly.
const (
	staysGood  = 6 * time.Second
	staysSorry = 15 * time.Second
)

// fadedMsg says that a message's time is up.
type fadedMsg struct{ n int }

func (m *Model) say(t tone, text string) {
	m.said++
	m.message = message{t, text, m.said}
}

// fading ends a message that was said after so many others when its time is up: the one
// thing that moves by itself on a screen, once.
func (m *Model) fading(before int) tea.Cmd {
	if m.said == before || m.message.text == "" {
		return nil
	}
	stays := staysGood
	if m.message.tone == sorry {
		stays = staysSorry
	}
	m.stopFade() // whatever was said before is gone
	ctx, stop := context.WithCancel(m.ctx)
	m.stopFade = stop
	return m.opts.Later(ctx, stays, fadedMsg{m.message.n})
}

// faded ends a message.
func (m *Model) faded(msg fadedMsg) {
	if m.message.n == msg.n {
		m.message = message{}
	}
}

// later is Later by the local clock.
func later(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	return func() tea.Msg {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
			return msg
		}
	}
}

// over draws the message in place of the last lines.
func (msg message) over(t *theme, rows []*row, w int) []*row {
	if msg.text == "" {
		return rows
	}
	sign, st := "·", t.text
	switch msg.tone {
	case good:
		sign, st = "✓", t.ok
	case sorry:
		sign, st = "!", t.warn
	}
	const most = 3
	words := glyph.Wrap(t.row().safe(msg.text), w-5)
	if len(words) > most {
		words = words[:most]
		words[most-1] += "…"
	}
	for i, s := range words {
		r := t.row().gap(1)
		if i == 0 {
			r.put(st.strong(), sign+" ")
		} else {
			r.gap(2)
		}
		rows[len(rows)-len(words)+i] = r.put(st, s)
	}
	return rows
}
