package pcgroups

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

func TestMemberNames(t *testing.T) {
	for name, ok := range map[string]bool{
		"m1": true, "é": true, "日本": true, "a-b_c=d": true, "$x": true, strings.Repeat("x", 255): true,
		"": false, "bad name": false, "wild*": false, "dot.ted": false, "a>": false, "a/b": false, `a\b`: false,
		"tab\t": false, "nul\x00": false, "\u0085": false, "\xff": false, strings.Repeat("x", 256): false, strings.Repeat("é", 128): false,
	} {
		err := CheckMemberName(name)
		if (err == nil) != ok || err != nil && !errors.Is(err, ErrUnusableName) {
			t.Errorf("%q: got %v", name, err)
		}
	}
	// The prefix counts for static groups.
	if err := groupKey(model.KindStatic, "s", "group").CheckMember(strings.Repeat("x", 250)); !errors.Is(err, ErrUnusableName) {
		t.Errorf("250 bytes after a prefix of 6: got %v", err)
	}
}

// The server takes every name that is called usable.
func TestUsableNamesAreUsable(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 8, nil, 0, 0))
	names := []string{"é", "日本", "$x", "a-b_c=d", strings.Repeat("x", 255), "nb\u00a0sp", "🐟"}
	f.must(AddMembers(f.ctx, f.js, "test", "cg", names))
	var all inbox
	for _, name := range names {
		m, err := ElasticConsume(f.ctx, f.js, "test", "cg", name, all.handler(name), jetstream.ConsumerConfig{})
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		defer m.Stop()
		if f.info("test-cg", name) == nil {
			t.Errorf("%q has no consumer", name)
		}
	}
}

// ENG-07
func TestUnusableNamesChangeNothing(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	f.must(CreateElastic(f.ctx, f.js, "test", "cg", 4, nil, 0, 0))
	_, before := f.stored(elasticBucket, "test", "cg")
	for _, bad := range []string{"bad name", "wild*", "dot.ted", "", strings.Repeat("x", 300)} {
		if _, err := AddMembers(f.ctx, f.js, "test", "cg", []string{"m1", bad, "m2"}); !errors.Is(err, ErrUnusableName) {
			t.Errorf("add %q: got %v", bad, err)
		}
		mappings := []MemberMapping{{"m1", []int{0, 1}}, {bad, []int{2, 3}}}
		if err := SetMemberMappings(f.ctx, f.js, "test", "cg", mappings); !errors.Is(err, ErrUnusableName) {
			t.Errorf("map %q: got %v", bad, err)
		}
		if _, err := ApplyMembership(f.ctx, f.js, "test", "cg", before, []string{bad}, nil); !errors.Is(err, ErrUnusableName) {
			t.Errorf("apply %q: got %v", bad, err)
		}
	}
	if _, after := f.stored(elasticBucket, "test", "cg"); after != before {
		t.Error("something was written")
	}
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"é"}))

	// A bad name that is stored already can be dropped, and others added meanwhile.
	f.put(elasticBucket, "test", "cg", `{"max_members":4,"partitioning_filters":null,"members":["bad name","m1"]}`)
	f.must(AddMembers(f.ctx, f.js, "test", "cg", []string{"m2"}))
	got, err := DeleteMembers(f.ctx, f.js, "test", "cg", []string{"bad name"})
	if diff := cmp.Diff([]string{"m1", "m2"}, got); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}
