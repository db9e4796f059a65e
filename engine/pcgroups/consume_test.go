package pcgroups

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

func TestVectorTimers(t *testing.T) {
	for _, c := range loadVectors(t).Timers {
		got := memberTemplate(groupKey(model.KindElastic, "s", "g"), "m", jetstream.ConsumerConfig{AckWait: c.AckWait})
		want := []time.Duration{c.Effective, c.Inactive, c.PriorityLimit, c.PullExpires, c.SelfCorrect}
		have := []time.Duration{got.AckWait, got.InactiveThreshold, got.PinnedTTL, pullExpiry(got.AckWait), checkInterval(got.AckWait)}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("ack wait %v: %s", c.AckWait, diff)
		}
	}
}

// raw is a message with a subject and nothing else.
type raw struct {
	jetstream.Msg
	subject string
}

func (r raw) Subject() string { return r.subject }

func TestMessageSubjects(t *testing.T) {
	for _, c := range loadVectors(t).StripPartition {
		m := &ConsumerGroupMsg{msg: raw{subject: c.Subject}}
		if m.Subject() != c.Stripped || m.PartitionedSubject() != c.Subject {
			t.Errorf("%q: got %q and %q, want %q", c.Subject, m.Subject(), m.PartitionedSubject(), c.Stripped)
		}
	}
	for subject, want := range map[string]int{"12.a.b": 12, "0.a": 0, "a.b": -1, "7": -1, "-1.a": -1} {
		if got := (&ConsumerGroupMsg{msg: raw{subject: subject}}).Partition(); got != want {
			t.Errorf("%q: got partition %d, want %d", subject, got, want)
		}
	}
}

// The consumer and the pulls asked for are those of the reference.
func TestConsumeRequests(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	template := jetstream.ConsumerConfig{
		MaxAckPending: 1, AckWait: 2 * time.Second, AckPolicy: jetstream.AckExplicitPolicy,
		// What the library owns is not taken from the template.
		Name: "x", Durable: "y", FilterSubject: "z", FilterSubjects: []string{"z"}, PriorityGroups: []string{"q"}, DeliverSubject: "push",
	}
	f.must(CreateStatic(f.ctx, f.js, "test", "cg", 2, []string{"foo.*", "bar.*"}, []string{"m1", "m2"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, twoFilters, -1, -1))
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"m1", "m2"}))
	for section, join := range map[string]func() (ConsumerGroupConsumeContext, error){
		"static": func() (ConsumerGroupConsumeContext, error) {
			return StaticConsume(f.ctx, f.js, "test", "cg", "m1", new(inbox).handler(""), template)
		},
		"elastic": func() (ConsumerGroupConsumeContext, error) {
			return ElasticConsume(f.ctx, f.js, "test", "cg", "m1", new(inbox).handler(""), template)
		},
	} {
		created, pulled := f.requests("$JS.API.CONSUMER.CREATE.*.*"), f.requests("$JS.API.CONSUMER.MSG.NEXT.>")
		m, err := join()
		f.must(m, err)
		if diff := cmp.Diff([]string{wireRequest(t, section, "consumer_create_requests")}, created()); diff != "" {
			t.Errorf("%s: %s", section, diff)
		}
		if got := pulled(); len(got) == 0 || got[0] != wireRequest(t, section, "pull_request") {
			t.Errorf("%s: got %q", section, got)
		}
		m.Stop()
		if err := ended(t, time.Second, m); err != nil {
			t.Errorf("%s: stopping gave %v", section, err)
		}
	}
}

func TestConsumeRefuses(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	ours := func(msg jetstream.Msg) {}
	static := func(stream, group, member string, h func(jetstream.Msg)) error {
		_, err := StaticConsume(f.ctx, f.js, stream, group, member, h, jetstream.ConsumerConfig{})
		return err
	}
	elastic := func(stream, group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig) error {
		_, err := ElasticConsume(f.ctx, f.js, stream, group, member, h, c)
		return err
	}
	wantText(t, "no handler", static("test", "cg", "m1", nil), "a message handler must be provided")
	wantText(t, "ack none", elastic("test", "cg", "m1", ours, jetstream.ConsumerConfig{AckPolicy: jetstream.AckNonePolicy}), wireText(t, "elastic", "consume_ack_none"))
	wantText(t, "no work stream", elastic("test", "cg", "m1", ours, jetstream.ConsumerConfig{}), wireText(t, "elastic", "consume_missing"))
	f.must(CreateStatic(f.ctx, f.js, "test", "cg", 2, nil, []string{"m1"}, nil))
	err := static("test", "cg_none", "m1", ours)
	wantText(t, "no group", err, wireText(t, "static", "consume_no_group"))
	if !errors.Is(err, ErrGroupNotFound) {
		t.Errorf("got %v", err)
	}
	wantText(t, "not a member", static("test", "cg", "m2", ours), wireText(t, "static", "consume_not_member"))
	if err := elastic("test", "cg", "a b", ours, jetstream.ConsumerConfig{}); !errors.Is(err, ErrUnusableName) {
		t.Errorf("unusable member: got %v", err)
	}
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"m1"}))
	// An error that would come again with each attempt is told when joining.
	if err := elastic("test", "cg", "m1", ours, jetstream.ConsumerConfig{DeliverPolicy: jetstream.DeliverNewPolicy}); err == nil {
		t.Error("a consumer that the work queue refuses")
	}
	late, cancel := context.WithCancel(f.ctx)
	cancel()
	if _, err := ElasticConsume(late, f.js, "test", "cg", "m1", ours, jetstream.ConsumerConfig{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled join: got %v", err)
	}
}
