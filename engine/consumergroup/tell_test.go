package consumergroup

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// scene is a group as it is told over time.
type scene struct {
	t     *testing.T
	facts model.StreamFacts
	at    time.Time
	snap  *model.Snapshot
}

func begin(t *testing.T, from, to string) *scene {
	return &scene{t: t, facts: queue(from, to), at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
}

// puller is a consumer of which somebody pulls, made a minute before the scene begins.
func puller(name string, filters ...string) *model.Consumer {
	return &model.Consumer{Name: name, Filters: filters, Waiting: 1, AckWait: 5 * time.Second, Created: time.Date(2026, 3, 1, 11, 59, 0, 0, time.UTC)}
}

// read tells the group as it is after some more time.
func (s *scene) read(after time.Duration, consumers ...*model.Consumer) *model.Group {
	s.t.Helper()
	s.at = s.at.Add(after)
	for i, c := range consumers {
		next := *c
		if next.TS = s.at; next.Waiting > 0 {
			next.LastAck = s.at
		}
		consumers[i] = &next
	}
	shape, ok := ShapeOf(s.facts)
	if !ok {
		shape = Shape{Prefix: "ship", Partitions: 4}
	}
	key := model.Key{Kind: Name, Stream: "S", Group: shape.Prefix}
	var told []model.Observation
	if s.snap == nil {
		told = append(told, model.GroupTold{Key: key, Stream: "S", Teller: teller{shape}}, model.LinkSeen{State: model.LinkLive})
	}
	s.snap = model.Reduce(s.snap, s.at, append(told, model.StreamRead{Name: "S", Facts: s.facts}, model.ConsumersRead{Stream: "S", TS: s.at, Consumers: consumers})...)
	return s.snap.Groups[0]
}

// owners writes who has what, as 0:a 1:- 2:b.
func owners(g *model.Group) string {
	var list []string
	for _, p := range g.Partitions {
		owner := p.Owner
		if !p.Owned() {
			owner = "-"
		}
		list = append(list, fmt.Sprintf("%d:%s", p.Number, owner))
	}
	return strings.Join(list, " ")
}

// found lists the findings, as severity, id and text.
func found(g *model.Group) string {
	var list []string
	for _, f := range g.Findings {
		list = append(list, fmt.Sprintf("%s %s: %s", f.Severity, f.ID, f.Text))
	}
	return strings.Join(list, "\n")
}

const four = "ship.{{partition(4,1)}}.orders.{{wildcard(1)}}"

// TestSplit: the map is what the filters say, and who is no member is said to be none.
func TestSplit(t *testing.T) {
	s := begin(t, "orders.*", four)
	pinned := puller("pinned", "ship.0.>")
	pinned.PriorityGroup = "PCG"
	quiet := puller("quiet", "ship.3.>")
	quiet.Waiting = 0
	g := s.read(0, puller("b", "ship.2.>"), puller("a", "ship.1.>", "ship.0.>"), quiet, puller("dead", "ship.dead.>"), pinned)
	if got := owners(g); got != "0:a 1:a 2:b 3:quiet" {
		t.Error(got)
	}
	var members []string
	for _, m := range g.Members {
		members = append(members, fmt.Sprintf("%s %v %s %v", m.Name, m.Configured, m.State, m.Live))
	}
	if got := strings.Join(members, ", "); got != "a true pulling true, b true pulling true, quiet true no pull false, dead false foreign false, pinned false foreign false" {
		t.Error(got)
	}
	if got := found(g); got != "warning no-pull: quiet has a consumer but nobody pulls" || g.Verdict != model.VerdictDegraded {
		t.Errorf("%s: %s", g.Verdict, got)
	}
	if got := strings.Join(g.Facts, ", "); got != "orders.* by wildcard 1, subjects ship.0-3, known by its shape" {
		t.Error(got)
	}
}

// TestRebalance: partitions that were left a moment ago are on their way, and after some
// seconds they are nobody's. Messages that no consumer counts wait there.
func TestRebalance(t *testing.T) {
	s := begin(t, "orders.*", four)
	a, b := puller("a", "ship.0.>", "ship.1.>"), puller("b", "ship.2.>", "ship.3.>")
	a.Pending = 3
	s.facts.Messages = 3
	if g := s.read(0, a, b); found(g) != "" || owners(g) != "0:a 1:a 2:b 3:b" {
		t.Errorf("%s: %s", owners(g), found(g))
	}
	s.facts.Messages = 10
	g := s.read(10*time.Second, a)
	if got := found(g); got != "info rebalancing: rebalancing: 2 partitions (2-3) in no filter for the moment, left by b" || g.Verdict.InNeed() {
		t.Errorf("%s: %s", g.Verdict, got)
	}
	if m := g.Member("b"); m == nil || m.State != model.StateAnew || g.Partitions[2].Told().Note != "left by b" || owners(g) != "0:a 1:a 2:- 3:-" {
		t.Errorf("%+v %+v", m, g.Partitions)
	}
	g = s.read(grace-time.Millisecond, a)
	if got := found(g); !strings.HasPrefix(got, "info rebalancing") {
		t.Error(got)
	}
	g = s.read(time.Millisecond, a)
	if got := found(g); got != "warning unowned: 2 partitions unowned: 2-3 in no member's filter, ~7 messages wait there" || g.Verdict != model.VerdictDegraded {
		t.Errorf("%s: %s", g.Verdict, got)
	}
	if g.Member("b") != nil || g.Lag() != 10 || g.Stray() != 7 || g.Partitions[2].Told().Note != "" {
		t.Errorf("%+v", g)
	}
	c := puller("c", "ship.2.>", "ship.3.>") // it takes them over
	c.Created = s.at.Add(time.Second)
	g = s.read(time.Second, a, c)
	if got := found(g); got != "" || owners(g) != "0:a 1:a 2:c 3:c" || g.Stray() != 0 {
		t.Errorf("%s: %s", owners(g), got)
	}
	s.facts.Messages = 0
	s.read(time.Minute)
	g = s.read(time.Minute)
	if got := found(g); got != "warning unowned: no members: nobody consumes any partition" || owners(g) != "0:- 1:- 2:- 3:-" || len(g.Members) != 0 {
		t.Errorf("%s: %s", owners(g), got)
	}
	var events []string
	for _, e := range s.snap.EventsSince(0) {
		events = append(events, e.Member+" "+e.Text)
	}
	if got := strings.Join(events, ", "); got != "b left, c joined,  2 members left" {
		t.Error(got)
	}
}

// TestEarly: at the first look in the middle of a rebalance nothing is known to be wrong;
// where all consumers are old, it is.
func TestEarly(t *testing.T) {
	a := puller("a", "ship.0.>")
	if got := found(begin(t, "orders.*", four).read(0, a)); !strings.HasPrefix(got, "warning unowned: 3 partitions unowned: 1-3") {
		t.Error(got)
	}
	s := begin(t, "orders.*", four)
	a.Created = s.at.Add(-time.Second)
	if got := found(s.read(0, a)); got != "info rebalancing: rebalancing: 3 partitions (1-3) in no filter for the moment" {
		t.Error(got)
	}
	a.Created = s.at.Add(grace) // made anew again and again, the others stay nobody's
	if got := found(s.read(grace, a)); !strings.HasPrefix(got, "warning unowned: 3 partitions") {
		t.Error(got)
	}
}

// TestShapeFindings: what the stream's transform makes impossible is said.
func TestShapeFindings(t *testing.T) {
	all := puller("a", "ship.0.>", "ship.1.>", "ship.2.>", "ship.3.>")
	for _, c := range []struct {
		from, to string
		more     func(*scene)
		want     string
		verdict  model.Verdict
	}{
		{"orders.*", four, func(*scene) {}, "", model.VerdictIdle},
		{"orders.*.*", "ship.{{partition(4,2)}}.orders.{{wildcard(1)}}", func(*scene) {},
			"warning key-lost: the stream drops the key: token 3 of orders.*.* chooses the partition and is not in ship.{{partition(4,2)}}.orders.{{wildcard(1)}}, so handlers cannot tell messages of different keys apart", model.VerdictDegraded},
		{"*.*", "ship.{{partition(4,1,2)}}.x", func(*scene) {},
			"warning key-lost: the stream drops the key: tokens 1, 2 of *.* chooses", model.VerdictDegraded},
		{"orders.*", "ship.{{partition(4,1)}}", func(*scene) {},
			"critical unreachable: subjects end with the partition's number (ship.0), and a filter such as ship.0.> needs more behind it: no message reaches a member", model.VerdictBroken},
		{"orders.*", four, func(s *scene) { s.facts.Transforms = nil },
			"critical stamp-gone: the stream no longer stamps partitions behind ship: new messages reach no member", model.VerdictBroken},
		{"orders.*", four, func(s *scene) { s.facts.Subjects = []string{"orders.*", "ship.>", "returns.*"} },
			"info unstamped: returns.* is stored without a partition: no member gets that", model.VerdictIdle},
	} {
		s := begin(t, c.from, c.to)
		s.read(0, all)
		c.more(s)
		g := s.read(time.Second, all)
		if got := found(g); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || g.Verdict != c.verdict {
			t.Errorf("%s to %s: %s: %q", c.from, c.to, g.Verdict, got)
		}
	}
}

// TestStreamGone: until the list of streams is read again, the group says so.
func TestStreamGone(t *testing.T) {
	s := begin(t, "orders.*", four)
	s.read(0, puller("a", "ship.0.>"))
	g := model.Reduce(s.snap, s.at, model.StreamRead{Name: "S"}).Groups[0]
	if got := found(g); got != "critical no-stream: no stream S: nothing can be consumed" || g.Verdict != model.VerdictBroken || owners(g) != "0:- 1:- 2:- 3:-" {
		t.Errorf("%s: %s", g.Verdict, got)
	}
}

// TestFiltersAmiss: a partition of two members is shown once, and numbers that the stream
// never makes are said.
func TestFiltersAmiss(t *testing.T) {
	s := begin(t, "orders.*", four)
	g := s.read(0, puller("a", "ship.0.>", "ship.1.>"), puller("b", "ship.1.>", "ship.2.>", "ship.3.>"), puller("c", "ship.1.>", "ship.4.>"))
	if got := owners(g); got != "0:a 1:a 2:b 3:b" {
		t.Error(got)
	}
	want := "warning shared: 1 partition (1) in the filters of more than one member, of a, b, c: messages can be handled twice and out of order\n" +
		"warning beyond: c consumes ship.4.>, and the stream makes 0-3: nothing comes there"
	if got := found(g); got != want || g.Verdict != model.VerdictDegraded {
		t.Errorf("%s: %s", g.Verdict, got)
	}
}

// TestTooManyPartitions: they are refused in a line.
func TestTooManyPartitions(t *testing.T) {
	g := begin(t, "orders.*", "ship.{{partition(70000,1)}}.orders.{{wildcard(1)}}").read(0, puller("a", "ship.0.>"))
	if got := found(g); got != "critical unreadable: the stream makes 70000 partitions, more than 65536: they are not shown" || g.Verdict != model.VerdictUnreadable {
		t.Errorf("%s: %s", g.Verdict, got)
	}
}
