package tui

import (
	"strings"
	"time"

	"pcgtop/model"
)

// heat is what waits in the partitions of a group, for drawing: bars are as long as
// their share of the fullest partition.
type heat struct {
	group *model.Group
	top   uint64
}

// littleWaits is what the fullest partition is taken to hold at least, so that a handful
// of messages is no long bar.
const littleWaits = 64

func newHeat(g *model.Group) heat {
	h := heat{group: g, top: littleWaits}
	for _, p := range g.Partitions {
		if p.Count != nil {
			h.top = max(h.top, p.Count.Pending)
		}
	}
	return h
}

// What waits longer than this is worth a colour.
const waitsLong = 10 * time.Second

// bar draws what waits in a partition in w cells: upright where there is one cell.
func (h heat) bar(t *theme, p int, w int) (string, style) {
	c := h.group.Partitions[p].Count
	if c == nil || c.Pending == 0 {
		return "", t.dim
	}
	st := h.look(t, p)
	share := min(1, float64(c.Pending)/float64(h.top))
	if w == 1 {
		step := int(share * 7.999)
		return string([]rune("▁▂▃▄▅▆▇█")[step]), st
	}
	parts := []rune("▏▎▍▋▊▉█")
	steps := max(1, int(share*float64(w*len(parts))))
	full := strings.Repeat("█", steps/len(parts))
	if rest := steps % len(parts); rest > 0 {
		full += string(parts[rest-1])
	}
	return full, st
}

// look is red where nobody takes the messages, yellow where they wait long, and green
// where they flow.
func (h heat) look(t *theme, p int) style {
	part := h.group.Partitions[p]
	st := t.ok
	switch {
	case !part.Owned() && !part.Unknown || part.Owned() && h.dead(part.Member):
		st = t.bad
	case h.long(p):
		st = t.warn
	}
	st.bold = false
	return st
}

// long tells whether the oldest message in a partition waits for long.
func (h heat) long(p int) bool {
	c := h.group.Partitions[p].Count
	return c != nil && !c.Oldest.IsZero() && !c.AtMost && h.group.Counts.At.Sub(c.Oldest) > waitsLong
}

// dead tells whether what waits for a member will wait until somebody does something.
func (h heat) dead(member int) bool {
	m := h.group.Members[member]
	switch m.State {
	case model.StatePinned, model.StateWaiting, model.StateUnknown, model.StatePaused:
	default:
		if !m.Live {
			return true
		}
	}
	for _, f := range h.group.Findings {
		if f.Member == m.Name && f.Severity == model.Critical {
			return true
		}
	}
	return false
}

// words is a count in words.
func (h heat) words(c *model.PartitionCount) string {
	if c.Pending == 0 {
		return "nothing waits"
	}
	s := number(c.Pending, 12) + " wait"
	if !c.Oldest.IsZero() {
		s += ", oldest " + oldest(c, h.group.Counts.At)
	}
	return s
}

// oldest is how long a partition's first message has waited, ≤ where it may be less.
func oldest(c *model.PartitionCount, at time.Time) string {
	if c.AtMost {
		return "≤" + since(c.Oldest, at)
	}
	return since(c.Oldest, at)
}

// counted says how old the counts are where that matters, or why there are none.
func (h heat) counted() string {
	c := h.group.Counts
	switch {
	case c == nil:
		return ""
	case c.Error != "":
		return "not counted: " + c.Error
	}
	at := h.group.Clock()
	if old := at.Sub(c.At); old >= countsOld {
		return "counted " + age(old) + " ago"
	}
	return ""
}

// countsOld is how old counts may be before it is said.
const countsOld = 5 * time.Second
