package observe

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

func flowCases() []ruleCase {
	return []ruleCase{
		{rule: "stalled", ill: delivered(nil), well: delivered(acknowledge)},
		{rule: "stuck-unacked", ill: delivered(nil), well: delivered(acknowledge)},
		{rule: "redelivering", ill: again(false), well: again(true)},
		{rule: "passed-over", open: true, ill: given(inPlace), well: given(anew)},
		{rule: "not-pinned", ill: unpinned(5), well: unpinned(1)},
		{rule: "behind", ill: plainGroup, well: plainGroup, busy: func(ctx context.Context, c *ruleStreams) { c.everyMoment(ctx, 1, 8) }},
		{rule: "whale", open: true, ill: keys(1), well: keys(200)},
		{rule: "buffer-full", ill: buffered(50), well: buffered(10)},
		{rule: "sourcing-behind", ill: backlog(400_000), well: backlog(60)},
		{rule: "sourcing-stopped", ill: tooLarge(64), well: tooLarge(1024)},
	}
}

func acknowledge(m jetstream.Msg) error { return m.Ack() }

// delivered has one message delivered, of which something is done, or nothing.
func delivered(with func(jetstream.Msg) error) func(*ward, string) model.Key {
	if with == nil {
		with = func(jetstream.Msg) error { return nil }
	}
	return func(w *ward, s string) model.Key {
		k := w.elastic(s, "g", 2, "m1")
		c := w.consumer(s+"-g", "m1", s+".*", time.Second, 0, 1)
		w.publish(s, 1)
		w.take(c, 1, with)
		return k
	}
}

// again has one message delivered twice, and acknowledged or not.
func again(ack bool) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		k := w.elastic(s, "g", 2, "m1")
		c := w.consumer(s+"-g", "m1", s+".*", time.Minute, 0, 1)
		w.publish(s, 1)
		w.take(c, 1, func(m jetstream.Msg) error { return m.Nak() })
		w.take(c, 1, func(m jetstream.Msg) error {
			if ack {
				return m.DoubleAck(w.t.Context())
			}
			return nil
		})
		return k
	}
}

// given has a member handle partition 0, while messages wait in partition 1, and then
// gives it that one.
func given(give func(*ward, string)) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		k := w.elastic(s, "g", 2, "m1")
		c := w.consumer(s+"-g", "m1", s+".*", time.Minute, 0)
		w.publish(s, 20)
		w.sourced(k, 20)
		w.take(c, int(must(c.Info(w.t.Context())).NumPending), func(m jetstream.Msg) error { return m.DoubleAck(w.t.Context()) })
		give(w, s)
		return k
	}
}

// inPlace updates the consumer.
func inPlace(w *ward, s string) {
	c := must(w.js.Consumer(w.t.Context(), s+"-g", "m1")).CachedInfo().Config
	c.FilterSubject, c.FilterSubjects = "", []string{"0." + s + ".*", "1." + s + ".*"}
	must(w.js.UpdateConsumer(w.t.Context(), s+"-g", c))
}

// anew deletes the consumer and makes it again.
func anew(w *ward, s string) {
	if err := w.js.DeleteConsumer(w.t.Context(), s+"-g", "m1"); err != nil {
		w.t.Fatal(err)
	}
	w.consumer(s+"-g", "m1", s+".*", time.Minute, 0, 1)
}

// unpinned pulls without the priority group, and takes one of n messages.
func unpinned(n int) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		k := w.elastic(s, "g", 2, "m1")
		c := must(w.js.CreateConsumer(w.t.Context(), s+"-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy,
			MaxAckPending: 1, AckWait: time.Minute, FilterSubjects: []string{"0." + s + ".*", "1." + s + ".*"}}))
		pulls := must(c.Consume(func(jetstream.Msg) {}, jetstream.PullExpiry(5*time.Second)))
		w.t.Cleanup(pulls.Stop)
		w.publish(s, n)
		for deadline := time.Now().Add(10 * time.Second); must(c.Info(w.t.Context())).NumPending != uint64(n-1); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(deadline) {
				w.t.Fatalf("%s: never are %d pending", s, n-1)
			}
		}
		return k
	}
}

// keys publishes 200 messages of so many keys.
func keys(n int) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		k := w.elastic(s, "g", 8, "m1")
		for i := range 200 {
			must(w.js.Publish(w.t.Context(), fmt.Sprintf("%s.k%d", s, i%n), nil))
		}
		w.sourced(k, 200)
		return k
	}
}

// buffered publishes n messages to a group whose work stream holds 10.
func buffered(n int) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		ctx := w.t.Context()
		must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: s, Subjects: []string{s + ".*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
		must(orbit.CreateElastic(ctx, w.js, s, "g", 2, []orbit.PartitioningFilter{{Filter: s + ".*", PartitioningWildcards: []int{1}}}, 10, -1))
		w.publish(s, n)
		w.sourced(elastic(s, "g"), 10)
		return elastic(s, "g")
	}
}

// backlog makes a group of an origin that holds n messages already. The origin is in
// memory and the work stream on disk, where the server writes every message through.
func backlog(n int) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		ctx := w.t.Context()
		must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: s, Subjects: []string{s + ".*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
		for i := range n {
			subject := fmt.Sprintf("%s.k%d", s, i%100)
			if i%10_000 == 0 {
				must(w.js.Publish(ctx, subject, nil)) // no more on the way than the server takes
				continue
			}
			_ = w.js.Conn().Publish(subject, nil)
		}
		k := w.elastic(s, "g", 2, "m1")
		c := must(w.js.Stream(ctx, s+"-g")).CachedInfo().Config
		_ = must(true, w.js.DeleteStream(ctx, s+"-g"))
		c.Storage = jetstream.FileStorage
		must(w.js.CreateStream(ctx, c))
		return k
	}
}

// tooLarge publishes a message of 100 bytes to a group whose work stream takes messages
// of at most so many.
func tooLarge(most int32) func(*ward, string) model.Key {
	return func(w *ward, s string) model.Key {
		k := plainGroup(w, s)
		c := must(w.js.Stream(w.t.Context(), s+"-g")).CachedInfo().Config
		c.MaxMsgSize = most
		must(w.js.UpdateStream(w.t.Context(), c))
		w.publish(s, 3)
		must(w.js.Publish(w.t.Context(), s+".large", make([]byte, 100)))
		w.publish(s, 3)
		return k
	}
}
