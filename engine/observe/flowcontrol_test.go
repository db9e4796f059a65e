package observe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// The server asks for flow control while much is on its way. Somebody who may not answer it
// gets no further values: that is named within a second, with the subject to allow, and
// the configs are read all the same.
func TestDeniedFlowControl(t *testing.T) {
	if testing.Short() {
		t.Skip("writes many keys")
	}
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}, {Username: "limited", Password: "pw", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"$JS.FC.>"}},
		}}}
	})
	nc := connect(t, s.ClientURL(), asUser("admin"))
	js := jetStream(t, nc)
	bucketOf(t, js, model.KindStatic)
	const groups = 1000
	for n := range groups {
		if err := nc.Publish(fmt.Sprintf("$KV.%s.S.g%d", BucketName(model.KindStatic), n), []byte(goodConfig+strings.Repeat(" ", 8<<10))); err != nil {
			t.Fatal(err)
		}
	}
	stream := must(js.Stream(t.Context(), "KV_"+BucketName(model.KindStatic)))
	eventually(t, "all are stored", func() bool { return must(stream.Info(t.Context())).State.Msgs == groups })
	_, r := observe(t, connect(t, s.ClientURL(), asUser("limited")), Options{MaxRequests: 1000})
	now, took := r.until(t, "it is named", func(s *model.Snapshot) bool { return len(s.Denied) > 0 })
	t.Logf("named after %v: %q, %d groups", took, now.Denied, len(now.Groups))
	if took > time.Second {
		t.Errorf("named after %v", took)
	}
	if !deniedWith(now, "flow control of watches: allow publish to $JS.FC.>") {
		t.Errorf("%q", now.Denied)
	}
	_, took = r.within(t, time.Minute, "all groups", func(s *model.Snapshot) bool { return live(s) && len(s.Groups) == groups })
	t.Logf("all groups after %v", took)
	if took > 5*time.Second {
		t.Errorf("all groups after %v", took)
	}
}
