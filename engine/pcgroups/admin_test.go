package pcgroups

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

var twoFilters = []PartitioningFilter{{Filter: "foo.*", PartitioningWildcards: []int{1}}, {Filter: "bar.*", PartitioningWildcards: []int{1}}}

func testStream(f *fixture) {
	f.t.Helper()
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "test", Subjects: []string{"foo.*", "bar.*"}}))
}

// What the server is asked for when groups are made is what the reference asks.
func TestCreateRequests(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	requests := f.requests("$JS.API.STREAM.CREATE.>")
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, twoFilters, -1, -1))
	f.must(CreateElastic(f.ctx, f.js, "test", "nf", 4, nil, 0, 0))
	f.must(CreateStatic(f.ctx, f.js, "test", "cg", 2, []string{"foo.*", "bar.*"}, []string{"m1", "m2"}, nil))
	want := []string{
		wireRequest(t, "elastic", "kv_create_requests"),
		wireRequest(t, "elastic", "stream_create_request"),
		wireRequest(t, "elastic", "stream_create_nil_filters"),
		wireRequest(t, "static", "kv_create_requests"),
	}
	if diff := cmp.Diff(want, requests()); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ bucket, group, section, name string }{
		{elasticBucket, "cg", "elastic", "kv_created"},
		{elasticBucket, "nf", "elastic", "kv_nil_filters"},
		{staticBucket, "cg", "static", "kv_bytes"},
	} {
		if got, _ := f.stored(c.bucket, "test", c.group); got != wireText(t, c.section, c.name) {
			t.Errorf("%s %s: got %s, want %s", c.bucket, c.group, got, wireText(t, c.section, c.name))
		}
	}
}

func TestMembershipBytes(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, twoFilters, -1, -1))
	stored := func(want string) {
		t.Helper()
		if got, _ := f.stored(elasticBucket, "test", "cg"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	members, err := AddMembers(f.ctx, f.js, "test", "cg", []string{"m2", "m1", "m2"})
	if diff := cmp.Diff([]string{"m1", "m2"}, members); diff != "" || err != nil {
		t.Errorf("add: %v %s", err, diff)
	}
	stored(strings.Replace(wireText(t, "elastic", "kv_add"), `["m2","m1"]`, `["m1","m2"]`, 1))
	members, err = DeleteMembers(f.ctx, f.js, "test", "cg", []string{"m2", "nobody"})
	if diff := cmp.Diff([]string{"m1"}, members); diff != "" || err != nil {
		t.Errorf("drop: %v %s", err, diff)
	}
	stored(wireText(t, "elastic", "kv_drop"))
	members, err = DeleteMembers(f.ctx, f.js, "test", "cg", []string{"m1"})
	if members != nil || err != nil {
		t.Errorf("drop the last: got %v, %v", members, err)
	}
	stored(wireText(t, "elastic", "kv_drop_last"))
	f.must(nil, SetMemberMappings(f.ctx, f.js, "test", "cg", []MemberMapping{{"m1", []int{0}}, {"m2", []int{1}}}))
	stored(wireText(t, "elastic", "kv_set_map"))

	_, err = AddMembers(f.ctx, f.js, "test", "cg", []string{"m3"})
	wantText(t, "add to mappings", err, wireText(t, "elastic", "add_mapped"))
	_, err2 := DeleteMembers(f.ctx, f.js, "test", "cg", []string{"m1"})
	wantText(t, "drop from mappings", err2, wireText(t, "elastic", "drop_mapped"))
	if !errors.Is(err, ErrMapped) || !errors.Is(err2, ErrMapped) {
		t.Errorf("got %v and %v, want ErrMapped", err, err2)
	}
	err = SetMemberMappings(f.ctx, f.js, "test", "cg", []MemberMapping{{"m1", []int{0}}})
	wantText(t, "bad mappings", err, wireText(t, "elastic", "set_map_bad"))
	f.must(nil, DeleteMemberMappings(f.ctx, f.js, "test", "cg"))
	f.must(nil, DeleteMemberMappings(f.ctx, f.js, "test", "cg"))
	stored(wireText(t, "elastic", "kv_del_map"))
	_, err = AddMembers(f.ctx, f.js, "test", "cg", nil)
	wantText(t, "add nobody", err, wireText(t, "elastic", "add_none"))
	_, err = GetElasticConsumerGroupConfig(f.ctx, f.js, "test", "nope")
	wantText(t, "missing", err, wireText(t, "elastic", "get_missing"))
	if !errors.Is(err, ErrGroupNotFound) {
		t.Errorf("got %v, want ErrGroupNotFound", err)
	}
}

// Writing what is there already is no write.
func TestNoChangeNoWrite(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"m1"}))
	_, before := f.stored(elasticBucket, "test", "cg")
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"m1"}))
	f.must(DeleteMembers(f.ctx, f.js, "test", "cg", []string{"m9"}))
	f.must(nil, DeleteMemberMappings(f.ctx, f.js, "test", "cg"))
	revision, err := ApplyMembership(f.ctx, f.js, "test", "cg", before, []string{"m1", "m1"}, nil)
	if _, after := f.stored(elasticBucket, "test", "cg"); after != before || revision != before || err != nil {
		t.Errorf("got revision %d (stored %d), %v, want %d", revision, after, err, before)
	}
}

func TestCreateAgain(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	filter := func(w []int) []PartitioningFilter {
		return []PartitioningFilter{{Filter: "foo.*", PartitioningWildcards: w}}
	}
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, filter(nil), -1, -1))
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, filter([]int{}), 0, 0)) // equal meaning
	f.must(CreateElastic(f.ctx, f.js, "test", "nf", 2, nil, 0, 0))
	f.must(CreateElastic(f.ctx, f.js, "test", "nf", 2, []PartitioningFilter{}, 0, 0))
	_, err := CreateElastic(f.ctx, f.js, "test", "cg", 3, filter(nil), -1, -1)
	wantText(t, "other count", err, wireText(t, "elastic", "recreate_diff_max"))
	if !errors.Is(err, ErrGroupDiffers) {
		t.Errorf("got %v, want ErrGroupDiffers", err)
	}
	f.must(CreateStatic(f.ctx, f.js, "test", "cg", 2, nil, []string{"m2", "m1"}, nil))
	f.must(CreateStatic(f.ctx, f.js, "test", "cg", 2, []string{}, []string{"m1", "m2"}, []MemberMapping{}))
	_, err = CreateStatic(f.ctx, f.js, "test", "cg", 2, nil, []string{"m1"}, nil)
	wantText(t, "other members", err, wireText(t, "static", "recreate_different"))
	// The reference, given what it was given, finds the group as it expects it.
	f.must(orbit.CreateStatic(f.ctx, f.js, "test", "cg", 2, nil, []string{"m2", "m1"}, nil))
	f.must(orbit.CreateElastic(f.ctx, f.js, "test", "nf", 2, nil, 0, 0))

	// A lost work stream is made again; limits changed since are nobody's business.
	f.must(nil, f.js.DeleteStream(f.ctx, "test-cg"))
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, filter(nil), -1, -1))
	f.must(f.js.Stream(f.ctx, "test-cg"))
}

func TestCreateRefusesBeforeWriting(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "test-plain", Subjects: []string{"x"}}))
	elastic := func(stream, group string, filters ...PartitioningFilter) error {
		_, err := CreateElastic(f.ctx, f.js, stream, group, 4, filters, 0, 0)
		return err
	}
	static := func(group string, filters []string, members ...string) error {
		_, err := CreateStatic(f.ctx, f.js, "test", group, 2, filters, members, nil)
		return err
	}
	for _, c := range []struct {
		name  string
		err   error
		is    error
		names []string
	}{
		{"overlap", elastic("test", "ov", PartitioningFilter{Filter: "foo.*", PartitioningWildcards: []int{1}}, PartitioningFilter{Filter: "foo.>"}), ErrOverlap, []string{`"foo.*"`, `"foo.>"`}},
		{"static overlap", static("ov", []string{"st.*", "st.>"}, "m1"), ErrOverlap, []string{`"st.*"`, `"st.>"`}},
		{"empty token", elastic("test", "bad", PartitioningFilter{Filter: "foo..*"}), ErrInvalidConfig, []string{`"foo..*"`}},
		{"dotted group", elastic("test", "c.d"), ErrUnusableName, nil},
		{"dotted static group", static("g.h", nil, "m1"), ErrUnusableName, nil},
		{"long group", elastic("test", strings.Repeat("x", 255)), ErrUnusableName, nil},
		{"bad member", static("bm", nil, "m1", "a b"), ErrUnusableName, []string{`"a b"`}},
		{"taken by a stream", elastic("test", "plain"), ErrNameCollision, []string{`"test-plain"`}},
		{"no origin", elastic("none", "cg"), jetstream.ErrStreamNotFound, []string{`"none"`}},
	} {
		if !errors.Is(c.err, c.is) {
			t.Errorf("%s: got %v, want %v", c.name, c.err, c.is)
			continue
		}
		for _, n := range c.names {
			if !strings.Contains(c.err.Error(), n) {
				t.Errorf("%s: %q does not name %s", c.name, c.err, n)
			}
		}
	}
	wantText(t, "space", elastic("test", "a b"), wireText(t, "elastic", "create_group_with_space"))
	wantText(t, "dot", elastic("test", "c.d"), wireText(t, "elastic", "create_group_with_dot"))
	wantText(t, "stream with dot", elastic("te.st", "c"), wireText(t, "elastic", "create_stream_with_dot"))
	for _, bucket := range []string{elasticBucket, staticBucket} {
		if _, err := f.js.KeyValue(f.ctx, bucket); !errors.Is(err, jetstream.ErrBucketNotFound) {
			t.Errorf("something was written to %s: %v", bucket, err)
		}
	}
}

// When the work stream cannot be made, no half of a group stays.
func TestCreateRollsBack(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	for _, create := range []func() error{
		// A transform that only the server refuses.
		func() error {
			_, err := CreateElastic(f.ctx, f.js, "test", "cg", 1<<40, nil, 0, 0)
			return err
		},
	} {
		if err := create(); err == nil {
			t.Fatal("the server took the stream")
		}
		if f.hasKey(elasticBucket, "test", "cg") {
			t.Error("a config without a work stream stayed")
		}
	}
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 2, nil, 0, 0))
}

func TestLists(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	if _, err := ListStaticConsumerGroups(f.ctx, f.js, "test"); !errors.Is(err, jetstream.ErrBucketNotFound) {
		t.Errorf("no bucket: got %v", err)
	}
	f.put(staticBucket, "test", "g.h", "{}")
	f.put(staticBucket, "test", "b", "{}")
	f.put(staticBucket, "test", "a", "{}")
	f.put(staticBucket, "tes", "other", "{}")
	f.put(staticBucket, "test", "gone", "{}")
	f.must(nil, f.kv(staticBucket).Delete(f.ctx, "test.gone"))
	got, err := ListStaticConsumerGroups(f.ctx, f.js, "test")
	if diff := cmp.Diff([]string{"a", "b", "g.h"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	if got, err := ListStaticConsumerGroups(f.ctx, f.js, "nothing"); len(got) != 0 || err != nil {
		t.Errorf("no groups: got %v, %v", got, err)
	}
	if left := f.consumers("KV_" + staticBucket); len(left) != 0 {
		t.Errorf("listing left consumers behind: %v", left)
	}
}
