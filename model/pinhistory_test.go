package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// pins feeds advisories: at so many seconds, a pin or, for "-reason", its loss.
func pins(s *Snapshot, changes ...string) *Snapshot {
	for _, c := range changes {
		var sec float64
		var what string
		if _, err := fmt.Sscan(c, &sec, &what); err != nil {
			panic(err)
		}
		o := PinSeen{Stream: "S-g", Consumer: "m", PinID: what, At: epoch().Add(time.Duration(sec * float64(time.Second)))}
		if reason, lost := strings.CutPrefix(what, "-"); lost {
			o.PinID, o.Reason = "", reason
		}
		s = Reduce(s, o.At, o)
	}
	return s
}

func theMember(s *Snapshot) *Member { return s.Group(elastic("S", "g")).Member("m") }

func TestPinHistory(t *testing.T) {
	s := pins(pinnedGroup("X"), "10 -timeout", "10.5 Y", "20 -timeout", "20.2 Z", "30 -timeout", "31 X2", "33 -admin", "33.002 V")
	m := theMember(s)
	if m.PinChangesPerMinute() != 5 || !m.Flapping() || m.PinTimeouts != 3 {
		t.Errorf("%d a minute, flapping %v, %d timeouts", m.PinChangesPerMinute(), m.Flapping(), m.PinTimeouts)
	}
	if got := m.PinHeld(33*time.Second, 11); !slices.Equal(got, []string{"X", "X", "X", "Y", "Y", "Y", "Z", "Z", "Z", "Z", "V"}) {
		t.Errorf("held %q", got)
	}
	if hint := m.FlapHint(); !strings.Contains(hint, "ack wait") {
		t.Errorf("hint %q", hint)
	}
	// The consumer is made anew, as when the membership changes: the history stays.
	k := elastic("S", "g")
	s = Reduce(s, epoch(), ConsumerDeleted{Stream: "S-g", Consumer: "m", At: epoch().Add(40 * time.Second)})
	c := consumer("m", "W", epoch().Add(41*time.Second), 0, 1)
	c.Created = epoch().Add(40 * time.Second)
	s = Reduce(s, epoch(), ConsumersRead{Stream: "S-g", TS: epoch().Add(41 * time.Second), Consumers: []*Consumer{c}})
	if m = s.Group(k).Member("m"); m.PinChangesPerMinute() != 6 {
		t.Errorf("%d a minute", m.PinChangesPerMinute())
	}
	// A quiet minute later it is steady.
	late := *c
	late.TS = epoch().Add(3 * time.Minute)
	if m = theMember(Reduce(s, epoch(), ConsumersRead{Stream: "S-g", TS: late.TS, Consumers: []*Consumer{&late}})); m.Flapping() || m.PinChangesPerMinute() != 0 {
		t.Errorf("%d a minute after a quiet one", m.PinChangesPerMinute())
	}
}

// An answer and the advisories about the same change come in any order: each change
// counts once, and each advisory is told once.
func TestAnswersAndAdvisoriesInAnyOrder(t *testing.T) {
	at := func(sec float64) time.Time { return epoch().Add(time.Duration(sec * float64(time.Second))) }
	read := func(sec float64, pin string, pinned float64) Observation {
		c := consumer("m", pin, at(sec), 0, 2)
		c.Created = at(-3600)
		if c.PinnedAt = at(pinned); pin == "" {
			c.PinnedAt = time.Time{}
		}
		return ConsumersRead{Stream: "S-g", TS: at(sec), Consumers: []*Consumer{c}}
	}
	lost := PinSeen{Stream: "S-g", Consumer: "m", Reason: "timeout", At: at(10)}
	got := PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at(10.5)}
	for name, order := range map[string][]Observation{
		"advisories first":      {lost, got, read(11, "Y", 10.5)},
		"the answers first":     {read(10.2, "", 0), read(11, "Y", 10.5), lost, got},
		"one answer first":      {read(11, "Y", 10.5), lost, got},
		"the loss read first":   {read(10.2, "", 0), lost, got, read(11, "Y", 10.5)},
		"the other way round":   {got, lost, read(11, "Y", 10.5)},
		"told twice":            {lost, lost, got, got, read(11, "Y", 10.5)},
		"an old answer at last": {lost, got, read(9.9, "X", 0), read(11, "Y", 10.5)},
	} {
		s := pinnedGroup("X")
		for _, o := range order {
			s = Reduce(s, epoch(), o)
		}
		m := theMember(s)
		if m.Consumer.PinID != "Y" || m.PinTimeouts != 1 || m.PinChangesPerMinute() != 2 {
			t.Errorf("%s: pin %q, %d timeouts, %d a minute, %+v", name, m.Consumer.PinID, m.PinTimeouts, m.PinChangesPerMinute(), m.Pins)
		}
		told := 0
		for _, e := range s.Events {
			if e.Kind == EventPin {
				told++
			}
		}
		if told != 2 {
			t.Errorf("%s: %d events", name, told)
		}
	}
}

func TestPinHistoryIsBounded(t *testing.T) {
	s := pinnedGroup("X")
	for n := range 10 * MaxPins {
		s = pins(s, fmt.Sprintf("%f P%d", 1+float64(n)/100, n))
	}
	if n := len(theMember(s).Pins); n > MaxPins+1 {
		t.Errorf("%d are kept", n)
	}
	s = pins(pinnedGroup("X"), "1 Y", "700 Z", "1400 V")
	if n := len(theMember(s).Pins); n != 2 {
		t.Errorf("%d are kept, want the one in force 10 minutes ago and what came then: %+v", n, theMember(s).Pins)
	}
}

// Pins that follow a change of the config are no flapping, however many changes there are;
// those that come when it was left alone are.
func TestPinsAfterAChangeOfTheConfig(t *testing.T) {
	s := pinnedGroup("X")
	k := elastic("S", "g")
	for n := range 4 {
		c := *config(2, "m")
		if n%2 == 0 {
			c.Members = []string{"m", "other"}
		}
		at := 10 + 12*n
		s = Reduce(s, epoch(), ConfigSeen{Key: k, Revision: uint64(n + 2), Config: &c, Written: epoch().Add(time.Duration(at) * time.Second)})
		s = pins(s, fmt.Sprintf("%d -", at+1), fmt.Sprintf("%d.5 P%d", at+4, n))
	}
	if m := theMember(s); m.Flapping() || m.PinChangesPerMinute() > 1 {
		t.Errorf("%d a minute after changes of the config", m.PinChangesPerMinute())
	}
	s = pins(s, "61 -timeout", "62 A", "64 -timeout", "65 B", "66 -timeout", "67 C", "68 -timeout", "69 D")
	if m := theMember(s); !m.Flapping() || m.PinChangesPerMinute() != 4 {
		t.Errorf("%d a minute that nobody asked for", m.PinChangesPerMinute())
	}
}
