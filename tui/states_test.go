package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"pcgtop/model"
)

// constants are all values that model declares of a type.
func constants(t *testing.T, of string) []string {
	t.Helper()
	files, err := filepath.Glob("../model/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok {
				if kind, ok := v.Type.(*ast.Ident); ok && kind.Name == of && len(v.Values) == 1 {
					if text, ok := v.Values[0].(*ast.BasicLit); ok {
						value, _ := strconv.Unquote(text.Value)
						all = append(all, value)
					}
				}
			}
			return true
		})
	}
	if len(all) < 3 {
		t.Fatalf("%s has the values %q: is it declared otherwise now?", of, all)
	}
	return all
}

// posed is the sketch's group with something set by hand.
func posed(change func(*model.Snapshot, *model.Group)) *model.Snapshot {
	s := *sketch().snapshot()
	s.Groups = slices.Clone(s.Groups)
	for i, g := range s.Groups {
		if g.Key == elastic("TELEMETRY", "rollup") {
			one := *g
			one.Members = slices.Clone(g.Members)
			first := *one.Members[0]
			one.Members[0] = &first
			s.Groups[i] = &one
			change(&s, &one)
		}
	}
	return &s
}

// Without colours, in ASCII and with 16 colours, at every size, whatever state a thing
// can be in shows: no two states draw the same screen.
func TestStatesAreToldApart(t *testing.T) {
	poses := map[string]func(*model.Snapshot, *model.Group, string){
		"Verdict":  func(_ *model.Snapshot, g *model.Group, v string) { g.Verdict = model.Verdict(v) },
		"State":    func(_ *model.Snapshot, g *model.Group, v string) { g.Members[0].State = model.State(v) },
		"HopState": func(_ *model.Snapshot, g *model.Group, v string) { g.Hop = &model.Hop{State: model.HopState(v)} },
		"Severity": func(_ *model.Snapshot, g *model.Group, v string) {
			g.Findings = []model.Finding{{Severity: model.Severity(v), Text: "something"}, {Severity: model.Severity(v), Text: "else"}}
		},
		"LinkState": func(s *model.Snapshot, _ *model.Group, v string) { s.Link.State = model.LinkState(v) },
		"Role": func(_ *model.Snapshot, g *model.Group, v string) {
			g.Members[0].Running = []model.Instance{{ID: "x", Role: model.Role(v)}}
		},
		"EventKind": func(s *model.Snapshot, g *model.Group, v string) {
			s.Events = []model.Event{{Seq: 1, Key: g.Key, Kind: model.EventKind(v), Text: "something"}}
		},
	}
	ways := map[string][]string{"Verdict": {}, "LinkState": {}, "EventKind": {"e"}, "Severity": {"down", "enter", "tab", "tab"}}
	looks := map[string]func(*Options){
		"no colours":       func(o *Options) { o.NoColor = true },
		"ASCII":            func(o *Options) { o.NoColor, o.ASCII = true, true },
		"terminal's own":   func(o *Options) { o.Look = Terminal },
		"before an answer": func(o *Options) { o.Look = Auto },
	}
	colour := regexp.MustCompile(`\x1b\[([0-9]+;)*(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`)
	for kind, pose := range poses {
		way, given := ways[kind]
		if !given {
			way = []string{"down", "enter"}
		}
		for look, change := range looks {
			for _, z := range []size{{40, 12}, {80, 24}, {120, 40}} {
				switch {
				case kind == "HopState":
					z = size{200, 60} // where it is narrower the line of facts is cut; the findings say it
				case kind == "EventKind" && z.w < 80:
					continue // the event's own words say it
				}
				seen := map[string]string{}
				for _, value := range constants(t, kind) {
					s := newStage(t, z.w, z.h, change)
					s.show(sketch().snapshot()).press(way...) // the same place in the list for all
					s.show(posed(func(snap *model.Snapshot, g *model.Group) { pose(snap, g, value) }))
					frame := s.plain()
					if other, same := seen[frame]; same {
						t.Errorf("%s, %v: %s %q and %q look the same:\n%s", look, z, kind, other, value, frame)
					}
					seen[frame] = value
					if drawn := s.m.View().Content; s.m.opts.NoColor && colour.MatchString(drawn) {
						t.Errorf("%s: a colour is drawn: %q", look, colour.FindString(drawn))
					}
					if s.m.opts.ASCII && strings.ContainsFunc(frame, func(r rune) bool { return r > '~' }) {
						t.Errorf("%s, %v: not ASCII:\n%s", look, z, frame)
					}
				}
			}
		}
	}
}

// Where a partition's bar says by its colour that messages wait for long, a sign says it
// too.
func TestLongWaitsHaveASign(t *testing.T) {
	th := newTheme(Auto, unknown, colorprofile.ASCII, true, true)
	snap := sketch().snapshot()
	for _, g := range snap.Groups {
		chart := partMap{}
		chart.take(g)
		for p := range g.Partitions {
			_, sign, _, _ := chart.owner(th, p)
			if chart.heat.long(p) && sign == " " {
				t.Errorf("%s: partition %d waits for long without a sign", g.Key, p)
			}
			if !chart.heat.long(p) && sign == "!" && g.Members[g.Partitions[p].Member].State == model.StatePinned && len(g.Findings) == 0 {
				t.Errorf("%s: partition %d has a sign for nothing", g.Key, p)
			}
		}
	}
}
