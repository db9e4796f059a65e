package pcgroups

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// Groups as every port stores them are consumed: whatever a group's members of the
// reference get, ours get, or both are refused.
func TestConsumeTheConfigsOfEveryPort(t *testing.T) {
	v := loadVectors(t)
	var old struct {
		Static  string `json:"static_json"`
		Elastic string `json:"elastic_json"`
	}
	raw, err := json.Marshal(v.Legacy)
	if err == nil {
		err = json.Unmarshal(raw, &old)
	}
	if err != nil {
		t.Fatal(err)
	}
	f := newFixture(t)
	f.must(f.js.CreateStream(f.ctx, transformed("st.*", "{{partition(2,1)}}.st.{{wildcard(1)}}")))
	f.elastic("maker", 2)
	static := map[string]string{
		"java":        `{"max_members":2,"filter":"st.>","members":["m1"]}`,
		"dotnet":      `{"max_members":2,"filters":["st.*"],"members":["m1","m1"]}`,
		"dotnet-part": `{"max_members":2,"member_mappings":[{"member":"m1","partitions":[0]}]}`,
		"python":      `{"max_members": 2, "filters": ["st.>"], "member_mappings": [{"member": "m1", "partitions": [1, 0]}]}`,
		"legacy":      old.Static,
		"future":      `{"new":{"a":[1]},"max_members":2,"members":["m1"],"max_lag":7}`,
	}
	for name, value := range static {
		f.put(staticBucket, "ST", name, value)
	}
	elastic := map[string]string{
		"java":   `{"max_members":2,"partitioning_filters":[{"filter":"a.*"}],"members":["m1"]}`,
		"dotnet": `{"max_members":2,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[]}],"max_buffered_msg":-1,"members":["m1"]}`,
		"python": `{"max_members": 2, "partitioning_filters": [{"filter": "a.>", "partitioning_wildcards": null}], "members": ["m1", "m1"]}`,
		"legacy": old.Elastic,
	}
	for name, value := range elastic {
		f.must(CreateElastic(f.ctx, f.js, "A", name, 2, []PartitioningFilter{{Filter: "a.*"}}, 0, 0))
		f.put(elasticBucket, "A", name, value)
	}
	var got inbox
	both := 0
	join := func(name string, ours, theirs func() (ConsumerGroupConsumeContext, error)) {
		t.Helper()
		a, errA := ours()
		b, errB := theirs()
		if (errA == nil) != (errB == nil) {
			t.Errorf("%s: ours %v, theirs %v", name, errA, errB)
		}
		if errA == nil {
			both++
			t.Cleanup(a.Stop)
		}
		if errB == nil {
			t.Cleanup(b.Stop)
		}
	}
	for name := range static {
		join("static "+name, func() (ConsumerGroupConsumeContext, error) {
			return StaticConsume(f.ctx, f.js, "ST", name, "m1", got.handler("static "+name), wait2s)
		}, func() (ConsumerGroupConsumeContext, error) {
			return orbit.StaticConsume(f.ctx, f.js, "ST", name, "m1", got.handler("static "+name), wait2s)
		})
	}
	for name := range elastic {
		join("elastic "+name, func() (ConsumerGroupConsumeContext, error) {
			return ElasticConsume(f.ctx, f.js, "A", name, "m1", got.handler("elastic "+name), wait2s)
		}, func() (ConsumerGroupConsumeContext, error) {
			return orbit.ElasticConsume(f.ctx, f.js, "A", name, "m1", got.handler("elastic "+name), wait2s)
		})
	}
	if both != len(static)+len(elastic)-1 {
		t.Errorf("%d groups can be joined; all but the half mapped one should", both)
	}
	for i := range 10 {
		f.publishAll([]string{fmt.Sprintf("st.%d", i), fmt.Sprintf("a.%d", i)})
	}
	for name := range static {
		if name == "dotnet-part" {
			continue
		}
		want := 10
		if name == "legacy" {
			want = partOfLegacy(t, old.Static, "m1")
		}
		eventually(t, 8*time.Second, "static "+name, func() bool { return got.count("static "+name) >= want })
	}
	for name := range elastic {
		eventually(t, 8*time.Second, "elastic "+name, func() bool { return got.count("elastic "+name) >= 1 })
	}
}

// partOfLegacy is how many of the ten subjects fall to a member of the old config.
func partOfLegacy(t *testing.T, value, member string) (n int) {
	t.Helper()
	var c StaticConsumerGroupConfig
	if err := json.Unmarshal([]byte(value), &c); err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		for _, p := range c.settings().owned(member) {
			if partitionOf(fmt.Sprint(i), 2) == p {
				n++
			}
		}
	}
	return n
}

// Instances of one static member share its durable, whichever library they run, and
// each takes over from the other.
func TestStaticInstancesOfOneMember(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(orbit.CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	var got inbox
	c := oneByOne(2 * time.Second)
	_, js := f.connect()
	theirs, err := orbit.StaticConsume(f.ctx, js, "ST", "cg", "m1", got.handler("theirs"), c)
	f.must(theirs, err)
	ours := f.joinStatic("cg", "m1", got.handler("ours"), c)
	eventually(t, 5*time.Second, "both pull", func() bool { return f.info("ST", "cg-m1").NumWaiting == 2 })
	n := 0
	next := func(who string, within time.Duration) {
		t.Helper()
		n++
		f.publish("st.a")
		eventually(t, within, who+" handles it", func() bool { return got.count() == n && (who == "" || got.count(who) > 0) })
	}
	next("", 2*time.Second)
	for range 2 {
		f.must(nil, orbit.StaticMemberStepDown(f.ctx, f.js, "ST", "cg", "m1"))
		next("", 2*time.Second)
		f.must(nil, StaticMemberStepDown(f.ctx, f.js, "ST", "cg", "m1"))
		next("", 2*time.Second)
	}
	theirs.Stop()
	next("ours", 5*time.Second) // at the latest when the pin they keep has expired
	again, err := orbit.StaticConsume(f.ctx, js, "ST", "cg", "m1", got.handler("theirs again"), c)
	f.must(again, err)
	defer again.Stop()
	left, err := ours.Drain(f.ctx)
	if left != 0 || err != nil {
		t.Errorf("%d left, %v", left, err)
	}
	next("theirs again", time.Second)
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "cg"))
	if err := ended(t, 3*time.Second, again); err != nil {
		t.Errorf("their member ended with %v", err)
	}
}
