package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/internal/pause"
	"pcgtop/model"
)

// A drained handover gives partitions to other members so that no message is handled
// twice and no two processes work on one key: the consumers of the members are paused,
// what they hold is handled to its end, and only then the config is written.
//
// All members are paused, those whose partitions stay too: members of orbit.go v0.2.2
// delete and make their consumer anew at every change of the config, and what they hold
// at that moment is delivered again.
//
// The pauses are the server's, with a deadline. Whatever happens to this program, they
// end by themselves, and the config is written in one step or not at all.

// Bounds of a handover's steps.
const (
	pollFirst   = 3 * time.Millisecond
	pollMost    = 50 * time.Millisecond
	listTimeout = 2 * time.Second
	undoTimeout = 5 * time.Second
	writeMost   = 5 * time.Second
	pauseTries  = 10 // refusals in a row: a consumer that is being deleted cannot be paused
)

// errPausesEnded: the pauses are over, and it was not written. This program was suspended,
// or its link lost, for the config is written before they end.
var errPausesEnded = errors.New("the pauses ended before it could be written")

// handover is one drained handover in progress.
type handover struct {
	a      *administration
	plan   *model.Plan
	report func(model.Handover)
	stream jetstream.Stream // the work stream
	now    model.Handover
	until  time.Time         // when our pauses end, by the server's clock
	ours   map[string]paused // by member
	failed int               // pauses in a row that the server refused
	pulls  map[string]int    // by member: the most pulls that were seen waiting
	wait   time.Duration     // the longest ack wait of the members
	began  time.Time         // local clock
}

// paused is a consumer that was paused from here.
type paused struct {
	name    string
	created time.Time // another consumer of that name is not the one that was paused
}

// drain hands over drained, then writes as [administration.write] does.
func (a *administration) drain(ctx context.Context, p *model.Plan, report func(model.Handover)) (Outcome, error) {
	h := &handover{a: a, plan: p, report: report, ours: map[string]paused{}, pulls: map[string]int{}, began: time.Now(),
		now: model.Handover{Key: p.Key, Phase: model.PhasePausing, Began: time.Now().UTC()}}
	switch now, err := a.stored(ctx, p.Key); { // nobody is paused for a plan that is out of date
	case errors.Is(err, observe.ErrNoConfig), err == nil && now.Revision != p.Revision:
		return Outcome{}, a.conflict(ctx, p, nil)
	case err != nil:
		return Outcome{}, fmt.Errorf("%s: %w; nothing was written", describe(p), err)
	}
	var err error
	if h.stream, err = a.js.Stream(ctx, p.Key.ConsumeStream()); err != nil {
		return Outcome{}, fmt.Errorf("%s: drain: the work stream: %w; nothing was written", describe(p), err)
	}
	unacked, err := h.settle(ctx)
	if err != nil {
		return Outcome{}, h.giveUp(ctx, err)
	}
	h.now.Drained, h.now.Unacked = time.Since(h.began), unacked
	h.tell(model.PhaseWriting)
	writing, cancel := unlessRefused(ctx, writeMost) // half a write would be an unknown one
	done, err := a.write(writing, p)
	cancel()
	if err != nil {
		return Outcome{}, h.giveUp(ctx, err)
	}
	h.now.Revision = done.Revision
	h.watch(ctx)
	done.Text += "; " + h.summary(ctx)
	h.tell(model.PhaseDone)
	return done, nil
}

// tell reports a phase.
func (h *handover) tell(phase model.Phase) {
	h.now.Phase = phase
	now := h.now
	now.Paused, now.Left, now.Waits = slices.Clone(now.Paused), slices.Clone(now.Left), slices.Clone(now.Waits)
	h.report(now)
}

// settle pauses every member and waits until nothing that they were given is
// unacknowledged, or the deadline is near. It returns what is unacknowledged then.
func (h *handover) settle(ctx context.Context) (uint64, error) {
	clear := 0 // answers in a row that nothing is held
	for poll := pollFirst; ; poll = min(2*poll, pollMost) {
		infos, err := h.consumers(ctx)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return 0, h.a.conflict(ctx, h.plan, err)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: list the members' consumers: %w", describe(h.plan), err)
		}
		if g := h.a.current().Group(h.plan.Key); g != nil && g.Revision > h.plan.Revision { // in vain
			return 0, h.a.conflict(ctx, h.plan, nil)
		}
		all, unacked, at, err := h.pause(ctx, infos)
		if err != nil {
			return 0, err
		}
		h.now.Unacked = unacked
		h.now.AtFirst = max(h.now.AtFirst, unacked)
		h.tell(model.PhaseWaiting)
		switch {
		case len(infos) == 0:
			return 0, nil // nobody runs: there is nothing to drain
		case all && unacked == 0:
			// Once more: a delivery that was under way when the pause came is seen then.
			if clear++; clear > 1 {
				return 0, nil
			}
			poll = pollFirst
		default:
			clear = 0
		}
		switch left := h.until.Sub(at); {
		case len(h.ours) > 0 && left <= 0:
			return 0, fmt.Errorf("%s: %w", describe(h.plan), errPausesEnded)
		case left < h.margin():
			return unacked, nil
		}
		if pause.For(ctx, poll) != nil {
			return 0, context.Cause(ctx)
		}
	}
}

// margin is how long before the pauses end the config is written at the latest.
func (h *handover) margin() time.Duration { return min(time.Second, h.plan.Drain/5) }

// consumers lists the consumers of the members that are configured before the change.
func (h *handover) consumers(ctx context.Context) (map[string]*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	members := h.plan.Base.Assignment().Members
	infos := map[string]*jetstream.ConsumerInfo{}
	list := h.stream.ListConsumers(ctx)
	for info := range list.Info() {
		if _, ok := slices.BinarySearch(members, info.Name); ok {
			infos[info.Name] = info
		}
	}
	return infos, list.Err()
}

// pause pauses whoever is not paused, and tells whether all were, how many messages they
// hold, and when that was by the server's clock. Those that somebody else has paused are
// left alone: that pause is not ours to change or to end.
func (h *handover) pause(ctx context.Context, infos map[string]*jetstream.ConsumerInfo) (all bool, unacked uint64, at time.Time, err error) {
	all = true
	for _, info := range infos {
		if info.TimeStamp.After(at) {
			at = info.TimeStamp
		}
	}
	if h.until.IsZero() {
		h.until = at.Add(h.plan.Drain).UTC().Truncate(time.Millisecond)
		h.now.Deadline = h.until
	}
	for member, info := range infos {
		unacked += uint64(info.NumAckPending)
		h.pulls[member] = max(h.pulls[member], info.NumWaiting)
		h.wait = max(h.wait, info.Config.AckWait)
		mine, known := h.ours[member]
		switch {
		case info.Paused && known && mine.created.Equal(info.Created) && h.isOurs(info):
		case info.Paused:
			if !slices.Contains(h.now.Left, member) {
				h.now.Left = append(h.now.Left, member)
			}
		default:
			all = false
			h.ours[member] = paused{name: info.Name, created: info.Created} // first: whatever comes, it is to be undone
			_, err := h.a.js.PauseConsumer(ctx, h.plan.Key.ConsumeStream(), info.Name, h.until)
			if h.failed++; err == nil {
				h.failed = 0
			}
			var refused *jetstream.APIError
			switch {
			case errors.Is(err, jetstream.ErrConsumerNotFound):
				delete(h.ours, member)
				continue
			case errors.As(err, &refused) && h.failed <= pauseTries:
				continue // it is being deleted, or made anew: the next list tells
			case err != nil:
				return false, 0, at, fmt.Errorf("pause %s: %w", member, err)
			}
			if !known {
				h.now.Paused = append(h.now.Paused, member)
				slices.Sort(h.now.Paused)
				h.tell(model.PhasePausing)
			}
		}
	}
	return all, unacked, at, nil
}

// isOurs tells whether the pause that stands is the one that was asked for from here.
func (h *handover) isOurs(info *jetstream.ConsumerInfo) bool {
	return info.Config.PauseUntil != nil && info.Config.PauseUntil.Equal(h.until)
}

// giveUp takes our pauses back, since nothing was written, and says why.
func (h *handover) giveUp(ctx context.Context, why error) error {
	if denied := deniedBy(ctx); denied != nil {
		why = fmt.Errorf("%s: %w", describe(h.plan), denied)
	}
	h.tell(model.PhaseUndoing)
	undoing, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := h.resume(undoing, func(string, *jetstream.ConsumerInfo) bool { return true })
	what := "nothing was written"
	switch {
	case errors.Is(why, ErrChanged), errors.Is(why, model.ErrUnsure): // says so itself
		what = "no member stays paused"
	case len(h.ours) > 0 || len(h.now.Paused) > 0:
		what += ", and no member stays paused"
	}
	if err != nil {
		what = fmt.Sprintf("the pauses end by themselves at %s, for they could not be taken back: %v", h.until.Local().Format(time.TimeOnly), err)
		if !errors.Is(why, model.ErrUnsure) {
			what = "nothing was written; " + what
		}
	}
	if errors.Is(why, context.Canceled) {
		return fmt.Errorf("%s: stopped: %s", describe(h.plan), what)
	}
	return fmt.Errorf("%w; %s", why, what)
}

// resume ends the pauses that are still ours, of the members chosen.
func (h *handover) resume(ctx context.Context, chosen func(member string, info *jetstream.ConsumerInfo) bool) error {
	if len(h.ours) == 0 {
		return nil
	}
	infos, err := h.consumers(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // their consumers went with it
	}
	if err != nil {
		return err
	}
	return h.resumeOf(ctx, infos, chosen)
}

func (h *handover) resumeOf(ctx context.Context, infos map[string]*jetstream.ConsumerInfo, chosen func(member string, info *jetstream.ConsumerInfo) bool) error {
	var failed []error
	for member, mine := range h.ours {
		info := infos[member]
		switch {
		case info == nil || !info.Created.Equal(mine.created) || !info.Paused || !h.isOurs(info):
			delete(h.ours, member) // gone, made anew, ended, or somebody else's by now
			continue
		case !chosen(member, info):
			continue
		}
		_, err := h.a.js.ResumeConsumer(ctx, h.plan.Key.ConsumeStream(), mine.name)
		if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			failed = append(failed, fmt.Errorf("resume %s: %w", member, err))
			continue
		}
		delete(h.ours, member)
	}
	return errors.Join(failed...)
}
