package pcgroups

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// files is where the server keeps a consumer.
func (f *fixture) files(stream, consumer string) string {
	return filepath.Join(f.opts.StoreDir, "jetstream", "$G", "streams", stream, "obs", consumer)
}

// A consumer whose files are gone, as of one that was made while another of its name was
// being deleted, delivers but cannot be paused and does not outlive a restart. It is
// made again, and nothing comes twice.
func TestConsumerWithoutFilesIsMadeAgain(t *testing.T) {
	short(t)
	t.Parallel()
	for _, idle := range []bool{true, false} {
		f := newFixture(t)
		f.elastic("g", 2, "m1")
		var got ledger
		var log journal
		i1 := f.joinElastic("g", "m1", got.handler("m1", "i1", time.Millisecond), oneByOne(2*time.Second), WithLogger(log.logger()))
		i2 := f.joinElastic("g", "m1", got.handler("m1", "i2", time.Millisecond), oneByOne(2*time.Second), WithLogger(log.logger()))
		f.must(nil, os.RemoveAll(f.files("A-g", "m1")))
		if _, err := f.js.PauseConsumer(f.ctx, "A-g", "m1", time.Now().Add(time.Minute)); err == nil {
			t.Fatal("the consumer can be paused without its files")
		}
		l := f.startLoad("a", 4, 5*time.Millisecond)
		if idle {
			l.end()
		}
		eventually(t, 8*time.Second, "it has files again", func() bool {
			_, err := os.Stat(filepath.Join(f.files("A-g", "m1"), "meta.inf"))
			return err == nil
		})
		eventually(t, 5*time.Second, "it counts", func() bool {
			n1, _ := i1.Recovered()
			n2, _ := i2.Recovered()
			return n1+n2 > 0
		})
		f.must(f.js.PauseConsumer(f.ctx, "A-g", "m1", time.Time{}))
		l.drained(t, 10*time.Second, &got)
		if v := got.judge(l.sent, time.Now()); v.duplicates+v.disorder+v.missing+v.concurrent != 0 {
			t.Errorf("%+v\n%s", v, log.String())
		}
	}
}

// hurried stands for another instance that is a moment faster than a member.
type hurried struct {
	jetstream.JetStream
	other jetstream.JetStream

	mu      sync.Mutex
	exists  int // how many creates meet a consumer that is gone when it is looked up
	deletes int // how many deletes come second
	gone    time.Time
	made    []time.Duration // creates, since the consumer went
}

func (h *hurried) DeleteConsumer(ctx context.Context, stream, consumer string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.deletes > 0 {
		h.deletes--
		_ = h.other.DeleteConsumer(ctx, stream, consumer)
		h.gone = time.Now()
	}
	return h.JetStream.DeleteConsumer(ctx, stream, consumer)
}

func (h *hurried) CreateConsumer(ctx context.Context, stream string, c jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.exists > 0 {
		h.exists--
		h.gone = time.Now()
		return nil, jetstream.ErrConsumerExists
	}
	if !h.gone.IsZero() {
		h.made = append(h.made, time.Since(h.gone))
	}
	return h.JetStream.CreateConsumer(ctx, stream, c)
}

// A consumer that somebody else has just deleted is not made again at once: the server
// may be about to remove its files.
func TestDeletedByAnotherIsNotMadeAtOnce(t *testing.T) {
	t.Parallel()
	for name, faster := range map[string]*hurried{"deleting": {deletes: 1}, "joining": {exists: 1}} {
		f := newFixture(t)
		f.elastic("g", 2, "m1")
		h := &hurried{JetStream: f.js, other: f.js, exists: faster.exists}
		var got inbox
		m, err := ElasticConsume(f.ctx, h, "A", "g", "m1", got.handler(""), oneByOne(2*time.Second))
		f.must(m, err)
		t.Cleanup(m.Stop)
		f.must(nil, m.(Instance).WaitConsuming(f.ctx, true))
		if faster.deletes > 0 {
			h.mu.Lock()
			h.deletes = faster.deletes
			h.mu.Unlock()
			f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m2"}))
			eventually(t, 5*time.Second, "the change is followed", func() bool {
				info := f.info("A-g", "m1")
				return info != nil && len(filtersOf(info.Config)) == 1
			})
			f.must(nil, m.(Instance).WaitConsuming(f.ctx, true))
		}
		h.mu.Lock()
		if len(h.made) != 1 || h.made[0] < deletePause {
			t.Errorf("%s: made %v after it was deleted, not %v", name, h.made, deletePause)
		}
		h.mu.Unlock()
	}
}

// Who has deleted a consumer makes the next one at once, whatever others did before.
func TestWhoDeletesMakesTheNext(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	f.joinElastic("g", "m1", new(inbox).handler(""), oneByOne(2*time.Second)).Stop()
	m := newMember(f.js, groupKey(model.KindElastic, "A", "g"), "m1", nil, oneByOne(2*time.Second), nil)
	m.gone = time.Now()
	f.must(nil, m.dropConsumer(f.ctx))
	if !m.gone.IsZero() {
		t.Error("it waits for somebody else")
	}
	if err := m.dropConsumer(f.ctx); !errors.Is(err, jetstream.ErrConsumerNotFound) || m.gone.IsZero() {
		t.Errorf("it does not wait for somebody else: %v", err)
	}
}
