package consumergroup

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

const stamp = "ship.{{partition(8,1)}}.orders.{{wildcard(1)}}"

// queue is a work queue with that transform of its own.
func queue(from, to string) model.StreamFacts {
	return model.StreamFacts{Known: true, Exists: true, WorkQueue: true, Transforms: []model.Transform{{From: from, To: to}}}
}

// TestShapeOf: a prefix of literal tokens before the number makes the shape, and nothing
// of pcgroups has it.
func TestShapeOf(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{"orders.*", stamp, "ship 8"},
		{"orders.*", "cg.eu.{{ Partition( 3 , 1 ) }}.orders.{{wildcard(1)}}", "cg.eu 3"},
		{"", "cg.{{partition(8)}}.>", "cg 8"},
		{"orders.*", "cg.{{partition(8,1)}}", "cg 8"},
		{"orders.*", "{{partition(8,1)}}.orders.{{wildcard(1)}}", "no"}, // as for a static group
		{"orders.*", "{{wildcard(1)}}.{{partition(8,1)}}.orders", "no"},
		{"orders.*", "$1.{{partition(8,1)}}.orders", "no"},
		{"orders.*", "$x.{{partition(8,1)}}.orders.$1", "$x 8"},
		{"orders.*", "cg.{{partition(0,1)}}.orders", "no"},
		{"orders.*", "cg..{{partition(8,1)}}.orders", "no"},
		{"orders.*", "cg.orders.{{wildcard(1)}}", "no"},
	} {
		got := "no"
		if s, ok := ShapeOf(queue(c.from, c.to)); ok {
			got = fmt.Sprint(s.Prefix, " ", s.Partitions)
		}
		if got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.from, c.to, got, c.want)
		}
	}
	f := queue("orders.*", stamp)
	f.WorkQueue = false
	if _, ok := ShapeOf(f); ok {
		t.Error("a stream that keeps what is acknowledged")
	}
	f = model.StreamFacts{Known: true, Exists: true, WorkQueue: true, Sources: []model.Source{{Transforms: []model.Transform{{From: "orders.*", To: stamp}}}}}
	if _, ok := ShapeOf(f); ok {
		t.Error("a stream that is stamped on its way in")
	}
}

// TestFilters: every filter of a member names a number behind the prefix.
func TestFilters(t *testing.T) {
	shape, _ := ShapeOf(queue("orders.*", stamp))
	for _, c := range []struct {
		consumer model.Consumer
		want     string
	}{
		{model.Consumer{Filters: []string{"ship.3.>", "ship.0.>", "ship.3.>"}}, "[0 3] []"},
		{model.Consumer{Filters: []string{"ship.7.>", "ship.8.>", "ship.07.>", "ship.99999999999999999999.>"}}, "[7] [ship.8.> ship.07.> ship.99999999999999999999.>]"},
		{model.Consumer{Filters: []string{"ship.3.>", "ship.dead.>"}}, "no"},
		{model.Consumer{Filters: []string{"ship.3.orders.*"}}, "no"},
		{model.Consumer{Filters: []string{"ship.3"}}, "no"},
		{model.Consumer{Filters: []string{"ship..>"}}, "no"},
		{model.Consumer{Filters: []string{"ship.+3.>"}}, "no"},
		{model.Consumer{Filters: []string{"ship.>"}}, "no"},
		{model.Consumer{Filters: []string{"3.>"}}, "no"},
		{model.Consumer{Filters: []string{"shipped.3.>"}}, "no"},
		{model.Consumer{}, "no"},
		{model.Consumer{Filters: []string{"ship.3.>"}, Push: true}, "no"},
		{model.Consumer{Filters: []string{"ship.3.>"}, PriorityGroup: "PCG"}, "no"},
	} {
		got := "no"
		if f, ok := shape.Filters(&c.consumer); ok {
			got = fmt.Sprint(f.Held, " ", f.Beyond)
		}
		if got != c.want {
			t.Errorf("%+v: %s, want %s", c.consumer.Filters, got, c.want)
		}
	}
}

// FuzzRecognition: whatever streams and consumers there are, they are told or left alone:
// every partition once, owned by a member whose filter names it, and as JSON.
func FuzzRecognition(f *testing.F) {
	f.Add("orders.*", stamp, "ship.0.>,ship.1.>", "ship.1.>,ship.9.>", "PCG", false, uint64(5), true)
	f.Add("", "cg.{{partition(3)}}.>", "cg.0.>", "", "", true, uint64(0), true)
	f.Add("a.*.*", "cg.{{partition(65537,1,2)}}.a", "cg.65536.>", "cg.0.>", "", false, uint64(1)<<63, true)
	f.Add("a.*", "cg.{{partition(2147483647,9)}}.a.$1", "cg.00.>", "cg.>", "", false, uint64(9), true)
	f.Add("*", "$JS.{{partition(2,1)}}.{{left(1,2)}}", "$JS.1.>", "$JS.1.>", "", false, uint64(9), false)
	f.Fuzz(func(t *testing.T, from, to, first, second, group string, push bool, messages uint64, queued bool) {
		facts := queue(from, to)
		facts.WorkQueue, facts.Messages, facts.Subjects = queued, messages, []string{from, to}
		shape, ok := ShapeOf(facts)
		if ok && (!queued || shape.Prefix == "" || shape.Partitions < 1 || !strings.HasPrefix(to, shape.Prefix+".{{")) {
			t.Fatalf("%q to %q has the shape %+v", from, to, shape)
		}
		if !ok {
			shape = Shape{Prefix: "ship", Partitions: 4} // it was one when it was found
		}
		at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		consumers := []*model.Consumer{
			{Name: "a", Filters: strings.Split(first, ","), TS: at, Pending: messages, Created: at.Add(-time.Minute)},
			{Name: "b", Filters: strings.Split(second, ","), TS: at, PriorityGroup: group, Push: push, Created: at.Add(-time.Minute)},
		}
		key := model.Key{Kind: Name, Stream: "S", Group: shape.Prefix}
		var s *model.Snapshot
		for n := range 3 { // one of them goes
			s = model.Reduce(s, at, model.GroupTold{Key: key, Stream: "S", Teller: teller{shape}}, model.StreamRead{Name: "S", Facts: facts},
				model.ConsumersRead{Stream: "S", TS: at.Add(time.Duration(n) * time.Second), Consumers: consumers[:2-min(n, 1)]})
		}
		g := s.Group(key)
		for i, p := range g.Partitions {
			if p.Number != i || p.Told().Filter != fmt.Sprintf("%s.%d.>", shape.Prefix, i) {
				t.Fatalf("partition %d: %+v", i, p)
			}
			if m := g.Member(p.Owner); p.Owned() && (m.Consumer == nil || !strings.Contains(strings.Join(m.Consumer.Filters, ","), p.Told().Filter)) {
				t.Fatalf("partition %d is not %s's, who has %v", i, p.Owner, m.Consumer)
			}
		}
		if len(g.Partitions) > model.MaxPartitions || len(g.Partitions) == 0 && g.Unreadable == "" {
			t.Fatalf("%d partitions, %q", len(g.Partitions), g.Unreadable)
		}
		if g.Stray() > messages {
			t.Fatalf("%d of %d messages are nobody's", g.Stray(), messages)
		}
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("the snapshot cannot be recorded: %v", err)
		}
		var back model.Snapshot
		if err := json.Unmarshal(raw, &back); err != nil || back.Restore() != nil {
			t.Fatalf("the snapshot cannot be read back: %v", err)
		}
	})
}
