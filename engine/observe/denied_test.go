package observe

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

func asUser(name string) nats.Option { return nats.UserInfo(name, "pw") }

// limited is a server with an admin and somebody who may publish only to these.
func limited(t *testing.T, publish ...string) *server.Server {
	return natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "pw"},
			{Username: "limited", Password: "pw", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: publish},
				Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
			}},
		}
	})
}

func deniedWith(s *model.Snapshot, text string) bool {
	return slices.ContainsFunc(s.Denied, func(d string) bool { return strings.Contains(d, text) })
}

// Case: a user who may read infos and single messages, but neither watch nor list.
func TestDeniedIsNamedAndNeverEmpty(t *testing.T) {
	s := limited(t, "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.NAMES", "$JS.API.DIRECT.GET.>")
	js := jetStream(t, connect(t, s.ClientURL(), asUser("admin")))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}}))
	kv := bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	must(kv.PutString(t.Context(), "S.h", goodConfig))
	if err := kv.Delete(t.Context(), "S.h"); err != nil {
		t.Fatal(err)
	}

	_, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), Options{Health: 300 * time.Millisecond})
	_, took := r.until(t, "the refusals are named", func(s *model.Snapshot) bool {
		return deniedWith(s, "CONSUMER.CREATE on KV_static-consumer-groups: allow publish to $JS.API.CONSUMER.CREATE.KV_static-consumer-groups.>") &&
			deniedWith(s, "STREAM.LIST: allow publish to $JS.API.STREAM.LIST") && deniedWith(s, "advisories: allow subscribe to $JS.EVENT.ADVISORY.>")
	})
	t.Logf("named after %v", took)
	if took > time.Second {
		t.Errorf("named after %v", took)
	}
	now, _ := r.until(t, "the group by direct gets", func(s *model.Snapshot) bool {
		return live(s) && s.Group(static("S", "g")) != nil && s.Group(static("S", "g")).ReadError != ""
	})
	g := now.Group(static("S", "g"))
	if len(now.Groups) != 1 || g.Config.Partitions != 4 || g.ReadError != "not permitted: CONSUMER.LIST on S" || !g.ReadAt.IsZero() {
		t.Errorf("%d groups, read error %q, read at %v", len(now.Groups), g.ReadError, g.ReadAt)
	}
	if !g.Stream.Exists {
		t.Error("the stream's info is permitted and not read")
	}
	denied := len(now.Denied)

	must(kv.PutString(t.Context(), "S.new", goodConfig))
	r.until(t, "a new group by direct gets", func(s *model.Snapshot) bool { return s.Group(static("S", "new")) != nil })
	if err := kv.Delete(t.Context(), "S.g"); err != nil {
		t.Fatal(err)
	}
	r.until(t, "a removed group by direct gets", func(s *model.Snapshot) bool { return s.Group(static("S", "g")) == nil })
	if now := r.now(); len(now.Denied) != denied {
		t.Errorf("the same refusals are told again: %q", now.Denied)
	}
}

// Somebody who may nothing at all learns that, and sees no empty list as truth.
func TestEverythingDenied(t *testing.T) {
	s := limited(t, "nothing")
	_, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), Options{})
	now, took := r.until(t, "refused", func(s *model.Snapshot) bool {
		return live(s) && deniedWith(s, "STREAM.INFO on KV_static-consumer-groups") && deniedWith(s, "STREAM.INFO on KV_elastic-consumer-groups") &&
			s.Unknown(model.KindStatic) != "" && s.Unknown(model.KindElastic) != ""
	})
	t.Logf("after %v: %q", took, now.Denied)
	if took > time.Second {
		t.Errorf("told after %v", took)
	}
	for _, k := range []model.Kind{model.KindStatic, model.KindElastic} {
		if why := now.Unknown(k); !strings.Contains(why, "not permitted") {
			t.Errorf("why the %s groups are not known: %q", k, why)
		}
	}
}

// What was refused before Run began is named although it is told to the handler of then only
// once Run has its own: as when a group is looked up by its name while the first picture is
// made.
func TestRefusedAsRunBegins(t *testing.T) {
	s := limited(t, "$JS.API.INFO", "$JS.API.STREAM.INFO.>")
	nc := connect(t, s.ClientURL(), asUser("limited"))
	o, r := New(nc, quick()), newRecorder()
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { o.Refused(err) })
	then := nc.ErrorHandler() // nats.go fixes it when the refusal comes, and calls it later
	runWith(t, o, r.emit)
	r.until(t, "live", live)
	then(nc, nil, fmt.Errorf(`%w: Permissions Violation for Publish to "$JS.API.STREAM.MSG.GET.KV_static-consumer-groups"`, nats.ErrPermissionViolation))
	r.within(t, time.Second, "it is named", func(s *model.Snapshot) bool {
		return deniedWith(s, "allow publish to $JS.API.STREAM.MSG.GET.KV_static-consumer-groups")
	})
}

// What was denied is not named any more when it is permitted once the link is back.
func TestDeniedUntilPermitted(t *testing.T) {
	s := limited(t, "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.DIRECT.GET.>")
	_, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), Options{})
	r.until(t, "denied", func(s *model.Snapshot) bool { return live(s) && deniedWith(s, "STREAM.LIST") })
	port := s.Addr().(*net.TCPAddr).Port
	natstest.Stop(s)
	natstest.Start(t, func(o *server.Options) { o.Port, o.Users = port, []*server.User{{Username: "limited", Password: "pw"}} })
	r.until(t, "nothing is named", func(s *model.Snapshot) bool { return live(s) && len(s.Denied) == 0 })
}

// What was denied, and is permitted by now, is asked for again with what is read now, over
// the same connection.
func TestDeniedUntilReadNow(t *testing.T) {
	rights := func(p *server.Permissions) func(*server.Options) {
		return func(o *server.Options) {
			o.Users = []*server.User{{Username: "limited", Password: "pw", Permissions: p}}
		}
	}
	var o *server.Options
	s := natstest.Start(t, func(made *server.Options) {
		rights(&server.Permissions{Publish: &server.SubjectPermission{Allow: []string{"$JS.API.INFO"}}, Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}}})(made)
		o = made
	})
	o.Port = s.Addr().(*net.TCPAddr).Port
	nc := connect(t, s.ClientURL(), asUser("limited"))
	watcher, r := observe(t, nc, Options{})
	r.until(t, "denied", func(s *model.Snapshot) bool {
		return live(s) && deniedWith(s, "STREAM.LIST") && deniedWith(s, "advisories")
	})
	more := o.Clone()
	rights(nil)(more)
	if err := s.ReloadOptions(more); err != nil {
		t.Fatal(err)
	}
	watcher.ReadNow()
	now, _ := r.until(t, "nothing is named", func(s *model.Snapshot) bool { return live(s) && len(s.Denied) == 0 })
	if last := now.Events[0].Text; last != "everything read again" {
		t.Errorf("the event says %q", last)
	}
	js := jetStream(t, connect(t, s.ClientURL(), asUser("limited")))
	kv := bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	r.until(t, "a new group", func(s *model.Snapshot) bool { return s.Group(static("S", "g")) != nil })
	if nc.Stats().Reconnects != 0 {
		t.Error("it is another connection")
	}
}

// Answers that cannot be received are told too, in one piece.
func TestDeniedInbox(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "limited", Password: "pw", Permissions: &server.Permissions{
			Subscribe: &server.SubjectPermission{Deny: []string{"_INBOX.>"}},
		}}}
	})
	_, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), Options{Timeout: time.Second})
	r.until(t, "told", func(s *model.Snapshot) bool {
		return deniedWith(s, "receiving answers: allow subscribe to _INBOX.>")
	})
}

// The server quotes a subject, and names may have a quotation mark in them: what is refused is
// named as it is, and ends at once.
func TestDeniedQuoted(t *testing.T) {
	s := limited(t, "$JS.API.INFO")
	o, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), quick())
	r.until(t, "live", live)
	for _, stream := range []string{`A"B`, `"`, `zero` + "\u200b" + `width`} {
		begin := time.Now()
		_, err := o.api.streamInfo(t.Context(), stream)
		if took := time.Since(begin); !errors.Is(err, errDenied) || took > time.Second {
			t.Errorf("%q: %v after %v", stream, err, took)
		}
		r.within(t, time.Second, stream+" is named", func(s *model.Snapshot) bool {
			return slices.Contains(s.Denied, "STREAM.INFO on "+stream+": allow publish to $JS.API.STREAM.INFO."+stream)
		})
	}
}
