package observe

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// plainGroup is a group with a member whose consumer has the right filters.
func plainGroup(w *ward, s string) model.Key {
	k := w.elastic(s, "g", 2, "m1")
	w.consumer(s+"-g", "m1", s+".*", 5*time.Second, 0, 1)
	return k
}

func staticGroup(w *ward, s string) model.Key {
	return w.static(s, "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"filters":["`+s+`.*"],"members":["m1","m2"]}`)
}

// configOf writes the config of a group that is split by its only token.
func configOf(s string, partitions int, members string) string {
	return fmt.Sprintf(`{"max_members":%d,"partitioning_filters":[{"filter":"%s.*","partitioning_wildcards":[1]}],"members":[%s]}`, partitions, s, members)
}

func configCases() []ruleCase {
	return []ruleCase{
		{rule: "unreadable",
			ill: func(w *ward, s string) model.Key { w.put(model.KindElastic, s+".g", "{bad"); return elastic(s, "g") },
			well: func(w *ward, s string) model.Key {
				w.put(model.KindElastic, s+".g", goodConfig)
				return elastic(s, "g")
			}},
		{rule: "no-work-stream",
			ill: func(w *ward, s string) model.Key {
				w.put(model.KindElastic, s+".g", goodConfig)
				return elastic(s, "g")
			},
			well: plainGroup},
		{rule: "no-stream",
			ill:  func(w *ward, s string) model.Key { w.put(model.KindStatic, s+".g", goodConfig); return static(s, "g") },
			well: staticGroup},
		{rule: "no-origin",
			ill: func(w *ward, s string) model.Key {
				k := plainGroup(w, s)
				_ = must(true, w.js.DeleteStream(w.t.Context(), s))
				return k
			},
			well: func(w *ward, s string) model.Key { // purged is not gone
				k := plainGroup(w, s)
				w.publish(s, 5)
				_ = must(true, must(w.js.Stream(w.t.Context(), s)).Purge(w.t.Context()))
				return k
			}},
		{rule: "origin-anew",
			ill: func(w *ward, s string) model.Key {
				k := plainGroup(w, s)
				w.publish(s, 5)
				w.sourced(k, 5)
				_ = must(true, w.js.DeleteStream(w.t.Context(), s))
				must(w.js.CreateStream(w.t.Context(), jetstream.StreamConfig{Name: s, Subjects: []string{s + ".*"}, Storage: jetstream.MemoryStorage}))
				return k
			},
			well: func(w *ward, s string) model.Key { // changed is not made anew
				k := plainGroup(w, s)
				must(w.js.UpdateStream(w.t.Context(), jetstream.StreamConfig{Name: s, Subjects: []string{s + ".*"}, AllowDirect: true, Storage: jetstream.MemoryStorage, Description: "changed"}))
				return k
			}},
		{rule: "not-our-stream",
			ill: func(w *ward, s string) model.Key {
				w.elastic(s, "B-C", 2, "m1")
				w.put(model.KindElastic, s+"-B.C", goodConfig)
				return elastic(s+"-B", "C")
			},
			well: func(w *ward, s string) model.Key { return w.elastic(s, "B-C", 2, "m1") }},
		{rule: "config-differs",
			ill: func(w *ward, s string) model.Key {
				k := plainGroup(w, s)
				w.put(model.KindElastic, s+".g", configOf(s, 3, `"m1"`))
				return k
			},
			well: func(w *ward, s string) model.Key { // other members are no difference
				k := plainGroup(w, s)
				w.put(model.KindElastic, s+".g", configOf(s, 2, `"m1","m2"`))
				return k
			}},
		{rule: "nothing-matches",
			ill:  func(w *ward, s string) model.Key { return stamped(w, s, s+".*") },
			well: func(w *ward, s string) model.Key { return stamped(w, s, "*."+s+".*") }},
		{rule: "stamp-differs",
			ill: func(w *ward, s string) model.Key {
				return w.static(s, "{{partition(10,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"filters":["`+s+`.*"],"members":["m1"]}`)
			},
			well: staticGroup},
		{rule: "partial-mapping",
			ill: func(w *ward, s string) model.Key {
				return w.static(s, "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1,2]}]}`)
			},
			well: func(w *ward, s string) model.Key {
				return w.static(s, "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1,2,3]}]}`)
			}},
		{rule: "orbit-cannot-start", ill: mapped("a", "b"), well: mapped("a")},
		{rule: "collision", ill: func(w *ward, s string) model.Key { return rivals(w, s, "a") }, well: func(w *ward, s string) model.Key { return rivals(w, s, "a-b") }},
	}
}

// stamped is an elastic group on a stream that stamps partitions itself, with messages.
func stamped(w *ward, s, filter string) model.Key {
	must(w.js.CreateStream(w.t.Context(), jetstream.StreamConfig{Name: s, Subjects: []string{s + ".*"}, AllowDirect: true, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: s + ".*", Destination: "{{partition(4,1)}}." + s + ".{{wildcard(1)}}"}}))
	w.publish(s, 200)
	must(orbit.CreateElastic(w.t.Context(), w.js, s, "g", 2, []orbit.PartitioningFilter{{Filter: filter, PartitioningWildcards: []int{1}}}, -1, -1))
	return elastic(s, "g")
}

// mapped is a static group with mappings and so many filters.
func mapped(filters ...string) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		for i := range filters {
			filters[i] = strconv.Quote(s + "." + filters[i])
		}
		return w.static(s, "{{partition(2,1)}}.S.{{wildcard(1)}}", `{"max_members":2,"filters":[`+strings.Join(filters, ",")+`],"member_mappings":[{"member":"m1","partitions":[0,1]}]}`)
	}
}

// rivals are two groups of a stream that want the same consumer, which is a-b's.
func rivals(w *ward, s, group string) model.Key {
	staticGroup(w, s)
	w.put(model.KindStatic, s+".a-b", `{"max_members":4,"filters":["`+s+`.*"],"members":["c"]}`)
	w.put(model.KindStatic, s+".a", `{"max_members":4,"filters":["`+s+`.*"],"members":["b-c","z"]}`)
	w.consumer(s, "a-b-c", s+".*", 5*time.Second, 0, 1, 2, 3)
	return static(s, group)
}

func memberCases() []ruleCase {
	member := func(members ...string) func(*ward, string) model.Key {
		return func(w *ward, s string) model.Key {
			k := w.elastic(s, "g", 2)
			w.put(model.KindElastic, s+".g", configOf(s, 2, `"`+strings.Join(members, `","`)+`"`))
			return k
		}
	}
	filters := func(ackWait time.Duration, partitions ...int) func(*ward, string) model.Key {
		return func(w *ward, s string) model.Key {
			k := w.elastic(s, "g", 2, "m1")
			w.consumer(s+"-g", "m1", s+".*", ackWait, partitions...)
			return k
		}
	}
	pauses := func(resume bool) func(*ward, string) model.Key {
		return func(w *ward, s string) model.Key {
			k := plainGroup(w, s)
			must(w.js.PauseConsumer(w.t.Context(), s+"-g", "m1", time.Now().Add(time.Hour)))
			if resume {
				must(w.js.ResumeConsumer(w.t.Context(), s+"-g", "m1"))
			}
			return k
		}
	}
	return []ruleCase{
		{rule: "filters-differ", ill: filters(200*time.Millisecond, 0), well: filters(200*time.Millisecond, 0, 1)},
		{rule: "absent", ill: func(w *ward, s string) model.Key { return w.elastic(s, "g", 2, "m1") }, well: plainGroup},
		{rule: "unowned", ill: func(w *ward, s string) model.Key { return w.elastic(s, "g", 2) }, well: plainGroup},
		{rule: "cannot-run", ill: member("bad name"), well: member("Größe_1=x")},
		{rule: "no-pull", ill: plainGroup, well: func(w *ward, s string) model.Key {
			k := w.elastic(s, "g", 2, "m1")
			w.pulling(k, "m1", 1, 5*time.Second)
			return k
		}},
		{rule: "paused", ill: pauses(false), well: pauses(true)},
		{rule: "ack-wait-short", ill: filters(1900*time.Millisecond, 0, 1), well: filters(2*time.Second, 0, 1)},
		{rule: "no-standby", ill: func(w *ward, s string) model.Key {
			k := w.elastic(s, "g", 2, "m1")
			w.pulling(k, "m1", 1, 5*time.Second)
			return k
		}, well: func(w *ward, s string) model.Key {
			k := w.elastic(s, "g", 2, "m1")
			w.pulling(k, "m1", 2, 5*time.Second)
			return k
		}},
		{rule: "no-partition", ill: member("a", "b", "c"), well: member("a", "b")},
		{rule: "foreign", ill: func(w *ward, s string) model.Key {
			k := plainGroup(w, s)
			w.consumer(s+"-g", "stranger", s+".*", 5*time.Second, 7)
			return k
		}, well: func(w *ward, s string) model.Key { // somebody else's consumer of a shared stream
			k := staticGroup(w, s)
			must(w.js.CreateConsumer(w.t.Context(), s, jetstream.ConsumerConfig{Name: "audit", AckPolicy: jetstream.AckExplicitPolicy}))
			return k
		}},
	}
}

// everyMoment publishes steadily to both streams, and handles so much of it a second.
func (c *ruleStreams) everyMoment(ctx context.Context, ill, well int) {
	var consumers []jetstream.Consumer
	for _, s := range []string{c.ill, c.well} {
		consumers = append(consumers, must(c.w.js.Consumer(ctx, s+"-g", "m1")))
	}
	for i := 0; ctx.Err() == nil; i++ {
		for n, s := range []string{c.ill, c.well} {
			for range 4 {
				_ = c.w.js.Conn().Publish(fmt.Sprintf("%s.k%d", s, i), nil)
			}
			batch, err := consumers[n].Fetch([]int{ill, well}[n], jetstream.FetchMaxWait(100*time.Millisecond))
			if err != nil {
				return
			}
			for m := range batch.Messages() {
				_ = m.Ack()
			}
		}
	}
}
