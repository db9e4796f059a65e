package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A pinned instance that is alone keeps several pulls out while messages flow. It is not
// counted as two, and that it is alone is known once it was listened to.
func TestAPinnedInstancesPullsAreNoStandbys(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	_, own := client(t, s.ClientURL())
	instance(t, own, "m1")
	stop := make(chan struct{})
	flowing := make(chan struct{})
	go func() {
		defer close(flowing)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for range 50 {
				_ = js.Conn().Publish("orders.c1", nil)
			}
			time.Sleep(2 * time.Millisecond)
		}
	}()
	defer func() { close(stop); <-flowing }()
	e := start(t, s.ClientURL())
	e.Focus(nil, []model.Key{k})
	g := until(t, e, "more than one pull of the one instance", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Member("m1") != nil && g.Member("m1").Consumer != nil && g.Member("m1").Consumer.PinID != "" && g.Member("m1").Consumer.Waiting > 1
	}).Group(k)
	if n := g.Instances(); n.Pinned != 1 || !n.AtMost || !strings.HasPrefix(n.String(), "1 +≤") {
		t.Errorf("%s, of %d pulls", n, g.Member("m1").Consumer.Waiting)
	}
	for end := time.Now().Add(30 * time.Second); ; { // nothing is said of a consumer that was just made
		groups, err := e.Survey(t.Context(), []model.Key{k}, 0, false, true)
		if err != nil {
			t.Fatal(err)
		}
		g = groups[0]
		if n := g.Instances(); n.String() != "1 +0" || len(g.Unheard()) > 0 {
			t.Fatalf("heard: %s, not heard %q", n, g.Unheard())
		}
		if slices.ContainsFunc(g.Findings, func(f model.Finding) bool { return f.ID == "no-standby" }) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("nobody says that it is alone: %+v", g.Findings)
		}
	}
}
