package pcgroups

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

var wait2s = jetstream.ConsumerConfig{AckWait: 2 * time.Second, AckPolicy: jetstream.AckExplicitPolicy}

// ENG-01: deleting one static group leaves those alone whose names begin like it.
func TestDeleteStaticTakesOnlyItsOwn(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 4)
	f.must(CreateStatic(f.ctx, f.js, "ST", "bill", 4, nil, []string{"m1"}, nil))
	f.must(CreateStatic(f.ctx, f.js, "ST", "bill-eu", 4, nil, []string{"m1"}, nil))
	var got inbox
	bill, err := StaticConsume(f.ctx, f.js, "ST", "bill", "m1", got.handler("bill"), wait2s)
	f.must(bill, err)
	defer bill.Stop()
	eu, err := orbit.StaticConsume(f.ctx, f.js, "ST", "bill-eu", "m1", got.handler("eu"), wait2s)
	f.must(eu, err)
	defer eu.Stop()
	f.must(f.js.CreateConsumer(f.ctx, "ST", jetstream.ConsumerConfig{Durable: "bill-stray"}))
	f.publish("st.a")
	floor := func() uint64 { return f.info("ST", "bill-eu-m1").AckFloor.Stream }
	eventually(t, 5*time.Second, "both groups have the message", func() bool { return got.count() == 2 && floor() == 1 })

	plan, err := PlanDelete(f.ctx, f.js, model.KindStatic, "ST", "bill")
	f.must(plan, err)
	names := func(rs []Resource) (out []string) {
		for _, r := range rs {
			out = append(out, string(r.Kind)+" "+r.Name)
		}
		return out
	}
	if diff := cmp.Diff([]string{"config ST.bill", "consumer bill-m1"}, names(plan.Removed)); diff != "" {
		t.Errorf("plan to remove: %s", diff)
	}
	if diff := cmp.Diff([]string{"consumer bill-eu-m1", "consumer bill-stray"}, names(plan.LeftAlone)); diff != "" {
		t.Errorf("plan to leave alone: %s", diff)
	}
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "bill"))
	if err := ended(t, 3*time.Second, bill); err != nil {
		t.Errorf("the group's member ended with %v", err)
	}
	if diff := cmp.Diff([]string{"bill-eu-m1", "bill-stray"}, f.consumers("ST")); diff != "" {
		t.Error(diff)
	}
	if !running(eu) || floor() != 1 {
		t.Error("the other group was disturbed")
	}
	groups, err := ListStaticConsumerGroups(f.ctx, f.js, "ST")
	if diff := cmp.Diff([]string{"bill-eu"}, groups); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	// Again: nothing to do, and no error.
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "bill"))
	again, err := DeleteGroup(f.ctx, f.js, model.KindStatic, "ST", "bill", 0)
	f.must(again, err)
	if len(again.Removed) != 0 || len(again.AlreadyGone) != 1 || len(again.LeftAlone) != 2 {
		t.Errorf("again: %+v", again)
	}
	// Whoever deletes a group that never was is told; what it may have left behind is not nothing.
	f.found(true, model.KindStatic, "ST", "bill")
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST", "bill-stray"))
	f.found(false, model.KindStatic, "ST", "bill") // bill-eu-m1 is another's
	f.found(true, model.KindStatic, "ST", "bill-eu")
}

// found checks whether anything of a group is there to delete.
func (f *fixture) found(want bool, kind model.Kind, stream, group string) {
	f.t.Helper()
	plan, err := PlanDelete(f.ctx, f.js, kind, stream, group)
	f.must(plan, err)
	if plan.Found() != want {
		f.t.Errorf("%s/%s is found: %v, want %v: %+v", stream, group, plan.Found(), want, plan)
	}
}

// ENG-02, work streams: A/B-C and A-B/C want the same one.
func TestWorkStreamsCollide(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.stream("A-B", "ab", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B-C", 2, nil, 0, 0))
	f.publish("a.x")
	work := func() uint64 {
		s, err := f.js.Stream(f.ctx, "A-B-C")
		if err != nil {
			return 0
		}
		return s.CachedInfo().State.Msgs
	}
	eventually(t, 5*time.Second, "the message is sourced", func() bool { return work() == 1 })
	_, err := CreateElastic(f.ctx, f.js, "A-B", "C", 2, nil, 0, 0)
	if !errors.Is(err, ErrNameCollision) || !strings.Contains(err.Error(), "A/B-C") {
		t.Errorf("got %v", err)
	}
	groups, err := ListElasticConsumerGroups(f.ctx, f.js, "A-B")
	if len(groups) != 0 || err != nil {
		t.Errorf("got %v, %v", groups, err)
	}

	// What the reference leaves behind can be removed without harm to the other group.
	if _, err := orbit.CreateElastic(f.ctx, f.js, "A-B", "C", 2, nil, 0, 0); err == nil {
		t.Fatal("the reference made the group")
	}
	_, revision := f.stored(elasticBucket, "A-B", "C")
	f.must(CreateElastic(f.ctx, f.js, "A", "B-C", 2, nil, 0, 0)) // still itself
	report, err := DeleteGroup(f.ctx, f.js, model.KindElastic, "A-B", "C", revision)
	f.must(report, err)
	if len(report.LeftAlone) != 1 || !strings.Contains(report.LeftAlone[0].String(), `its source is "A"`) {
		t.Errorf("got %+v", report)
	}
	if f.hasKey(elasticBucket, "A-B", "C") || work() != 1 {
		t.Error("the leftover stayed or the other group's messages went")
	}
	f.must(nil, DeleteElastic(f.ctx, f.js, "A-B", "C"))
	if work() != 1 {
		t.Error("deleting a group that is gone took another's work stream")
	}
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "B-C"))
	if stream, err := findStream(f.ctx, f.js, "A-B-C"); stream != nil || err != nil {
		t.Errorf("the work stream stayed: %v", err)
	}
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "B-C"))
}

// Deleting once more finishes what was cut short.
func TestDeleteElasticFinishes(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 2, nil, 0, 0))
	f.must(nil, f.kv(elasticBucket).Purge(f.ctx, "A.B"))
	f.found(true, model.KindElastic, "A", "B")
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "B"))
	f.found(false, model.KindElastic, "A", "B")
	if stream, _ := findStream(f.ctx, f.js, "A-B"); stream != nil {
		t.Error("the work stream stayed")
	}
	// Something else of that name is not a group's.
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A-B", Retention: jetstream.WorkQueuePolicy, Sources: []*jetstream.StreamSource{{Name: "A"}}}))
	f.found(false, model.KindElastic, "A", "B")
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "B"))
	f.must(f.js.Stream(f.ctx, "A-B"))
}

func TestDeleteGroupHoldsToTheRevision(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 2, nil, 0, 0))
	_, seen := f.stored(elasticBucket, "A", "B")
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	_, err := DeleteGroup(f.ctx, f.js, model.KindElastic, "A", "B", seen)
	var changed *ChangedError
	if !errors.As(err, &changed) || changed.Seen != seen || changed.Current != seen+1 {
		t.Errorf("got %v", err)
	}
	f.must(f.js.Stream(f.ctx, "A-B"))
	f.must(GetElasticConsumerGroupConfig(f.ctx, f.js, "A", "B"))
}

// ENG-02, consumers: member c of a-b and member b-c of a.
func TestStaticConsumersCollide(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 4)
	f.must(CreateStatic(f.ctx, f.js, "ST", "a-b", 4, nil, []string{"c"}, nil))
	_, err := CreateStatic(f.ctx, f.js, "ST", "a", 4, nil, []string{"b-c", "z"}, nil)
	if !errors.Is(err, ErrNameCollision) || !strings.Contains(err.Error(), "ST/a-b") || !strings.Contains(err.Error(), `"a-b-c"`) {
		t.Errorf("got %v", err)
	}
	if f.hasKey(staticBucket, "ST", "a") {
		t.Error("the key was written")
	}
	// The other way round: the shorter group is there first.
	f.must(CreateStatic(f.ctx, f.js, "ST", "x", 4, nil, []string{"y-c"}, nil))
	if _, err := CreateStatic(f.ctx, f.js, "ST", "x-y", 4, nil, []string{"b", "c"}, nil); !errors.Is(err, ErrNameCollision) {
		t.Errorf("got %v", err)
	}

	// The reference makes it all the same. The consumer stays its owner's.
	f.must(orbit.CreateStatic(f.ctx, f.js, "ST", "a", 4, nil, []string{"b-c", "z"}, nil))
	var got inbox
	m, err := StaticConsume(f.ctx, f.js, "ST", "a-b", "c", got.handler("c"), wait2s)
	f.must(m, err)
	defer m.Stop()
	f.publish("st.a")
	eventually(t, 5*time.Second, "the message comes and the next pull waits", func() bool {
		return got.count() == 1 && f.info("ST", "a-b-c").NumWaiting > 0
	})
	active, err := ListStaticActiveMembers(f.ctx, f.js, "ST", "a")
	if len(active) != 0 || err != nil {
		t.Errorf("active of a: got %v, %v", active, err)
	}
	active, err = ListStaticActiveMembers(f.ctx, f.js, "ST", "a-b")
	if diff := cmp.Diff([]string{"c"}, active); diff != "" || err != nil {
		t.Errorf("active of a-b: %v %s", err, diff)
	}
	if err := StaticMemberStepDown(f.ctx, f.js, "ST", "a", "b-c"); !errors.Is(err, ErrNameCollision) {
		t.Errorf("step down of another group's: got %v", err)
	}
	f.must(nil, StaticMemberStepDown(f.ctx, f.js, "ST", "a-b", "c"))
	if _, err := StaticConsume(f.ctx, f.js, "ST", "a", "b-c", got.handler("b-c"), wait2s); !errors.Is(err, jetstream.ErrConsumerExists) {
		t.Errorf("join with another group's consumer: got %v", err)
	}
	_, revision := f.stored(staticBucket, "ST", "a")
	report, err := DeleteGroup(f.ctx, f.js, model.KindStatic, "ST", "a", revision)
	f.must(report, err)
	if len(report.LeftAlone) != 1 || !strings.Contains(report.LeftAlone[0].Why, "belongs to group ST/a-b") {
		t.Errorf("got %+v", report)
	}
	if f.info("ST", "a-b-c") == nil || !running(m) {
		t.Error("another group's consumer was deleted")
	}
}

func TestUnpin(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	err := ElasticMemberStepDown(f.ctx, f.js, "A", "B", "m1")
	wantText(t, "nobody has joined", err, wireText(t, "static", "stepdown_ghost"))

	var got inbox
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler("m1"), wait2s)
	f.must(m, err)
	defer m.Stop()
	unpin := func(expect string) error {
		return UnpinMember(f.ctx, f.js, model.KindElastic, "A", "B", "m1", expect)
	}
	if err := unpin("someone"); !errors.Is(err, ErrPinChanged) {
		t.Errorf("nobody is pinned: got %v", err)
	}
	pin := func() string {
		_, pin, _ := pinState(f.info("A-B", "m1"))
		return pin
	}
	f.publish("a.x")
	eventually(t, 5*time.Second, "the instance is pinned", func() bool { return pin() != "" })
	first := pin()
	if err := unpin("another"); !errors.Is(err, ErrPinChanged) || pin() != first {
		t.Errorf("wrong pin: got %v", err)
	}
	requests := f.requests("$JS.API.CONSUMER.UNPIN.>")
	f.must(nil, unpin(first))
	if got := requests(); len(got) != 1 || got[0] != "$JS.API.CONSUMER.UNPIN.A-B.m1 "+`{"group":"PCG"}` {
		t.Errorf("got %q", got)
	}
	f.publish("a.y")
	eventually(t, 5*time.Second, "the next message pins anew", func() bool { return pin() != "" && pin() != first && got.count() == 2 })

	// Older libraries name the priority group after the member; others have none.
	f.must(f.js.CreateConsumer(f.ctx, "A", jetstream.ConsumerConfig{
		Durable: "old-m1", PriorityPolicy: jetstream.PriorityPolicyPinned, PriorityGroups: []string{"m1"}, PinnedTTL: time.Second,
	}))
	f.must(f.js.CreateConsumer(f.ctx, "A", jetstream.ConsumerConfig{Durable: "plain-m1"}))
	f.put(staticBucket, "A", "old", `{"max_members":1,"members":["m1"]}`)
	requests = f.requests("$JS.API.CONSUMER.UNPIN.>")
	f.must(nil, StaticMemberStepDown(f.ctx, f.js, "A", "old", "m1"))
	if got := requests(); len(got) != 1 || !strings.HasSuffix(got[0], ` {"group":"m1"}`) {
		t.Errorf("got %q", got)
	}
	if err := StaticMemberStepDown(f.ctx, f.js, "A", "plain", "m1"); !errors.Is(err, ErrNotPinnable) {
		t.Errorf("no priority group: got %v", err)
	}
}

func TestInMembershipAndActive(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 4, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1", "m2"}))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", new(inbox).handler("m1"), wait2s)
	f.must(m, err)
	defer m.Stop()
	for member, want := range map[string][2]bool{"m1": {true, true}, "m2": {true, false}, "stranger": {false, false}, "a b": {false, false}} {
		in, active, err := ElasticIsInMembershipAndActive(f.ctx, f.js, "A", "B", member)
		if err != nil || [2]bool{in, active} != want {
			t.Errorf("%s: got %v %v %v, want %v", member, in, active, err, want)
		}
	}
	active, err := ListElasticActiveMembers(f.ctx, f.js, "A", "B")
	if diff := cmp.Diff([]string{"m1"}, active); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
