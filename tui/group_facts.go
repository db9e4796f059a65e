package tui

import (
	"fmt"
	"strings"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// mostHead is how many lines the worst finding has at the top of h lines.
func mostHead(h int) int {
	if h < 14 {
		return 2
	}
	return 3
}

// facts are the lines that say what group this is and how it does.
func (v *groupView) facts(t *theme, w, h int) []*row {
	if t == nil {
		t = &theme{}
	}
	g := v.shown
	sign, st := t.verdict(g.Verdict)
	head := t.row().gap(1).put(st.strong(), sign+" "+string(g.Verdict)).gap(2)
	var lines []*row
	if h >= 30 {
		lines = append(lines, t.row())
	}
	v.said = false
	switch {
	case v.gone:
		lines = append(lines, deletedLine(t))
	case len(g.Findings) == 0 || g.Findings[0].Severity == model.Info && g.ReadError == "" && !g.Verdict.InNeed():
		lines = append(lines, head.put(t.dim, quietly(g)))
	default:
		if w < 60 {
			head = t.row().gap(1).put(st.strong(), sign+" ")
		}
		indent := head.width
		said, whole := sentence(t, g.Findings[0], indent, w-indent-1, mostHead(h))
		v.said = whole
		said[0] = head.join(said[0].cut(indent, max(indent, said[0].width)))
		lines = append(lines, said...)
	}
	most := 1
	if h >= 20 && !g.Pins() { // its kind has more to tell than a config
		most = 2
	}
	lines = append(lines, v.config(t, w, most)...)
	if h < 14 {
		return lines
	}
	return append(lines, t.row())
}

// deletedLine says that a group is no more.
func deletedLine(t *theme) *row {
	return t.row().gap(1).put(t.bad, "✗ deleted").put(t.dim, "  this group is gone; what is shown is old")
}

// ellipsis cuts a row to at most w cells, with a mark where something is missing.
func ellipsis(t *theme, r *row, w int) *row {
	if r.width <= w || w < 1 {
		return r
	}
	text := ""
	for _, s := range r.spans {
		text += s.text
	}
	return r.cut(0, glyph.Width(glyph.Sentence(text, w))-1).put(t.dim, "…")
}

// quietly says in words that there is nothing to do.
func quietly(g *model.Group) string {
	switch g.Verdict {
	case model.VerdictUnknown:
		return "not read yet"
	case model.VerdictIdle:
		return "nothing waits and nothing flows"
	}
	if w := g.Window; !w.Complete && !g.ReadAt.IsZero() {
		return fmt.Sprintf("nothing is wrong so far: watched for %d s of %d", int(w.Span.Seconds()), int(model.WindowNeed.Seconds()))
	}
	return "nothing is wrong"
}

// config is the line of facts, or two.
func (v *groupView) config(t *theme, w, most int) []*row {
	g := v.shown
	facts := []string{string(g.Key.Kind)}
	if !g.Undealt() {
		facts = append(facts, model.Count(len(g.Partitions), "partition")+of(g.Config.Filters))
	}
	if !g.Pins() {
		facts = append(facts, g.Described()...)
	}
	facts = append(facts, flowFacts(g)...) // what moves comes first: the rest may be cut
	if s, has := g.Work(); has {
		work := "work stream " + number(s.Messages, 12)
		if fill, limited := s.Fill(); limited {
			work += fmt.Sprintf(", buffer %.0f %%", fill*100)
		}
		facts = append(facts, work)
	}
	if g.Pins() {
		facts = append(facts, g.Described()...)
	}
	return flowing(t, t.row().gap(1), facts, w, most)
}

// flowing puts facts behind what a row has, a dot between them, and goes on in further rows,
// as many as there may be. What has no room in the last one is cut.
func flowing(t *theme, r *row, facts []string, w, most int) []*row {
	lines, indent := []*row{r}, r.width
	for i, f := range facts {
		one := t.row()
		if i > 0 {
			one.put(t.line, " · ")
		}
		one.put(t.dim, f)
		if r.width > indent && r.width+one.width > w-1 && len(lines) < most {
			r, one = t.row().gap(indent), t.row().put(t.dim, f)
			lines = append(lines, r)
		}
		r.join(one)
	}
	for i, l := range lines {
		lines[i] = ellipsis(t, l, w-1)
	}
	return lines
}

// of says what chooses the partition.
func of(filters []model.Filter) string {
	if len(filters) == 0 {
		return ""
	}
	if len(filters) > 1 {
		return " of " + model.Count(len(filters), "filter")
	}
	f := filters[0]
	if len(f.Wildcards) == 0 {
		return " of " + f.Subject
	}
	word := " by token "
	if len(f.Wildcards) > 1 {
		word = " by tokens "
	}
	return " of " + f.Subject + word + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(f.Wildcards)), ","), "[]")
}
