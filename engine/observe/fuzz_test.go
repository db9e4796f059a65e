package observe

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// told is what the screens make of observations: a snapshot that can be recorded, with
// nothing nonsensical in it.
func told(t *testing.T, observations ...model.Observation) *model.Snapshot {
	t.Helper()
	config := &model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "a.*"}}, Members: []string{"m1", "m2"}}
	s := model.Reduce(nil, time.Now(), model.ConfigSeen{Key: static("S", "g"), Revision: 1, Config: config}, model.ConfigSeen{Key: elastic("S", "g"), Revision: 2, Config: config})
	s = model.Reduce(s, time.Now(), observations...)
	s = model.Reduce(s, time.Now().Add(time.Second))
	if _, err := json.Marshal(s); err != nil {
		t.Fatalf("the snapshot cannot be recorded: %v", err)
	}
	for _, g := range s.Groups {
		for _, m := range g.Members {
			if c := m.Consumer; c != nil && (c.Waiting < 0 || c.PauseRemaining < 0 || c.Inactive < 0) {
				t.Fatalf("negative: %+v", c)
			}
		}
	}
	return s
}

// deaf is a link without a server, in which the group's streams are known.
func deaf(emit func(...model.Observation)) *link {
	o := New(nil, Options{MaxRequests: 1e9})
	o.plan.learn(static("S", "g"), static("S", "g").ConsumeStream())
	o.plan.learn(elastic("S", "g"), elastic("S", "g").ConsumeStream())
	return newLink(o, emit)
}

// answering is a server that says the same to everything.
func answering(body []byte) func(context.Context, string, []byte) (*nats.Msg, error) {
	return func(context.Context, string, []byte) (*nats.Msg, error) { return &nats.Msg{Data: body}, nil }
}

// FuzzAnswer: whatever the API says to whatever it is asked, it is taken or refused, soon,
// and can be recorded.
func FuzzAnswer(f *testing.F) {
	const consumer = `{"name":"g-m1","created":"2026-03-01T12:00:00Z","config":{"ack_wait":5000000000,"filter_subjects":["0.a","1.a"],"priority_groups":["PCG"]},
	  "num_pending":7,"num_ack_pending":2,"num_waiting":3,"delivered":{"consumer_seq":9,"stream_seq":19,"last_active":"2026-03-01T12:00:00Z"},
	  "ack_floor":{"consumer_seq":7,"stream_seq":17},"paused":true,"pause_remaining":60000000000,"ts":"2026-03-01T12:00:01Z",
	  "priority_groups":[{"group":"PCG","pinned_client_id":"XYZ","pinned_ts":"2026-03-01T12:00:00Z"}]}`
	const stream = `"config":{"name":"S","subjects":["a.*"],"max_msgs":100,"allow_direct":true,"subject_transform":{"src":"a","dest":"b"},
	  "sources":[{"name":"T","subject_transforms":[{"src":"a.*","dest":"{{Partition(4,1)}}.a.{{Wildcard(1)}}"}]}]},"created":"2026-03-01T12:00:00Z",
	  "state":{"messages":3,"bytes":300,"first_seq":8,"last_seq":10,"num_subjects":2,"subjects":{"$KV.static-consumer-groups.S.g":1}},
	  "sources":[{"name":"T","lag":5,"active":1000000000,"error":{"code":400}}],"ts":"2026-03-01T12:00:01Z"`
	const header = "NATS/1.0\r\nNats-Sequence: 7\r\nNats-Num-Pending: 3\r\nNats-Time-Stamp: 2026-03-01T12:00:00Z\r\nKV-Operation: DEL\r\n\r\n"
	for _, body := range []string{
		"", "null", "[]", "{}", `{"error":{"code":404,"err_code":10059,"description":"stream not found"}}`, `{"error":{}}`, `{"domain":"hub"}`,
		`{` + stream + `}`, `{"total":2,"streams":[{` + stream + `},null],"missing":["A"],"offline":{"B":"unsupported"}}`,
		`{"total":2,"consumers":[` + consumer + `],"missing":["g-m2"],"offline":{"g-m2":"unsupported"}}`, `{"total":9223372036854775807,"consumers":[` + consumer + `]}`,
		`{"total":300,"missing":["a"]}`,
		`{"message":{"seq":3,"data":"` + "eyJtYXhfbWVtYmVycyI6NH0=" + `","hdrs":"` + "TkFUUy8xLjANCktWLU9wZXJhdGlvbjogREVMDQoNCg==" + `","time":"2026-03-01T12:00:00Z"}}`,
	} {
		f.Add([]byte(header), []byte(body))
	}
	f.Add([]byte("NATS/1.0 404 Message Not Found\r\n\r\n"), []byte(nil))
	f.Add([]byte("NATS/1.0 503\r\n\r\n"), []byte(nil))
	f.Fuzz(func(t *testing.T, header, body []byte) {
		m := nats.NewMsg("answer")
		m.Data = body
		if h, err := nats.DecodeHeadersMsg(header); err == nil {
			m.Header = h
		}
		var seen []model.Observation
		l := deaf(func(o ...model.Observation) { seen = append(seen, o...) })
		const most = 1000 // answers
		asked := 0
		l.api.send = func(context.Context, string, []byte) (*nats.Msg, error) {
			if asked++; asked > most {
				t.Fatal("it asks without end")
			}
			return m, nil
		}
		ctx := t.Context()
		if list, err := l.api.consumers(ctx, "S"); err == nil {
			read := model.ConsumersRead{Stream: "S", Consumers: list.list(), TS: newest(list.infos)}
			if all, err := l.fillIn(list); err == nil {
				read.Consumers = all
			}
			seen = append(seen, read)
		}
		if list, missing, offline, _, err := l.api.streams(ctx); err == nil {
			l.tellStreams(ctx, list, missing, offline, time.Now())
		}
		if i, err := l.api.streamInfo(ctx, "S"); err == nil {
			seen = append(seen, model.StreamRead{Name: "S", Facts: i.facts()})
		}
		for _, kind := range []model.Kind{model.KindStatic, model.KindElastic} {
			b := l.bucket(BucketName(kind))
			b.ledger = configLedger{kind, account{l, kind}}
			for _, get := range []func(context.Context, *api, string) (*Record, error){b.getFromLeader, b.getDirect} {
				if r, err := get(ctx, l.api, "S.g"); err == nil {
					b.take(*r)
				}
			}
			if i, err := b.subjects(ctx, l); err == nil {
				b.appear(l, i)
				if err := b.pollValues(ctx, l, i); err == nil {
					b.settle(i)
				}
			}
		}
		_, _ = l.api.domain(ctx)
		_, _ = l.api.domainAt(ctx, "$JS.API")
		counts := &answers{tallies: []*tally{{}, {}}, open: 2, closed: make([]bool, 2), done: make(chan struct{})}
		for _, token := range []string{"0", "1", "2", "-1", "x"} {
			counts.take(m, token)
		}
		if at := counts.tallies[0].oldest; counts.err == nil && !at.IsZero() {
			seen = append(seen, model.PartitionsCounted{Key: static("S", "g"), Partitions: []model.Counted{{Pending: counts.tallies[0].pending, Oldest: at}}})
		}
		told(t, seen...)
	})
}

// FuzzAdvisory: whatever is published where advisories are, nothing breaks.
func FuzzAdvisory(f *testing.F) {
	for _, kind := range heardAdvisories() {
		f.Add(advisories+"."+kind+".S.g-m1", []byte(`{"timestamp":"2026-03-01T12:00:00Z","stream":"S","consumer":"g-m1","domain":"","group":"PCG","pinned_id":"XYZ","reason":"timeout","paused":true,
		  "pause_until":"2026-03-01T12:05:00Z","leader":"n2","stream_seq":4711,"deliveries":5}`))
	}
	f.Add(advisories, []byte(`{"timestamp":"0000-01-01T00:00:00+23:59","stream":"KV_static-consumer-groups"}`))
	f.Fuzz(func(t *testing.T, subject string, body []byte) {
		var seen []model.Observation
		l := deaf(func(o ...model.Observation) { seen = append(seen, o...) })
		l.advise(subject, body)
		told(t, seen...)
	})
}

// FuzzPull: whatever is published as a pull, and as what the servers say of connections,
// nothing breaks; and who pulled just now is listed.
func FuzzPull(f *testing.F) {
	const pull = `{"expires":30000000000,"idle_heartbeat":5000000000,"group":"PCG","id":"XYZ"}`
	connz := func(more string) []byte {
		return []byte(`{"server":{"name":"n1","id":"N"},"data":{"now":"2026-03-01T12:00:00Z","total":1,"offset":0,"connections":[{"cid":5,"kind":"Client","ip":"127.0.0.1","port":4,
		  "start":"2026-03-01T11:00:00Z","rtt":"1ms","pending_bytes":3,"name":"app","lang":"go","version":"1","subscriptions_list":["_INBOX.a"]` + more + `}]}}`)
	}
	f.Add("_INBOX.a", []byte(pull), []byte(`{"group":"PCG"}`), connz(""))
	f.Add("_INBOX.a.7", []byte(`{"group":"PCG","expires":9223372036854775807}`), []byte(pull), connz(`,"subscriptions_list_detail":[{"subject":"_INBOX.a.*","msgs":9}]`))
	odd := strings.NewReplacer(`"pending_bytes":3`, `"pending_bytes":-3`, `"start":"2026`, `"start":"2027`) // not yet begun
	f.Add("_INBOX.a", []byte(pull), []byte(pull), []byte(odd.Replace(string(connz("")))))
	f.Add("_INBOX.b", []byte(pull), []byte(`{"group":"PCG","expires":9223372036854775807}`), connz(""))
	f.Add("_INBOX.nmrrxH5qhWw4F7ai7PUGBE", []byte(pull), []byte("5"), []byte(`{"error":{"code":500,"description":"no"}}`))
	f.Fuzz(func(t *testing.T, reply string, first, second, connz []byte) {
		var seen []model.Observation
		p := newPulls(deaf(func(o ...model.Observation) { seen = append(seen, o...) }), "S")
		for _, body := range [][]byte{first, second} {
			for n := range oneShots + 1 {
				p.hear(&nats.Msg{Subject: "$JS.API.CONSUMER.MSG.NEXT.S.g-m1", Reply: reply + string(rune('a'+n)), Data: body})
			}
			p.hear(&nats.Msg{Subject: "$JS.API.CONSUMER.MSG.NEXT.S.g-m1", Reply: reply, Data: body})
		}
		p.pinMoved("g-m1", "XYZ")
		heard := len(p.voices)
		p.sweep(time.Now())
		if len(p.voices) != heard {
			t.Fatalf("%d of %d are gone, who pulled just now", heard-len(p.voices), heard)
		}
		if a, err := readConnz(connz); err == nil {
			_, all := p.strangers(time.Now(), false)
			wanted := map[string]bool{}
			for _, reply := range all {
				wanted[reply] = true
			}
			r := newRound()
			r.servers[a.Server.Name] = true
			r.take(a, wanted, false)
			p.learn(r, all)
		}
		p.undecided(time.Now())
		p.noConns = "not asked"
		p.tell()
		s := told(t, seen...)
		for _, g := range s.Groups {
			for _, m := range g.Members {
				for _, i := range m.Running {
					if i.Expires < 0 || i.Conn != nil && (i.Conn.Up < 0 || i.Conn.Pending < 0 || i.Conn.RTT < 0) {
						t.Fatalf("negative: %+v %+v", i, i.Conn)
					}
				}
			}
		}
	})
}
