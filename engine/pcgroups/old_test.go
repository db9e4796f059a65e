package pcgroups

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

// olderServer answers as nats-server 2.10 does: what it does not know is left out.
type olderServer struct{ jetstream.Consumer }

func (olderServer) CachedInfo() *jetstream.ConsumerInfo {
	return &jetstream.ConsumerInfo{Name: "m1", Config: jetstream.ConsumerConfig{Name: "m1"}}
}

// On a server that does not pin a member ends and says so: it would never get a message.
func TestServerThatDoesNotPin(t *testing.T) {
	_, err := (&member{}).startStint(olderServer{}, nil)
	if !errors.Is(err, ErrServerTooOld) || transient(err) {
		t.Errorf("%v", err)
	}
}
