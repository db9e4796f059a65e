package model

import (
	"testing"
	"time"
)

// waiting is instances that stand by and pulled so many ms before the pin moved.
func waiting(at time.Time, ago ...int) InstancesSeen {
	seen := pulling(at, "a X")
	for n, ms := range ago {
		name := string(rune('b' + n))
		seen.Consumers["m"] = append(seen.Consumers["m"], Instance{ID: "_INBOX." + name, Seen: epoch().Add(-time.Hour), LastPull: at.Add(-time.Duration(ms) * time.Millisecond), Expires: time.Second, Asked: true, Conn: &Connection{Name: name}})
	}
	return seen
}

// The server's queue tells who of several got the pin, where its order is known.
func TestTheLongestWaitingPullGetsThePin(t *testing.T) {
	at := epoch().Add(10 * time.Second)
	lost := func(reason string) PinSeen {
		return PinSeen{Stream: "S-g", Consumer: "m", Reason: reason, At: at, Heard: at}
	}
	got := func(after time.Duration) PinSeen {
		return PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at.Add(after), Heard: at}
	}
	const one, two = "c pinned?, b standby, d standby, a believes it is pinned", "b perhaps pinned, c perhaps pinned, d perhaps pinned, a believes it is pinned"
	for name, c := range map[string]struct {
		ago  []int
		lost PinSeen
		got  PinSeen
		want string
	}{
		"after a timeout":                   {[]int{100, 700, 400}, lost("timeout"), got(0), one},
		"long after a step-down":            {[]int{100, 700, 400}, lost("admin"), got(2 * time.Second), one},
		"in the middle of messages":         {[]int{100, 700, 400}, lost("admin"), got(time.Millisecond), two},
		"two pulled at once":                {[]int{100, 700, 690}, lost("timeout"), got(0), "c perhaps pinned, d perhaps pinned, b standby, a believes it is pinned"},
		"the longest is about to end":       {[]int{100, 990, 980}, lost("timeout"), got(0), two},
		"the longest has ended":             {[]int{1500, 700, 400}, lost("timeout"), got(0), one},
		"all but one have ended":            {[]int{1500, 700, 1400}, lost("timeout"), got(0), one},
		"none waits, as far as is heard":    {[]int{1500, 1700, 1400}, lost("timeout"), got(0), two},
		"it was silent for twice its wait":  {[]int{700, 2100, 400}, lost("timeout"), got(0), "b pinned?, c standby, d standby, a believes it is pinned"},
		"nobody knows since when it was so": {[]int{100, 700, 400}, lost(""), got(time.Millisecond), two},
	} {
		s := Reduce(pinnedGroup("X"), at, waiting(at, c.ago...), c.lost, c.got)
		if got := rolesOf(s); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// What is heard later corrects the order: who pulls again without the pin has it not, and
// who is sent the messages has.
func TestHeirsAreSetRight(t *testing.T) {
	at := epoch().Add(10 * time.Second)
	s := Reduce(pinnedGroup("X"), at, waiting(at, 100, 700, 400), PinSeen{Stream: "S-g", Consumer: "m", Reason: "timeout", At: at, Heard: at}, PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at, Heard: at})
	later := func(change func(list []Instance)) *Snapshot {
		seen := waiting(at, 100, 700, 400)
		change(seen.Consumers["m"])
		return Reduce(s, at.Add(time.Second), seen)
	}
	again := func(i *Instance) { i.LastPull = at.Add(500 * time.Millisecond) }
	for name, c := range map[string]struct {
		change func(list []Instance)
		want   string
	}{
		"the first pulls again":          {func(l []Instance) { again(&l[2]) }, "b perhaps pinned, d perhaps pinned, c standby, a believes it is pinned"},
		"all but one pull again":         {func(l []Instance) { again(&l[2]); again(&l[3]) }, "b pinned?, c standby, d standby, a believes it is pinned"},
		"its pull was on its way":        {func(l []Instance) { l[2].LastPull = l[2].LastPull.Add(200 * time.Millisecond) }, "c pinned?, b standby, d standby, a believes it is pinned"},
		"another is sent the messages":   {func(l []Instance) { l[3].Served = "Y" }, "d pinned?, b standby, c standby, a believes it is pinned"},
		"another names the pin":          {func(l []Instance) { l[1].PinID = "Y" }, "b pinned, c standby, d standby, a believes it is pinned"},
		"another was sent those before":  {func(l []Instance) { l[3].Served = "W" }, "c pinned?, b standby, d standby, a believes it is pinned"},
		"a pin before is named too late": {func(l []Instance) { l[1].PinID = "W" }, "c pinned?, d standby, a believes it is pinned, b believes it is pinned"},
	} {
		if got := rolesOf(later(c.change)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
	// The one that must have it is gone: nobody else is taken for it.
	seen := waiting(at, 100, 700, 400)
	seen.Consumers["m"] = append(seen.Consumers["m"][:2:2], seen.Consumers["m"][3])
	if got := rolesOf(Reduce(s, at.Add(time.Second), seen)); got != "b standby, d standby, a believes it is pinned" {
		t.Errorf("the heir is gone: %s", got)
	}
	// What a pull named is not told otherwise by who pulled when.
	named := later(func(l []Instance) { l[1].PinID = "Y" })
	if p := theMember(named).Pins; p[len(p)-1].By != "b" {
		t.Errorf("the pin is %s's", p[len(p)-1].By)
	}
	seen = waiting(at, 100, 700, 400)
	seen.Consumers["m"] = append(seen.Consumers["m"][:1:1], seen.Consumers["m"][2:]...) // b dies
	if p := theMember(Reduce(named, at.Add(2*time.Second), seen)).Pins; p[len(p)-1].By != "b" {
		t.Errorf("when b is gone the pin is %s's", p[len(p)-1].By)
	}
}
