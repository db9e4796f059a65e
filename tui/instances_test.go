package tui

import (
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// instance is one that pulled so long ago; pin is what its pull named.
func instance(id, pin string, pulled time.Duration, c *model.Connection) model.Instance {
	return model.Instance{ID: "_INBOX.Xk2PqLrT9fWmVb" + id, PinID: pin, Seen: moment().Add(-time.Hour), LastPull: moment().Add(-pulled), Expires: 2500 * time.Millisecond, Asked: true, Conn: c}
}

func connection(name, address, lang, version, server string, up time.Duration) *model.Connection {
	return &model.Connection{Server: server, CID: 7, Name: name, Address: address, Lang: lang, Version: version, RTT: 400 * time.Microsecond, Since: moment().Add(-up), Up: up, At: moment()}
}

// heard is the sketch with the instances of TELEMETRY/rollup: every role, and what can
// be unknown of them.
func heard(change ...func(*model.InstancesSeen)) world {
	w := sketch()
	m2 := w.groups[0].consumers["m2"]
	m2.Waiting = 4
	w.groups[0].consumers["m2"] = m2
	seen := model.InstancesSeen{Stream: "TELEMETRY-rollup", Watch: &model.Watch{Since: moment().Add(-time.Hour)}, Consumers: map[string][]model.Instance{
		"m1": {instance("aaaa", "Xk2PqLrT9fWmVb5c9d", 300*time.Millisecond, connection("roll-5c9d", "10.1.4.7:51000", "go", "1.55.0", "nats-2", 3*time.Hour))},
		"m2": {
			instance("cccc", "", 2400*time.Millisecond, connection("roll-77e0", "10.1.4.8:40112", "go", "1.55.0", "nats-3", 3*time.Hour)),
			instance("dddd", "Xk2PqLrT9fWmVb91ab", 2100*time.Millisecond, connection("roll-91ab", "10.1.4.9:42000", "java", "2.25.0", "nats-1", 3*time.Minute)),
			instance("eeee", "Xk2PqLrT9fWmVb0000", 4*time.Second, nil),
			instance("ffff", "", 900*time.Millisecond, &model.Connection{Server: "nats-1", CID: 9, Name: "edge", Leaf: true, At: moment(), Up: time.Hour, Lang: "", Version: "", RTT: 12 * time.Millisecond}),
		},
	}}
	for _, f := range change {
		f(&seen)
	}
	w.more = append(w.more, seen)
	return w
}

// flapping is the group with a pin that moves too often, under a short ack_wait.
func flapping() world {
	w := heard()
	c := w.groups[0].consumers["m1"]
	c.AckWait, c.PinID, c.PinnedAt = time.Second, "", time.Time{}
	w.groups[0].consumers["m1"] = c
	at := moment().Add(-50 * time.Second)
	for _, id := range []string{"Xk2PqLrT9fWmVb5c9d", "B", "Xk2PqLrT9fWmVb5c9e", "C", "Xk2PqLrT9fWmVb5c9d"} {
		w.more = append(w.more, model.PinSeen{Stream: "TELEMETRY-rollup", Consumer: "m1", PinID: id, At: at})
		if at = at.Add(9 * time.Second); at.Before(moment().Add(-10 * time.Second)) {
			w.more = append(w.more, model.PinSeen{Stream: "TELEMETRY-rollup", Consumer: "m1", Reason: "timeout", At: at})
			at = at.Add(200 * time.Millisecond)
		}
	}
	return w
}

func deniedPulls(s *model.InstancesSeen) {
	s.Consumers, s.Watch.NoPulls = nil, "pulls of TELEMETRY-rollup: allow subscribe to $JS.API.CONSUMER.MSG.NEXT.TELEMETRY-rollup.*"
}

func deniedConnections(s *model.InstancesSeen) {
	s.Watch.NoConnections = "connections: allow publish to $SYS.REQ.ACCOUNT.PING.CONNZ"
	for _, list := range s.Consumers {
		for i := range list {
			list[i].Conn = nil
		}
	}
}

func hiddenAddresses(s *model.InstancesSeen) {
	for _, list := range s.Consumers {
		for i := range list {
			if list[i].Conn != nil {
				list[i].Conn.Address = ""
			}
		}
	}
}

// oneOfThree is the group right after m2's pin went to one of three.
func oneOfThree() world {
	w := heard(func(s *model.InstancesSeen) {
		s.Consumers["m2"] = append(s.Consumers["m2"], instance("9999", "", 700*time.Millisecond, connection("roll-0a1b", "10.1.4.3:40000", "go", "1.55.0", "nats-2", time.Hour)))
	})
	w.more = append(w.more,
		model.PinSeen{Stream: "TELEMETRY-rollup", Consumer: "m2", Reason: "admin", At: moment()},
		model.PinSeen{Stream: "TELEMETRY-rollup", Consumer: "m2", PinID: "Xk2PqLrT9fWmVb7777", At: moment().Add(2 * time.Millisecond)})
	return w
}

func nobodyYet(s *model.InstancesSeen) { s.Consumers, s.Watch.Since = nil, moment() }

// rollup opens TELEMETRY/rollup, whatever the order of groups, and goes to its first line.
func rollup(s *stage) *stage {
	s.press("/").typed("rollup")
	return s.press("enter", "enter", "g")
}

func TestInstanceFrames(t *testing.T) {
	for name, w := range map[string]world{
		"instances": heard(), "flapping": flapping(), "no-pulls": heard(deniedPulls), "no-connections": heard(deniedConnections),
		"addresses-hidden": heard(hiddenAddresses), "hearing": heard(nobodyYet), "perhaps": oneOfThree(), "instances-lost": lost(heard()),
	} {
		for _, z := range sizes() {
			s := rollup(newStage(t, z.w, z.h).show(w.snapshot()))
			s.golden("group-"+name+"-"+z.String(), name == "instances")
		}
	}
	for _, z := range sizes() {
		s := rollup(newStage(t, z.w, z.h).show(heard().snapshot()))
		s.press("down", "down", "down").golden("group-instance-chosen-"+z.String(), true)
		s.press("s").golden("plan-step-down-instances-"+z.String(), false)
	}
	for name, look := range map[string]func(*Options){"no-color": func(o *Options) { o.NoColor = true }, "ascii": func(o *Options) { o.ASCII, o.NoColor = true, true }} {
		rollup(newStage(t, 120, 40, look).show(heard().snapshot())).golden("look-"+name+"-instances-120x40", false)
	}
}

// What can be told in two seconds: which process is pinned, whatever the colours.
func TestThePinnedProcessStandsOut(t *testing.T) {
	for _, z := range sizes() {
		s := rollup(newStage(t, z.w, z.h, func(o *Options) { o.NoColor = true }).show(heard().snapshot()))
		found := false
		for _, line := range strings.Split(s.plain(), "\n") {
			found = found || strings.Contains(line, "● roll-5c9d") && strings.Contains(line, "pinned 12 m")
		}
		if !found {
			t.Errorf("%v: roll-5c9d is not marked:\n%s", z, s.plain())
		}
		if strings.Count(s.plain(), "●") > 3 { // one a member, and the link's
			t.Errorf("%v: too much is marked:\n%s", z, s.plain())
		}
	}
}

// The selection goes through the instances and follows them by identity.
func TestInstanceSelection(t *testing.T) {
	s := rollup(newStage(t, 120, 40).show(heard().snapshot()))
	s.press("down")
	if i := s.m.group.members.chosen(); i == nil || i.Name() != "roll-5c9d" || s.m.group.members.selected != "m1" {
		t.Fatalf("chosen %+v", i)
	}
	s.press("down", "down", "down").sees("roll-77e0 · instance of m2 · standby")
	gone := func(o *model.InstancesSeen) { o.Consumers["m2"] = o.Consumers["m2"][1:] }
	s.show(heard(func(o *model.InstancesSeen) {
		o.Consumers["m2"][1].PinID, o.Consumers["m2"][0].PinID = "", "Xk2PqLrT9fWmVb91ab"
	}).snapshot())
	s.sees("roll-77e0 · instance of m2 · pinned 3 m")
	s.show(heard(gone).snapshot())
	if l := s.m.group.members; l.selected != "m2" || l.chosen() != nil {
		t.Errorf("after it went: %s %+v", l.selected, l.chosen())
	}
	// Whatever line of a member is selected, its pinned instance steps down.
	s.press("down", "s").sees("loses it roll-91ab 10.1.4.9:42000").sees("then …Vbffff takes over")
}

// Pins that one instance was heard to have share their letter; of the others each has its own.
func TestPinsOfOneInstanceShareALetter(t *testing.T) {
	m := &model.Member{Pins: []model.PinChange{{PinID: "p1", Instance: "i"}, {PinID: "p2"}, {}, {PinID: "p3"}, {PinID: "p4", Instance: "i"}}}
	var got string
	letters := holders(m)
	for _, p := range m.Pins {
		if p.PinID != "" {
			got += string(letters[p.PinID])
		}
	}
	if got != "abca" {
		t.Errorf("%s, want abca", got)
	}
}

// While it is not known which of several has a pin, the screen says which they are.
func TestOneOfSeveralIsSaid(t *testing.T) {
	s := rollup(newStage(t, 200, 60).show(oneOfThree().snapshot()))
	s.sees("? roll-77e0").sees("? roll-0a1b").sees("perhaps pinned")
	s.press("down", "down", "down").sees("is pinned: its next pull says which")
}

// ENG-15: no pin is shown as none, and never with an age from the year 1.
func TestNoPinHasNoAge(t *testing.T) {
	w := heard(func(o *model.InstancesSeen) { o.Consumers["m2"][1].PinID = "" })
	c := w.groups[0].consumers["m2"]
	c.PinID, c.PinnedAt, c.Pending = "", time.Time{}, 0
	w.groups[0].consumers["m2"] = c
	s := rollup(newStage(t, 200, 60).show(w.snapshot())).press("down", "down")
	s.sees("waiting").sees("no pin yet: waits for the next message")
	for _, old := range []string{"2025 ", "17753", "0001", " y "} {
		if strings.Contains(s.plain(), old) {
			t.Errorf("%q is on the screen:\n%s", old, s.plain())
		}
	}
}

// OBS-12: three facts, shown apart.
func TestLivenessIsNotGuessed(t *testing.T) {
	w := sketch()
	w.groups[0].consumers["m1"] = model.Consumer{AckWait: 2 * time.Second, Inactive: 2 * time.Second, PullSeen: moment().Add(-1600 * time.Millisecond)}
	s := rollup(newStage(t, 200, 60).show(w.snapshot()))
	s.sees("no pull 1.6 s").sees("no waiting pull, its consumer expires in ~0.4 s")
	delete(w.groups[0].consumers, "m1")
	s.show(w.snapshot()).sees("absent")
	if s.m.snap.Group(elastic("TELEMETRY", "rollup")).Member("nobody") != nil {
		t.Error("nobody is a member")
	}
	never := world{groups: []fixture{{key: elastic("NEW", "born"), revision: 1, config: model.Config{Partitions: 4, Members: []string{"a", "b"}}}}}
	newStage(t, 120, 40).show(never.snapshot()).sees("NEW/born").sees("0/2")
}

// CON-05 and CON-10, as they are drawn.
func TestPinTroubleIsSaid(t *testing.T) {
	s := rollup(newStage(t, 200, 60).show(flapping().snapshot()))
	s.sees("flapping 5/min").sees("its ack wait of 1s is below 2s: join with a longer one")
	w := heard()
	c := w.groups[0].consumers["m1"]
	c.AckWait = 2 * time.Second
	w.groups[0].consumers["m1"] = c
	lost := model.PinSeen{Stream: "TELEMETRY-rollup", Consumer: "m1", Reason: "timeout", At: moment().Add(time.Second)}
	s = rollup(newStage(t, 200, 60).show(model.Reduce(w.snapshot(), moment(), lost)))
	s.sees("pin lost by timeout 1 time in 10 min: a handler slower than its ack wait (2s)").sees("pin lost by timeout after 12m1s, was roll-5c9d")
}

// Names of connections come from anybody: none of them reaches the terminal as it is.
func TestHostileConnections(t *testing.T) {
	for _, name := range hostileNames() {
		w := heard(func(o *model.InstancesSeen) {
			for _, list := range o.Consumers {
				for i := range list {
					list[i].ID, list[i].Conn = list[i].ID+name, connection(name, name, name, name, name, time.Hour)
				}
			}
			o.Watch.NoConnections = name
		})
		for _, z := range []size{{40, 12}, {120, 40}} { // every frame is looked at
			rollup(newStage(t, z.w, z.h).show(w.snapshot())).press("down", "down", "s", "esc", "e")
		}
	}
}

// Beside listed instances no bound is shown: while others may still be heard, that is said.
func TestNoBoundContradictsTheList(t *testing.T) {
	for since, want := range map[time.Duration]string{2 * time.Second: "1 +…", time.Hour: "1 +0"} {
		w := heard(func(s *model.InstancesSeen) {
			s.Watch.Since = moment().Add(-since)
			delete(s.Consumers, "m2")
		})
		m1 := w.groups[0].consumers["m1"]
		m1.Waiting = 3
		w.groups[0].consumers["m1"] = m1
		s := rollup(newStage(t, 120, 40).show(w.snapshot()))
		s.sees("A m1 pinned 12 m 0-4,15 118 0 40 " + want + " ").sees("B m2 pinned 3 m 5-9 4,281 1 0 1 +≤4 ")
	}
}
