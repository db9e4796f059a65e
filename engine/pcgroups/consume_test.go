package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
	"go.uber.org/goleak"

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

// subjects gives n subjects that fall into different partitions often enough.
func subjects(prefix string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s.k%d", prefix, i))
	}
	return out
}

func (f *fixture) publishAll(all []string) {
	f.t.Helper()
	for _, s := range all {
		f.publish(s)
	}
}

func TestStaticLife(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 4)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 4, nil, []string{"m1", "m2", "m3", "m4", "m5"}, nil))
	var got inbox
	members := map[string]ConsumerGroupConsumeContext{}
	for i, name := range []string{"m1", "m2", "m3", "m4", "m5"} {
		var m ConsumerGroupConsumeContext
		var err error
		if i%2 == 0 {
			m, err = StaticConsume(f.ctx, f.js, "ST", "cg", name, got.handler(name), wait2s)
		} else {
			m, err = orbit.StaticConsume(f.ctx, f.js, "ST", "cg", name, got.handler(name), wait2s)
		}
		f.must(m, err)
		defer m.Stop()
		members[name] = m
	}
	all := subjects("st", 40)
	f.publishAll(all)
	eventually(t, 5*time.Second, "every message comes, to ours and theirs", func() bool { return got.count() == 40 })
	for _, s := range all {
		if !got.has(s) {
			t.Errorf("%s is missing", s)
		}
	}
	if got.count("m1") == 0 || got.count("m2") == 0 || got.count("m5") != 0 {
		t.Error("messages went to the wrong members")
	}
	// The same meaning in other bytes is no change; a purge is a removal.
	f.put(staticBucket, "ST", "cg", `{"max_members":4,"filters":null,"members":["m1","m2","m3","m4","m5"],"member_mappings":[]}`)
	f.publish("st.more")
	eventually(t, 5*time.Second, "it goes on", func() bool { return got.count("m1", "m3") > 0 && got.has("st.more") })
	if !running(members["m1"]) || !running(members["m5"]) {
		t.Fatal("a rewrite without a change ended our members")
	}
	f.must(nil, f.kv(staticBucket).Purge(f.ctx, "ST.cg"))
	for _, name := range []string{"m1", "m3", "m5"} {
		if err := ended(t, 3*time.Second, members[name]); err != nil {
			t.Errorf("%s: removal ended it with %v", name, err)
		}
	}
	eventually(t, 3*time.Second, "members delete their consumers", func() bool {
		return f.info("ST", "cg-m1") == nil && f.info("ST", "cg-m3") == nil
	})
}

func TestStaticEndsOnChange(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	for i, c := range []struct{ value, want string }{
		{`{"max_members":2,"members":["m1","m2"]}`, wireText(t, "static_mappings_and_watch", "rewrite_adding_empty_mappings_array")},
		{`nonsense`, "static consumer group ST.g1 config watcher received a bad JSON message: invalid character 'o' in literal null (expecting 'u')"},
		{`{"max_members":0}`, "static consumer group ST.g2 config watcher received an invalid config: the max number of members must be >= 1"},
	} {
		group := fmt.Sprintf("g%d", i)
		f.must(CreateStatic(f.ctx, f.js, "ST", group, 2, nil, []string{"m1"}, nil))
		m, err := StaticConsume(f.ctx, f.js, "ST", group, "m1", new(inbox).handler(""), wait2s)
		f.must(m, err)
		f.put(staticBucket, "ST", group, c.value)
		wantText(t, c.value, ended(t, 3*time.Second, m), c.want)
		if f.info("ST", group+"-m1") != nil {
			t.Errorf("%s: the consumer stayed", c.value)
		}
	}
}

// ENG-08: mappings with several filters ask for each partition once.
func TestMappingsWithTwoFilters(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, []string{"st.a", "st.b"}, nil, []MemberMapping{{"m1", []int{1, 0}}}))
	var got inbox
	m, err := StaticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler(""), wait2s)
	f.must(m, err)
	defer m.Stop()
	f.publishAll([]string{"st.a", "st.b"})
	eventually(t, 5*time.Second, "both come", func() bool { return got.count() == 2 })
	if diff := cmp.Diff([]string{"1.>", "0.>"}, f.info("ST", "cg-m1").Config.FilterSubjects); diff != "" {
		t.Error(diff)
	}
}

// Members join later, are added, dropped and remapped; ours and the reference's hand
// partitions to each other.
func TestElasticLife(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 4, []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
	var got inbox
	m1, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler("m1"), wait2s)
	f.must(m1, err)
	defer m1.Stop()
	m2, err := orbit.ElasticConsume(f.ctx, f.js, "A", "B", "m2", got.handler("m2"), wait2s)
	f.must(m2, err)
	defer m2.Stop()
	if len(f.consumers("A-B")) != 0 {
		t.Error("somebody consumes without being a member")
	}
	published := 0
	round := func(what string) {
		t.Helper()
		more := subjects(fmt.Sprintf("a.%d", published), 0)
		for i := range 20 {
			more = append(more, fmt.Sprintf("a.r%d-%d", published, i))
		}
		f.publishAll(more)
		published += len(more)
		eventually(t, 10*time.Second, what+": everything is consumed", func() bool { return got.count() >= published && len(missing(&got, more)) == 0 })
	}
	settled := func(member string, filters ...string) {
		t.Helper()
		eventually(t, 10*time.Second, fmt.Sprintf("%s takes %v", member, filters), func() bool {
			info := f.info("A-B", member)
			if len(filters) == 0 {
				return info == nil
			}
			return info != nil && sameFilters(filtersOf(info.Config), filters) && info.NumWaiting > 0
		})
	}
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	settled("m1", "0.a.*", "1.a.*", "2.a.*", "3.a.*")
	round("ours alone")
	f.must(orbit.AddMembers(f.ctx, f.js, "A", "B", []string{"m2"}))
	settled("m1", "0.a.*", "1.a.*")
	settled("m2", "2.a.*", "3.a.*")
	round("both")
	if got.count("m1") == 0 || got.count("m2") == 0 {
		t.Error("one of them got nothing")
	}
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{3}}, {"m2", []int{0, 1, 2}}}))
	settled("m1", "3.>")
	settled("m2", "0.>", "1.>", "2.>")
	round("mapped")
	f.must(nil, DeleteMemberMappings(f.ctx, f.js, "A", "B"))
	settled("m1")
	settled("m2")
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1", "m2"}))
	settled("m1", "0.a.*", "1.a.*")
	round("balanced again")
	f.must(DeleteMembers(f.ctx, f.js, "A", "B", []string{"m2"}))
	settled("m1", "0.a.*", "1.a.*", "2.a.*", "3.a.*")
	round("ours alone again")
	f.must(nil, f.kv(elasticBucket).Purge(f.ctx, "A.B"))
	if err := ended(t, 3*time.Second, m1); err != nil {
		t.Errorf("a purge ended it with %v", err)
	}
}

func missing(b *inbox, want []string) (out []string) {
	for _, s := range want {
		if !b.has(s) {
			out = append(out, s)
		}
	}
	return out
}

// A member that gains partitions starts over: older messages of those come too.
func TestGainedPartitionsAreReadFromTheStart(t *testing.T) {
	f := newFixture(t)
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}}))
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 2, []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{0}}, {"m2", []int{1}}}))
	var got inbox
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler("m1"), wait2s)
	f.must(m, err)
	defer m.Stop()
	all := subjects("a", 30)
	f.publishAll(all)
	eventually(t, 5*time.Second, "partition 0 is drained", func() bool {
		info := f.info("A-B", "m1")
		work, err := f.js.Stream(f.ctx, "A-B")
		if err != nil || info == nil {
			return false
		}
		state := work.CachedInfo().State
		return state.LastSeq == 30 && info.NumPending == 0 && info.NumAckPending == 0 && got.count() > 0 && uint64(got.count())+state.Msgs == 30
	})
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{0, 1}}}))
	eventually(t, 5*time.Second, "the older messages come", func() bool { return len(missing(&got, all)) == 0 })
	if got.count() != 30 {
		t.Errorf("%d messages came as %d", 30, got.count())
	}
}

// Unchanged partitions are not disturbed by what happens to others.
func TestUnrelatedChangeKeepsTheConsumer(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 4, nil, 0, 0))
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{0}}, {"m2", []int{1, 2, 3}}}))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", new(inbox).handler(""), wait2s)
	f.must(m, err)
	defer m.Stop()
	before := f.info("A-B", "m1").Created
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{0}}, {"m3", []int{1, 2, 3}}}))
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "B", []MemberMapping{{"m1", []int{0, 1}}, {"m3", []int{2, 3}}}))
	eventually(t, 5*time.Second, "the second change is followed", func() bool {
		info := f.info("A-B", "m1")
		return info != nil && len(filtersOf(info.Config)) == 2
	})
	if !f.info("A-B", "m1").Created.After(before) {
		t.Error("gained partitions need a new consumer")
	}
}

func TestElasticEndsOnChange(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	for i, c := range []struct{ value, want string }{
		{`{"max_members":3,"partitioning_filters":null,"members":["m1"]}`, "elastic consumer group config A-m1 watcher received a bad change in the configuration: max number of members, buffered messages, filter or partitioning wildcards changed"},
		{`{"max_members":2,"partitioning_filters":null,"members":["m1"],"member_mappings":[{"member":"m1","partitions":[0,1]}]}`, "elastic consumer group A.g1 config watcher received an invalid config: either members or member mappings must be provided, not both"},
	} {
		group := fmt.Sprintf("g%d", i)
		f.must(CreateElastic(f.ctx, f.js, "A", group, 2, nil, 0, 0))
		f.must(AddMembers(f.ctx, f.js, "A", group, []string{"m1"}))
		m, err := ElasticConsume(f.ctx, f.js, "A", group, "m1", new(inbox).handler(""), wait2s)
		f.must(m, err)
		f.put(elasticBucket, "A", group, c.value)
		wantText(t, c.value, ended(t, 3*time.Second, m), c.want)
	}
	// The same meaning, differently spelled, is no change.
	f.must(CreateElastic(f.ctx, f.js, "A", "same", 2, nil, -1, -1))
	m, err := ElasticConsume(f.ctx, f.js, "A", "same", "m1", new(inbox).handler(""), wait2s)
	f.must(m, err)
	defer m.Stop()
	f.put(elasticBucket, "A", "same", `{"max_members":2,"partitioning_filters":[],"members":["m1"]}`)
	eventually(t, 3*time.Second, "it follows", func() bool { return f.info("A-same", "m1") != nil })
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "same"))
	if err := ended(t, 3*time.Second, m); err != nil {
		t.Errorf("deleting ended it with %v", err)
	}
}

// CON-07: the join's context covers joining only.
func TestJoinContextCoversJoiningOnly(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	ctx, cancel := context.WithCancel(f.ctx)
	s, err := StaticConsume(ctx, f.js, "ST", "cg", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	e, err := ElasticConsume(ctx, f.js, "ST", "cg", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	cancel()
	f.publish("st.a")
	eventually(t, 5*time.Second, "both still consume", func() bool { return got.count("s") == 1 && got.count("e") == 1 })
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "cg"))
	f.must(nil, DeleteElastic(f.ctx, f.js, "ST", "cg"))
	for _, m := range []ConsumerGroupConsumeContext{s, e} {
		if err := ended(t, 3*time.Second, m); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

// CON-02: a consumer or stream that goes is noticed.
func TestConsumerVanishes(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	s, err := StaticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	e, err := ElasticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST-cg", "m1"))
	f.publish("st.a")
	eventually(t, 3*time.Second, "the elastic member makes it again", func() bool { return got.count("e") == 1 })
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST", "cg-m1"))
	if err := ended(t, 5*time.Second, s); !errors.Is(err, ErrConsumerGone) || !strings.Contains(err.Error(), "cg-m1") {
		t.Errorf("static: got %v", err)
	}
	f.must(nil, f.js.DeleteStream(f.ctx, "ST-cg"))
	if err := ended(t, 5*time.Second, e); !errors.Is(err, ErrStreamGone) {
		t.Errorf("elastic: got %v", err)
	}
}

func TestHandlerPanicEndsTheMember(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 1, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", func(jetstream.Msg) { panic("oh no") }, wait2s)
	f.must(m, err)
	f.publish("a.x")
	err = ended(t, 5*time.Second, m)
	var panicked *PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, ErrHandlerPanic) || panicked.Value != "oh no" || len(panicked.Stack) == 0 {
		t.Errorf("got %v", err)
	}
	var got inbox
	again, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler(""), wait2s)
	f.must(again, err)
	defer again.Stop()
	eventually(t, 8*time.Second, "the message comes again", func() bool { return got.count() == 1 })
}

// Instances of one member coordinate, whichever library they run.
func TestInstancesOfOneMember(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 4, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	var got inbox
	_, js2 := f.connect()
	_, js3 := f.connect()
	one, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler("one"), wait2s)
	f.must(one, err)
	defer one.Stop()
	two, err := orbit.ElasticConsume(f.ctx, js2, "A", "B", "m1", got.handler("two"), wait2s)
	f.must(two, err)
	defer two.Stop()
	three, err := ElasticConsume(f.ctx, js3, "A", "B", "m1", got.handler("three"), wait2s)
	f.must(three, err)
	defer three.Stop()
	f.publish("a.first")
	eventually(t, 5*time.Second, "one is pinned, all three pull", func() bool {
		return got.count() == 1 && f.info("A-B", "m1").NumWaiting == 3
	})
	published := 1
	for round, change := range [][]string{{"m2"}, {"m0", "m3"}, nil} {
		if change != nil {
			f.must(AddMembers(f.ctx, f.js, "A", "B", change))
		} else {
			f.must(DeleteMembers(f.ctx, f.js, "A", "B", []string{"m0", "m2", "m3"}))
		}
		want, err := GetElasticConsumerGroupConfig(f.ctx, f.js, "A", "B")
		f.must(want, err)
		eventually(t, 10*time.Second, fmt.Sprintf("round %d: all follow", round), func() bool {
			info := f.info("A-B", "m1")
			return info != nil && sameFilters(filtersOf(info.Config), ElasticGetPartitionFilters(*want, "m1")) && info.NumWaiting == 3
		})
		for i := range 10 {
			f.publish(fmt.Sprintf("a.r%d.%d", round, i))
		}
		published += 10
	}
	eventually(t, 10*time.Second, "everything is consumed in the end", func() bool {
		work, err := f.js.Stream(f.ctx, "A-B")
		return err == nil && work.CachedInfo().State.Msgs == 0 && got.count() >= published
	})
	if !running(one) || !running(three) {
		t.Error("one of ours has ended")
	}
}

// Another ack wait is no reason to fight: the consumer that is there is used.
func TestInstancesWithOtherAckWait(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	for _, ackWait := range []time.Duration{2 * time.Second, 3 * time.Second} {
		c := jetstream.ConsumerConfig{AckWait: ackWait}
		s, err := StaticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("s"), c)
		f.must(s, err)
		defer s.Stop()
		e, err := ElasticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("e"), c)
		f.must(e, err)
		defer e.Stop()
	}
	for stream, consumer := range map[string]string{"ST": "cg-m1", "ST-cg": "m1"} {
		info := f.info(stream, consumer)
		if info == nil || info.NumWaiting != 2 || info.Config.AckWait != 2*time.Second {
			t.Errorf("%s: got %+v", consumer, info)
		}
	}
	f.publish("st.a")
	eventually(t, 5*time.Second, "the message comes", func() bool { return got.count("s") == 1 && got.count("e") == 1 })
}

// Nothing stays behind: no goroutine, no subscription, no consumer on the bucket.
func TestNothingLeaks(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	cycle := func() {
		for _, name := range []string{"m1", "stranger", "a b"} {
			s, err := StaticConsume(f.ctx, f.js, "ST", "cg", name, got.handler("s"), wait2s)
			if (err == nil) != (name == "m1") {
				t.Fatalf("%s: %v", name, err)
			}
			e, err2 := ElasticConsume(f.ctx, f.js, "ST", "cg", name, got.handler("e"), wait2s)
			if (err2 == nil) != (name != "a b") {
				t.Fatalf("%s: %v", name, err2)
			}
			if err == nil {
				s.Stop()
				s.Stop()
				f.must(nil, ended(t, 3*time.Second, s))
			}
			if err2 == nil {
				e.Stop()
				f.must(nil, ended(t, 3*time.Second, e))
			}
		}
	}
	cycle() // connections start goroutines of their own when first used so
	subs := f.nc.NumSubscriptions()
	before := goleak.IgnoreCurrent()
	for range 5 {
		cycle()
	}
	eventually(t, 3*time.Second, "subscriptions are gone", func() bool { return f.nc.NumSubscriptions() <= subs })
	eventually(t, 3*time.Second, "watches are gone", func() bool {
		return len(f.consumers("KV_"+staticBucket)) == 0 && len(f.consumers("KV_"+elasticBucket)) == 0
	})
	eventually(t, 3*time.Second, "goroutines are gone", func() bool { return len(leaked(before)) == 0 })
}

// leaked lists the goroutines that are new, but for the server's own.
func leaked(before goleak.Option) (stacks []string) {
	err := goleak.Find(before)
	if err == nil {
		return nil
	}
	for _, stack := range strings.Split(err.Error(), "Goroutine ")[1:] {
		if !strings.Contains(stack, "nats-server/v2") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// Done tells once, then stays closed.
func TestDoneIsClosedAfterItsValue(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 1, nil, 0, 0))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", new(inbox).handler(""), wait2s)
	f.must(m, err)
	if m.(*ElasticConsumerGroupConsumerInstance).Config.MaxMembers != 1 {
		t.Error("the instance does not show its config")
	}
	m.Stop()
	f.must(nil, ended(t, time.Second, m))
	if _, open := <-m.Done(); open {
		t.Error("Done yields twice")
	}
}
