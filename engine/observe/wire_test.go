package observe

import (
	"encoding/json"
	"testing"
	"time"

	"pcgtop/model"
)

// Answers of nats-server 2.15, and spellings seen elsewhere.
func TestConsumerInfo(t *testing.T) {
	pinned := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		body  string
		check func(*model.Consumer) bool
	}{
		"before the first message: no id, year 1": {
			`{"name":"m1","config":{"priority_groups":["PCG"]},"priority_groups":[{"group":"PCG","pinned_ts":"0001-01-01T00:00:00Z"}]}`,
			func(c *model.Consumer) bool {
				return c.PinID == "" && c.PinnedAt.IsZero() && c.PriorityGroup == "PCG" && c.LastActive.IsZero()
			},
		},
		"pinned": {
			`{"name":"m1","priority_groups":[{"group":"PCG","pinned_client_id":"XYZ","pinned_ts":"2026-03-01T12:00:00Z"}]}`,
			func(c *model.Consumer) bool {
				return c.PinID == "XYZ" && c.PinnedAt.Equal(pinned) && c.PriorityGroup == "PCG"
			},
		},
		"unpinned, with the old time": {
			`{"name":"m1","priority_groups":[{"group":"PCG","pinned_ts":"2026-03-01T12:00:00Z"}]}`,
			func(c *model.Consumer) bool { return c.PinID == "" && c.PinnedAt.IsZero() },
		},
		"as in ADR-42": {
			`{"name":"m1","priority_groups":[{"name":"m1","pinned_id":"XYZ","pinned_ts":"2026-03-01T12:00:00Z"}]}`,
			func(c *model.Consumer) bool { return c.PinID == "XYZ" && c.PriorityGroup == "m1" },
		},
		"no time at all": {
			`{"name":"m1","priority_groups":[{"group":"PCG","pinned_client_id":"XYZ"}]}`,
			func(c *model.Consumer) bool { return c.PinID == "XYZ" && c.PinnedAt.IsZero() },
		},
		"the pinned one of two groups": {
			`{"name":"m1","priority_groups":[{"group":"A"},{"group":"B","pinned_client_id":"XYZ"}]}`,
			func(c *model.Consumer) bool { return c.PinID == "XYZ" && c.PriorityGroup == "B" },
		},
		"no priority groups": {
			`{"name":"m1","config":{"filter_subject":"0.>"}}`,
			func(c *model.Consumer) bool {
				return c.PriorityGroup == "" && len(c.Filters) == 1 && c.Filters[0] == "0.>"
			},
		},
		"counts": {
			`{"name":"m1","config":{"ack_wait":5000000000,"filter_subjects":["0.a","1.a"]},"num_pending":7,"num_ack_pending":2,"num_redelivered":1,"num_waiting":3,
			  "delivered":{"consumer_seq":9,"stream_seq":19,"last_active":"2026-03-01T12:00:00Z"},"ack_floor":{"consumer_seq":7,"stream_seq":17},"paused":true,"pause_remaining":60000000000,"ts":"2026-03-01T12:00:01Z"}`,
			func(c *model.Consumer) bool {
				return c.Pending == 7 && c.AckPending == 2 && c.Redelivered == 1 && c.Waiting == 3 && c.Delivered == 9 && c.AckFloor == 7 && c.AckFloorStream == 17 &&
					c.LastActive.Equal(pinned) && c.Paused && c.PauseRemaining == time.Minute && c.AckWait == 5*time.Second && c.TS.Sub(pinned) == time.Second && len(c.Filters) == 2
			},
		},
		"of a server that is too old to pin": {
			`{"name":"m1","config":{"filter_subjects":["0.>"]}}`,
			func(c *model.Consumer) bool { return c.NoPins },
		},
		"of a newer one, without a priority group": {
			`{"name":"m1","config":{"filter_subjects":["0.>"],"metadata":{"_nats.ver":"2.11.0"}}}`,
			func(c *model.Consumer) bool { return !c.NoPins },
		},
		"the same in the list of a server alone": {
			`{"name":"m1","config":{"filter_subjects":["0.>"],"metadata":{"_nats.req.level":"0"}}}`,
			func(c *model.Consumer) bool { return !c.NoPins },
		},
		"nothing negative comes out": {
			`{"name":"m1","num_pending":-1,"num_ack_pending":-1,"num_redelivered":-1,"num_waiting":-1,"pause_remaining":-5}`,
			func(c *model.Consumer) bool {
				return c.Pending == 0 && c.AckPending == 0 && c.Redelivered == 0 && c.Waiting == 0 && c.PauseRemaining == 0 && c.Filters != nil
			},
		},
	} {
		var i consumerInfo
		if err := json.Unmarshal([]byte(c.body), &i); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := i.consumer(); !c.check(got) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestStreamInfo(t *testing.T) {
	var i streamInfo
	err := json.Unmarshal([]byte(`{"config":{"name":"S-g","max_msgs":100,"max_bytes":-1,
	  "sources":[{"name":"S","subject_transforms":[{"src":"a.*","dest":"{{Partition(4,1)}}.a.{{Wildcard(1)}}"}]},{"name":"T"}]},
	  "created":"2026-03-01T12:00:00Z","state":{"messages":3,"bytes":300,"first_seq":8,"last_seq":10},
	  "sources":[{"name":"S","lag":5,"active":1000000000}],"ts":"2026-03-01T12:00:01Z"}`), &i)
	if err != nil {
		t.Fatal(err)
	}
	f := i.facts()
	if !f.Known || !f.Exists || f.Messages != 3 || f.FirstSeq != 8 || f.LastSeq != 10 || f.MaxMsgs != 100 || f.MaxBytes != -1 || len(f.Sources) != 2 {
		t.Fatalf("%+v", f)
	}
	if s := f.Sources[0]; s.Name != "S" || s.Lag != 5 || s.Active != time.Second || len(s.Transforms) != 1 || s.Transforms[0].From != "a.*" {
		t.Errorf("running source: %+v", s)
	}
	if s := f.Sources[1]; s.Active != -1 {
		t.Errorf("a source that was never heard: %+v", s)
	}
}

func happened(kind model.EventKind, text string) model.ConsumerHappened {
	return model.ConsumerHappened{Stream: "S", Consumer: "g-m1", Kind: kind, Text: text}
}

func TestAdvisories(t *testing.T) {
	at := `"timestamp":"2026-03-01T12:00:00Z","stream":"S","consumer":"g-m1"`
	for _, c := range []struct {
		subject, body string
		want          model.Observation
	}{
		{"CONSUMER.PINNED.S.g-m1", `{` + at + `,"group":"PCG","pinned_id":"XYZ"}`, model.PinSeen{Stream: "S", Consumer: "g-m1", PriorityGroup: "PCG", PinID: "XYZ"}},
		{"CONSUMER.UNPINNED.S.g-m1", `{` + at + `,"group":"PCG","reason":"timeout"}`, model.PinSeen{Stream: "S", Consumer: "g-m1", PriorityGroup: "PCG", Reason: "timeout"}},
		{"CONSUMER.CREATED.S.g-m1", `{` + at + `,"action":"create"}`, model.ConsumerCreated{Stream: "S", Consumer: "g-m1"}},
		{"CONSUMER.DELETED.S.g-m1", `{` + at + `,"action":"delete"}`, model.ConsumerDeleted{Stream: "S", Consumer: "g-m1"}},
		{"CONSUMER.PAUSE.S.g-m1", `{` + at + `,"paused":true}`, model.PauseSeen{Stream: "S", Consumer: "g-m1", Paused: true}},
		{"CONSUMER.PAUSE.S.g-m1", `{` + at + `,"paused":true,"pause_until":"2026-03-01T12:05:00Z"}`, model.PauseSeen{Stream: "S", Consumer: "g-m1", Paused: true, Until: time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC)}},
		{"CONSUMER.PAUSE.S.g-m1", `{` + at + `,"paused":false,"pause_until":"0001-01-01T00:00:00Z"}`, model.PauseSeen{Stream: "S", Consumer: "g-m1"}},
		{"CONSUMER.LEADER_ELECTED.S.g-m1", `{` + at + `,"leader":"n2","replicas":[]}`, happened(model.EventLeader, "consumer's leader is n2")},
		{"CONSUMER.QUORUM_LOST.S.g-m1", `{` + at + `,"replicas":[]}`, happened(model.EventQuorum, "consumer lost its quorum: nothing is delivered until servers are back")},
		{"CONSUMER.MAX_DELIVERIES.S.g-m1", `{` + at + `,"stream_seq":4711,"deliveries":5}`, happened(model.EventDeliver, "message 4711 was delivered 5 times, as often as allowed: it is not delivered again")},
		{"CONSUMER.MAX_DELIVERIES.OTHER.x", `{"stream":"OTHER","consumer":"x","stream_seq":1,"deliveries":5}`, nil},
		{"STREAM.CREATED.S", `{` + at + `,"action":"create"}`, model.StreamHappened{Stream: "S", Kind: model.EventStream, Text: "created"}},
		{"STREAM.DELETED.S", `{` + at + `,"action":"delete"}`, model.StreamHappened{Stream: "S", Kind: model.EventStream, Text: "deleted"}},
		{"STREAM.UPDATED.S", `{` + at + `,"action":"modify"}`, model.StreamHappened{Stream: "S", Kind: model.EventStream, Text: "changed its settings"}},
		{"STREAM.LEADER_ELECTED.S", `{` + at + `,"leader":"n1"}`, model.StreamHappened{Stream: "S", Kind: model.EventLeader, Text: "has its leader on n1"}},
		{"STREAM.QUORUM_LOST.S", `{` + at + `}`, model.StreamHappened{Stream: "S", Kind: model.EventQuorum, Text: "lost its quorum: nothing is stored until servers are back"}},
		{"STREAM.UPDATED.OTHER", `{"stream":"OTHER"}`, nil},
		{"CONSUMER.PINNED.S.g-m1", `{` + at + `,"pinned_id":"XYZ","domain":"hub"}`, nil},
		{"CONSUMER.PINNED.OTHER.x", `{"timestamp":"2026-03-01T12:00:00Z","stream":"OTHER","consumer":"x","pinned_id":"XYZ"}`, nil},
		{"CONSUMER.PINNED.S.g-m1", `{bad`, nil},
		{"STREAM", `{}`, nil},
	} {
		var got []model.Observation
		o := New(nil, Options{})
		l := newLink(o, func(v ...model.Observation) { got = append(got, v...) })
		l.domain.learn("")
		o.plan.learn(static("S", "g"), static("S", "g").ConsumeStream())
		l.advise(advisories+"."+c.subject, []byte(c.body))
		stamp := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
		switch w := c.want.(type) {
		case model.PinSeen:
			if len(got) != 1 || time.Since(got[0].(model.PinSeen).Heard) > time.Minute {
				t.Errorf("%s: %+v, want it heard now", c.subject, got)
				continue
			}
			w.At, w.Heard = stamp, got[0].(model.PinSeen).Heard
			c.want = w
		case model.ConsumerCreated:
			w.At = stamp
			c.want = w
		case model.ConsumerDeleted:
			w.At = stamp
			c.want = w
		case model.PauseSeen:
			w.At = stamp
			c.want = w
		case model.ConsumerHappened:
			w.At = stamp
			c.want = w
		case model.StreamHappened:
			w.At = stamp
			c.want = w
		}
		switch {
		case c.want == nil && len(got) != 0:
			t.Errorf("%s %s: %+v", c.subject, c.body, got)
		case c.want != nil && (len(got) != 1 || got[0] != c.want):
			t.Errorf("%s: %+v, want %+v", c.subject, got, c.want)
		}
	}
}

func TestDenials(t *testing.T) {
	for _, c := range []struct{ text, advice string }{
		{`nats: permissions violation: Permissions Violation for Publish to "$JS.API.CONSUMER.LIST.ORDERS"`, "CONSUMER.LIST on ORDERS: allow publish to $JS.API.CONSUMER.LIST.ORDERS"},
		{`nats: permissions violation for publish to "$JS.API.CONSUMER.CREATE.KV_static-consumer-groups.xyz.$KV.static-consumer-groups.>"`, "CONSUMER.CREATE on KV_static-consumer-groups: allow publish to $JS.API.CONSUMER.CREATE.KV_static-consumer-groups.>"},
		{`Permissions Violation for Publish to "$JS.API.STREAM.LIST"`, "STREAM.LIST: allow publish to $JS.API.STREAM.LIST"},
		{`Permissions Violation for Publish to "$JS.API.STREAM.MSG.GET.KV_x"`, "STREAM.MSG.GET on KV_x: allow publish to $JS.API.STREAM.MSG.GET.KV_x"},
		{`Permissions Violation for Publish to "$JS.FC.KV_x.abc.Q1w2"`, "flow control of watches: allow publish to $JS.FC.>"},
		{`Permissions Violation for Publish to "$JS.API.INFO"`, "INFO: allow publish to $JS.API.INFO"},
		{`Permissions Violation for Subscription to "$JS.EVENT.ADVISORY.CONSUMER.PINNED.>"`, "advisories: allow subscribe to $JS.EVENT.ADVISORY.>"},
		{`Permissions Violation for Subscription to "$JS.API.CONSUMER.MSG.NEXT.ORDERS-cg.*"`, "pulls of ORDERS-cg: allow subscribe to $JS.API.CONSUMER.MSG.NEXT.ORDERS-cg.*"},
		{`Permissions Violation for Publish to "$SYS.REQ.ACCOUNT.PING.CONNZ"`, "connections: allow publish to $SYS.REQ.ACCOUNT.PING.CONNZ"},
		{`Permissions Violation for Publish to "other"`, "allow publish to other"},
	} {
		d, ok := parseDenial(c.text)
		if !ok || d.advice("$JS.API") != c.advice {
			t.Errorf("%s: %q, %v", c.text, d.advice("$JS.API"), ok)
		}
	}
	if _, ok := parseDenial("nats: slow consumer, messages dropped"); ok {
		t.Error("another error counts as a denial")
	}
}
