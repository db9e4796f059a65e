package recording

import (
	"encoding/json"
	"fmt"
	"maps"

	"pcgtop/model"
)

// state is a picture that changes are applied to. Groups become values again only when
// the picture is asked for, so that going ahead by many costs little.
type state struct {
	picture int
	head    any // the snapshot without groups and events
	groups  map[model.Key]*held
	events  []model.Event
}

// held is a group: as a value, as a tree, or both.
type held struct {
	tree  any          // nil: not changed since it was read in full
	group *model.Group // nil: it changed, and was not asked for since
}

// take brings the state to the picture of a line.
func (s *state) take(from *scanner) error {
	s.picture++
	if from.head.After == 0 {
		return s.full(from.line)
	}
	return s.change(from.line)
}

func (s *state) full(line []byte) error {
	var snap model.Snapshot
	if err := json.Unmarshal(line, &snap); err != nil {
		return fmt.Errorf("a full line: %w", err)
	}
	if err := snap.Restore(); err != nil {
		return err
	}
	s.groups, s.events = make(map[model.Key]*held, len(snap.Groups)), snap.Events
	for _, g := range snap.Groups {
		s.groups[g.Key] = &held{group: g}
	}
	snap.Groups, snap.Events = nil, nil
	var err error
	s.head, err = tree(&snap)
	return err
}

func (s *state) change(line []byte) error {
	t, err := decode(line)
	if err != nil {
		return err
	}
	patch, ok := t.(map[string]any)
	if !ok {
		return fmt.Errorf("a change line is no object")
	}
	var c struct {
		Gone   []model.Key   `json:"gone"`
		Events []model.Event `json:"events"`
		Forgot []uint64      `json:"forgot"`
	}
	if err := json.Unmarshal(line, &c); err != nil {
		return fmt.Errorf("a change line: %w", err)
	}
	for _, k := range c.Gone {
		delete(s.groups, k)
	}
	if groups, _ := patch["groups"].([]any); groups != nil {
		for _, g := range groups {
			if err := s.group(g); err != nil {
				return err
			}
		}
	}
	if len(c.Events)+len(c.Forgot) > 0 {
		s.events = merged(s.events, c.Events, c.Forgot)
	}
	for _, own := range []string{"groups", "gone", "events", "forgot", "after"} {
		delete(patch, own)
	}
	s.head, err = apply(s.head, patch)
	return err
}

// group applies the change of one group, or takes a new one.
func (s *state) group(patch any) error {
	p, ok := patch.(map[string]any)
	if !ok {
		return fmt.Errorf("a changed group is no object")
	}
	name, ok := p["key"].(map[string]any)
	if !ok {
		return fmt.Errorf("a changed group has no key")
	}
	var parts [3]string
	for i, part := range []string{"kind", "stream", "group"} {
		parts[i], _ = name[part].(string)
	}
	k := model.Key{Kind: model.Kind(parts[0]), Stream: parts[1], Group: parts[2]}
	h := s.groups[k]
	if h == nil {
		s.groups[k] = &held{tree: p}
		return nil
	}
	if h.tree == nil {
		t, err := tree(h.group)
		if err != nil {
			return err
		}
		h.tree = t
	}
	h.group = nil
	var err error
	if h.tree, err = apply(h.tree, p); err != nil {
		return fmt.Errorf("group %s: %w", k, err)
	}
	return nil
}

// snapshot makes the picture a value.
func (s *state) snapshot() (*model.Snapshot, error) {
	snap := &model.Snapshot{}
	if err := value(s.head, snap); err != nil {
		return nil, err
	}
	for _, h := range s.groups {
		if h.group != nil {
			continue
		}
		g := &model.Group{}
		if err := value(h.tree, g); err != nil {
			return nil, err
		}
		if err := g.Restore(); err != nil {
			return nil, fmt.Errorf("group %s: %w", g.Key, err)
		}
		h.group = g
	}
	snap.Groups, snap.Events = make([]*model.Group, 0, len(s.groups)), s.events
	for h := range maps.Values(s.groups) {
		snap.Groups = append(snap.Groups, h.group)
	}
	snap.RestoreOrder()
	return snap, nil
}

// value decodes a tree.
func value(t, into any) error {
	b, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("a changed snapshot: %w", err)
	}
	return nil
}
