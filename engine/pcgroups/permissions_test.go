package pcgroups

import (
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// memberPermissions are what the README lists for a member whose consumer is on the
// stream, and whose group's config is in the bucket.
func memberPermissions(bucket, stream, consumer string) []string {
	bucket = "KV_" + bucket
	return []string{
		"$JS.API.STREAM.INFO." + bucket, "$JS.API.DIRECT.GET." + bucket + ".>",
		"$JS.API.CONSUMER.CREATE." + bucket + ".>", "$JS.API.CONSUMER.DELETE." + bucket + ".>", "$JS.FC.>",
		"$JS.API.STREAM.INFO." + stream,
		"$JS.API.CONSUMER.CREATE." + stream + "." + consumer,
		"$JS.API.CONSUMER.INFO." + stream + "." + consumer, "$JS.API.CONSUMER.DELETE." + stream + "." + consumer,
		"$JS.API.CONSUMER.MSG.NEXT." + stream + "." + consumer, "$JS.API.CONSUMER.UNPIN." + stream + "." + consumer,
		"$JS.ACK." + stream + "." + consumer + ".>",
	}
}

// A member with just the documented permissions lives its whole life.
func TestMemberWithTheDocumentedPermissions(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.shutdown()
	f.opts.Users = []*server.User{{Username: "admin", Password: "pw"}}
	for name, allow := range map[string][]string{
		"elastic": memberPermissions(elasticBucket, "A-g", "m1"),
		"static":  memberPermissions(staticBucket, "ST", "cg-m1"),
	} {
		f.opts.Users = append(f.opts.Users, &server.User{Username: name, Password: "pw", Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: allow},
			Subscribe: &server.SubjectPermission{Allow: []string{"_INBOX.>"}},
		}})
	}
	f.start()
	var mu sync.Mutex
	var denied []error
	login := func(user string) jetstream.JetStream {
		nc, err := nats.Connect(f.url, nats.UserInfo(user, "pw"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			mu.Lock()
			defer mu.Unlock()
			denied = append(denied, err)
		}))
		f.must(nc, err)
		t.Cleanup(nc.Close)
		js, err := jetstream.New(nc)
		f.must(js, err)
		return js
	}
	f.js = login("admin")
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.elastic("g", 2, "m1")
	var got inbox
	s, err := StaticConsume(f.ctx, login("static"), "ST", "cg", "m1", got.handler("s"), oneByOne(2*time.Second))
	f.must(s, err)
	t.Cleanup(s.Stop)
	e, err := ElasticConsume(f.ctx, login("elastic"), "A", "g", "m1", got.handler("e"), oneByOne(2*time.Second), WithConfirmedAcks(time.Second))
	f.must(e, err)
	t.Cleanup(e.Stop)
	publish := func(n int, subjects ...string) {
		t.Helper()
		f.publishAll(subjects)
		eventually(t, 5*time.Second, "the messages come", func() bool { return got.count() == n })
	}
	publish(2, "st.a", "a.a")
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "g", []MemberMapping{{"m1", []int{0}}, {"m2", []int{1}}}))
	eventually(t, 5*time.Second, "one partition is taken", func() bool { // that makes another request
		info := f.info("A-g", "m1")
		return info != nil && len(filtersOf(info.Config)) == 1
	})
	f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "g", []MemberMapping{{"m1", []int{0, 1}}}))
	publish(4, "st.b", "a.b")
	if left, err := e.(Instance).Drain(f.ctx); left != 0 || err != nil {
		t.Errorf("drained: %d left, %v", left, err)
	}
	if pin := f.info("A-g", "m1").PriorityGroups[0].PinnedClientID; pin != "" {
		t.Error("the pin was not given up")
	}
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "cg"))
	f.must(nil, ended(t, 3*time.Second, s))
	mu.Lock()
	defer mu.Unlock()
	if len(denied) > 0 {
		t.Errorf("denied: %v", denied)
	}
}
