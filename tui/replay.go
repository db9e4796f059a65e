package tui

import (
	"strconv"
	"time"

	"pcgtop/keymap"
	"pcgtop/tui/glyph"
)

// seekBy is how far one key press goes in a recording.
const seekBy = 10 * time.Second

// play does what moves the recording; false: the key does something else.
func (m *Model) play(id keymap.ID) bool {
	p := m.opts.Player
	switch id {
	case keymap.Play:
		p.Toggle()
	case keymap.StepOn:
		p.Step(1)
	case keymap.StepBack:
		p.Step(-1)
	case keymap.Faster:
		p.Faster(1)
	case keymap.Slower:
		p.Faster(-1)
	case keymap.SeekOn:
		p.Seek(seekBy)
	case keymap.SeekBack:
		p.Seek(-seekBy)
	case keymap.GoTo:
		now := p.Playback()
		m.push(&lineWindow{title: "Go to", label: "when", done: m.seekTo, hints: []string{
			"14:03, 14:03:22, +90s from the start, -1m from the end, 50%",
			"it goes from " + now.Start.In(m.opts.Zone).Format(time.DateTime) + " to " + now.End.In(m.opts.Zone).Format(time.DateTime)}})
	default:
		return false
	}
	return true
}

func (m *Model) seekTo(moment string) error { return m.opts.Player.Go(moment, m.opts.Zone) }

// playback is where the recording stands, in the header.
func (m *Model) playback(r *row) {
	t, p := m.theme, m.opts.Player.Playback()
	speed := strconv.FormatFloat(p.Speed, 'g', 4, 64) + "× "
	sign, word := "■ ", "stopped "
	switch {
	case p.Playing:
		sign, word = "▸ ", speed
	case p.Speed != 1 && p.Speed > 0: // how fast it will go on, if it can
		word += speed
	}
	if m.width < 60 {
		word = ""
	}
	r.put(t.accent.strong(), sign+word).put(t.text, m.clock(p.At))
	if m.width >= 100 {
		r.gap(1).put(t.dim, lasting(p.At.Sub(p.Start))+" of "+lasting(p.End.Sub(p.Start)))
	}
}

// began is what events are known since.
func (m *Model) began() string {
	if m.opts.Player != nil {
		return "the recording began"
	}
	return "pcgtop started"
}

// lasting writes a length in minutes and seconds, or hours.
func lasting(d time.Duration) string {
	s := max(0, int(d.Seconds()))
	two := func(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }
	if s < 3600 {
		return strconv.Itoa(s/60) + ":" + two(s%60)
	}
	return strconv.Itoa(s/3600) + ":" + two(s/60%60) + ":" + two(s%60)
}

// sayUnread says what of the recording cannot be read, when that is news.
func (m *Model) sayUnread() {
	if m.opts.Player == nil {
		return
	}
	if p := m.opts.Player.Playback().Problem; p != m.unread {
		m.unread = p
		m.say(sorry, "not all of the recording can be read: "+glyph.Clean(p))
	}
}
