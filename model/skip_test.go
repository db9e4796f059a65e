package model

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// queue is a work queue with one consumer, as nats-server keeps them.
type queue struct {
	last, next, floor uint64         // sequences: stored last, delivered next, acknowledged up to
	stored            map[uint64]int // by sequence: the partition
	when              map[uint64]time.Time
	held              []int    // of the consumer
	unacked           []uint64 // in order
	made              time.Time
}

func (q *queue) publish(at time.Time, partition int) {
	q.last++
	q.stored[q.last], q.when[q.last] = partition, at
}

// deliver hands out the next message that the filters match.
func (q *queue) deliver() {
	for ; q.next <= q.last; q.next++ {
		if p, there := q.stored[q.next]; there && slices.Contains(q.held, p) {
			q.unacked = append(q.unacked, q.next)
			q.next++
			return
		}
	}
}

func (q *queue) ack(i int) {
	if len(q.unacked) == 0 {
		return
	}
	i %= len(q.unacked)
	delete(q.stored, q.unacked[i])
	q.unacked = slices.Delete(q.unacked, i, i+1)
	if q.floor = q.next - 1; len(q.unacked) > 0 {
		q.floor = q.unacked[0] - 1
	}
}

func (q *queue) purge() {
	clear(q.stored)
	q.unacked, q.next, q.floor = nil, q.last+1, q.last
}

// anew makes the consumer again.
func (q *queue) anew(at time.Time, held ...int) {
	q.made, q.held, q.unacked, q.next, q.floor = at, held, nil, 1, 0
}

func (q *queue) consumer(at time.Time) ConsumersRead {
	c := consumer("a", "id", at, q.held...)
	c.Created, c.AckFloorStream, c.AckPending = q.made, q.floor, uint64(len(q.unacked))
	for seq, p := range q.stored {
		if seq >= q.next && slices.Contains(q.held, p) {
			c.Pending++
		}
	}
	return ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}}
}

func (q *queue) count(at time.Time) PartitionsCounted {
	o := PartitionsCounted{Key: elastic("S", "g"), Counts: Counts{At: at, Every: time.Second}, Partitions: make([]Counted, 3)}
	for seq, p := range q.stored {
		c := &o.Partitions[p]
		if c.Pending++; c.First == 0 || seq < c.First {
			c.First, c.Oldest = seq, q.when[seq]
		}
	}
	return o
}

func queued(at time.Time) (*queue, *Snapshot) {
	f := facts("S")
	f.WorkQueue = true
	q := &queue{stored: map[uint64]int{}, when: map[uint64]time.Time{}, next: 1, made: at, held: []int{0, 1}}
	return q, Reduce(nil, at, ConfigSeen{Key: elastic("S", "g"), Revision: 1, Config: &Config{Partitions: 3, Mappings: []Mapping{{"a", []int{0, 1}}, {"b", []int{2}}}}}, StreamRead{Name: "S-g", Facts: f}, q.consumer(at))
}

// TestNothingIsPassedOver: whatever is published, delivered, acknowledged in any order,
// purged, or dealt anew between any two answers, of which some are late, no message is
// said to be passed over that will be delivered; and one that will not be is.
func TestNothingIsPassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := epoch().Add(time.Hour)
		q, s := queued(at)
		revision := uint64(1)
		late := []Observation{}
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(1, 1500).Draw(t, "ms")) * time.Millisecond)
			switch rapid.IntRange(0, 11).Draw(t, "what") {
			case 0, 1:
				q.publish(at, rapid.IntRange(0, 2).Draw(t, "partition"))
			case 2, 3:
				q.deliver()
			case 4, 5:
				q.ack(rapid.IntRange(0, 9).Draw(t, "which"))
			case 6:
				if rapid.IntRange(0, 9).Draw(t, "purges") == 0 {
					q.purge()
				}
			case 7:
				if rapid.IntRange(0, 5).Draw(t, "deals") == 0 {
					all := [][]int{{0}, {0, 1}, {0, 1, 2}, {1, 2}, {}}
					revision++
					s = Reduce(s, at, ConfigSeen{Key: elastic("S", "g"), Revision: revision, Written: at, Config: &Config{Partitions: 3, Mappings: []Mapping{{"a", rapid.SampledFrom(all).Draw(t, "owned")}}}})
					if rapid.Bool().Draw(t, "follows") {
						q.anew(at, rapid.SampledFrom(all).Draw(t, "held")...)
					}
				}
			case 8: // an answer that stays away for a while
				late = append(late, q.consumer(at))
			case 9:
				s = Reduce(s, at, q.consumer(at))
			default:
				s = Reduce(s, at, q.count(at))
			}
			if len(late) > 0 && rapid.IntRange(0, 3).Draw(t, "comes") == 0 {
				s, late = Reduce(s, at, late[0]), late[1:]
			}
			if f := has(s.Group(elastic("S", "g")), "passed-over"); f != nil {
				t.Fatalf("%s; %+v", f.Text, q)
			}
		}
	})
}

// TestPassedOver: what a consumer skipped is found while it goes on working, after ten
// seconds, and forgotten when the consumer is made anew, or the message is gone, or the
// stream is no work queue.
func TestPassedOver(t *testing.T) {
	at := epoch().Add(time.Hour)
	k := elastic("S", "g")
	run := func(q *queue, s *Snapshot, seconds int) (*Snapshot, int) {
		for i := range seconds {
			at = at.Add(time.Second)
			q.publish(at, 0)
			q.deliver()
			s = Reduce(s, at, q.consumer(at))
			q.ack(0)
			s = Reduce(s, at.Add(100*time.Millisecond), q.count(at.Add(100*time.Millisecond)))
			if has(s.Group(k), "passed-over") != nil {
				return s, i
			}
		}
		return s, -1
	}
	ill := func() (*queue, *Snapshot) {
		q, s := queued(at)
		q.held = []int{0}
		for range 3 {
			q.publish(at, 1)
		}
		q.publish(at, 0)
		q.deliver()
		q.ack(0)
		q.held = []int{0, 1} // in place
		return q, s
	}
	q, s := ill()
	s, after := run(q, s, 30)
	if after < 9 || after > 13 {
		t.Fatalf("found after %d s", after)
	}
	if f := has(s.Group(k), "passed-over"); f.Member != "a" {
		t.Errorf("%+v", f)
	}
	q.anew(at, 0, 1)
	if s = Reduce(s, at, q.consumer(at)); has(s.Group(k), "passed-over") != nil {
		t.Error("found although the consumer was made anew")
	}
	q, s = ill()
	s, _ = run(q, s, 30)
	q.purge()
	if s = Reduce(s, at, q.count(at.Add(time.Second))); has(s.Group(k), "passed-over") != nil {
		t.Error("found although it was purged")
	}
	q, s = ill()
	s = Reduce(s, at, StreamRead{Name: "S-g", Facts: facts("S")})
	if _, after := run(q, s, 30); after >= 0 {
		t.Error("found in a stream that keeps what is acknowledged")
	}
	q, s = ill()
	if _, after := run(q, s, 9); after >= 0 {
		t.Errorf("found after %d s already", after)
	}
}
