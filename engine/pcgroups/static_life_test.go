package pcgroups

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

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
