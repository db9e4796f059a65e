package observe

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// relay passes API requests on under another prefix and lets answers be changed: what a
// server tells of streams and consumers that it cannot run is recorded from clusters
// with servers of different versions.
func relay(t *testing.T, nc *nats.Conn, prefix string, change map[string]func(map[string]any)) {
	t.Helper()
	sub := must(nc.Subscribe(prefix+".>", func(m *nats.Msg) {
		operation := strings.TrimPrefix(m.Subject, prefix)
		go func() {
			answer, err := nc.Request("$JS.API"+operation, m.Data, 5*time.Second)
			if err != nil {
				return // whoever asked waits in vain, as they would
			}
			body := answer.Data
			if f := change[operation]; f != nil {
				var v map[string]any
				if json.Unmarshal(body, &v) == nil {
					f(v)
					body, _ = json.Marshal(v)
				}
			}
			_ = nc.PublishMsg(&nats.Msg{Subject: m.Reply, Data: body, Header: answer.Header})
		}()
	}))
	t.Cleanup(func() { _ = sub.Unsubscribe() })
}

// What the server cannot run is offline, with its reason, and its neighbours are not.
func TestOffline(t *testing.T) {
	srv := natstest.Start(t)
	nc := connect(t, srv.ClientURL())
	w := &ward{t: t, js: jetStream(t, nc)}
	bucketOf(t, w.js, model.KindStatic)
	member, stream, well := w.elastic("HALF", "g", 2, "m1", "m2"), w.elastic("OFF", "g", 2, "m1"), w.elastic("WELL", "g", 2, "m1")
	for _, name := range []string{"HALF-g", "OFF-g", "WELL-g"} {
		w.consumer(name, "m1", strings.TrimSuffix(name, "-g")+".*", 5*time.Second, 0)
	}
	w.consumer("HALF-g", "m2", "HALF.*", 5*time.Second, 1)
	const why = "unsupported - requires JetStream API level 7"
	drop := func(list any, name string, path ...string) (kept []any) {
		for _, x := range list.([]any) {
			at := x.(map[string]any)
			for _, p := range path {
				at = at[p].(map[string]any)
			}
			if at["name"] != name {
				kept = append(kept, x)
			}
		}
		return kept
	}
	relay(t, nc, "RELAY.API", map[string]func(map[string]any){
		".CONSUMER.LIST.HALF-g": func(v map[string]any) {
			v["consumers"] = drop(v["consumers"], "m1")
			v["missing"], v["offline"] = []string{"m1"}, map[string]string{"m1": why}
		},
		".STREAM.LIST": func(v map[string]any) {
			v["streams"] = drop(v["streams"], "OFF-g", "config")
			v["missing"], v["offline"] = []string{"OFF-g"}, map[string]string{"OFF-g": why}
		},
		".STREAM.INFO.OFF-g": func(v map[string]any) {
			clear(v)
			v["error"] = map[string]any{"code": 500, "err_code": 10194, "description": "stream is offline: " + why}
		},
		".CONSUMER.LIST.OFF-g": func(v map[string]any) {
			clear(v)
			v["error"] = map[string]any{"code": 500, "err_code": 10194, "description": "stream is offline: " + why}
		},
	})
	opts := quick()
	opts.APIPrefix = "RELAY.API"
	_, r := observe(t, connect(t, srv.ClientURL()), opts)
	w.r = r
	w.finds(member, "offline", "m1's consumer is offline: "+why)
	w.finds(stream, "stream-offline", "stream OFF-g is offline: "+why)
	r.until(t, "the verdicts", func(s *model.Snapshot) bool {
		h := s.Group(member)
		return h.Member("m1").State == model.StateOffline && h.Member("m2").State == model.StateNoPull && s.Group(stream).Verdict == model.VerdictOffline
	})
	for _, id := range []string{"offline", "stream-offline", "absent"} {
		if f := finding(r.now().Group(well), id); f != nil {
			t.Errorf("the neighbour: %+v", f)
		}
	}
}
