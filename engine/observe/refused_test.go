package observe

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// refusedTo is what nats.go reports when the server refuses something.
func refusedTo(what string) error {
	return fmt.Errorf("%w: Permissions Violation for %s", nats.ErrPermissionViolation, what)
}

// hearing is a server with a user who may everything, but receives answers only if told so.
type hearing struct {
	s *server.Server
	o *server.Options
}

func newHearing(t *testing.T) *hearing {
	h := &hearing{}
	h.s = natstest.Start(t, func(o *server.Options) { h.o = o; h.users(o, true) })
	h.o.Port = h.s.Addr().(*net.TCPAddr).Port
	return h
}

func (h *hearing) users(o *server.Options, hears bool) {
	p := &server.Permissions{Subscribe: &server.SubjectPermission{Allow: []string{">"}}}
	if !hears {
		p.Subscribe.Deny = []string{"_INBOX.>"}
	}
	o.Users = []*server.User{{Username: "limited", Password: "pw", Permissions: p}}
}

// lets changes the permission while the server runs, which keeps its connections.
func (h *hearing) lets(t *testing.T, hears bool) {
	t.Helper()
	o := h.o.Clone()
	h.users(o, hears)
	if err := h.s.ReloadOptions(o); err != nil {
		t.Fatal(err)
	}
}

// One refusal that comes again and again, as of counts of many partitions, hides no other.
func TestRefusedInAFlood(t *testing.T) {
	s := limited(t, "$JS.API.INFO")
	o, r := New(connect(t, s.ClientURL(), asUser("limited")), quick()), newRecorder()
	for range 1000 {
		o.Refused(refusedTo(`Publish to "$JS.API.DIRECT.GET.ORDERS-cg"`))
	}
	o.Refused(refusedTo(`Subscription to "$JS.API.CONSUMER.MSG.NEXT.ORDERS-cg.*"`))
	runWith(t, o, r.emit)
	r.within(t, time.Second, "both are named", func(s *model.Snapshot) bool {
		return deniedWith(s, "DIRECT.GET on ORDERS-cg") && deniedWith(s, "pulls of ORDERS-cg")
	})
}

// Where nobody can say of which connection it is, what was refused to the one that stands is
// named, and what was refused to the one before is not.
func TestRefusedAsItConnects(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL(), nats.CustomInboxPrefix("mine.all"))
	o, r := New(nc, quick()), newRecorder()
	o.async.put(refusedTo(`Subscription to "mine.all.x.*"`)) // told once in a connection
	if err := o.reportAll(r.emit); err != nil {              // a ping was late
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx, r.emit) }()
	r.within(t, time.Second, "it is named", func(s *model.Snapshot) bool {
		return deniedWith(s, "receiving answers: allow subscribe to mine.all.>")
	})
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	o.async.put(refusedTo(`Publish to "$JS.API.STREAM.LIST"`))
	port := s.Addr().(*net.TCPAddr).Port
	natstest.Stop(s)
	for deadline := time.Now().Add(5 * time.Second); nc.IsConnected(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the connection stands")
		}
	}
	if err := o.reportAll(r.emit); err != nil {
		t.Fatal(err)
	}
	natstest.Start(t, func(o *server.Options) { o.Port = port })
	runWith(t, o, r.emit)
	now, _ := r.until(t, "live again", func(s *model.Snapshot) bool { return live(s) && len(s.Denied) == 0 })
	if deniedWith(now, "STREAM.LIST") {
		t.Errorf("%q", now.Denied)
	}
}

// That what waits at the origin may not be counted does not end the count of the partitions.
func TestOriginNotCounted(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "pw"},
			{Username: "limited", Password: "pw", Permissions: &server.Permissions{
				Publish: &server.SubjectPermission{Allow: []string{">"}, Deny: []string{"$JS.API.DIRECT.GET.O"}},
			}},
		}
	})
	url := strings.Replace(s.ClientURL(), "://", "://admin:pw@", 1)
	st := newStage(t, url, -1, "m1", "m2")
	st.publish(16)
	o, r := New(connect(t, s.ClientURL(), asUser("limited")), Options{Refresh: 50 * time.Millisecond, MaxRequests: 1000}), newRecorder()
	o.opts.Snapshot = r.now
	o.Focus(&st.k, []model.Key{st.k})
	runWith(t, o, r.emit)
	now, _ := r.until(t, "the partitions are counted", func(s *model.Snapshot) bool {
		g := s.Group(st.k)
		return g != nil && counts(g) == 16
	})
	if c := now.Group(st.k).Counts; c.Error != "" || c.Hop != nil {
		t.Errorf("%+v", c)
	}
	r.within(t, time.Second, "it is named", func(s *model.Snapshot) bool {
		return deniedWith(s, "DIRECT.GET on O: allow publish to $JS.API.DIRECT.GET.O")
	})
}

// The permission to receive answers is taken away while it runs: that is named, and again when
// all is asked anew; once it is given back, asking anew is enough.
func TestAnswersRefusedForAWhile(t *testing.T) {
	h := newHearing(t)
	o, r := observe(t, connect(t, h.s.ClientURL(), asUser("limited")), quick())
	r.until(t, "live", live)
	named := func(s *model.Snapshot) bool {
		return deniedWith(s, "receiving answers: allow subscribe to _INBOX.>")
	}
	h.lets(t, false)
	r.within(t, time.Second, "it is named", named)
	before := len(r.observations())
	o.ReadNow()
	r.until(t, "all is asked anew", func(*model.Snapshot) bool {
		return slices.ContainsFunc(r.observations()[before:], func(seen model.Observation) bool {
			d, is := seen.(model.DeniedSeen)
			return is && d.Clear
		})
	})
	r.within(t, time.Second, "it is named again", named)
	h.lets(t, true)
	o.ReadNow()
	r.until(t, "live, and nothing is named", func(s *model.Snapshot) bool { return live(s) && len(s.Denied) == 0 })
	must(bucketOf(t, jetStream(t, connect(t, h.s.ClientURL(), asUser("limited"))), model.KindStatic).PutString(t.Context(), "S.g", goodConfig))
	r.until(t, "a new group", func(s *model.Snapshot) bool { return s.Group(static("S", "g")) != nil })
}
