package parti

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// Plan implements [observe.Actor].
func (k *Kind) Plan(group model.Key, in model.Intent) (*model.Plan, error) {
	switch in.Action {
	case model.ActionEditSource:
		return k.planEdits(group, in)
	case model.ActionRemoveID:
		return k.planRemoval(group, in)
	}
	return nil, refuse("%q cannot be done to parti groups", in.Action)
}

func (k *Kind) planEdits(group model.Key, in model.Intent) (*model.Plan, error) {
	s, err := k.Source(group)
	if err != nil {
		return nil, err
	}
	edits, err := parseEdits(in.Edits)
	if err != nil {
		return nil, err
	}
	edited, err := s.Plan(edits)
	if err != nil {
		return nil, err
	}
	e := model.Edit{Target: s.Bucket + "/" + s.Key, Lines: edited.Lines, Before: len(edited.Before), After: len(edited.After), Of: "partition",
		Notes: []string{"the leader takes it up with its next version"}}
	if s.Why != "" {
		e.Notes = append(e.Notes, "it is taken for the partition source: "+s.Why)
	}
	if n := edited.Removes; n > 0 {
		e.Confirm = fmt.Sprintf("remove %d", n)
		e.Notes = append(e.Notes, "nobody takes what waits in a partition that goes")
	}
	command := []string{"pcgtop", string(Name), "source", group.Stream, group.Group}
	for _, text := range in.Edits {
		command = append(command, argument(text))
	}
	return model.NewEdit(group, in, s.Revision, e, append(command, "--apply")), nil
}

func (k *Kind) planRemoval(group model.Key, in model.Intent) (*model.Plan, error) {
	if len(in.Members) != 1 {
		return nil, refuse("remove one stable id at a time")
	}
	worker := in.Members[0]
	d, err := k.deployment(group)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lookAt(&model.Stream{}, time.Now().Add(d.ahead))
	if why := l.keepsID(worker); why != "" {
		return nil, refuse("%s", why)
	}
	id := d.state.ids[worker]
	e := model.Edit{Target: d.named(roleIDs) + "/" + worker, Lines: []string{"- " + worker}, Before: len(d.state.ids), After: len(d.state.ids) - 1, Of: "stable id",
		Notes: []string{fmt.Sprintf("not renewed for %s, counts for %s, and %s has no heartbeat", ago(l.now.Sub(id.at)), ago(l.ttl(roleIDs)), worker), "a worker that starts can take the id"}}
	return model.NewEdit(group, in, id.revision, e, []string{"pcgtop", string(Name), "remove-id", group.Stream, group.Group, worker, "--apply"}), nil
}

// keepsID says why the stable id of a worker cannot be removed; empty: it can.
func (l *look) keepsID(worker string) string {
	id, claimed := l.state.ids[worker]
	_, beats := l.state.heartbeats[worker]
	switch age, least := l.now.Sub(id.at), l.ttl(roleIDs)+staleGrace; {
	case l.blind() != "":
		return l.blind()
	case !claimed:
		return worker + " has no stable id"
	case beats:
		return worker + " has a heartbeat: its stable id is not stale"
	case l.leader == worker:
		return worker + " leads: its stable id is not stale"
	case age <= least:
		return fmt.Sprintf("the stable id %s was renewed %s ago: it is stale after %s", worker, ago(age), ago(least))
	}
	return ""
}

// noStaleID says why there is no stable id to remove; empty: there is one.
func (l *look) noStaleID() string {
	switch why := l.blind(); {
	case why != "":
		return why
	case len(l.stale()) == 0:
		return "no stable id is stale"
	}
	return ""
}

// blind says why it cannot be told which stable ids are stale; empty: it can.
func (l *look) blind() string {
	for _, of := range []struct {
		role role
		what string
	}{{roleIDs, "stable ids"}, {roleHeartbeat, "heartbeats"}} {
		if l.has(of.role) {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(l.buckets)) {
			if b := l.buckets[name]; b.role == of.role && b.refused != "" {
				return fmt.Sprintf("the bucket of %s %s cannot be read: %s", of.what, name, b.refused)
			}
		}
		return "there is no bucket of " + of.what
	}
	return ""
}

// Apply implements [observe.Actor].
func (k *Kind) Apply(ctx context.Context, o observe.Opener, p *model.Plan) (uint64, error) {
	now, err := k.Plan(p.Key, p.Intent)
	switch {
	case err != nil:
		return 0, err
	case now.Revision != p.Revision || !now.Edit.Same(p.Edit):
		return 0, fmt.Errorf("%s was %w: it is at revision %d, not %d, and the plan would come to: %s; nothing was written",
			now.Edit.Target, observe.ErrChanged, now.Revision, p.Revision, strings.Join(now.Edit.Lines, ", "))
	}
	w := k.Writer(o)
	if p.Intent.Action == model.ActionRemoveID {
		return 0, w.RemoveStaleID(ctx, p.Key, p.Intent.Members[0], p.Revision)
	}
	edits, err := parseEdits(p.Intent.Edits)
	if err != nil {
		return 0, err
	}
	_, revision, err := w.EditSource(ctx, p.Key, p.Revision, edits)
	return revision, err
}
