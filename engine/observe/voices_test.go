package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

func TestFamilies(t *testing.T) {
	for reply, want := range map[string]string{
		"_INBOX.nmrrxH5qhWw4F7ai7PUGBE":                        "_INBOX.nmrrxH5qhWw4",                        // nats.go: a NUID, counted up
		"_INBOX.nmrrxH5qhWw4F7ai7PUGBE.17":                     "_INBOX.nmrrxH5qhWw4F7ai7PUGBE",              // the Java client: numbered
		"_INBOX.nmrrxH5qhWw4F7ai7PUGBE.4F7ai7PUnmrrxH5qhWwGBE": "_INBOX.nmrrxH5qhWw4F7ai7PUGBE.4F7ai7PUnmrr", // the .NET client: a NUID below the connection's
		"_INBOX_team.svc.nmrrxH5qhWw4F7ai7PUGBE":               "_INBOX_team.svc.nmrrxH5qhWw4",               // a prefix of somebody's own
		"_INBOX.short":                                         "_INBOX.short",
		"reply":                                                "reply",
	} {
		if got := family(reply); got != want {
			t.Errorf("family(%q) = %q, want %q", reply, got, want)
		}
	}
}

func TestListens(t *testing.T) {
	for _, c := range []struct {
		subscription, reply string
		fit                 int
	}{
		{"_INBOX.a", "_INBOX.a", 2},
		{"_INBOX.a.*", "_INBOX.a.7", 1},
		{"_INBOX.a.>", "_INBOX.a.7", 1},
		{"_INBOX.b.*", "_INBOX.a.7", 0},
		{"_INBOX.>", "_INBOX.a", 0}, // somebody who listens to everybody's answers
		{"_INBOX.*", "_INBOX.a", 0},
		{">", "_INBOX.a", 0},
		{"_INBOX.a.*", "_INBOX.a", 0},
	} {
		if got := listens(c.subscription, c.reply); got != c.fit {
			t.Errorf("%s on %s: %d, want %d", c.reply, c.subscription, got, c.fit)
		}
	}
}

// pulled lets a listener hear pulls, without any server.
func pulled(p *pulls, reply string, body string) {
	p.hear(&nats.Msg{Subject: "$JS.API.CONSUMER.MSG.NEXT.S-g.m", Reply: reply, Data: []byte(body)})
}

func offline(t *testing.T) (*pulls, func() []model.Instance) {
	t.Helper()
	var last model.InstancesSeen
	l := newLink(New(nil, Options{}), func(v ...model.Observation) { last = v[len(v)-1].(model.InstancesSeen) })
	p := newPulls(l, "S-g")
	p.noConns = "nobody is asked"
	return p, func() []model.Instance { p.tell(); return last.Consumers["m"] }
}

// A client that uses a new reply subject for each pull is one instance, not many.
func TestOneShotRepliesAreOneInstance(t *testing.T) {
	p, list := offline(t)
	for n := range 50 {
		pulled(p, fmt.Sprintf("_INBOX.nmrrxH5qhWw4F7ai7PU%03d", n), `{"expires":2500000000,"batch":1,"group":"PCG"}`)
		pulled(p, fmt.Sprintf("_INBOX.JavaJavaJavaJava.%d", n), `{"expires":2500000000,"batch":1,"group":"PCG","id":"X"}`)
	}
	got := list()
	if len(got) != 2 || got[0].ID != "_INBOX.nmrrxH5qhWw4" || got[1].ID != "_INBOX.JavaJavaJavaJava.0" || got[1].PinID != "X" {
		t.Errorf("%+v", got)
	}
}

// Two that keep their reply subjects are two, though of one process.
func TestSteadyRepliesAreInstances(t *testing.T) {
	p, list := offline(t)
	for range 5 {
		for n := range 3 {
			pulled(p, fmt.Sprintf("_INBOX.nmrrxH5qhWw4F7ai7PU%03d", n), `{"expires":2500000000,"batch":1,"group":"PCG"}`)
		}
	}
	if got := list(); len(got) != 3 {
		t.Errorf("%+v", got)
	}
}

// Pulls without a priority group are nobody's instance, and nonsense harms nobody.
func TestOtherPullsAreLeftOut(t *testing.T) {
	p, list := offline(t)
	for _, body := range []string{``, `{`, `null`, `[]`, `5`, `{"expires":1000000000,"batch":10}`, `{"expires":"x","group":"PCG"}`, "\x00"} {
		pulled(p, "_INBOX.a", body)
	}
	pulled(p, "", `{"expires":1000000000,"group":"PCG"}`)
	if got := list(); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	pulled(p, "_INBOX.b", `{"no_wait":true,"batch":10,"group":"PCG"}`)
	if got := list(); len(got) != 1 || got[0].Expires != time.Second {
		t.Errorf("%+v", got)
	}
	p.sweep(time.Now().Add(2100 * time.Millisecond))
	if got := list(); len(got) != 0 {
		t.Errorf("not gone: %+v", got)
	}
}

// BenchmarkHear is what one pull costs, on top of receiving it: the same as before, and
// one that differs, as of a client that asks for another batch each time.
func BenchmarkHear(b *testing.B) {
	l := newLink(New(nil, Options{}), func(...model.Observation) {})
	p := newPulls(l, "S-g")
	message := func(batch int) *nats.Msg {
		return &nats.Msg{Subject: "$JS.API.CONSUMER.MSG.NEXT.S-g.m", Reply: "_INBOX.nmrrxH5qhWw4F7ai7PUGBE", Data: fmt.Appendf(nil, `{"expires":2500000000,"batch":%d,"group":"PCG","id":"nmrrxH5qhWw4F7ai7PUN3S"}`, batch)}
	}
	same, other := message(500), message(250)
	b.Run("same", func(b *testing.B) {
		for b.Loop() {
			p.hear(same)
		}
	})
	b.Run("other", func(b *testing.B) {
		for b.Loop() {
			p.hear(same)
			p.hear(other)
		}
	})
}

// The counts of subscriptions single out one, or nobody.
func TestServed(t *testing.T) {
	beat := 500 * time.Millisecond
	list := func(beats ...time.Duration) (among []candidate) {
		for n, b := range beats {
			among = append(among, candidate{reply: string(rune('a' + n)), beat: b, sent: 100})
		}
		return among
	}
	for name, c := range map[string]struct {
		among []candidate
		sent  []int64
		want  string
	}{
		"one is sent many":            {list(beat, beat), []int64{102, 130}, "b"},
		"heartbeats alone":            {list(beat, beat), []int64{102, 104}, ""},
		"few more than heartbeats":    {list(beat, beat), []int64{102, 106}, ""},
		"two are sent many":           {list(beat, beat, beat), []int64{130, 130, 100}, ""},
		"one many and another unsure": {list(beat, beat), []int64{106, 130}, ""},
		"without heartbeats":          {list(0, 0), []int64{104, 100}, "a"},
		"one is not found":            {list(beat, beat), []int64{0, 130}, "b"},
	} {
		if got := served(c.among, c.sent, time.Second); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
