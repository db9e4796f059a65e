package pcgroups

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

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
		var more []string
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

// ENG-10: a member that gains partitions starts over: older messages of those come too.
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
