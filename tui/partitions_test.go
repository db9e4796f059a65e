package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// finder is a Finder with subjects of its own.
type finder struct {
	subjects []string
	err      error
	asked    []string
}

func (f *finder) Subjects(_ context.Context, _ model.Key, part string, n int) (found []string, more bool, err error) {
	f.asked = append(f.asked, part)
	for _, s := range f.subjects {
		if strings.Contains(s, part) {
			found = append(found, s)
		}
	}
	return found[:min(n, len(found))], len(found) > n, f.err
}

func withFinder(f *finder) func(*Options) { return func(o *Options) { o.Finder = f } }

func devices(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("telemetry.dev%03d.temp", i))
	}
	return list
}

func TestPartitionFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func(w world) *stage { return newStage(t, z.w, z.h).show(w.snapshot()) }
		open(sketch()).press("down", "enter", "enter", "down").golden("partitions-"+z.String(), true)
		open(sketch()).press("down", "enter", "enter", "E").golden("partitions-sorted-"+z.String(), false)
		open(sketch()).press("down", "enter", "enter", "/").typed("is:need 10-12").golden("partitions-filter-"+z.String(), false)
		open(sketch()).press("down", "enter", "enter", "tab", "right").golden("partitions-heat-"+z.String(), true)
		big := world{context: "prod-eu", groups: []fixture{crowd(1024, 40)}}
		open(big).press("enter", "enter", "G").golden("partitions-1024-"+z.String(), false)
		open(big).press("enter", "enter", "tab").golden("partitions-1024-heat-"+z.String(), true)
		open(sketch()).press("enter", "enter").golden("partitions-not-counted-"+z.String(), false)
		s := newStage(t, z.w, z.h, withFinder(&finder{subjects: devices(30)})).show(sketch().snapshot()).press("down", "enter", "w")
		s.golden("where-empty-"+z.String(), false)
		s.typed("telemetry.dev007.temp").golden("where-"+z.String(), true)
		s.press("ctrl+u").typed("dev01").press("enter")
		s.golden("where-list-"+z.String(), false)
		rollup(open(heard())).press("w").typed("telemetry.dev007.temp").golden("where-instance-"+z.String(), false)
	}
	s := newStage(t, 80, 24, func(o *Options) { o.ASCII, o.NoColor = true, true }).show(sketch().snapshot())
	s.press("down", "enter", "enter").golden("look-ascii-partitions-80x24", false)
}

// The states of a group that have to do with flow.
func flows() map[string]world {
	full := sketch().groups[0]
	full.config.MaxBufferedMsgs, full.behind = int64(full.messages), 4210
	stalls := sketch().groups[0]
	stalls.consumers = map[string]model.Consumer{"m1": stalls.consumers["m1"], "m2": stuck(stalls.consumers["m2"], 41*time.Second)}
	static := sketch().groups[1]
	return map[string]world{
		"full":    {context: "prod-eu", groups: []fixture{full}},
		"stalled": {context: "prod-eu", groups: []fixture{stalls}},
		"uncounted": {context: "prod-eu", groups: []fixture{static}, later: []model.Observation{
			model.PartitionsCounted{Key: static.key, Counts: model.Counts{At: moment(), Error: "no direct gets (allow_direct)"}}}},
	}
}

func TestFlowFrames(t *testing.T) {
	for name, w := range flows() {
		for _, z := range sizes() {
			newStage(t, z.w, z.h).show(w.snapshot()).golden("overview-"+name+"-"+z.String(), false)
			newStage(t, z.w, z.h).show(w.snapshot()).press("enter", "tab").golden("group-"+name+"-"+z.String(), name == "stalled")
		}
	}
}

// The cursor is one and the same on the map and in the table, and follows the number
// when rows are ordered anew.
func TestCursorIsShared(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot()).press("down", "enter", "tab", "right", "right")
	s.press("enter").sees("2: m1, pinned, nothing waits")
	s.press("E", "g").sees("6: m2, pinned, 4,211 wait")
	w := sketch()
	w.groups[0].waits[0].Pending = 99_999
	s.show(w.snapshot()).sees("6: m2, pinned, 4,211 wait")
	s.press("esc").sees("6: m2, pinned, 4,211 wait")
	if s.m.group == nil || s.m.group.table != nil {
		t.Fatal("esc does not lead back to the group")
	}
	s.press("esc")
	if s.m.group != nil {
		t.Fatal("esc does not lead back to the overview")
	}
}

func (s *stage) partitions() string {
	return strings.Trim(fmt.Sprint(s.m.group.table.rows), "[]")
}

// Partitions are sorted by every column, with ties by number both ways.
func TestPartitionsSort(t *testing.T) {
	w := sketch()
	for p := range w.groups[0].waits {
		if p == 2 { // nothing waits there
			continue
		}
		w.groups[0].waits[p].Oldest = moment().Add(-time.Duration(p%5) * time.Second)
	}
	for key, want := range map[string]string{
		"E": "6 14 11 10 12 13 3 7 15 4 9 0 1 5 8 2",
		"A": "4 9 14 3 8 13 7 12 1 6 11 0 5 10 15 2",
		"M": "0 1 2 3 4 15 5 6 7 8 9 10 11 12 13 14",
		"S": "10 11 12 13 14 0 1 2 3 4 5 6 7 8 9 15",
	} {
		s := newStage(t, 160, 40).show(w.snapshot()).press("down", "enter", "enter", key)
		if got := s.partitions(); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	s := newStage(t, 160, 40).show(w.snapshot()).press("down", "enter", "enter", "i")
	if got, want := s.partitions(), "15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"; got != want {
		t.Errorf("i: %s", got)
	}
	if s.press("!"); s.m.group.chart.cursor != 6 {
		t.Errorf("the fullest is %d", s.m.group.chart.cursor)
	}
}

func TestPartitionsFilter(t *testing.T) {
	for typed, want := range map[string]string{
		"0-2,15":    "0 1 2 15",
		"m2":        "5 6 7 8 9",
		"is:absent": "10 11 12 13 14",
		"is:need":   "10 11 12 13 14",
		"-is:need":  "0 1 2 3 4 5 6 7 8 9 15",
		"m1 15":     "15",
		"member:3":  "10 11 12 13 14",
		"-0-13":     "14 15",
		"pinned 99": "",
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "enter", "/")
		if got := s.typed(typed).partitions(); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
		if s.sees("of 16 shown").press("enter", "esc"); len(s.m.group.table.rows) != 16 {
			t.Errorf("%q is not cleared", typed)
		}
		if s.press("esc"); s.m.group.table != nil {
			t.Error("esc does not lead back")
		}
	}
	// enter goes to the owner of a partition.
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "enter", "/").typed("6").press("enter", "enter")
	if s.m.group.table != nil || s.m.group.members.selected != "m2" {
		t.Errorf("not at the owner: %s", s.plain())
	}
}

// A group that shrinks, or vanishes, leaves the table whole.
func TestTableFollowsTheGroup(t *testing.T) {
	s := newStage(t, 80, 24).show(sketch().snapshot()).press("down", "enter", "enter", "G").sees("15: m1")
	w := sketch()
	w.groups[0].revision, w.groups[0].config.Partitions, w.groups[0].waits = 50, 4, nil
	s.show(w.snapshot()).sees("not counted yet")
	s.show(world{}.snapshot()).press("up", "down", "G", "tab", ">", "<", "w", "esc", "esc", "esc")
}

func TestWhere(t *testing.T) {
	f := &finder{subjects: devices(500)}
	s := newStage(t, 100, 30, withFinder(f)).show(sketch().snapshot()).press("down", "enter", "w")
	s.typed("telemetry.dev007.temp").sees("partition 1 ▸ A m1 pinned 12 m").sees("18 wait, oldest 41 s before it")
	s.press("ctrl+u").typed("nope.x").sees("no partition: no filter of the group takes it")
	s.press("ctrl+u").typed("dev").send(press("enter")) // the answer comes later
	s.sees("looking for subjects")
	s.send(foundMsg{key: elastic("TELEMETRY", "rollup"), part: "other", found: []string{"stale"}})
	s.sees("looking for subjects")
	found, more, _ := f.Subjects(t.Context(), model.Key{}, "dev", mostFound)
	s.send(foundMsg{key: elastic("TELEMETRY", "rollup"), part: "dev", found: found, more: more})
	s.sees("200 subjects with \"dev\", and more").sees("telemetry.dev003.temp").press("down", "down").sees("telemetry.dev005.temp")
	s.press("ctrl+u").typed("zzz").press("enter")
	s.sees("no stored subject contains zzz")
	s.send(foundMsg{key: elastic("TELEMETRY", "rollup"), part: "zzz", err: errors.New("not permitted: STREAM.INFO on TELEMETRY")})
	s.sees("not permitted: STREAM.INFO on TELEMETRY")
	s.show(world{}.snapshot()).sees("the group is gone")
}

// What is copied ends with a line end more often than not: the subject is what is in it.
func TestPastedSubjects(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "w")
	s.send(tea.PasteMsg{Content: " telemetry.dev007.temp\r\n"})
	s.sees("partition ")
	if d := s.m.window().(*whereWindow); d.subject.text() != "telemetry.dev007.temp" {
		t.Errorf("%q", d.subject.text())
	}
}

// The table of a group that was deleted meanwhile says so.
func TestPartitionsOfADeletedGroup(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "enter").sees("counted")
	s.show(world{}.snapshot()).sees("✗ deleted this group is gone")
	if strings.Contains(s.plain(), " ago") {
		t.Errorf("its counts are said to be new:\n%s", s.plain())
	}
}

// Where nothing waits a partition's rates are not known, and that is not said as a number;
// what the group's members take is.
func TestRatesOfPartitionsThatKeepUp(t *testing.T) {
	w := sketch()
	f := w.groups[0]
	f.waits = counted(0, make([]uint64, f.config.Partitions)...)
	s := newStage(t, 120, 40).show(world{groups: []fixture{f}}.snapshot()).press("enter", "enter").sees(" out a second")
	if got := s.plain(); strings.Contains(got, "≥0") {
		t.Error(got)
	}
	if c := s.m.snap.Groups[0].Partitions[0].Count; !c.AtLeast || c.RateSpan == 0 {
		t.Fatalf("the rates are not bounds: %+v", c)
	}
}
