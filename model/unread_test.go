package model

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// known is what is known of how much waits: "-", or the number with ≥ where more may.
func known(g *Group) string {
	switch {
	case !g.LagKnown():
		return "-"
	case g.LagAtLeast():
		return "≥" + Thousands(g.Lag())
	}
	return Thousands(g.Lag())
}

// What waits for members without a consumer is not known until their partitions were counted,
// and no zero; where a count was made it holds as long as counts do.
func TestLagOfMembersWithoutConsumer(t *testing.T) {
	k := static("PAY", "odd")
	at := epoch()
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(4, "x", "y")})
	stream := func(messages uint64) {
		s = Reduce(s, at, StreamRead{Name: "PAY", Facts: StreamFacts{Exists: true, Messages: messages}})
	}
	read := func(after time.Duration, list ...*Consumer) {
		at = at.Add(after)
		s = Reduce(s, at, ConsumersRead{Stream: "PAY", TS: at, Consumers: list})
	}
	x := func() *Consumer {
		c := consumer("odd-x", "X", at, 0, 1)
		c.Pending = 5
		return c
	}
	expect := func(when, lag, printed string, history ...uint64) {
		t.Helper()
		g := s.Group(k)
		raw, err := json.Marshal(g.Printed())
		if err != nil {
			t.Fatal(err)
		}
		if known(g) != lag || !strings.Contains(string(raw), printed) || len(g.History) != len(history) || len(history) > 0 && g.History[len(g.History)-1] != history[len(history)-1] {
			t.Errorf("%s: lag %s, want %s; history %d, want %d; want %s in\n%s", when, known(g), lag, g.History, history, printed, raw)
		}
		if w, grows := g.grown(); grows || w.stray > 0 {
			t.Errorf("%s: %+v grew", when, w)
		}
	}
	stream(0)
	read(0)
	expect("of an empty stream", "0", `"pending":0`, 0)
	stream(20_563)
	expect("once messages came", "-", `"pending":null`, 0)
	read(2 * HistoryStep)
	expect("read again", "-", `"pending":null`)
	at = at.Add(WindowNeed)
	s = Reduce(s, at, PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second}, Partitions: []Counted{{Pending: 9000}, {Pending: 10_000}, {Pending: 266}, {}}})
	read(0)
	expect("counted", "19,266", `"strayed":19266`, 19_266)
	read(HistoryStep)
	expect("as the counts age", "19,266", `"strayed":19266`, 19_266, 19_266)
	read(30 * time.Second)
	expect("once they are forgotten", "-", `"pending":null`)
	read(HistoryStep, x())
	expect("once one of both runs", "≥5", `"pending_at_least":true`, 5)
	restored := *s.Group(k)
	restored.uncounted, restored.idle = 0, 0 // which no recording holds
	if err := restored.Restore(); err != nil || known(&restored) != "≥5" {
		t.Errorf("restored: %v, %s", err, known(&restored))
	}
	s = Reduce(s, at, PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second}, Partitions: []Counted{{}, {}, {Pending: 7}, {}}})
	expect("and the other's were counted", "12", `"strayed":7`, 5)
	read(HistoryStep, x())
	expect("and it was read", "12", `"strayed":7`, 12)
}

// Where there is nothing that messages could wait in, or it is another group's, or nobody
// knows whose they are, no zero is told.
func TestLagOfBrokenGroups(t *testing.T) {
	for name, c := range map[string]struct {
		key  Key
		seen []Observation
		want string
	}{
		"no stream":                {static("S", "g"), []Observation{ConsumersRead{Stream: "S", Missing: true}}, "-"},
		"no work stream":           {elastic("S", "g"), []Observation{ConsumersRead{Stream: "S-g", Missing: true}}, "-"},
		"an offline stream":        {static("S", "g"), []Observation{StreamRead{Name: "S", Facts: StreamFacts{Exists: true, Offline: "unsupported"}}, ConsumersRead{Stream: "S", TS: epoch()}}, "-"},
		"another group's":          {elastic("S", "g"), []Observation{StreamRead{Name: "S-g", Facts: StreamFacts{Exists: true, Messages: 7, Sources: []Source{{Name: "T"}}}}, ConsumersRead{Stream: "S-g", TS: epoch()}}, "-"},
		"its own, nobody consumes": {elastic("S", "g"), []Observation{StreamRead{Name: "S-g", Facts: StreamFacts{Exists: true, Messages: 7, Sources: []Source{{Name: "S"}}}}, ConsumersRead{Stream: "S-g", TS: epoch()}}, "7"},
		"unreadable ever":          {static("S", "h"), []Observation{ConfigSeen{Key: static("S", "h"), Revision: 1, Problem: "no object"}, StreamRead{Name: "S", Facts: StreamFacts{Exists: true, Messages: 7}}, ConsumersRead{Stream: "S", TS: epoch()}}, "-"},
		"unreadable, elastic":      {elastic("S", "h"), []Observation{ConfigSeen{Key: elastic("S", "h"), Revision: 1, Problem: "no object"}, StreamRead{Name: "S-h", Facts: StreamFacts{Exists: true, Sources: []Source{{Name: "S"}}}}, ConsumersRead{Stream: "S-h", TS: epoch()}}, "-"},
	} {
		s := Reduce(nil, epoch(), ConfigSeen{Key: static("S", "g"), Revision: 1, Config: config(2, "m")}, ConfigSeen{Key: elastic("S", "g"), Revision: 1, Config: config(2, "m")})
		g := Reduce(s, epoch(), c.seen...).Group(c.key)
		raw, err := json.Marshal(g.Printed())
		if known(g) != c.want || err != nil || strings.Contains(string(raw), `"pending":null`) != (c.want == "-") {
			t.Errorf("%s: lag %s, want %s; %v\n%s", name, known(g), c.want, err, raw)
		}
	}
}
