package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// refusedTo is what nats.go reports when the server refuses something.
func refusedTo(what string) error {
	return fmt.Errorf("%w: Permissions Violation for %s", nats.ErrPermissionViolation, what)
}

// What observing is refused, and what another plan is, does not end a plan that is being
// carried out.
func TestRefusedBesideAWrite(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	p := h.plan(t, 8*time.Second)
	refuse := sync.OnceFunc(func() {
		for _, what := range []string{
			`Publish to "$JS.API.DIRECT.GET.KV_static-consumer-groups.$KV.static-consumer-groups.ORDERS.fixed"`, // a bucket that is polled
			`Publish to "$JS.API.DIRECT.GET.KV_elastic-consumer-groups.$KV.elastic-consumer-groups.ORDERS.other"`,
			`Publish to "$JS.API.STREAM.MSG.GET.KV_elastic-consumer-groups"`, // it is read otherwise
			`Publish to "$JS.API.CONSUMER.INFO.ORDERS-cg.m1"`,                // shown as it is
			`Publish to "$KV.elastic-consumer-groups.ORDERS.other"`,          // other plans
			`Publish to "$JS.API.CONSUMER.UNPIN.ORDERS-cg.m1"`,
			`Publish to "$JS.API.CONSUMER.PAUSE.ORDERS-other.m1"`,
			`Publish to "$JS.API.STREAM.CREATE.ORDERS-new"`,
			`Publish to "$JS.API.STREAM.DELETE.ORDERS-new"`,
			`Publish to "$JS.API.CONSUMER.DELETE.ORDERS.fixed-m1"`,
			`Subscription to "$JS.API.CONSUMER.MSG.NEXT.ORDERS-cg.*"`,
		} {
			h.e.refusals.hear(refusedTo(what))
		}
		h.release()
	})
	done, err := h.e.Handover(t.Context(), p, func(now model.Handover) {
		if now.Phase == model.PhaseWaiting {
			refuse()
		}
	})
	if err != nil || !strings.Contains(done, "drop m2") {
		t.Errorf("%q, %v", done, err)
	}
}

// Without the permission to write the config, a drained handover says so at once, and
// nobody stays paused.
func TestDrainDeniedTheWrite(t *testing.T) {
	h := hang(t, restricted(t, "operator", "$KV.elastic"))
	h.release()
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "user", "pw" })
	before := h.stored(t)
	var wrote time.Time
	_, err := h.e.Handover(t.Context(), h.plan(t, 8*time.Second), func(now model.Handover) {
		if now.Phase == model.PhaseWriting {
			wrote = time.Now()
		}
	})
	took := time.Since(wrote)
	if !errors.Is(err, ErrDenied) || !names(err.Error(), "$KV.elastic-consumer-groups.ORDERS.cg") || took > time.Second {
		t.Errorf("%v after %s", err, took)
	}
	if !strings.Contains(err.Error(), "nothing was written, and no member stays paused") {
		t.Errorf("it does not say what became of the pauses: %v", err)
	}
	h.untouched(t, before)
}

// What a plan has to read, and may not, ends it at once, too.
func TestWriteDeniedWhatItReads(t *testing.T) {
	all := readmeRights(t, "operator")
	denied := []string{"$JS.API.CONSUMER.LIST.ORDERS-cg", "$JS.API.STREAM.INFO.ORDERS-cg"}
	h := hang(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}}
		for _, subject := range denied {
			publish := &server.SubjectPermission{Allow: all.Publish.Allow, Deny: []string{subject}}
			o.Users = append(o.Users, &server.User{Username: subject, Password: "pw", Permissions: &server.Permissions{Publish: publish, Subscribe: all.Subscribe}})
		}
	})
	before := h.stored(t)
	for _, subject := range denied {
		t.Run(subject, func(t *testing.T) {
			e := start(t, h.url, func(o *Options) { o.User, o.Password = subject, "pw" })
			now := until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(h.key) != nil })
			p := plan(t, now.Group(h.key), model.ActionDrop, "m2").WithDrain(model.DefaultDrain)
			begin := time.Now()
			_, err := e.Apply(t.Context(), p)
			if took := time.Since(begin); !errors.Is(err, ErrDenied) || !names(err.Error(), subject) || took > time.Second {
				t.Errorf("%v after %v", err, took)
			}
			h.untouched(t, before)
		})
	}
}

// A name that looks like a login is named whole.
func TestDeniedNameLikeALogin(t *testing.T) {
	const subject = "$JS.API.CONSUMER.UNPIN.ORDERS-cg.eu:1@host"
	r := newRefusals()
	ctx, stop := r.watch(t.Context(), concerns(subject))
	defer stop()
	r.hear(refusedTo(`Publish to "` + subject + `"`))
	if denied := deniedBy(ctx); denied == nil || !strings.Contains(denied.Error(), subject) {
		t.Errorf("%v", denied)
	}
}

// A kind that writes itself is ended by what is refused of the buckets that it opened, and by
// nothing else.
func TestRefusedBesideAKind(t *testing.T) {
	_, js := client(t, natstest.Start(t).ClientURL())
	must(js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "mine"}))
	for what, ends := range map[string]bool{
		`Publish to "$JS.API.DIRECT.GET.KV_other-mine.$KV.other-mine.k"`: false,
		`Publish to "$JS.API.DIRECT.GET.KV_mine-other.$KV.mine-other.k"`: false,
		`Publish to "$KV.other.mine.k"`:                                  false,
		`Publish to "$JS.API.CONSUMER.CREATE.KV_mine.x.$KV.mine.>"`:      false,
		`Publish to "$JS.API.STREAM.MSG.GET.KV_mine"`:                    false,
		`Publish to "$KV.mine.k"`:                                        true,
		`Publish to "JS.APP.API.$KV.mine.k"`:                             true,
		`Publish to "$JS.API.DIRECT.GET.KV_mine.$KV.mine.k"`:             true,
	} {
		buckets := &opened{opener: opener{js, newRefusals()}}
		ctx, stop := buckets.refused.watch(t.Context(), buckets.concerns)
		must(buckets.KeyValue(ctx, "mine"))
		buckets.refused.hear(refusedTo(what))
		if (deniedBy(ctx) != nil) != ends {
			t.Errorf("%s: %v", what, context.Cause(ctx))
		}
		stop()
	}
}
