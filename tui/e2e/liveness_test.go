package e2e

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// TestAMemberThatPullsOneByOneIsSteady is OBS-12 (c): a static member that pulls one
// message at a time, and does not pull while it handles it for 3 s, does not flip on the
// screen between two looks. (b) and (d): nobody is no member, and a group that never had
// a consumer is listed with none of its members.
func TestAMemberThatPullsOneByOneIsSteady(t *testing.T) {
	t.Parallel()
	a := serve(t)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := a.js.CreateStream(ctx, jetstream.StreamConfig{Name: "SLOW", Subjects: []string{"slow.*"}, Storage: jetstream.MemoryStorage, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "slow.*", Destination: "{{partition(2,1)}}.slow.{{wildcard(1)}}"}}); err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"one", "never"} {
		if _, err := orbit.CreateStatic(ctx, a.js, "SLOW", group, 2, []string{"slow.*"}, []string{"m1"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	const ackWait = 10 * time.Second
	c, err := a.js.CreateConsumer(ctx, "SLOW", jetstream.ConsumerConfig{
		Name: "one-m1", AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, FilterSubjects: []string{"0.slow.*", "1.slow.*"},
		PriorityPolicy: jetstream.PriorityPolicyPinned, PinnedTTL: ackWait, PriorityGroups: []string{"PCG"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Split("abcdefgh", "") {
		if _, err := a.js.Publish(ctx, "slow."+key, nil); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			batch, err := c.Fetch(1, jetstream.FetchMaxWait(5*time.Second), jetstream.FetchPriorityGroup("PCG"))
			if err != nil {
				continue
			}
			for m := range batch.Messages() {
				select {
				case <-time.After(3 * time.Second): // the handler
				case <-ctx.Done():
				}
				_ = m.Ack()
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-ended })
	term := a.openGroup(t, "SLOW/one")
	state := regexp.MustCompile(`A +m1 +(\S ?[a-z ]*[a-z])`)
	term.waitFor("the member at work", func(s string) bool {
		m := state.FindStringSubmatch(s)
		return m != nil && strings.HasPrefix(m[1], "pinned")
	})
	for n := range 20 { // what is looked at is a span of time: two messages long
		if m := state.FindStringSubmatch(term.text()); m == nil || !strings.HasPrefix(m[1], "pinned") {
			t.Fatalf("look %d: %q\n%s", n, m, term.text())
		}
		time.Sleep(330 * time.Millisecond)
	}
	if strings.Contains(term.text(), "nobody") {
		t.Errorf("nobody is a member:\n%s", term.text())
	}
	term.press("q")
	term.exit(patience)

	out, errs, code := a.run(t, "", "report")
	if code != 0 || !regexp.MustCompile(`SLOW/never +static +2 +0/1 `).MatchString(out) {
		t.Errorf("exit %d, no group without consumers in\n%s%s", code, out, errs)
	}
	term = open(t, 120, 40, "-s", a.url)
	term.waitFor("a group that never had a consumer", regexp.MustCompile(`SLOW/never .* 0/1 `).MatchString)
	term.press("q")
	term.exit(patience)
}
