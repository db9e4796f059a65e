package parti

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pcgtop/model"
)

// EditKind is what an [Edit] does.
type EditKind string

const (
	EditAdd    EditKind = "add"    // a partition with its weight and label
	EditRemove EditKind = "remove" // a partition
	EditWeight EditKind = "weight" // set a partition's weight
	EditLabel  EditKind = "label"  // set a partition's label; empty: it has none
)

// Edit is one change of a partition source. The keys say which partition.
type Edit struct {
	Kind   EditKind
	Keys   []string
	Weight int64
	Label  string
}

// Edited is a partition source as edits leave it.
type Edited struct {
	Before, After []Partition
	Packed        bool     // it is stored compressed, and stays so
	Lines         []string // what changes, a line each
	Removes       int      // so many partitions go: that is to be confirmed
	Value         []byte   // as it will be stored
}

// maxSource is how big a source may be as it is stored, in bytes: the default limit of a
// message in NATS, of which headers take some.
const maxSource = 1<<20 - 4096

// refuse says why an edit is not made.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{model.ErrRefused}, args...)...)
}

// PlanEdit works edits of a stored source out. What they do not touch stays as it is stored,
// be it known here or not. An error wraps [model.ErrRefused] and says in a line what does not
// fit.
func PlanEdit(stored []byte, edits []Edit) (Edited, error) {
	e := Edited{Packed: gzipped(stored)}
	raw, err := plain(stored)
	if err != nil {
		return e, refuse("the source is unreadable: %s", err)
	}
	var list []entry
	if err := json.Unmarshal(raw, &list); err != nil {
		return e, refuse("the source is unreadable: %s", err)
	}
	e.Before = partitionsOf(list)
	for _, edit := range edits {
		if list, err = edit.apply(list, &e); err != nil {
			return e, err
		}
	}
	e.After = partitionsOf(list)
	if err := checkSource(e.After); err != nil {
		return e, err
	}
	if len(e.Lines) == 0 {
		return e, refuse("nothing changes")
	}
	if e.Value, err = encodeSource(list, e.Packed); err != nil {
		return e, err
	}
	if len(e.Value) > maxSource {
		return e, refuse("the source would be %d bytes, at most %d can be stored", len(e.Value), maxSource)
	}
	return e, nil
}

// entry is a partition of a source with all that is stored of it.
type entry struct {
	Partition
	fields map[string]json.RawMessage
}

func (e *entry) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, &e.fields); err != nil {
		return err
	}
	return json.Unmarshal(raw, &e.Partition)
}

func (e entry) MarshalJSON() ([]byte, error) { return json.Marshal(e.fields) }

// set changes a field; nil takes it away.
func (e *entry) set(name string, value any) error {
	if value == nil {
		delete(e.fields, name)
		return nil
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("encode %s: %w", name, err)
	}
	e.fields[name] = raw
	return nil
}

func partitionsOf(list []entry) []Partition {
	out := make([]Partition, len(list))
	for i, e := range list {
		out[i] = e.Partition
	}
	return out
}

func encodeSource(list []entry, pack bool) ([]byte, error) {
	raw, err := json.Marshal(list)
	if err != nil || !pack {
		return raw, err
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(raw); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

// apply makes one edit.
func (d Edit) apply(list []entry, e *Edited) ([]entry, error) {
	p := Partition{Keys: d.Keys, Weight: d.Weight, Label: d.Label}
	at := -1
	for i := range list {
		if slices.Equal(list[i].Keys, p.Keys) {
			at = i
		}
	}
	name := p.printed()
	if d.Kind != EditAdd && at < 0 {
		return nil, refuse("there is no partition %s in the source", name)
	}
	if strings.ContainsFunc(d.Label, unicode.IsControl) || !utf8.ValidString(d.Label) {
		return nil, refuse("partition %s: the label %q has a control character in it or is not valid UTF-8", name, d.Label)
	}
	line := func(format string, args ...any) { e.Lines = append(e.Lines, fmt.Sprintf(format, args...)) }
	switch d.Kind {
	case EditAdd:
		if at >= 0 {
			return nil, refuse("there is a partition %s already", name)
		}
		n := entry{p, map[string]json.RawMessage{}}
		if err := n.set("keys", d.Keys); err != nil {
			return nil, err
		}
		if err := n.set("weight", d.Weight); err != nil {
			return nil, err
		}
		text := fmt.Sprintf("+ %s, weight %d", name, d.Weight)
		if d.Weight == 0 { // types/partition.go
			text = "+ " + name + ", default weight"
		}
		if d.Label != "" {
			if err := n.set("label", d.Label); err != nil {
				return nil, err
			}
			text += ", label " + d.Label
		}
		line("%s", text)
		return append(list, n), nil
	case EditRemove:
		kept := list[:0:0]
		for _, n := range list {
			if !slices.Equal(n.Keys, p.Keys) {
				kept = append(kept, n)
			}
		}
		line("- %s", name)
		e.Removes++
		return kept, nil
	case EditWeight:
		if old := list[at].Weight; old != d.Weight {
			line("%s: weight %d ▸ %d", name, old, d.Weight)
		}
		list[at].Weight = d.Weight
		return list, list[at].set("weight", d.Weight)
	case EditLabel:
		if old := list[at].Label; old != d.Label {
			line("%s: label %s ▸ %s", name, orNone(old), orNone(d.Label))
		}
		list[at].Label = d.Label
		if d.Label == "" {
			return list, list[at].set("label", nil)
		}
		return list, list[at].set("label", d.Label)
	}
	return nil, refuse("%q is no edit: there are add, remove, weight and label", d.Kind)
}

func orNone(label string) string {
	if label == "" {
		return "none"
	}
	return label
}

// checkSource says what Parti would not take of a source, or nil (types/partition.go).
func checkSource(list []Partition) error {
	if len(list) == 0 {
		return refuse("no partition would be left")
	}
	seen := make(map[string]bool, len(list))
	for _, p := range list {
		name := p.printed()
		if len(p.Keys) == 0 {
			return refuse("a partition needs at least one key")
		}
		for _, key := range p.Keys {
			switch {
			case key == "":
				return refuse("partition %s has an empty key", name)
			case strings.Contains(key, "."):
				return refuse("partition %s: the key %q has a dot in it", name, key)
			case key == "*", key == ">":
				return refuse("partition %s: the key %q is a wildcard in subjects", name, key)
			case !utf8.ValidString(key):
				return refuse("partition %s: the key %q is not valid UTF-8", name, key)
			case strings.ContainsFunc(key, unicode.IsSpace), strings.ContainsFunc(key, unicode.IsControl):
				return refuse("partition %s: the key %q has a blank or a control character in it", name, key)
			}
		}
		switch {
		case p.Weight < 0:
			return refuse("partition %s: its weight %d is below 0", name, p.Weight)
		case seen[p.identity()]:
			return refuse("partition %s is there twice", name)
		}
		seen[p.identity()] = true
	}
	return nil
}
