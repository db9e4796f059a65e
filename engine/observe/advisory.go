package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// advisories is where the server publishes them, in every account of its own, while
// somebody listens (nats-server, jetstream_api.go, JSAdvisoryPrefix).
const advisories = "$JS.EVENT.ADVISORY"

// heardAdvisories are the kinds that are listened to, and no more than those.
func heardAdvisories() []string {
	return []string{
		"CONSUMER.PINNED", "CONSUMER.UNPINNED", "CONSUMER.CREATED", "CONSUMER.DELETED", "CONSUMER.PAUSE",
		"CONSUMER.LEADER_ELECTED", "CONSUMER.QUORUM_LOST", "CONSUMER.MAX_DELIVERIES",
		"STREAM.CREATED", "STREAM.DELETED", "STREAM.UPDATED", "STREAM.LEADER_ELECTED", "STREAM.QUORUM_LOST",
	}
}

// advisory is the union of the bodies heard (nats-server, jetstream_events.go).
type advisory struct {
	Timestamp time.Time `json:"timestamp"`
	Stream    string    `json:"stream"`
	Consumer  string    `json:"consumer"`
	Domain    string    `json:"domain"`
	Group     string    `json:"group"`
	PinID     string    `json:"pinned_id"`
	Reason    string    `json:"reason"`

	Paused     bool      `json:"paused"`
	PauseUntil time.Time `json:"pause_until"`
	Leader     string    `json:"leader"`     // the server's name
	Seq        uint64    `json:"stream_seq"` // of the message that was delivered too often
	Deliveries uint64    `json:"deliveries"`
}

// domainFilter keeps out advisories of another JetStream domain, which reach the
// account over a leaf node.
type domainFilter struct {
	mu    sync.Mutex
	want  string
	known bool
}

func (d *domainFilter) learn(domain string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.want, d.known = domain, true
}

func (d *domainFilter) lets(domain string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return !d.known || domain == d.want
}

// maxAdvisories may wait; what comes on top is dropped, and shows when the streams are
// read.
const maxAdvisories = 8192

// hear subscribes to the advisories; the returned function ends that.
func (l *link) hear(ctx context.Context, crew *crew) (stop func(), err error) {
	messages := make(chan *nats.Msg, maxAdvisories)
	var subs []*nats.Subscription
	stop = func() {
		for _, s := range subs {
			_ = s.Unsubscribe() // fails only when the connection is gone, and the subscription with it
		}
	}
	for _, kind := range heardAdvisories() {
		// One channel keeps the order in which the server told: who lost a pin before who got it.
		sub, err := l.nc.ChanSubscribe(advisories+"."+kind+".>", messages)
		if err != nil {
			return stop, fmt.Errorf("subscribe to advisories: %w", err)
		}
		subs = append(subs, sub)
	}
	crew.run(func() error {
		for {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case m := <-messages:
				l.advise(m.Subject, m.Data)
			}
		}
	})
	crew.run(func() error {
		if l.opts.Domain != "" {
			return nil
		}
		if domain, err := l.api.domain(ctx); err == nil {
			l.domain.learn(domain)
		}
		return nil
	})
	return stop, nil
}

// advise acts on one advisory: what it says is told at once, and the stream is read
// again soon where it does not say everything.
func (l *link) advise(subject string, body []byte) {
	var a advisory
	if err := json.Unmarshal(body, &a); err != nil {
		l.opts.Log.Warn("unreadable advisory", "subject", subject, "error", err)
		return
	}
	if !l.domain.lets(a.Domain) {
		return
	}
	l.clock.set(a.Timestamp)
	tokens := strings.SplitN(strings.TrimPrefix(subject, advisories+"."), ".", 3)
	switch kind := strings.Join(tokens[:min(2, len(tokens))], "."); kind {
	case "CONSUMER.PINNED", "CONSUMER.UNPINNED":
		if l.plan.cares(a.Stream) {
			l.attention.pinMoved(a.Stream, a.Consumer, a.PinID)
			l.emit(model.PinSeen{Stream: a.Stream, Consumer: a.Consumer, PriorityGroup: a.Group, PinID: a.PinID, Reason: a.Reason, At: a.Timestamp, Heard: time.Now().UTC()})
		}
	case "CONSUMER.CREATED":
		if l.plan.news(a.Stream, false) {
			l.emit(model.ConsumerCreated{Stream: a.Stream, Consumer: a.Consumer, At: a.Timestamp})
		}
	case "CONSUMER.DELETED":
		if l.plan.news(a.Stream, false) {
			l.emit(model.ConsumerDeleted{Stream: a.Stream, Consumer: a.Consumer, At: a.Timestamp})
		}
	case "CONSUMER.PAUSE":
		if l.plan.news(a.Stream, false) {
			l.emit(model.PauseSeen{Stream: a.Stream, Consumer: a.Consumer, Paused: a.Paused, Until: a.PauseUntil, At: a.Timestamp})
		}
	case "CONSUMER.LEADER_ELECTED", "CONSUMER.QUORUM_LOST", "CONSUMER.MAX_DELIVERIES":
		if l.plan.cares(a.Stream) {
			kind, text := a.consumerEvent(kind)
			l.emit(model.ConsumerHappened{Stream: a.Stream, Consumer: a.Consumer, Kind: kind, Text: text, At: a.Timestamp})
		}
	default:
		what, text := a.streamEvent(kind)
		if l.plan.wants(a.Stream) {
			l.emit(model.StreamHappened{Stream: a.Stream, Kind: what, Text: text, At: a.Timestamp})
		}
		switch what {
		case model.EventQuorum:
			l.tellLeaderless(a.Stream, nil)
		case model.EventLeader:
			l.plan.hope(a.Stream)
		}
		l.streamNews(a.Stream)
	}
}

// consumerEvent says in words what an advisory about a consumer tells.
func (a *advisory) consumerEvent(kind string) (model.EventKind, string) {
	switch kind {
	case "CONSUMER.LEADER_ELECTED":
		return model.EventLeader, "consumer's leader is " + a.Leader
	case "CONSUMER.QUORUM_LOST":
		return model.EventQuorum, "consumer lost its quorum: nothing is delivered until servers are back"
	}
	return model.EventDeliver, fmt.Sprintf("message %d was delivered %d times, as often as allowed: it is not delivered again", a.Seq, a.Deliveries)
}

// streamEvent says in words what an advisory about a stream tells.
func (a *advisory) streamEvent(kind string) (model.EventKind, string) {
	switch kind {
	case "STREAM.CREATED":
		return model.EventStream, "created"
	case "STREAM.DELETED":
		return model.EventStream, "deleted"
	case "STREAM.UPDATED":
		return model.EventStream, "changed its settings"
	case "STREAM.LEADER_ELECTED":
		return model.EventLeader, "has its leader on " + a.Leader
	}
	return model.EventQuorum, "lost its quorum: nothing is stored until servers are back"
}

// streamNews acts on a stream made, changed or deleted: a bucket's own is checked, one
// that members consume from is read again, and an origin comes with the next list.
func (l *link) streamNews(stream string) {
	if l.buckets.nudge(stream) {
		return
	}
	if l.plan.news(stream, true) {
		return
	}
	if l.plan.wants(stream) {
		nudge(l.streams)
	}
}
