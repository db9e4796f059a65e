// Package report renders a snapshot without a terminal: as JSON for scripts, and as
// plain aligned text for people and mails.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// JSON writes the snapshot in its one JSON form (schema pcgtop/1), a line each.
func JSON(w io.Writer, s *model.Snapshot) error {
	return json.NewEncoder(Escaped(w)).Encode(s.Printed())
}

// OneLine makes any text safe to print as one line.
func OneLine(s string) string { return glyph.Clean(strings.ReplaceAll(s, "\n", "; ")) }

// Overview writes a row a group, worst first.
func Overview(w io.Writer, s *model.Snapshot) error {
	t := table{head: []string{"VERDICT", "GROUP", "KIND", "PARTS", "MEMBERS", "PINNED", "LAG", "PENDING", "UNACKED", "OUT/S", "IN/S", "WHY"}, right: []int{3, 4, 5, 6, 7, 8, 9, 10}}
	groups := slices.Clone(s.Groups)
	slices.SortStableFunc(groups, func(a, b *model.Group) int { return a.Verdict.Rank() - b.Verdict.Rank() })
	for _, g := range groups {
		pulling, configured := g.Pulling()
		why := ""
		if len(g.Findings) > 0 {
			why = g.Findings[0].Text
		}
		t.add(string(g.Verdict), g.Key.String(), string(g.Key.Kind), fmt.Sprint(g.Config.Partitions), known(g, pulling)+"/"+fmt.Sprint(configured),
			pinned(g), lag(g, g.Lag()), lag(g, g.Waits()), known(g, g.AckPending), rate(g.Out, g.RateSpan), rate(g.In, g.RateSpan), why)
	}
	if err := t.write(w); err != nil {
		return err
	}
	for _, line := range missing(s, len(groups)) {
		if _, err := fmt.Fprintln(w, glyph.Clean(line)); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return nil
}

// pinned counts the instances of a group, where there are pins.
func pinned(g *model.Group) string {
	if !g.Pins() || g.Unread() {
		return "-"
	}
	return g.Instances().String()
}

// known writes a number, if anything of the group's consumers was ever read.
func known[N int | uint64](g *model.Group, n N) string {
	if g.Unread() {
		return "-"
	}
	return fmt.Sprint(n)
}

// lag writes what waits, as far as it is known.
func lag(g *model.Group, n uint64) string {
	switch {
	case !g.LagKnown(), n == 0 && g.LagAtLeast():
		return "-"
	case g.LagAtLeast():
		return "≥" + fmt.Sprint(n)
	}
	return fmt.Sprint(n)
}

// missing says what the table does not show, and why.
func missing(s *model.Snapshot, groups int) []string {
	lines := unread(s, groups)
	for _, n := range s.NotFound {
		lines = append(lines, n.Text)
	}
	return lines
}

// unread says why there may be groups that are not in the table, or none at all.
func unread(s *model.Snapshot, groups int) []string {
	lines := s.Unseen()
	none := 0
	for _, k := range model.Founded() {
		if b, known := s.Bucket(k); known && !b.Exists && b.Problem == "" {
			none++
		}
	}
	for _, d := range s.Denied {
		lines = append(lines, "not permitted: "+d)
	}
	switch {
	case groups > 0 || len(lines) > 0:
		return lines
	case none == len(model.Founded()):
		return []string{"no groups: there is no config bucket in this account"}
	}
	return []string{"no groups"}
}

// rate writes a rate, if there were two answers to measure it from.
func rate(perSecond float64, span time.Duration) string {
	if span == 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f", perSecond)
}

// since is an age within one answer; empty when there is no beginning.
func since(from, now time.Time) string {
	if from.IsZero() {
		return ""
	}
	return max(0, now.Sub(from)).Round(time.Second).String()
}

// table aligns columns by cells, not by bytes.
type table struct {
	head  []string
	right []int // columns aligned to the right
	rows  [][]string
}

// widest is the most cells of a column but the last; what is longer loses its end.
const widest = 60

// less is the table without those of the columns named that say nothing.
func (t *table) less(optional ...string) *table {
	out := table{rows: make([][]string, len(t.rows))}
	for i, title := range t.head {
		if slices.Contains(optional, title) && !slices.ContainsFunc(t.rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		if slices.Contains(t.right, i) {
			out.right = append(out.right, len(out.head))
		}
		out.head = append(out.head, title)
		for n, row := range t.rows {
			out.rows[n] = append(out.rows[n], row[i])
		}
	}
	return &out
}

func (t *table) add(cells ...string) {
	for i, c := range cells {
		cells[i] = glyph.Clean(c)
		if i < len(cells)-1 {
			cells[i] = glyph.Short(cells[i], widest)
		}
	}
	t.rows = append(t.rows, cells)
}

func (t *table) write(w io.Writer) error {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, c := range row {
			widths[i] = max(widths[i], glyph.Width(c))
		}
	}
	for _, row := range append([][]string{t.head}, t.rows...) {
		var b strings.Builder
		for i, c := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", widths[i]-glyph.Width(c))
			if slices.Contains(t.right, i) {
				b.WriteString(pad + c)
			} else {
				b.WriteString(c + pad)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(b.String(), " ")); err != nil {
			return fmt.Errorf("writing the report: %w", err)
		}
	}
	return nil
}
