package tui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"pcgtop/model"
)

type size struct{ w, h int }

func sizes() []size { return []size{{40, 12}, {80, 24}, {120, 40}, {200, 60}} }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

func TestOverviewFrames(t *testing.T) {
	for _, z := range sizes() {
		newStage(t, z.w, z.h).show(sketch().snapshot()).golden("overview-"+z.String(), true)
	}
}

func TestGroupFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "down", "down")
		s.golden("group-"+z.String(), true)
	}
}

func TestPlanFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "g", "down", "s")
		s.golden("plan-step-down-"+z.String(), true)
	}
}

func TestEditorFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func() *stage {
			return newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter")
		}
		open().press("a").typed("m4, m5").golden("add-"+z.String(), false)
		open().press("a").typed("m1").golden("add-refused-"+z.String(), false)
		open().press("down", "down", "x").golden("drop-"+z.String(), true)
		open().press("down", "down", "x", "enter").golden("plan-drop-"+z.String(), true)
		open().press("m").typed("BB").press("down", "space", "right", "space", "]").golden("remap-"+z.String(), true)
		open().press("m").typed("BB").press("n").typed("m9").golden("remap-name-"+z.String(), false)
		open().press("m").typed("BBAC").press("enter").golden("plan-remap-"+z.String(), false)
		open().press("?").golden("help-group-"+z.String(), true)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("?").golden("help-"+z.String(), false)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("/").typed("orders").golden("filter-"+z.String(), true)
	}
}

// Every state of the overview that is not the usual one.
func TestOverviewStateFrames(t *testing.T) {
	states := map[string]world{
		"one":      {context: "lab", groups: sketch().groups[:1]},
		"many":     many(),
		"names":    foreignNames(),
		"hostile":  hostile(),
		"lost":     lost(sketch()),
		"reread":   {context: "prod-eu", link: model.LinkRereading, groups: sketch().groups},
		"starting": {link: model.LinkStarting},
		"denied":   {context: "prod-eu", groups: sketch().groups, more: []model.Observation{model.DeniedSeen{What: "CONSUMER.LIST $JS.API.CONSUMER.LIST.ORDERS"}, model.DeniedSeen{What: "STREAM.INFO $JS.API.STREAM.INFO.PAYMENTS"}}},
		"sought":   {context: "prod-eu", groups: sketch().groups, more: []model.Observation{model.NotFoundSeen{Kind: "parti", Text: "--parti nosuch finds nothing: this account has no bucket nosuch-stableid, -election, -heartbeat, -assignment or -handoff; give what stands before -heartbeat in nats kv ls"}}},
		"moved": {context: "prod-eu", groups: sketch().groups, more: []model.Observation{
			model.ServerSeen{Server: model.Server{Context: "prod-eu", Name: "stage-1", Cluster: "STAGE", Version: "2.15.3", RTT: time.Millisecond}},
			model.BucketSeen{Kind: model.KindElastic, Problem: "no answer within 5s to STREAM.INFO.KV_elastic-consumer-groups"},
		}},
		"empty": {context: "lab", more: []model.Observation{model.BucketSeen{Kind: model.KindStatic}}},
	}
	for name, w := range states {
		for _, z := range sizes() {
			newStage(t, z.w, z.h).show(w.snapshot()).golden("overview-"+name+"-"+z.String(), name == "many" || name == "lost")
		}
	}
	newStage(t, 80, 24).golden("overview-before-80x24", false)
}

func lost(w world) world {
	w.link = model.LinkLost
	return w
}

func TestGroupStateFrames(t *testing.T) {
	states := map[string]world{
		"300-members":     {context: "prod-eu", groups: []fixture{crowd(600, 300)}},
		"1024-partitions": {context: "prod-eu", groups: []fixture{crowd(1024, 40)}},
		"crowded":         crowded(),
		"mapped":          mappedGroup(),
		"hostile":         hostile(),
		"names":           foreignNames(),
		"lost":            lost(sketch()),
		"static":          {context: "prod-eu", groups: sketch().groups[1:2]},
	}
	for name, w := range states {
		for _, z := range sizes() {
			s := newStage(t, z.w, z.h).show(w.snapshot()).press("enter", "G")
			s.golden("group-"+name+"-"+z.String(), name == "1024-partitions")
			if z.h < 24 {
				s.press("tab").golden("group-"+name+"-partitions-"+z.String(), false)
				s.press("tab").golden("group-"+name+"-findings-"+z.String(), false)
			}
		}
	}
}

func TestLookFrames(t *testing.T) {
	looks := map[string]func(*Options){
		"read-only": func(o *Options) { o.Admin = &admin{readOnly: true} },
		"no-color":  func(o *Options) { o.NoColor = true },
		"ascii":     func(o *Options) { o.ASCII, o.NoColor = true, true },
		"light":     func(o *Options) { o.Look = Light },
	}
	// The others differ in their colours alone: one size tells.
	for name, change := range map[string]func(*Options){
		"before-answer":  func(o *Options) { o.Look = Auto },
		"contrast-dark":  func(o *Options) { o.Look = ContrastDark },
		"contrast-light": func(o *Options) { o.Look = ContrastLight },
		"terminal":       func(o *Options) { o.Look = Terminal },
	} {
		s := newStage(t, 100, 30, change).show(sketch().snapshot()).colours("look-" + name + "-overview")
		s.press("down", "enter").colours("look-"+name+"-group").press("x", "enter", "tab").colours("look-" + name + "-plan")
	}
	for name, look := range looks {
		for _, z := range []size{{40, 12}, {80, 24}, {120, 40}} {
			s := newStage(t, z.w, z.h, look).show(many().snapshot())
			s.golden("look-"+name+"-overview-"+z.String(), name != "read-only")
			s.press("/").typed("rollup").press("enter", "enter").golden("look-"+name+"-group-"+z.String(), name != "read-only")
			s.press("m").typed("B").golden("look-"+name+"-remap-"+z.String(), false)
			s.press("esc", "?").golden("look-"+name+"-help-"+z.String(), false)
		}
	}
}

// With 16 colours only those are used, and without colours none: what they say is in
// signs and words too.
func TestColoursAreThoseTheTerminalHas(t *testing.T) {
	for profile, bad := range map[colorprofile.Profile]string{
		colorprofile.ANSI:  `[34]8;[25]`,
		colorprofile.ASCII: `(3[0-8]|4[0-8]|9[0-7]|10[0-7])[;m]`,
	} {
		forbidden := regexp.MustCompile(`\x1b\[([0-9]+;)*` + bad)
		for name, way := range screens() {
			s := newStage(t, 100, 30)
			s.send(tea.ColorProfileMsg{Profile: profile})
			s.show(many().snapshot()).press(way...)
			if m := forbidden.FindString(s.m.View().Content); m != "" {
				t.Errorf("%v, %s: %q", profile, name, m)
			}
		}
	}
	for _, z := range []size{{80, 24}, {120, 40}} {
		s := newStage(t, z.w, z.h)
		s.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
		s.show(sketch().snapshot()).press("down", "enter").golden("look-16-colors-group-"+z.String(), true)
	}
	ways := screens()
	for _, name := range []string{"overview", "partitions", "heat", "events", "drop plan", "remap", "delete", "create", "palette", "help, group", "undo", "where"} {
		s := newStage(t, 80, 24)
		s.send(tea.ColorProfileMsg{Profile: colorprofile.ANSI})
		s.show(sketch().snapshot()).press(ways[name]...).colours("look-16-colors-" + strings.NewReplacer(" ", "-", ",", "").Replace(name))
	}
}

func TestConflictFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func() *stage { return newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter") }

		s := open().press("down", "down", "x", "enter")
		later := sketch()
		later.groups[0].revision, later.groups[0].config.Members = 42, []string{"m1", "m2", "m3", "m4"}
		s.show(later.snapshot()).golden("conflict-"+z.String(), true)

		s = open().press("g", "down", "s")
		later = sketch()
		m2 := later.groups[0].consumers["m2"]
		m2.PinID = "Xk2PqLrT9fWmVb77e0"
		later.groups[0].consumers["m2"] = m2
		s.show(later.snapshot()).golden("conflict-pin-"+z.String(), false)

		s = open().press("x", "enter")
		s.admin.err = errors.New("the config is at revision 42 now, not 41: changed by somebody else")
		s.press("tab", "enter").golden("refused-"+z.String(), false)

		s = open().press("b")
		s.golden("message-"+z.String(), false)

		s = open().press("p")
		s.show(many().snapshot()).golden("held-"+z.String(), false)

		s = open()
		s.show(world{context: "prod-eu"}.snapshot()).golden("gone-"+z.String(), false)
	}
}
