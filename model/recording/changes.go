package recording

import (
	"encoding/json"
	"slices"

	"pcgtop/model"
)

// change is what became different from a snapshot to the next: a change line.
func (f *form) change(a, b *model.Snapshot) (map[string]any, error) {
	before, err := f.head(a)
	if err != nil {
		return nil, err
	}
	now, err := f.head(b)
	if err != nil {
		return nil, err
	}
	patch, _ := diff(before, now)
	line := patch.(map[string]any)
	if err := f.groups(line, a.Groups, b.Groups); err != nil {
		return nil, err
	}
	return line, f.events(line, a, b)
}

// whole is a full line. Groups become text one by one: there can be thousands.
func (f *form) whole(s *model.Snapshot) (map[string]any, error) {
	head, err := f.head(s)
	if err != nil {
		return nil, err
	}
	line := head.(map[string]any)
	groups := make([]json.RawMessage, len(s.Groups))
	for i, g := range s.Groups {
		t, err := f.tree(g)
		if err != nil {
			return nil, err
		}
		if groups[i], err = json.Marshal(t); err != nil {
			return nil, err
		}
	}
	line["groups"] = groups
	line["events"], err = f.tree(s.Events)
	return line, err
}

// head is a snapshot without its groups and events.
func (f *form) head(s *model.Snapshot) (any, error) {
	head := *s
	head.Groups, head.Events, head.Server = nil, nil, f.server(s.Server)
	return f.tree(&head)
}

func (f *form) tree(v any) (any, error) {
	t, err := tree(v)
	return f.scrub(t), err
}

// groups notes those that changed, which are other values than before, and those gone.
func (f *form) groups(line map[string]any, a, b []*model.Group) error {
	var changed []any
	var gone []model.Key
	for len(a)+len(b) > 0 {
		order := 1 // a group that is new
		switch {
		case len(b) == 0:
			order = -1
		case len(a) > 0:
			order = a[0].Key.Compare(b[0].Key)
		}
		if order < 0 {
			gone = append(gone, a[0].Key)
			a = a[1:]
			continue
		}
		var old any
		if order == 0 && a[0] != b[0] {
			var err error
			if old, err = f.tree(a[0]); err != nil {
				return err
			}
		}
		if order > 0 || a[0] != b[0] {
			now, err := f.tree(b[0])
			if err != nil {
				return err
			}
			if patch, differs := diff(old, now); differs {
				patch.(map[string]any)["key"] = now.(map[string]any)["key"]
				changed = append(changed, patch)
			}
		}
		if b = b[1:]; order == 0 {
			a = a[1:]
		}
	}
	if changed != nil {
		line["groups"] = changed
	}
	if gone != nil {
		line["gone"] = gone
	}
	return nil
}

// events notes the new ones and those that left the list.
func (f *form) events(line map[string]any, a, b *model.Snapshot) error {
	if len(a.Events) == len(b.Events) && (len(b.Events) == 0 || &a.Events[0] == &b.Events[0]) {
		return nil // shared
	}
	had := map[uint64]bool{}
	for _, e := range a.Events {
		had[e.Seq] = true
	}
	var fresh []model.Event
	for _, e := range b.Events {
		if !had[e.Seq] {
			fresh = append(fresh, e)
		}
		delete(had, e.Seq)
	}
	if fresh != nil {
		t, err := f.tree(fresh)
		if err != nil {
			return err
		}
		line["events"] = t
	}
	if len(had) > 0 {
		var forgot []uint64
		for seq := range had {
			forgot = append(forgot, seq)
		}
		slices.Sort(forgot)
		line["forgot"] = forgot
	}
	return nil
}

// merged brings the events of a snapshot to those of the next: by their time, the
// newest first, as [model.Reduce] keeps them.
func merged(old, fresh []model.Event, forgot []uint64) []model.Event {
	next := slices.Clone(fresh)
	for _, e := range old {
		if !slices.Contains(forgot, e.Seq) {
			next = append(next, e)
		}
	}
	slices.SortFunc(next, func(a, b model.Event) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		if a.Seq > b.Seq {
			return -1
		}
		return 1
	})
	return next[:min(len(next), model.MaxEvents)]
}
