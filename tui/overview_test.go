package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"pcgtop/keymap"
	"pcgtop/model"
)

// names are the groups of the rows, in order.
func (s *stage) names() string {
	var list []string
	for _, g := range s.m.overview.rows {
		list = append(list, g.Key.Group)
	}
	return strings.Join(list, " ")
}

func TestOverviewSortFrames(t *testing.T) {
	for _, z := range sizes() {
		newStage(t, z.w, z.h).show(many().snapshot()).press("L").golden("overview-by-lag-"+z.String(), true)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("U", "U").golden("overview-by-unacked-"+z.String(), false)
		newStage(t, z.w, z.h).show(many().snapshot()).press("/").typed("is:need kind:elastic").press("enter").golden("overview-need-"+z.String(), false)
		newStage(t, z.w, z.h).show(many().snapshot()).press("/").typed("is:sleeping").golden("overview-no-such-verdict-"+z.String(), false)
	}
}

// That nothing waits is a number, what is not known yet is a dash, and neither is a chart. The
// sums are no other; a lag that is small is drawn, as far back as it is known.
func TestNothingWaitsIsNotUnknown(t *testing.T) {
	trends := func(w world) string {
		s := newStage(t, 60, 24, func(o *Options) { o.Columns = []string{"group", "trend"} }).show(w.snapshot())
		var list []string
		for _, line := range strings.Split(s.plain(), "\n")[3 : 4+len(w.groups)] {
			list = append(list, strings.Join(strings.Fields(strings.TrimLeft(line, "▌ ")), " "))
		}
		return strings.Join(list, ", ")
	}
	w := world{groups: sketch().groups[:2]}
	w.groups[0].history, w.groups[1].history = flat(40, 0), []uint64{}
	if got, want := trends(w), "PAYMENTS/settlement -, TELEMETRY/rollup 0, 2 groups 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.groups[0].history, w.groups[1].history = flat(3, 1), flat(1, 0)
	if got, want := trends(w), "PAYMENTS/settlement 0, TELEMETRY/rollup ▁▁▁, 2 groups ▁▁▁"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.groups[0].history, w.groups[1].history = []uint64{}, []uint64{}
	if got, want := trends(w), "PAYMENTS/settlement -, TELEMETRY/rollup -, 2 groups -"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	w.groups[0].history, w.groups[1].history = []uint64{}, []uint64{9, 0} // which is less than none
	s := newStage(t, 120, 40).show(w.snapshot())
	for range 8 {
		s.press(">")
	}
	if s.m.overview.order.by != keymap.SortTrend || s.names() != "settlement rollup" {
		t.Errorf("by %s: %s: what is not known is not last", s.m.overview.order.by, s.names())
	}
}

// Each column sorts, the same key once more turns the order round, and what is equal
// stays in the order of names both ways.
func TestOverviewSorts(t *testing.T) {
	for key, want := range map[string]string{
		"V": "settlement rollup analytics fulfillment", // the last two are equal: by name, both ways
		"N": "analytics fulfillment settlement rollup",
		"K": "analytics fulfillment rollup settlement",
		"P": "rollup fulfillment analytics settlement",
		"M": "rollup fulfillment analytics settlement",
		"S": "fulfillment analytics rollup settlement",
		"E": "rollup settlement analytics fulfillment",
		"L": "rollup settlement analytics fulfillment",
		"U": "analytics settlement fulfillment rollup",
		"O": "fulfillment analytics settlement rollup",
		"I": "fulfillment analytics rollup settlement",
		"T": "rollup settlement analytics fulfillment",
	} {
		by := func() *stage {
			s := newStage(t, 160, 40).show(sketch().snapshot())
			if key != "V" { // it is by verdict already
				s.press(key)
			}
			return s
		}
		if got := by().names(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
		again := by().press(key).names()
		if turned := by().press("i").names(); again != turned {
			t.Errorf("%s again and i differ: %s, %s", key, again, turned)
		}
		if again == want {
			t.Errorf("%s again does not turn the order round: %s", key, again)
		}
	}
	s := newStage(t, 160, 40).show(sketch().snapshot()).press("i")
	if got, want := s.names(), "analytics fulfillment settlement rollup"; got != want {
		t.Errorf("by verdict, the other way round: %s, want %s", got, want)
	}
	s = newStage(t, 160, 40).show(sketch().snapshot()).press("N", "N").sees("GROUP▼")
	if got, want := s.names(), "rollup settlement fulfillment analytics"; got != want {
		t.Errorf("by name, the other way round: %s, want %s", got, want)
	}
}

// < and > go through the columns that are there, round both ends, and the heads say
// which one it is.
func TestOverviewSortsByTheNextColumn(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot())
		seen := []keymap.ID{s.m.overview.order.by}
		for s.press(">"); s.m.overview.order.by != seen[0]; s.press(">") {
			seen = append(seen, s.m.overview.order.by)
			if !strings.ContainsAny(strings.Split(s.plain(), "\n")[2], "▼▲") {
				t.Errorf("%s: no head shows that it is %s:\n%s", z, s.m.overview.order.by, s.plain())
			}
			if len(seen) > 20 {
				t.Fatal("it never comes round")
			}
		}
		if len(seen) < 3 {
			t.Errorf("%s: only %v", z, seen)
		}
		for range len(seen) {
			s.press("<")
		}
		if s.m.overview.order.by != seen[0] {
			t.Errorf("%s: back at %s", z, s.m.overview.order.by)
		}
	}
	newStage(t, 80, 24).show(sketch().snapshot()).press("U").sees("sorted by unacked ▼").press("U").sees("sorted by unacked ▲")
}

// Ties are by name whatever the order, so that the same data draw the same frame.
func TestOverviewOrderIsTotal(t *testing.T) {
	keys := []string{"V", "N", "K", "P", "M", "S", "E", "L", "U", "O", "I", "T", "W"}
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 160, 40)
		s.blind = true
		s.show(many().snapshot())
		s.press(rapid.SampledFrom(keys).Draw(rt, "key"))
		if rapid.Bool().Draw(rt, "reversed") {
			s.press("i")
		}
		before := s.names()
		w := many()
		w.groups = rapid.Permutation(w.groups).Draw(rt, "groups")
		if got := s.show(w.snapshot()).names(); got != before {
			rt.Fatalf("%s\n%s", before, got)
		}
		if n := len(s.m.overview.rows); n != len(s.m.snap.Groups) {
			rt.Fatalf("%d rows of %d groups", n, len(s.m.snap.Groups))
		}
	})
}

func TestOverviewFilter(t *testing.T) {
	for typed, want := range map[string]string{
		"orders":             "analytics fulfillment",
		"ORDERS fulf":        "fulfillment",
		"is:need":            "settlement rollup",
		"is:deg":             "settlement rollup",
		"is:ok -analytics":   "fulfillment",
		"kind:static":        "settlement",
		"static":             "settlement",
		"stream:tele":        "rollup",
		"member:m3":          "rollup fulfillment",
		"member:m3 -is:need": "fulfillment",
		"-is:ok":             "settlement rollup",
		"is:":                "settlement rollup analytics fulfillment",
		"-":                  "",
		"is:sleeping":        "",
		"[":                  "",
		"*foo(":              "",
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("/")
		s.send(tea.PasteMsg{Content: typed})
		if got := s.names(); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
		if s.press("enter", "down"); want != "" {
			s.sees("/ " + typed).sees("of 4 shown")
		}
		if s.press("esc"); len(s.m.overview.rows) != 4 {
			t.Errorf("%q is not cleared", typed)
		}
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("/").typed("is:x").sees("is: takes unreadable, offline, broken, stalled, behind, degraded, reading, idle, ok, need")
}

// The filter and the order are still there when one comes back from a group.
func TestOverviewKeepsFilterAndOrder(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("/").typed("orders").press("enter", "L", "L", "enter", "esc")
	s.sees("/ orders").sees("2 of 4 shown")
	if got := s.names(); got != "fulfillment analytics" {
		t.Errorf("%s", got)
	}
}

// The selection stays on its group, or on the first row, as f says.
func TestFollow(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down") // on rollup
	s.press("O")                                                      // where it is the last
	if got := s.m.overview.selected.Group; got != "rollup" || s.m.overview.index != 3 {
		t.Fatalf("on %s in row %d", got, s.m.overview.index)
	}
	s.press("f").sees("stays on the first row")
	if got := s.m.overview.selected.Group; got != "fulfillment" {
		t.Fatalf("on %s", got)
	}
	if s.press("L"); s.m.overview.selected.Group != "rollup" {
		t.Fatalf("not on the first row but on %s", s.m.overview.selected)
	}
	s.press("f").sees("stays on TELEMETRY/rollup")
	if s.press("O"); s.m.overview.selected.Group != "rollup" {
		t.Fatalf("left rollup for %s", s.m.overview.selected)
	}
	if s.press("N", "!"); s.m.overview.selected.Group != "settlement" { // degraded as rollup is, and before it by name
		t.Errorf("the worst is %s", s.m.overview.selected)
	}
}

// The sums are over what is shown.
func TestOverviewSums(t *testing.T) {
	s := newStage(t, 200, 40).show(sketch().snapshot())
	s.sees("4 groups 44 9/10 8 +≤12 15,027 15,033 6 500 649")
	s.press("/").typed("orders").sees("2 of 4 groups 20 5/5 5 +≤8 4 7 3 399 399")
}

// How many groups there are is told whole, however short their names are.
func TestTheCountOfGroupsIsNotCut(t *testing.T) {
	snap := estate(1000)
	for _, width := range []int{60, 80, 120, 200} {
		newStage(t, width, 24).show(snap).sees("1,000 groups")
	}
}

func TestColumnsAreChosen(t *testing.T) {
	names := Columns()
	for _, want := range []string{"verdict", "group", "kind", "partitions", "members", "pinned", "pending", "lag", "unacked", "out", "in", "trend", "why"} {
		if !slices.Contains(names, want) {
			t.Errorf("no column %s in %v", want, names)
		}
	}
	s := newStage(t, 80, 24, func(o *Options) { o.Columns = []string{"lag", "group", "unacked", "kind"} }).show(sketch().snapshot())
	head := strings.Fields(strings.Split(s.plain(), "\n")[2])
	if got := strings.Join(head, " "); got != "LAG GROUP UNACKED KIND" {
		t.Errorf("heads %q:\n%s", got, s.plain())
	}
	s.press("<")
	if s.m.overview.order.by != keymap.SortKind {
		t.Errorf("sorted by %s", s.m.overview.order.by)
	}
}

// Numbers are never cut: what does not fit goes as a whole column, or is written short.
func TestNumbersAreNotCut(t *testing.T) {
	w := world{groups: []fixture{crowd(1024, 900)}}
	w.groups[0].messages = 1 << 40
	for name, c := range w.groups[0].consumers {
		c.Pending, c.AckPending, c.Out = 1<<32, 1<<20, 123456
		w.groups[0].consumers[name] = c
	}
	snap := w.snapshot()
	for width := 40; width <= 220; width++ {
		s := newStage(t, width, 24).show(snap)
		tab := fitted(s.m.overview.columns(s.m, width-2), width-2)
		for _, c := range tab.columns {
			if !c.right {
				continue
			}
			r, sum := s.m.theme.row(), s.m.theme.row()
			if c.cell(r, 0, c.want); strings.Contains(r.String(), "…") {
				t.Errorf("%d wide: %s is %q", width, c.title, r)
			}
			if c.sum(sum, c.want); strings.Contains(sum.String(), "…") {
				t.Errorf("%d wide: the sum of %s is %q", width, c.title, sum)
			}
		}
	}
}

// Whole numbers are written alike in all columns, those made of two as well.
func TestThousandsInAllColumns(t *testing.T) {
	members := make([]string, 20_000)
	for i := range members {
		members[i] = fmt.Sprintf("m%05d", i)
	}
	w := world{groups: []fixture{{key: elastic("FLEET", "positions"), revision: 1, config: model.Config{Partitions: 30_000, Members: members}}}}
	newStage(t, 200, 24).show(w.snapshot()).sees("30,000 0/20,000")
}

// One long name takes no more of the room than what is wrong with the groups gets.
func TestALongNameLeavesRoomForTheReason(t *testing.T) {
	long := sketch()
	long.groups[0].key.Group = strings.Repeat("fulfillment-of-orders-", 4)
	snap := long.snapshot()
	for width := 80; width <= 220; width++ {
		s := newStage(t, width, 24).show(snap)
		tab := fitted(s.m.overview.columns(s.m, width-2), width-2)
		at := func(id string) int {
			return tab.columns[slices.IndexFunc(tab.columns, func(c column) bool { return c.id == id })].want
		}
		if group, why := at("group"), at("why"); group > 20 && why < group || group < 19 {
			t.Errorf("%d wide: the name has %d cells, the reason %d", width, group, why)
		}
	}
}
