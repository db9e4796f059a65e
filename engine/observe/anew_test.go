package observe

import (
	"strings"
	"testing"
	"time"

	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Members that make their consumers anew, and pull with new reply subjects, are the same
// processes: none comes and none goes, and nobody is taken for pinned who is not.
func TestAChangeOfMembersIsNoChangeOfInstances(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-one", "m-two")
	for _, suffix := range []string{"-a", "-b"} {
		p.ours(s.ClientURL(), "m-one", "m-one"+suffix)
		p.ours(s.ClientURL(), "m-two", "m-two"+suffix)
	}
	p.publish(5 * time.Millisecond)
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	listed := func(s *model.Snapshot) bool { return onePinned(s, p.key, "m-one", "m-two") }
	r.until(t, "all four", listed)
	ids := func() (list []string) {
		for _, m := range r.now().Group(p.key).Members {
			for _, i := range m.Running {
				list = append(list, i.Name()+" "+i.ID)
			}
		}
		return list
	}
	before := strings.Join(ids(), "\n")
	for _, name := range []string{"x", "y", "z"} {
		must(orbit.AddMembers(t.Context(), p.js, "S", "g", []string{name}))
		revision := r.now().Group(p.key).Revision
		r.until(t, "the change", func(s *model.Snapshot) bool { return s.Group(p.key).Revision >= revision })
		r.until(t, "new pins, by the pulls' own word", func(s *model.Snapshot) bool {
			h := s.Group(p.key).Member("m-two").Holder()
			return listed(s) && h != nil && !h.Deduced && s.Group(p.key).Member(name) != nil
		})
	}
	time.Sleep(2500 * time.Millisecond) // who is silent for 2 x expires would be gone by now
	r.until(t, "all four again", listed)
	anew := false
	for _, e := range r.now().Events {
		if e.Kind == model.EventInstance {
			t.Errorf("%s %s", e.Member, e.Text)
		}
		anew = anew || strings.Contains(e.Text, "made anew")
	}
	if !anew {
		t.Errorf("no consumer was made anew: %+v", r.now().Events)
	}
	for _, line := range ids() {
		if !strings.Contains(before, line) {
			t.Errorf("%s was not there before:\n%s", line, before)
		}
	}
}
