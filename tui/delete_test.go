package tui

import (
	"fmt"
	"testing"

	"pcgtop/model"
)

// storm is 20 groups, of which others than one change their rows: some come, lags and
// verdicts change, members are stored in another order.
func storm(round int, still model.Key) world {
	w := world{}
	for i := range 20 {
		f := fixture{key: elastic("S", fmt.Sprintf("g%02d", i)), revision: 10, config: model.Config{Partitions: 2, Members: []string{"m2", "m1"}}, messages: 5}
		if (i+round)%3 == 0 && f.key != still {
			f.consumers = map[string]model.Consumer{"m1": pinned("PIN", 0, 0, uint64(round*i), 0, 1, 1), "m2": pinned("PIN", 0, 0, 1, 0, 1, 1)}
		}
		if round%2 == 1 && f.key != still {
			f.config.Members = []string{"m1", "m2"}
		}
		w.groups = append(w.groups, f)
	}
	for i := range round % 5 {
		w.groups = append(w.groups, fixture{key: elastic("A", fmt.Sprintf("new%d", i)), revision: 1, config: model.Config{Partitions: 1}})
	}
	return w
}

// TUI-05: whatever rows do between moving to a group and deleting it, that group is
// deleted and no other.
func TestDeleteHitsWhatWasSelected(t *testing.T) {
	s := newStage(t, 100, 30).show(storm(0, model.Key{}).snapshot()).press("down", "down")
	s.admin.revision = 10
	k, round := s.m.overview.selected, 0
	next := func() { round++; s.show(storm(round, k).snapshot()) }
	for range 7 {
		next()
	}
	s.press("enter")
	next()
	s.act("X")
	for _, r := range k.Group {
		next()
		s.typed(string(r))
	}
	next()
	s.act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Key != k || p[0].Revision != 10 {
		t.Fatalf("%+v, want %s", p, k)
	}
}

// A group that vanishes under the window, or is made anew under its name, is not deleted.
func TestDeleteIsRefusedWhenTheGroupVanishedOrWasMadeAnew(t *testing.T) {
	for why, change := range map[string]func(*world){
		"the group is gone":                func(w *world) { w.groups = w.groups[1:] },
		"changed meanwhile: revision 41 ▸": func(w *world) { w.groups[0].revision = 90 },
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter").act("X").typed("rollup")
		w := sketch()
		change(&w)
		s.show(w.snapshot()).sees(why).act("enter")
		s.show(sketch().snapshot()).act("enter").sees(why) // also when it is back
		if len(s.admin.plans) != 0 {
			t.Errorf("%s: deleted", why)
		}
	}
}

// A group whose config cannot be read is the one that has to be deleted: it is deleted by
// the revision of what is stored. What cannot be done says so when it is asked for.
func TestDeleteWhatCannotBeRead(t *testing.T) {
	s := newStage(t, 100, 30).show(many().snapshot()).press("/").typed("legacy").press("enter", "enter").sees("revision 3")
	s.admin.revision = 3
	s.act("X").typed("legacy").act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Key != elastic("BILLING", "legacy") || p[0].Revision != 3 {
		t.Fatalf("%+v\n%s", p, s.plain())
	}
	s = newStage(t, 100, 30).show(many().snapshot()).press("/").typed("legacy").press("enter", "enter")
	s.admin.revision = 90
	s.act("X").typed("legacy").sees("revision 3 ▸ 90").act("enter").sees("nothing was deleted: changed meanwhile")
}
