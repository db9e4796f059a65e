package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// types types a text, a key a character.
func (term *terminal) types(text string) {
	term.t.Helper()
	for _, r := range text {
		term.press(string(r))
	}
}

// opens looks for a group in the overview and opens it.
func (term *terminal) opens(group string) {
	term.t.Helper()
	term.press("/")
	term.types(group)
	term.press(enter, enter)
	term.see("▸ "+group, "MEMBERS")
}

// TestNamesThatCollide (ENG-02): two groups that want one work stream, or one consumer.
// The second is not made, and deleting what another tool left of it harms the first not.
func TestNamesThatCollide(t *testing.T) {
	t.Parallel()
	a := serve(t)
	ctx := t.Context()
	for stream, subject := range map[string]string{"A": "aa.*", "A-B": "bb.*", "ST": "st.*"} {
		if _, err := a.js.CreateStream(ctx, jetstream.StreamConfig{Name: stream, Subjects: []string{subject}}); err != nil {
			t.Fatal(err)
		}
	}
	term := open(t, 80, 24, "-s", a.url)
	term.see("ORDERS/fulfillment", "● live")
	form := func(stream, group string) {
		t.Helper()
		term.press("n", "\x1b[A", "\x15")
		term.types(stream)
		term.press(tab)
		term.types(group)
	}
	form("A", "B-C")
	term.press(enter)
	term.see("Create elastic group A/B-C")
	term.confirm()
	term.see("create elastic group A/B-C with 16 partitions")
	if _, err := a.js.Publish(ctx, "aa.x", []byte("1")); err != nil {
		t.Fatal(err)
	}
	work := func() uint64 {
		s, err := a.js.Stream(ctx, "A-B-C")
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.Msgs
	}
	within(t, "the message to be sourced", func() bool { return work() == 1 })
	form("A-B", "C")
	term.see("the work stream A-B-C belongs to group A/B-C")
	term.press(enter)
	term.see("New group") // it stays
	term.press(esc)
	term.gone("New group")
	if _, err := a.kv.Get(ctx, "A-B.C"); err == nil {
		t.Error("a config was written for a group that cannot be")
	}
	// What another tool leaves behind when it fails there.
	if _, err := a.kv.Put(ctx, "A-B.C", []byte(`{"max_members":16,"partitioning_filters":null}`)); err != nil {
		t.Fatal(err)
	}
	term.see("A-B/C")
	term.opens("A-B/C")
	term.press("X")
	term.see("goes", "config A-B.C", "stays", "work stream A-B-C")
	term.types("C")
	term.see("to delete it  C")
	term.enters()
	term.see("config A-B.C removed")
	if n := work(); n != 1 {
		t.Errorf("%d messages are left of the first group's", n)
	}
	if a.stored(t, "A.B-C") == "" {
		t.Error("the first group is gone")
	}
	term.see("this group is gone")
	term.press(esc)
	term.see("/ A-B/C")
	term.press(esc)
	term.gone("/ A-B/C")

	// Static groups: a-b's member c and a's member b-c want one consumer.
	if _, err := orbit.CreateStatic(ctx, a.js, "ST", "a-b", 2, nil, []string{"c"}, nil); err != nil {
		t.Fatal(err)
	}
	term.see("ST/a-b")
	form("ST", "a")
	term.press("\x1b[A", "\x1b[A", "s", tab, tab, tab, "\x15", "2", tab, tab)
	term.types("b-c z")
	term.see("the consumer a-b-c belongs to group ST/a-b")
	term.press(esc)
	term.gone("New group")
	if _, err := orbit.CreateStatic(ctx, a.js, "ST", "a", 2, nil, []string{"b-c", "z"}, nil); err != nil {
		t.Fatal(err)
	}
	m, err := orbit.StaticConsume(ctx, a.js, "ST", "a-b", "c", func(m jetstream.Msg) { _ = m.Ack() }, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	term.press("q")
	term.exit(5 * time.Second)
	term = a.openGroup(t, "ST/a")
	term.see("b-c", "elsewhere", "consumer belongs to another group: ST/a-b")
	term.press("q")
	term.exit(5 * time.Second)
}

// TestBytesStay (ENG-03): of what another library stored only the membership changes,
// null stays null, unknown fields stay, and its members run on.
func TestBytesStay(t *testing.T) {
	t.Parallel()
	a := serve(t)
	ctx := t.Context()
	for name, stored := range map[string]string{
		"nothing":  `{"max_members":4,"partitioning_filters":null%s}`,
		"null":     `{"max_members":4,"partitioning_filters":[{"filter":"orders.*","partitioning_wildcards":null}],"max_buffered_msg":-1%s}`,
		"empty":    `{"max_members":4,"partitioning_filters":[{"filter":"orders.*","partitioning_wildcards":[]}]%s}`,
		"unknown":  `{"colour":{"b":1,"a":[2]},"max_members":4,"partitioning_filters":null%s,"zone":"eu"}`,
		"spelling": `{ "partitioning_filters": [ {"filter":"orders.\u003e","partitioning_wildcards":null} ], "max_members": 4%s }`,
	} {
		var filters []orbit.PartitioningFilter
		switch name {
		case "null", "empty":
			filters = []orbit.PartitioningFilter{{Filter: "orders.*"}}
		case "spelling":
			filters = []orbit.PartitioningFilter{{Filter: "orders.>"}}
		}
		if _, err := orbit.CreateElastic(ctx, a.js, "ORDERS", name, 4, filters, -1, -1); err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprintf(stored, `,"members":["m1"]`)
		if _, err := a.kv.Put(ctx, "ORDERS."+name, []byte(before)); err != nil {
			t.Fatal(err)
		}
		handled := make(chan struct{}, 1)
		m, err := orbit.ElasticConsume(ctx, a.js, "ORDERS", name, "m1", func(m jetstream.Msg) {
			_ = m.Ack()
			select {
			case handled <- struct{}{}:
			default:
			}
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Stop)
		<-handled
		term := a.openGroup(t, "ORDERS/"+name)
		term.press("a", "m", "2", enter)
		term.see("pcgtop elastic add ORDERS " + name + " m2")
		term.confirm()
		term.waitFor("it is among the events too", func(s string) bool {
			return strings.Count(s, "add m2 to ORDERS/"+name+": revision") == 2 && strings.Contains(s, "+m2")
		})
		if got, want := a.stored(t, "ORDERS."+name), fmt.Sprintf(stored, `,"members":["m1","m2"]`); got != want {
			t.Errorf("%s: stored %s, want %s", name, got, want)
		}
		term.press("u")
		term.see("undoes")
		term.confirm()
		term.see("undo on ORDERS/"+name, "-m2")
		if got := a.stored(t, "ORDERS."+name); got != before {
			t.Errorf("%s: after undo %s, want %s", name, got, before)
		}
		select { // one that was on its way
		case <-handled:
		default:
		}
		select {
		case <-handled:
		case err := <-m.Done():
			t.Errorf("%s: the member ended: %v", name, err)
		case <-time.After(patience):
			t.Errorf("%s: nothing is handled any more", name)
		}
		term.press("q")
		term.exit(5 * time.Second)
	}
}

// TestTwoOperators (ENG-04): two screens change one group at once. One writes, the other
// is told what changed and by that loses nothing.
func TestTwoOperators(t *testing.T) {
	t.Parallel()
	a := serve(t)
	terms := [2]*terminal{a.openGroup(t, "ORDERS/analytics"), a.openGroup(t, "ORDERS/analytics")}
	lost := regexp.MustCompile(`changed meanwhile|not done: the group changed at revision`)
	for round := range 5 {
		names := [2]string{fmt.Sprintf("x%d", round), fmt.Sprintf("y%d", round)}
		for i, term := range terms {
			term.press("a")
			term.types(names[i])
			term.press(enter)
			term.see("Add "+names[i]+" to", "[ Cancel ]")
			term.press(tab)
			term.see("[ Add " + names[i] + " ]")
		}
		time.Sleep(300 * time.Millisecond) // as long as somebody reads it
		terms[round%2].press(enter)
		terms[1-round%2].press(enter)
		refused := 0
		for i, term := range terms {
			screen := term.waitFor("its end", func(s string) bool {
				return lost.MatchString(s) || strings.Contains(s, "add "+names[i]+" to ORDERS/analytics: revision")
			})
			if lost.MatchString(screen) {
				refused++
				term.see("+" + names[1-i])
				term.confirm() // plan anew
				term.see("[ Cancel ]", "Add "+names[i])
				term.confirm()
				term.see("add " + names[i] + " to ORDERS/analytics: revision")
			}
		}
		if refused != 1 {
			t.Errorf("round %d: %d of 2 were refused", round, refused)
		}
		if now := a.stored(t, "ORDERS.analytics"); !strings.Contains(now, names[0]) || !strings.Contains(now, names[1]) {
			t.Errorf("round %d: a member is missing: %s", round, now)
		}
	}
	for _, term := range terms {
		term.press("q")
		term.exit(5 * time.Second)
	}
}

// TestNamesThatCannotRun (ENG-07): refused where they are typed, all or nothing, and
// shown for what they are where somebody stored them.
func TestNamesThatCannotRun(t *testing.T) {
	t.Parallel()
	a := serve(t)
	before := a.stored(t, "ORDERS.analytics")
	long := strings.Repeat("x", 300)
	for _, name := range []string{"bad name", "wild*", "dot.ted", "", long, "a/b"} {
		if _, errs, code := a.run(t, "", "elastic", "add", "ORDERS", "analytics", "fine", name); code != 1 || !strings.Contains(errs, "unusable name") {
			t.Errorf("%q: exit %d: %s", name, code, errs)
		}
	}
	term := a.openGroup(t, "ORDERS/analytics")
	term.press("a")
	for _, name := range []string{"wild*", "dot.ted", long, "a/b"} {
		term.types("fine ")
		term.send(name)
		term.see("unusable name")
		term.press(enter)
		term.see("Add members to") // no plan
		term.press("\x15")
	}
	if now := a.stored(t, "ORDERS.analytics"); now != before {
		t.Errorf("stored %s", now)
	}
	term.types("größe=1_$")
	term.press(enter)
	term.see("[ Cancel ]", "größe=1_$")
	term.confirm()
	term.see("+größe=1_$")
	if now := a.stored(t, "ORDERS.analytics"); !strings.Contains(now, `"größe=1_$"`) {
		t.Errorf("stored %s", now)
	}
	term.press("q")
	term.exit(5 * time.Second)

	if _, err := a.kv.Put(t.Context(), "ORDERS.analytics", []byte(`{"max_members":8,"partitioning_filters":[{"filter":"orders.*","partitioning_wildcards":[1]}],"members":["a1","bad name","dot.ted","wild*"]}`)); err != nil {
		t.Fatal(err)
	}
	term = a.openGroup(t, "ORDERS/analytics")
	screen := term.see("cannot run", "bad name", "dot.ted", "wild*")
	if !strings.Contains(screen, "6 of 8 not consumed") {
		t.Errorf("the partitions of names that cannot run are not counted:\n%s", screen)
	}
	term.press("q")
	term.exit(5 * time.Second)
}
