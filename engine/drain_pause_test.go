package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// The events say that the pauses of a handover are over when they are, not when they would
// have run out: the server tells that of consumers that are no more, too.
func TestPausesOfAHandoverEndWithIt(t *testing.T) {
	t.Parallel()
	s := openShop(t, libraries()[0], 4, time.Millisecond, "m1", "m2")
	nc, js := client(t, s.url)
	told := make(chan *nats.Msg, 100)
	must(nc.ChanSubscribe("$JS.EVENT.ADVISORY.CONSUMER.PAUSE.>", told))
	e := start(t, s.url)
	now := until(t, e, "everything runs", func(snap *model.Snapshot) bool {
		g := snap.Group(s.key)
		return live(snap) && g != nil && len(g.Members) == 2 && g.Members[0].Consumer != nil && g.Members[1].Consumer != nil
	})
	began := time.Now()
	if _, err := e.Handover(t.Context(), plan(t, now.Group(s.key), model.ActionAdd, "m3").WithDrain(2*time.Second), func(model.Handover) {}); err != nil {
		t.Fatal(err)
	}
	for over := 0; over < 2; { // of the two consumers that were paused, long after they were deleted
		select {
		case m := <-told:
			if strings.Contains(string(m.Data), `"paused":false`) {
				over++
			}
		case <-time.After(10 * time.Second):
			t.Fatal("the server does not tell of consumers that are no more any longer: what this test is about")
		}
	}
	late := time.Now()
	must(js.PauseConsumer(t.Context(), s.key.ConsumeStream(), "m1", time.Now().Add(time.Hour)))
	must(js.ResumeConsumer(t.Context(), s.key.ConsumeStream(), "m1"))
	var got []model.Event
	until(t, e, "a pause that was taken back", func(snap *model.Snapshot) bool {
		got = slices.DeleteFunc(slices.Clone(snap.Events), func(e model.Event) bool { return e.Kind != model.EventPause })
		slices.Reverse(got)
		return len(got) > 0 && got[len(got)-1].Text == "resumed" && got[len(got)-1].At.After(late)
	})
	if len(got) != 6 {
		t.Fatalf("%+v, want two pauses that ended with their consumers, and one that was taken back", got)
	}
	for _, e := range got[:4] {
		if paused := strings.HasPrefix(e.Text, "paused until "); !paused && e.Text != "pause ended with the consumer" || e.At.Sub(began) > 1500*time.Millisecond {
			t.Errorf("after %s: %+v", e.At.Sub(began), e)
		}
	}
}
