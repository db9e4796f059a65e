package tui

import (
	"fmt"
	"slices"
	"strings"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// share is what one member owns before and after a plan.
type share struct {
	name          string
	index         int // in the group, for its letter; -1: it is new
	before, after []int
	leaves, joins bool
}

// shares lists every member of before and after, by name.
func shares(p *model.Plan, g *model.Group) []share {
	before := p.Base.Assignment()
	after := model.Assign(p.Base.Partitions, p.Members, p.Mappings)
	names := append(slices.Clone(before.Members), after.Members...)
	slices.Sort(names)
	names = slices.Compact(names)
	owned := func(a model.Assignment) map[string][]int {
		lists := map[string][]int{}
		for n := range a.Owner {
			if name, ok := a.OwnerName(n); ok {
				lists[name] = append(lists[name], n)
			}
		}
		return lists
	}
	had, has := owned(before), owned(after)
	at := make(map[string]int, len(g.Members))
	for i, m := range g.Members {
		if m.Configured {
			at[m.Name] = i
		}
	}
	list := make([]share, 0, len(names))
	for _, name := range names {
		_, was := slices.BinarySearch(before.Members, name)
		_, is := slices.BinarySearch(after.Members, name)
		index, there := at[name]
		if !there {
			index = -1
		}
		list = append(list, share{name: name, index: index, before: had[name], after: has[name], leaves: was && !is, joins: is && !was})
	}
	return list
}

// effect says what a plan changes, in at most some lines of moves: how many partitions
// move and had to, from whom to whom, what each member owns before and after, and which
// pins that costs.
func effect(t *theme, p *model.Plan, g *model.Group, w, most int) []*row {
	moved := p.Moved()
	head := t.row().put(t.title, fmt.Sprintf("%d of %s", moved, model.Count(len(p.Changes), "partition"))).put(t.text, " "+verb(moved))
	if moved > 0 {
		head.put(t.dim, fmt.Sprintf(" (%d had to)", p.HadTo()))
	}
	rows := []*row{head}
	moves := model.DescribeMoves(p.Base.Assignment(), model.Assign(p.Base.Partitions, p.Members, p.Mappings))
	lines := glyph.Wrap(t.row().safe(moves), w-2)
	for i, s := range lines {
		if i == most {
			rows = append(rows, t.row().gap(2).put(t.dim, fmt.Sprintf("… and %s more", model.Count(len(lines)-most, "line"))))
			break
		}
		rows = append(rows, t.row().gap(2).put(t.text, s))
	}
	rows = append(rows, priceRow(t, p.Price).fit(w), t.row())
	rows = append(rows, shareTable(t, shares(p, g), w)...)
	return append(rows, pins(t, p, w)...)
}

func verb(n int) string {
	if n == 1 {
		return "moves"
	}
	return "move"
}

// shareTable draws before ▸ after for each member that is touched.
func shareTable(t *theme, all []share, w int) []*row {
	var list []share
	names, before := len("MEMBER"), len("BEFORE")
	for _, s := range all {
		if slices.Equal(s.before, s.after) && !s.joins && !s.leaves {
			continue
		}
		list = append(list, s)
		names, before = max(names, glyph.Width(glyph.Clean(s.name))), max(before, len(model.Ranges(s.before)))
	}
	if len(list) == 0 {
		return nil
	}
	names, before = min(names, max(8, w/4)), min(before, max(8, w/4))
	after := min(longest(list), max(1, w-2-names-2-before-3-6))
	rows := []*row{t.row().gap(2).left(t.head, "MEMBER", names).gap(2).left(t.head, "BEFORE", before).gap(3).put(t.head, "AFTER")}
	for _, s := range list {
		letter := model.Letter(s.index)
		if s.joins {
			letter = "+"
		}
		r := t.row().left(t.member(s.index), letter, 1).gap(1).left(t.text.strong(), s.name, names).gap(2)
		r.left(t.dim, ranges(s.before), before).put(t.line, " ▸ ")
		delta := fmt.Sprintf("%+d", len(s.after)-len(s.before))
		switch {
		case s.leaves:
			r.put(t.warn, "leaves")
		case len(s.after) == 0:
			r.put(t.warn, "no partition")
		default:
			r.left(t.text, model.Ranges(s.after), after)
		}
		if len(s.after) != len(s.before) && !s.leaves && len(s.after) > 0 {
			r.right(t.dim, delta, 6)
		}
		rows = append(rows, r)
	}
	if kept := len(all) - len(list); kept > 0 {
		rows = append(rows, t.row().gap(2).put(t.dim, model.Count(kept, "member")+" more, unchanged"))
	}
	return rows
}

// longest is the widest list of partitions after.
func longest(list []share) int {
	w := len("AFTER")
	for _, s := range list {
		w = max(w, len(model.Ranges(s.after)))
	}
	return w
}

func ranges(numbers []int) string {
	if len(numbers) == 0 {
		return "·"
	}
	return model.Ranges(numbers)
}

// pins says which instances lose their pin, for certain and perhaps.
func pins(t *theme, p *model.Plan, w int) []*row {
	var certain, possible []string
	for _, pin := range p.Pins {
		s := pin.Member + " " + model.ShortID(pin.PinID)
		if pin.Holder != "" {
			s = pin.Member + " " + pin.Holder
		}
		if pin.Certain {
			certain = append(certain, s)
		} else {
			possible = append(possible, s)
		}
	}
	var rows []*row
	if len(certain) > 0 {
		rows = append(rows, labelled(t, "unpins", brief(certain), t.text, w)...)
	}
	if len(possible) > 0 {
		rows = append(rows, labelled(t, "perhaps", brief(possible)+": some libraries restart every member at any change", t.dim, w)...)
	}
	if len(rows) > 0 {
		rows = append([]*row{t.row()}, rows...)
	}
	return rows
}

// brief joins a list, and counts what would be too long to read.
func brief(list []string) string {
	const most = 12
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}

// partitionList draws every partition that moves, before ▸ after.
func partitionList(t *theme, p *model.Plan, w int) []*row {
	digits, names := len(fmt.Sprint(len(p.Changes)-1)), 1
	for _, c := range p.Changes {
		if c.Moves() {
			names = max(names, glyph.Width(glyph.Clean(c.Before)), glyph.Width(glyph.Clean(c.After)))
		}
	}
	names = min(names, 12)
	cell := digits + 1 + names + 3 + names + 2
	rows := []*row{t.row().put(t.head, "PARTITION BY PARTITION")}
	r := t.row()
	for _, c := range p.Changes {
		if !c.Moves() {
			continue
		}
		if r.width > 0 && r.width+cell > w+2 {
			rows, r = append(rows, r), t.row()
		}
		one := t.row().right(t.dim, fmt.Sprint(c.Partition), digits).gap(1).put(t.dim, trim(t, c.Before, names)).put(t.line, " ▸ ").put(t.text, trim(t, c.After, names))
		r.join(one.fit(cell))
	}
	return append(rows, r)
}

// trim is a member's name in at most w cells; nobody is a dot.
func trim(t *theme, name string, w int) string {
	if name == "" {
		return "·"
	}
	return glyph.Short(t.row().safe(name), w)
}
