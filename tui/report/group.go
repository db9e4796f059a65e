package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Group writes one group in full: its facts, members, partitions and findings. With names,
// it writes only these of its members, and no partitions.
func Group(w io.Writer, g *model.Group, only ...string) error {
	facts := []string{string(g.Key.Kind)}
	if !g.Undealt() {
		facts = append(facts, model.Count(g.Config.Partitions, "partition"))
		if g.Key.Kind.Fixed() {
			facts = append(facts, g.Form())
		}
	}
	facts = append(facts, g.Described()...)
	fmt.Fprintf(w, "%s  %s  %s\n", glyph.Clean(g.Key.String()), g.Verdict, glyph.Clean(strings.Join(facts, ", ")))
	for _, f := range g.Findings {
		fmt.Fprintf(w, "  %s: %s\n", f.Severity, glyph.Clean(f.Text))
	}
	if h := g.Hop; h != nil {
		about := ""
		if h.About {
			about = "~"
		}
		fmt.Fprintf(w, "  source %s, %s%s waiting at the origin\n", h.State, about, model.Thousands(h.Behind))
	}
	fmt.Fprintln(w)
	if err := members(g, only).write(w); err != nil {
		return err
	}
	if told := told(g, only); len(told.rows) > 0 {
		fmt.Fprintln(w)
		if err := told.write(w); err != nil {
			return err
		}
	}
	if len(g.Partitions) == 0 || len(only) > 0 {
		return nil
	}
	fmt.Fprintln(w)
	if g.Counts != nil && g.Counts.Error != "" {
		fmt.Fprintf(w, "partitions not counted: %s\n", glyph.Clean(g.Counts.Error))
	}
	return partitions(g).write(w)
}

// members has a row a member: what it is about, and how it fares.
func members(g *model.Group, only []string) *table {
	t := table{head: []string{"", "MEMBER", "STATE", "PARTITIONS", "PIN", "PINNED", "STANDBY", "PENDING", "UNACKED", "OUT/S", "IN/S"}, right: []int{6, 7, 8, 9, 10}}
	for i, m := range g.Members {
		if len(only) > 0 && !slices.Contains(only, m.Name) {
			continue
		}
		c := m.Consumer
		if c == nil {
			c = &model.Consumer{}
		}
		owns := model.Ranges(m.Partitions)
		if owns == "" && g.Unsure {
			owns = "unknown"
		}
		t.add(letter(m, i), m.Name, string(m.State), owns, c.PinID, since(c.PinnedAt, c.TS), standbys(g, m),
			pending(g, m), unacked(g, m), rate(c.Out, c.RateSpan), rate(c.In, c.RateSpan))
	}
	if !g.Pins() {
		return t.less("PIN", "PINNED", "STANDBY")
	}
	return &t
}

// pending is what waits for a member: of one without a consumer only what was counted in its
// partitions tells.
func pending(g *model.Group, m *model.Member) string {
	switch n, _ := g.CountOf(m.Partitions); {
	case m.Consumer != nil:
		return known(g, m.Consumer.Pending)
	case m.Configured && g.Counted():
		return fmt.Sprint(n)
	}
	return "-"
}

func unacked(g *model.Group, m *model.Member) string {
	if m.Consumer == nil {
		return "-"
	}
	return known(g, m.Consumer.AckPending)
}

// told has a row a member of which its kind tells more: a column a fact that has a name, one
// for the others, and what its state was deduced from.
func told(g *model.Group, only []string) *table {
	t := table{head: []string{"", "MEMBER"}}
	var list []*model.Member
	for _, m := range g.Members {
		if len(m.Facts) == 0 && (m.Why == "" || g.Pins()) || len(only) > 0 && !slices.Contains(only, m.Name) {
			continue
		}
		list = append(list, m)
		for _, f := range m.Facts {
			if name, _ := named(f); name != "" && !slices.Contains(t.head, name) {
				t.head = append(t.head, name)
			}
		}
	}
	first, other := 2, len(t.head)
	t.head = append(t.head, "ALSO", "WHY")
	for _, m := range list {
		row := make([]string, len(t.head))
		row[0], row[1], row[other+1] = letter(m, slices.Index(g.Members, m)), m.Name, m.Why
		var rest []string
		for _, f := range m.Facts {
			name, value := named(f)
			if name == "" {
				rest = append(rest, value)
				continue
			}
			row[first+slices.Index(t.head[first:], name)] = value
		}
		row[other] = strings.Join(rest, ", ")
		t.add(row...)
	}
	return t.less("ALSO", "WHY")
}

// named parts the name of a fact that has one, as the head of a column, from its value.
func named(fact string) (name, value string) {
	if name, value, has := strings.Cut(fact, ": "); has {
		return strings.ToUpper(name), value
	}
	return "", fact
}

// partitions has a row a partition: whose it is, and what waits there.
func partitions(g *model.Group) *table {
	t := table{head: []string{"PARTITION", "OWNER", "STATE", "WEIGHT", "LABEL", "PENDING", "OLDEST", "NOTE"}, right: []int{0, 3, 5, 6}}
	for _, p := range g.Partitions {
		told, weight, pending, oldest := p.Told(), "", "-", ""
		if told.Weight != 0 {
			weight = fmt.Sprint(told.Weight)
		}
		if c := p.Count; c != nil {
			pending, oldest = fmt.Sprint(c.Pending), since(c.Oldest, g.Counts.At)
			if c.AtMost && oldest != "" {
				oldest = "≤" + oldest
			}
		}
		t.add(p.Title(), p.Whose(), string(g.StateOf(p)), weight, told.Label, pending, oldest, told.Note)
	}
	if !g.Pins() { // the kinds whose messages are read have ages
		return t.less("WEIGHT", "LABEL", "OLDEST", "NOTE")
	}
	return t.less("WEIGHT", "LABEL", "NOTE")
}

// letter is what a configured member is called by on the map.
func letter(m *model.Member, at int) string {
	if !m.Configured {
		return ""
	}
	return model.Letter(at)
}

// standbys counts the instances that wait for a pin, where there are pins.
func standbys(g *model.Group, m *model.Member) string {
	switch {
	case !g.Pins():
		return ""
	case g.Unread():
		return "-"
	}
	return g.InstancesOf(m).Standbys()
}
