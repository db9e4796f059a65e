package pcgroups

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

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

// CON-01: after any number of changes every member with partitions really consumes.
func TestChurnSettles(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 6, []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
	var got inbox
	var log journal
	var running []Instance
	names := []string{"m1", "m2", "m3"}
	for _, name := range names {
		for i := range 2 {
			_, js := f.connect()
			m, err := ElasticConsume(f.ctx, js, "A", "B", name, got.handler(name), wait2s, WithLogger(log.logger().With("instance", i)))
			f.must(m, err)
			defer m.Stop()
			running = append(running, m.(Instance))
		}
	}
	f.must(AddMembers(f.ctx, f.js, "A", "B", names))
	change := time.NewTicker(100 * time.Millisecond)
	defer change.Stop()
	for i := range 30 {
		<-change.C
		for j := range 5 {
			f.publish(fmt.Sprintf("a.%d-%d", i, j))
		}
		if name := names[i/2%3]; i%2 == 0 {
			f.must(DeleteMembers(f.ctx, f.js, "A", "B", []string{name}))
		} else {
			f.must(AddMembers(f.ctx, f.js, "A", "B", []string{name}))
		}
	}
	config, err := GetElasticConsumerGroupConfig(f.ctx, f.js, "A", "B")
	f.must(config, err)
	defer func() {
		for _, i := range running {
			if i.Err() != nil {
				t.Errorf("ended with %v", i.Err())
			}
		}
		for _, name := range names {
			if info := f.info("A-B", name); t.Failed() && info != nil {
				t.Logf("%s: %v of %v, %d waiting, %d pending, %+v", name, filtersOf(info.Config), ElasticGetPartitionFilters(*config, name), info.NumWaiting, info.NumPending, info.PriorityGroups)
			}
		}
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	eventually(t, 12*time.Second, "each member has its consumer and two instances pull", func() bool {
		for _, name := range names {
			info := f.info("A-B", name)
			if info == nil || info.NumWaiting < 2 || !sameFilters(filtersOf(info.Config), ElasticGetPartitionFilters(*config, name)) {
				return false
			}
		}
		return true
	})
	eventually(t, 10*time.Second, "the work stream drains", func() bool {
		work, err := f.js.Stream(f.ctx, "A-B")
		return err == nil && work.CachedInfo().State.Msgs == 0
	})
	for i := range 30 {
		for j := range 5 {
			if s := fmt.Sprintf("a.%d-%d", i, j); !got.has(s) {
				t.Errorf("%s is missing", s)
			}
		}
	}
}
