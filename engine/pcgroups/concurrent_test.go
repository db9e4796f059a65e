package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// barrier makes the given number of readers wait for each other after their first
// read of a config, so that all of them write for the same revision.
type barrier struct {
	jetstream.JetStream
	wait func()
}

type barrierKV struct {
	jetstream.KeyValue
	wait func()
	once *sync.Once
}

func (b barrier) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	kv, err := b.JetStream.KeyValue(ctx, bucket)
	return barrierKV{KeyValue: kv, wait: b.wait, once: new(sync.Once)}, err
}

func (b barrierKV) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	entry, err := b.KeyValue.Get(ctx, key)
	b.once.Do(b.wait)
	return entry, err
}

// together runs the functions with such a barrier between their reads and writes.
func together(js jetstream.JetStream, fs ...func(jetstream.JetStream)) {
	var read, done sync.WaitGroup
	read.Add(len(fs))
	for _, f := range fs {
		b := barrier{js, func() { read.Done(); read.Wait() }}
		done.Go(func() { f(b) })
	}
	done.Wait()
}

// ENG-04: no accepted change is lost, whoever else writes at the same time.
func TestConcurrentAdministrators(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	two := []MemberMapping{{"x", []int{0}}, {"y", []int{1}}}
	for round := range rounds {
		group := fmt.Sprintf("g%d", round)
		f.must(CreateElastic(f.ctx, f.js, "test", group, 2, nil, 0, 0))
		add := func(m string, err *error) func(jetstream.JetStream) {
			return func(js jetstream.JetStream) { _, *err = AddMembers(f.ctx, js, "test", group, []string{m}) }
		}
		members := func() *ElasticConsumerGroupConfig {
			c, err := GetElasticConsumerGroupConfig(f.ctx, f.js, "test", group)
			f.must(c, err)
			return c
		}
		var errA, errB, errC error
		together(f.js, add("m1", &errA), add("m2", &errB), add("m3", &errC))
		if err := errors.Join(errA, errB, errC); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"m1", "m2", "m3"}, members().Members); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
		together(f.js, add("m4", &errA), func(js jetstream.JetStream) {
			errB = SetMemberMappings(f.ctx, js, "test", group, two)
		})
		switch now := members(); {
		case errA == nil && errors.Is(errB, ErrChanged) && slices.Contains(now.Members, "m4"):
			f.must(nil, SetMemberMappings(f.ctx, f.js, "test", group, two))
		case errB == nil && errors.Is(errA, ErrMapped) && len(now.MemberMappings) == 2:
		default:
			t.Fatalf("round %d: add %v, map %v, stored %+v", round, errA, errB, now)
		}
		together(f.js,
			func(js jetstream.JetStream) { errA = DeleteMemberMappings(f.ctx, js, "test", group) },
			func(js jetstream.JetStream) {
				errB = SetMemberMappings(f.ctx, js, "test", group, []MemberMapping{{"z", []int{0, 1}}})
			},
		)
		if (errA == nil) == (errB == nil) || !errors.Is(errors.Join(errA, errB), ErrChanged) {
			t.Fatalf("round %d: two replaced one state: %v, %v", round, errA, errB)
		}
		_, revision := f.stored(elasticBucket, "test", group)
		apply := func(m string, err *error) func(jetstream.JetStream) {
			return func(js jetstream.JetStream) {
				_, *err = ApplyMembership(f.ctx, js, "test", group, revision, []string{m}, nil)
			}
		}
		together(f.js, apply("a", &errA), apply("b", &errB))
		var changed *ChangedError
		if (errA == nil) == (errB == nil) || !errors.As(errors.Join(errA, errB), &changed) || changed.Seen != revision || changed.Current <= revision {
			t.Fatalf("round %d: two were applied to revision %d: %v, %v", round, revision, errA, errB)
		}
	}
}

// Two programs that make the same group at the same time both find it made.
func TestConcurrentCreates(t *testing.T) {
	f := newFixture(t)
	testStream(f)
	for round := range 5 {
		group := fmt.Sprintf("g%d", round)
		var errs [4]error
		var done sync.WaitGroup
		for i := range errs {
			done.Go(func() { _, errs[i] = CreateElastic(f.ctx, f.js, "test", group, 2, twoFilters, 0, 0) })
		}
		done.Wait()
		if err := errors.Join(errs[:]...); err != nil {
			t.Fatal(err)
		}
	}
}

// ENG-03: members of the reference run on when this engine edits their group, and
// every byte but the membership's stays.
func TestOrbitMemberSurvivesOurEdits(t *testing.T) {
	short(t)
	f := newFixture(t)
	testStream(f)
	var got inbox
	cases := map[string]string{
		"null filters":      `{"max_members":2,"partitioning_filters":null`,
		"null wildcards":    `{"max_members":2,"partitioning_filters":[{"filter":"foo.*","partitioning_wildcards":null}]`,
		"empty wildcards":   `{"max_members":2,"partitioning_filters":[{"filter":"foo.*","partitioning_wildcards":[]}]`,
		"unknown field":     `{"future":{"x":[1.0]},"max_members":2,"partitioning_filters":null`,
		"unlimited as -1":   `{"max_members":2,"partitioning_filters":null,"max_buffered_msg":-1,"max_buffered_bytes":-1`,
		"unlimited written": `{"max_members":2,"partitioning_filters":null,"max_buffered_msg":0,"max_buffered_bytes":0`,
	}
	type running struct {
		orbit.ConsumerGroupConsumeContext
		name, group, head string
	}
	var members []running
	for name, head := range cases {
		group := strings.ReplaceAll(name, " ", "_")
		c, err := DecodeConfig("elastic", []byte(head+"}"))
		f.must(nil, err)
		var filters []PartitioningFilter
		for _, filter := range c.Filters {
			filters = append(filters, PartitioningFilter{filter.Subject, filter.Wildcards})
		}
		f.must(CreateElastic(f.ctx, f.js, "test", group, 2, filters, c.MaxBufferedMsgs, c.MaxBufferedBytes))
		f.put(elasticBucket, "test", group, head+`,"members":["m1"]}`)
		m, err := orbit.ElasticConsume(f.ctx, f.js, "test", group, "m1", got.handler(group), wait2s)
		f.must(m, err)
		defer m.Stop()
		members = append(members, running{m, name, group, head})
	}
	for _, m := range members {
		f.must(AddMembers(f.ctx, f.js, "test", m.group, []string{"m2"}))
		if now, _ := f.stored(elasticBucket, "test", m.group); now != m.head+`,"members":["m1","m2"]}` {
			t.Errorf("%s: got %s", m.name, now)
		}
	}
	for _, m := range members {
		// It has followed the change, so it has read it.
		eventually(t, 5*time.Second, m.name+": m1 gives up partition 1", func() bool {
			info := f.info("test-"+m.group, "m1")
			return info != nil && len(filtersOf(info.Config)) == 1
		})
		f.must(DeleteMembers(f.ctx, f.js, "test", m.group, []string{"m2"}))
		if now, _ := f.stored(elasticBucket, "test", m.group); now != m.head+`,"members":["m1"]}` {
			t.Errorf("%s: got %s", m.name, now)
		}
	}
	f.publish("foo.a")
	for _, m := range members {
		eventually(t, 8*time.Second, m.name+": still consuming", func() bool { return got.count(m.group) > 0 })
		select {
		case err := <-m.Done():
			t.Errorf("%s: ended with %v", m.name, err)
		default:
		}
	}
}
