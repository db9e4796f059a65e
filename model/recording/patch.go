package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// tree is any value in its JSON form, decoded: numbers stay as they are written.
func tree(v any) (any, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding: %w", err)
	}
	return decode(b)
}

func decode(b []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var t any
	if err := d.Decode(&t); err != nil {
		return nil, err
	}
	return t, nil
}

// diff tells what to change in a to get b; false: nothing.
func diff(a, b any) (patch any, changed bool) {
	switch b := b.(type) {
	case map[string]any:
		if a, ok := a.(map[string]any); ok {
			return diffObjects(a, b)
		}
	case []any:
		if a, ok := a.([]any); ok {
			return diffLists(a, b)
		}
	default:
		return b, a != b // a is no list and no object, or another type: both can be compared
	}
	return b, true
}

func diffObjects(a, b map[string]any) (any, bool) {
	patch := map[string]any{}
	for name, v := range b {
		before, had := a[name]
		if p, changed := diff(before, v); changed || !had && v != nil {
			patch[name] = p
		}
	}
	for name := range a {
		if _, has := b[name]; !has {
			patch[name] = nil
		}
	}
	return patch, len(patch) > 0
}

// diffLists changes elements in their places. Lists of numbers and texts, and those
// that became longer or shorter, are replaced.
func diffLists(a, b []any) (any, bool) {
	if len(a) != len(b) {
		return b, true
	}
	patch := map[string]any{}
	for i := range b {
		p, changed := diff(a[i], b[i])
		if !changed {
			continue
		}
		if _, object := b[i].(map[string]any); !object {
			return b, true
		}
		patch[strconv.Itoa(i)] = p
	}
	return patch, len(patch) > 0
}

// apply changes a as a patch says. It may change a itself.
func apply(a, patch any) (any, error) {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch, nil
	}
	switch a := a.(type) {
	case map[string]any:
		for name, v := range p {
			if v == nil {
				delete(a, name)
				continue
			}
			next, err := apply(a[name], v)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			a[name] = next
		}
		return a, nil
	case []any:
		for at, v := range p {
			i, err := strconv.Atoi(at)
			if err != nil || i < 0 || i >= len(a) {
				return nil, fmt.Errorf("element %q of %d", at, len(a))
			}
			if a[i], err = apply(a[i], v); err != nil {
				return nil, fmt.Errorf("%d: %w", i, err)
			}
		}
		return a, nil
	}
	return patch, nil
}
