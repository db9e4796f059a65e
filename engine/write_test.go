package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A write that nobody answers may have been carried out all the same: what is stored
// tells, and where that cannot be read either, nothing is claimed.
func TestWriteWithoutAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		written bool // although no answer comes
		gone    bool // the server, meanwhile
		cut     bool // the link is, and made anew, as by a ping that nobody answers
		says    string
	}{
		"lost":             {says: "it is not known whether it will be written: it was not so far"},
		"written":          {written: true, says: "add m2 to ORDERS/cg: revision 2 ▸ 3"},
		"unknown":          {gone: true, says: "it is not known whether it was written"},
		"cut":              {cut: true, says: "it is not known whether it will be written: it was not so far"},
		"cut when written": {cut: true, written: true, says: "add m2 to ORDERS/cg: revision 2 ▸ 3"},
	} {
		t.Run(name, func(t *testing.T) {
			s := natstest.Start(t)
			nc, js := client(t, s.ClientURL())
			k := elasticGroup(t, js, "m1")
			e := start(t, s.ClientURL())
			now := until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
			account := must(s.LookupAccount("$G"))
			const put = "$KV.elastic-consumer-groups.ORDERS.cg"
			if err := account.AddMapping(put, "void"); err != nil {
				t.Fatal(err)
			}
			must(nc.Subscribe("void", func(m *nats.Msg) {
				if account.RemoveMapping(put); c.written {
					_ = nc.PublishMsg(&nats.Msg{Subject: put, Header: m.Header, Data: m.Data})
					_ = nc.Flush()
				}
				if c.cut {
					_ = e.nc.ForceReconnect()
				}
				if c.gone {
					go natstest.Stop(s)
				}
			}))
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
			longest := 500 * time.Millisecond
			if c.cut {
				longest = 20 * time.Second // so that it is not what ends the write
			}
			ctx, cancel := context.WithTimeout(t.Context(), longest)
			defer cancel()
			done, err := e.Apply(ctx, plan(t, now.Group(k), model.ActionAdd, "m2"))
			said := done
			if err != nil {
				said = err.Error()
			}
			if c.written != (err == nil) || !strings.Contains(said, c.says) || err != nil && (!errors.Is(err, model.ErrUnsure) || strings.Contains(said, "nothing was written")) {
				t.Errorf("%q, %v", done, err)
			}
			if last := e.Current().Applied; c.written {
				until(t, e, "it can be undone", func(s *model.Snapshot) bool {
					return len(s.Applied) == 1 && s.Applied[0].To == 3 && s.Group(k).Revision == 3
				})
			} else if len(last) != 0 {
				t.Errorf("%+v", last)
			}
		})
	}
}

// A bucket that is full says so, and what to do.
func TestWriteIntoAFullBucket(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	e := start(t, s.ClientURL())
	now := until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	full := must(js.Stream(t.Context(), "KV_elastic-consumer-groups")).CachedInfo().Config
	full.MaxBytes = 100
	must(js.UpdateStream(t.Context(), full))
	if done, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m2")); err == nil || !strings.Contains(err.Error(), "nothing was written: the bucket is full: raise its limits") {
		t.Errorf("%q, %v", done, err)
	}
}
