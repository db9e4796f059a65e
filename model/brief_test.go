package model

import (
	"strings"
	"testing"
	"time"
)

// TestBriefs: what is wrong in a few words begins with a number, and takes members of the
// same trouble together.
func TestBriefs(t *testing.T) {
	k := elastic("S", "g")
	at := epoch().Add(time.Minute)
	names := []string{"a", "b", "c", "d"}
	base := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(16, names...)}, StreamRead{Name: "S-g", Facts: facts("S")})
	seen := func(change func(list []*Consumer) []*Consumer) *Group {
		var list []*Consumer
		for i, name := range names {
			list = append(list, consumer(name, "id", at, i*4, i*4+1, i*4+2, i*4+3))
		}
		return Reduce(base, at, ConsumersRead{Stream: "S-g", TS: at, Consumers: change(list)}).Group(k)
	}
	for want, c := range map[string]struct {
		id    string
		group *Group
	}{
		"4/16 never seen: d":          {"absent", seen(func(l []*Consumer) []*Consumer { return l[:3] })},
		"12/16 unconsumed: 3 members": {"absent", seen(func(l []*Consumer) []*Consumer { return l[:1] })},
		"4/16 not pulled: a":          {"no-pull", seen(func(l []*Consumer) []*Consumer { l[0].Waiting = 0; return l })},
		"8/16 paused: 2 members":      {"paused", seen(func(l []*Consumer) []*Consumer { l[0].Paused, l[1].Paused = true, true; return l })},
		"4/16 offline: b":             {"offline", seen(func(l []*Consumer) []*Consumer { l[1].Offline = "why"; return l })},
		"7 wait, none pinned: a":      {"not-pinned", seen(func(l []*Consumer) []*Consumer { l[0].PinID, l[0].Pending = "", 7; return l })},
		"3 stuck unacked: c":          {"stuck-unacked", seen(func(l []*Consumer) []*Consumer { stuckOf(l[2], 3); return l })},
		"5 stalled: 2 members":        {"stalled", seen(func(l []*Consumer) []*Consumer { stuckOf(l[2], 3); stuckOf(l[0], 2); return l })},
		"2 delivered again: a":        {"redelivering", seen(func(l []*Consumer) []*Consumer { l[0].Redelivered = 2; return l })},
		"16/16 unowned: no members":   {"unowned", Reduce(base, at, ConfigSeen{Key: k, Revision: 2, Config: config(16)}).Group(k)},
	} {
		f := has(c.group, c.id)
		if f == nil || f.Brief != want || f.Short() != want || strings.TrimLeft(f.Brief, "0123456789") == f.Brief {
			t.Errorf("%s: %+v, want %q", c.id, f, want)
		}
	}
	if f := (Finding{Text: "no origin S"}); f.Short() != f.Text {
		t.Errorf("%q", f.Short())
	}
}

func stuckOf(c *Consumer, unacked uint64) {
	c.AckPending, c.Waiting, c.AckWait, c.LastDelivered = unacked, 0, 5*time.Second, c.TS.Add(-time.Minute)
	c.Created = c.TS.Add(-time.Hour)
}
