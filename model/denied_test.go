package model

import (
	"fmt"
	"testing"
	"time"
)

// What is not permitted is an event, the same once however often it is asked for anew, and of
// very many there are no more than leave room for other events.
func TestDeniedEvents(t *testing.T) {
	s := Reduce(nil, time.Now(), DeniedSeen{What: "a"}, DeniedSeen{What: "b"}, DeniedSeen{What: "a"})
	s = Reduce(s, time.Now(), DeniedSeen{Clear: true}, DeniedSeen{What: "a"})
	if len(s.Events) != 2 || s.Events[0].Text != "not permitted: a" || s.Events[1].Text != "not permitted: b" || s.Events[0].Kind != EventLink {
		t.Errorf("%+v", s.Events)
	}
	for i := range 2 * MaxEvents {
		s = Reduce(s, time.Now(), DeniedSeen{What: fmt.Sprint("of stream ", i)})
	}
	if len(s.Denied) != 2*MaxEvents+1 || len(s.Events) > MaxEvents/2 {
		t.Errorf("%d denied, %d events", len(s.Denied), len(s.Events))
	}
}
