package model

import (
	"testing"
	"time"
)

// The data are as old as what the server told last. That no answer comes is nothing it told.
func TestHeardBeforeTheLinkWasLost(t *testing.T) {
	s := pinnedGroup("X")
	at := s.Link.Heard.Add(10 * time.Second)
	s = Reduce(s, at, ServerSeen{})
	s = Reduce(s, at.Add(1200*time.Millisecond), ConsumersRead{Stream: "S-g", Error: "no answer for 1.2s to CONSUMER.LIST.S-g"})
	s = Reduce(s, at.Add(1700*time.Millisecond), LinkSeen{State: LinkLost, Why: "no answer to a ping within 1.2s", Heard: at.Add(300 * time.Millisecond)})
	s = Reduce(s, at.Add(3*time.Second), ConsumersRead{Stream: "S-g", Error: "no answer for 3s to CONSUMER.LIST.S-g"})
	if got := s.Link.Heard.Sub(at); got != 300*time.Millisecond {
		t.Errorf("heard %s after the last data", got)
	}
	s = Reduce(s, at.Add(4*time.Second), LinkSeen{State: LinkRereading}, ServerSeen{})
	if got := s.Link.Heard.Sub(at); got != 4*time.Second {
		t.Errorf("heard %s after the last data, once it is back", got)
	}
}
