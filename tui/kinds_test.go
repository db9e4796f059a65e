package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"pcgtop/model"
)

// asTold is a kind that says what it is told to.
type asTold struct{ model.Told }

func (a asTold) Tell(*model.Stream, time.Time) model.Told { return a.Told }

// fleet is a group of a kind that the screens know nothing of, beside the usual ones.
func fleet() world {
	at := moment()
	w := sketch()
	var consumers []*model.Consumer
	told := model.Told{
		Revision: 41, Written: at.Add(-4 * time.Minute), News: "version 41", Raw: `{"version":41}`,
		Facts:   []string{"version 41", "leader worker-2", "scaling (inferred)", "v2"},
		Actions: []model.Action{model.ActionEditSource, model.ActionRemoveID},
		Members: []model.ToldMember{
			{Name: "worker-0", Live: true, State: "live", Facts: []string{"heartbeat: 1.2 s ago", "applied: 41"}},
			{Name: "worker-1", State: "expired", Why: "no heartbeat for 16 s", Facts: []string{"applied: 40"}},
			{Name: "worker-2", Live: true, State: "lagging", Why: "applied version 40 of 41", Facts: []string{"leader"}},
		},
		Findings: []model.ToldFinding{
			{Finding: model.Finding{ID: "expired", Severity: model.Warning, Member: "worker-1", Text: "worker-1 has sent no heartbeat for 16 s and owns 2 partitions", Hint: "see whether it runs"}, Verdict: model.VerdictDegraded},
		},
	}
	for n, name := range []string{"eu.orders", "eu.returns", "us.orders", "us.returns", "ap.orders", "ap.returns"} {
		p := model.ToldPartition{Name: name, Owner: []string{"worker-0", "worker-1", "worker-2"}[n%3], Weight: int64(100 * (n + 1)), Consumer: "wk_" + name}
		if n == 4 {
			p.Note, p.Label = "moves to worker-2 (commit)", "gpu"
		}
		if n == 5 {
			p.Owner, p.Note = "", "parked"
		}
		told.Partitions = append(told.Partitions, p)
		consumers = append(consumers, &model.Consumer{Name: p.Consumer, TS: at, Created: at.Add(-time.Hour), Pending: uint64(7 * n), AckPending: 1, Waiting: 1, In: 10, Out: 9, RateSpan: time.Second})
	}
	key := model.Key{Kind: "parti", Stream: "fleet", Group: "worker"}
	w.more = append(w.more, model.GroupTold{Key: key, Stream: "WORK", Teller: asTold{told}},
		model.StreamRead{Name: "WORK", Facts: model.StreamFacts{Exists: true, Messages: 300}}, model.ConsumersRead{Stream: "WORK", TS: at, Consumers: consumers})
	return w
}

// crates is a group of a kind that offers nothing, beside those of the others.
func crates() world {
	at := moment()
	w := fleet()
	told := model.Told{
		Facts: []string{"shipments.* by wildcard 1", "subjects ship.0-5", "known by its shape"},
		Members: []model.ToldMember{
			{Name: "packer-1", Live: true, State: "pulling", Consumer: "packer-1"},
			{Name: "packer-2", Live: true, State: "pulling", Consumer: "packer-2"},
		},
		Findings: []model.ToldFinding{{Finding: model.Finding{ID: "unowned", Severity: model.Warning, Text: "1 partition in no filter: 5", Hint: "let a member join"}, Verdict: model.VerdictDegraded}},
	}
	var consumers []*model.Consumer
	for i, m := range told.Members {
		consumers = append(consumers, &model.Consumer{Name: m.Name, TS: at, Created: at.Add(-time.Hour), Pending: uint64(4 * i), AckPending: 1, Waiting: 1, In: 48, Out: 45, RateSpan: time.Second})
	}
	for n, owner := range []string{"packer-1", "packer-1", "packer-1", "packer-2", "packer-2", ""} {
		told.Partitions = append(told.Partitions, model.ToldPartition{Owner: owner, Filter: fmt.Sprintf("ship.%d.>", n)})
	}
	key := model.Key{Kind: "consumergroup", Stream: "SHIPMENTS", Group: "ship"}
	w.more = append(w.more, model.GroupTold{Key: key, Stream: "SHIPMENTS", Teller: asTold{told}},
		model.StreamRead{Name: "SHIPMENTS", Facts: model.StreamFacts{Known: true, Exists: true, Messages: 9}}, model.ConsumersRead{Stream: "SHIPMENTS", TS: at, Consumers: consumers})
	return w
}

// Groups of several other kinds stand side by side, and each says what can be done to it.
func TestTwoOtherKinds(t *testing.T) {
	for _, z := range sizes() {
		open := newStage(t, z.w, z.h).show(crates().snapshot())
		open.golden("overview-two-kinds-"+z.String(), false)
		open.press("/").typed("kind:consumergroup").press("enter", "enter").golden("group-crates-"+z.String(), false)
		for _, key := range []string{"E", "D", "s", "X"} {
			if open.press(key); open.m.window() != nil {
				t.Errorf("%s opens a window", key)
			}
		}
	}
}

// A group of any kind has its row, its members, its map and its findings.
func TestGroupsOfOtherKinds(t *testing.T) {
	for _, z := range sizes() {
		open := func() *stage {
			return newStage(t, z.w, z.h).show(fleet().snapshot()).press("/").typed("kind:parti").press("enter", "enter")
		}
		newStage(t, z.w, z.h).show(fleet().snapshot()).golden("overview-kinds-"+z.String(), false)
		open().golden("group-told-"+z.String(), z.w == 120)
		if z.w >= 80 {
			open().press("tab", "enter").golden("partitions-told-"+z.String(), false)
		}
	}
}

// A partition without a consumer of its own is not counted, wherever it stands in the list.
func TestSomePartitionsAreNotCounted(t *testing.T) {
	w := fleet()
	told := w.more[0].(model.GroupTold)
	kind := told.Teller.(asTold)
	kind.Partitions[2].Consumer = ""
	told.Teller = kind
	w.more[0] = told
	s := newStage(t, 120, 40).show(w.snapshot()).press("/").typed("kind:parti").press("enter", "enter", "enter")
	s.sees("wait in 5 partitions of 6")
	s.press("tab", "esc", "enter", "<", "<", ">")
	for n := range kind.Partitions {
		kind.Partitions[n].Consumer = ""
	}
	told.Teller = kind
	w.more[0] = told
	newStage(t, 80, 24).show(w.snapshot()).press("/").typed("kind:parti").press("enter", "enter", "enter").sees("no partition has a consumer of its own: what waits is told of members")
}

// Whose a partition is that cannot be told is not said to be nobody's, anywhere, nor counted
// among those that nobody takes.
func TestUnknownOwners(t *testing.T) {
	w := fleet()
	told := w.more[0].(model.GroupTold)
	kind := told.Teller.(asTold)
	kind.Partitions = slices.Clone(kind.Partitions)
	for n := range kind.Partitions {
		kind.Partitions[n].Owner, kind.Partitions[n].Note = "", "the commit is unreadable"
	}
	kind.Unsure = true
	told.Teller = kind
	w.more[0] = told
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(w.snapshot()).press("/").typed("kind:parti").press("enter", "enter")
		s.golden("group-owners-unknown-"+z.String(), false)
		text := s.plain()
		s.press("tab", "enter").golden("partitions-owners-unknown-"+z.String(), false)
		if text += s.plain(); strings.Contains(text, "nobody") || strings.Contains(text, "unowned") || strings.Contains(text, "not consumed") || strings.Contains(text, "owns nothing") || strings.Contains(text, " none  ") {
			t.Errorf("%s:\n%s", z, text)
		}
	}
	s := newStage(t, 120, 40).show(w.snapshot()).press("/").typed("kind:parti").press("enter", "enter", "enter", "enter")
	s.sees("whose that partition is is not known")
	s.press("/").typed("is:need").press("enter").sees("no partition matches")
}

// What waits for a member that lives flows, whatever its kind calls its state.
func TestBarsOfOtherKinds(t *testing.T) {
	g := fleet().snapshot().Group(model.Key{Kind: "parti", Stream: "fleet", Group: "worker"})
	th, h := newStage(t, 120, 40).m.theme, newHeat(g)
	for n, want := range []style{th.ok, th.bad, th.ok} { // worker-1 is expired
		if want.bold = false; h.look(th, n) != want {
			t.Errorf("the bar of %s (%s): %+v", g.Partitions[n].Owner, g.StateOf(g.Partitions[n]), h.look(th, n))
		}
	}
}

// What cannot be done to a group is said, whatever its kind, and no key goes around that.
func TestActionsAreTheGroupsOwn(t *testing.T) {
	for _, key := range []string{"s", "a", "x", "m", "b", "X"} {
		s := newStage(t, 120, 40).show(fleet().snapshot()).press("/").typed("kind:parti").press("enter", "enter", key)
		if s.m.window() != nil || !strings.Contains(s.plain(), "not with parti groups") {
			t.Errorf("%s:\n%s", key, s.plain())
		}
	}
}

// No screen asks what kind a group is of: it asks the group what it can do, and what there
// is to say about it.
func TestScreensKnowNoKinds(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`model\.Kind(Static|Elastic)|\.Kind [!=]= `)
	for _, f := range append(files, "report/report.go", "report/group.go") {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			if asks.MatchString(line) {
				t.Errorf("%s:%d asks for a kind: %s", f, n+1, strings.TrimSpace(line))
			}
		}
	}
}

// What a kind tells of a member goes on in a second line where the first is full, and the
// order stays.
func TestFactsGoOnInASecondLine(t *testing.T) {
	th := newStage(t, 80, 24).m.theme
	facts := []string{"live", "heartbeat: 1.2 s ago", "applied: 40 of 41", "labels: gpu, eu-west-1, spot", "2 consumers"}
	for w := 20; w < 120; w++ {
		for most := 1; most < 4; most++ {
			lines := flowing(th, th.row().gap(3), facts, w, most)
			var said []string
			for _, l := range lines {
				if l.width > w {
					t.Fatalf("%d cells of %d: %q", l.width, w, ansi.Strip(l.String()))
				}
				said = append(said, strings.TrimSpace(ansi.Strip(l.String())))
			}
			whole := strings.Join(said, " · ")
			if len(lines) > most || w >= 60 && most > 1 && whole != strings.Join(facts, " · ") {
				t.Errorf("%d wide, %d lines: %q", w, most, said)
			}
		}
	}
}

// Where groups of several kinds are on the list, every row tells its kind at every width, in
// full where there is room; a list of one kind needs no column for that.
func TestKindIsToldAtEveryWidth(t *testing.T) {
	for w := 40; w <= 200; w += 4 {
		s := newStage(t, w, 24).show(crates().snapshot())
		for _, g := range s.m.overview.rows {
			kind, name := string(g.Key.Kind), g.Key.String()
			word := kind[:4]
			if w >= 160 {
				word = kind
			}
			if _, row, _ := strings.Cut(s.plain(), name[len(name)-6:]+" "); !strings.HasPrefix(strings.TrimSpace(row), word) {
				t.Errorf("%d wide, %s:\n%s", w, g.Key, s.plain())
			}
		}
		s.press("/").typed("kind:elas").press("enter")
		if narrow := !strings.Contains(s.plain(), "KIND"); w < 100 && !narrow {
			t.Errorf("%d wide, all of one kind:\n%s", w, s.plain())
		}
	}
}

// Keys are what people know a partition by: the map and the members show them, and at 80
// columns the table has what is noted of a partition, and its weight.
func TestKeysAndNotesAt80(t *testing.T) {
	s := newStage(t, 80, 24).show(fleet().snapshot()).press("/").typed("kind:parti").press("enter", "enter")
	s.sees("eu.orders A").sees("ap.returns ·✗").sees("us.orders 14").sees("owns 2 partitions: eu.returns, ap.orders")
	s.press("tab", "enter").sees("WEIGHT").sees("moves to").sees("parked 600")
	s.press("G", "up").sees("4 ap.orders: worker-1, expired, moves to worker-2 (commit), ")
}
