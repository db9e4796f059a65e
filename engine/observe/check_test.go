package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A change is told at once although the answer to a health check, or its turn in the
// budget, is still to come.
func TestChangesWhileTheBucketIsChecked(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	kv := bucketOf(t, jetStream(t, nc), model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))

	hold, held := make(chan struct{}), make(chan *nats.Msg, 1)
	must(nc.Subscribe("far.API.>", func(m *nats.Msg) {
		operation := strings.TrimPrefix(m.Subject, "far.API.")
		select {
		case <-hold:
			if operation == "STREAM.INFO.KV_"+kv.Bucket() {
				select {
				case held <- m:
				default:
				}
				return // never answered
			}
		default:
		}
		if err := nc.PublishRequest("$JS.API."+operation, m.Reply, m.Data); err != nil {
			t.Error(err)
		}
	}))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	_, r := observe(t, connect(t, s.ClientURL()), Options{APIPrefix: "far.API", Health: 50 * time.Millisecond, Timeout: time.Hour, MaxRequests: 1000})
	r.until(t, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "g")) != nil })
	close(hold)
	<-held
	must(kv.PutString(t.Context(), "S.h", goodConfig))
	r.until(t, "the new group", func(s *model.Snapshot) bool { return s.Group(static("S", "h")) != nil })
	if err := kv.Delete(t.Context(), "S.g"); err != nil {
		t.Fatal(err)
	}
	r.until(t, "the removal", func(s *model.Snapshot) bool { return s.Group(static("S", "g")) == nil })
}
