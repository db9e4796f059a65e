package engine

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Two hand over the same group at once: one of them does, the other says what changed,
// and nobody stays paused.
func TestTwoDrainAtOnce(t *testing.T) {
	h := hang(t)
	admin := func(o *Options) { o.User, o.Password = "admin", "pw" }
	h.e = start(t, h.url, admin)
	other := start(t, h.url, admin)
	p := h.plan(t, 8*time.Second)
	until(t, other, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(h.key) != nil })
	var both sync.WaitGroup
	var errs [2]error
	for i, e := range []*Engine{h.e, other} {
		both.Go(func() {
			_, errs[i] = e.Handover(t.Context(), p, func(now model.Handover) {
				if now.Phase == model.PhaseWaiting && len(now.Paused)+len(now.Left) == 2 {
					h.release()
				}
			})
		})
	}
	both.Wait()
	lost := errors.Join(errs[:]...)
	if errs[0] != nil && errs[1] != nil || !errors.Is(lost, ErrChanged) || !strings.Contains(lost.Error(), "-m2") {
		t.Errorf("%v", errs)
	}
	h.taken(t)
}

// A group that is deleted in the middle is said to be.
func TestDeletedWhileDraining(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	deleted := false
	done, err := h.e.Handover(t.Context(), h.plan(t, 8*time.Second), func(now model.Handover) {
		if now.Phase == model.PhaseWaiting && len(now.Paused) == 2 && !deleted {
			deleted = true
			must(pcgroups.DeleteGroup(t.Context(), h.js, h.key.Kind, h.key.Stream, h.key.Group, h.stored(t)))
		}
	})
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "it was deleted; nothing was written") {
		t.Errorf("%q, %v", done, err)
	}
}

// The link is lost in the middle: the handover ends and says so, nothing is written,
// also not later, and the members go on by the deadline.
func TestLinkLostWhileDraining(t *testing.T) {
	t.Parallel()
	var o *server.Options
	s := natstest.Start(t, func(made *server.Options) { o = made })
	o.Port = s.Addr().(*net.TCPAddr).Port
	h := hangOn(t, s)
	h.e = start(t, h.url)
	before := h.stored(t)
	const longest = 6 * time.Second
	begin := time.Now()
	cut := false
	done, err := h.e.Handover(t.Context(), h.plan(t, longest), func(now model.Handover) {
		if now.Phase == model.PhaseWaiting && len(now.Paused) == 2 && !cut {
			cut = true
			natstest.Stop(s)
		}
	})
	took := time.Since(begin)
	if err == nil || !strings.Contains(err.Error(), "nothing was written; the pauses end by themselves at ") || took > 12*time.Second {
		t.Errorf("%q, %v after %s", done, err, took)
	}
	h.release()
	natstest.Run(t, o)
	pollFor(t, 30*time.Second, "both members go on", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, m := range []string{"m1", "m2"} {
			c, err := h.js.Consumer(ctx, "ORDERS-cg", m)
			if err != nil || c.CachedInfo().Paused {
				return false
			}
		}
		return true
	})
	until(t, h.e, "live again", live)
	if now := h.stored(t); now != before {
		t.Errorf("revision %d ▸ %d", before, now)
	}
}

// A program that is suspended in the middle, or whose link is slow, does not write once
// the pauses have ended: that would be no drained handover.
func TestPausesEndBeforeTheWrite(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	before := h.stored(t)
	slept := false
	done, err := h.e.Handover(t.Context(), h.plan(t, time.Second), func(now model.Handover) {
		if now.Phase == model.PhaseWaiting && len(now.Paused) == 2 && !slept {
			slept = true
			time.Sleep(1500 * time.Millisecond) // stands for ctrl+z
		}
	})
	if err == nil || !strings.Contains(err.Error(), "the pauses ended before") || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%q, %v", done, err)
	}
	h.untouched(t, before)
}

// Closing the engine ends a handover properly: the pauses are taken back first.
func TestCloseWhileDraining(t *testing.T) {
	h := hang(t)
	e := must(Connect(t.Context(), Options{Server: h.url, User: "admin", Password: "pw", Lookup: noEnv}))
	h.e = e
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- e.Run(ctx) }()
	before := h.stored(t)
	paused, ended := make(chan struct{}), make(chan error, 1)
	p := h.plan(t, 8*time.Second)
	go func() {
		_, err := e.Handover(ctx, p, func(now model.Handover) {
			if now.Phase == model.PhaseWaiting && slices.Equal(now.Paused, []string{"m1", "m2"}) {
				select {
				case <-paused:
				default:
					close(paused)
				}
			}
		})
		ended <- err
	}()
	<-paused
	cancel()
	e.Close()
	h.untouched(t, before)
	if err := <-ended; err == nil {
		t.Error("no error")
	}
	if err := <-ran; err != nil {
		t.Error(err)
	}
}
