package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// Bounds of watching a handover to its end.
const (
	// followGrace is how long after the members that have to begin anew have done so the
	// others may take to begin anew as well, as those of some libraries do. Resumed
	// before, they would be given a message just to lose it.
	followGrace = 200 * time.Millisecond
	// unpinnedGrace is the same where nobody is pinned: an instance of orbit.go v0.2.2
	// that is not pinned waits up to half a second before it follows a change.
	unpinnedGrace = 700 * time.Millisecond
	// standbyMost is how long after the write the instances that stand by are waited
	// for. One of orbit.go v0.2.2 that is still on its way when the next change comes
	// replaces the consumer by that of the change before.
	standbyMost = 1500 * time.Millisecond
	// othersMost is how long those others are kept paused at most when nobody begins anew.
	othersMost = 2 * time.Second
	// startMost is how long a member that nobody was seen to run is waited for.
	startMost = 3 * time.Second
	// watchLeast is how long members that run are waited for at least.
	watchLeast = 20 * time.Second
)

// watchMost is how long members that run are waited for. One of orbit.go v0.2.2 looks
// after itself every ack wait and half a second, so one whose new consumer was refused,
// since another member had its partitions still, is back by then.
func (h *handover) watchMost() time.Duration { return max(watchLeast, h.wait+5*time.Second) }

// watch follows the members after the write until every partition flows at its owner,
// resumes those that do not begin anew by themselves, or ends with the context or the
// time it may take.
func (h *handover) watch(ctx context.Context) {
	deal := h.plan.After()
	_, touched := h.plan.Losing()
	wrote := time.Now()
	var followed time.Time // when the last of those that have to begin anew had done so
	h.now.Total = 0
	for _, o := range deal.Owner {
		if o >= 0 {
			h.now.Total++
		}
	}
	ran := len(h.ours) + len(h.now.Left)
	for poll := pollFirst; ; poll = min(2*poll, pollMost) {
		infos, err := h.all(ctx)
		if err == nil {
			waiting := h.flow(deal, infos)
			if followed.IsZero() && !slices.ContainsFunc(touched, func(m string) bool { return h.stands(m, infos[m]) }) {
				followed = time.Now()
			}
			err = h.resumeOf(ctx, infos, func(member string, info *jetstream.ConsumerInfo) bool {
				grace := unpinnedGrace
				if isPinned(info) {
					grace = followGrace
				}
				free := !followed.IsZero() && time.Since(followed) > grace || time.Since(wrote) > othersMost
				return free && !slices.Contains(touched, member)
			})
			h.tell(model.PhaseWatching)
			late := time.Since(wrote) > h.watchMost() || time.Since(wrote) > startMost && (ran == 0 || waiting == 0)
			flows := h.now.Flowing == h.now.Total && len(h.ours) == 0
			if flows && h.now.Stood == 0 {
				h.now.Stood = time.Since(h.began)
			}
			if err == nil && (flows && (h.back(deal, infos, time.Since(wrote)) || time.Since(wrote) > standbyMost) || late) {
				h.now.Stood = cmp.Or(h.now.Stood, time.Since(h.began))
				return
			}
		}
		if time.Since(wrote) > h.watchMost() || pause.For(ctx, poll) != nil {
			h.leave(ctx, touched)
			return
		}
	}
}

// leave ends the watching early: those that would not begin anew are resumed; the pauses
// of the others end with their consumers or by themselves.
func (h *handover) leave(ctx context.Context, touched []string) {
	h.now.Stood = cmp.Or(h.now.Stood, time.Since(h.began))
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	_ = h.resume(ending, func(member string, _ *jetstream.ConsumerInfo) bool { return !slices.Contains(touched, member) }) // else they end by themselves
}

// stands tells whether a member's consumer is still the one that was paused.
func (h *handover) stands(member string, info *jetstream.ConsumerInfo) bool {
	mine, ok := h.ours[member]
	return ok && info != nil && info.Created.Equal(mine.created) && info.Paused
}

// all lists every consumer of the work stream, new members' too.
func (h *handover) all(ctx context.Context) (map[string]*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	infos := map[string]*jetstream.ConsumerInfo{}
	list := h.stream.ListConsumers(ctx)
	for info := range list.Info() {
		infos[info.Name] = info
	}
	return infos, list.Err()
}

// flow counts the partitions whose owner consumes them, and says of the other owners
// what they wait for. It returns how many of those may be expected to run.
func (h *handover) flow(deal model.Assignment, infos map[string]*jetstream.ConsumerInfo) (expected int) {
	h.now.Flowing, h.now.Waits = 0, nil
	for i, owned := range deal.Shares() {
		member := deal.Members[i]
		if len(owned) == 0 {
			continue
		}
		info := infos[member]
		why := ""
		switch {
		case info == nil:
			why = "has no consumer"
		case !holds(info.Config, owned):
			why = "consumes other partitions still"
			expected++
		case info.Paused:
			why = "is paused"
			expected++
		case info.NumWaiting == 0 && !isPinned(info):
			why = "is not pulling"
			expected++
		}
		if info == nil && slices.Contains(h.now.Paused, member) {
			expected++ // it ran, so it is between two consumers
		}
		if why == "" {
			h.now.Flowing += len(owned)
		} else {
			h.now.Waits = append(h.now.Waits, member+" "+why)
		}
	}
	return expected
}

// back tells whether as many instances pull for each member as before. Of a member that
// begins, nobody knows how many there will be: the slowest to follow are waited for.
func (h *handover) back(deal model.Assignment, infos map[string]*jetstream.ConsumerInfo, wrote time.Duration) bool {
	for _, member := range deal.Members {
		if _, ran := h.pulls[member]; !ran && infos[member] != nil && wrote < unpinnedGrace {
			return false
		}
	}
	for member, before := range h.pulls {
		i, stays := slices.BinarySearch(deal.Members, member)
		if info := infos[member]; stays && len(deal.Owned(i)) > 0 && (info == nil || info.NumWaiting < before) {
			return false
		}
	}
	return true
}

func isPinned(info *jetstream.ConsumerInfo) bool {
	return slices.ContainsFunc(info.PriorityGroups, func(g jetstream.PriorityGroupState) bool { return g.PinnedClientID != "" })
}

// holds tells whether a consumer takes exactly these partitions.
func holds(c jetstream.ConsumerConfig, owned []int) bool {
	filters := c.FilterSubjects
	if len(filters) == 0 && c.FilterSubject != "" {
		filters = []string{c.FilterSubject}
	}
	held, ok := model.PartitionsOf(filters)
	return ok && slices.Equal(held, owned)
}

// summary says what the handover came to.
func (h *handover) summary(ctx context.Context) string {
	ms := func(d time.Duration) string {
		if d < time.Second {
			return d.Round(time.Millisecond).String()
		}
		return d.Round(10 * time.Millisecond).String()
	}
	var parts []string
	switch {
	case len(h.now.Paused)+len(h.now.Left) == 0:
		parts = append(parts, "nobody ran, so there was nothing to drain")
	case h.now.Unacked > 0:
		parts = append(parts, fmt.Sprintf("the deadline came after %s with %s unacknowledged, which are delivered again", ms(h.now.Drained), model.Thousands(h.now.Unacked)))
	default:
		parts = append(parts, fmt.Sprintf("drained in %s (%s unacknowledged at first)", ms(h.now.Drained), model.Thousands(h.now.AtFirst)))
	}
	if h.now.Flowing == h.now.Total {
		parts = append(parts, fmt.Sprintf("all %s flow after %s", model.Count(h.now.Total, "partition"), ms(h.now.Stood)))
	} else {
		said := fmt.Sprintf("%d of %s flow after %s", h.now.Flowing, model.Count(h.now.Total, "partition"), ms(h.now.Stood))
		if ctx.Err() != nil {
			said += ", when watching was stopped"
		}
		if len(h.now.Waits) > 0 {
			said += ": " + strings.Join(h.now.Waits, ", ")
		}
		parts = append(parts, said)
	}
	if len(h.now.Left) > 0 {
		parts = append(parts, strings.Join(h.now.Left, ", ")+" was paused by somebody else: left as it is")
	}
	return strings.Join(parts, "; ")
}
