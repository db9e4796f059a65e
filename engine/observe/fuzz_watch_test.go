package observe

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// FuzzWatch: whatever comes where a config bucket's values are delivered, it is an entry, a
// sign of life or a reason to read anew, and never counts what is still to come beyond that.
func FuzzWatch(f *testing.F) {
	const ack = "$JS.ACK.KV_elastic-consumer-groups.c.1.7.1.1767225600000000000.2"
	const key = "$KV.elastic-consumer-groups.S.g"
	f.Add(key, ack, []byte(nil), []byte(`{"max_members":4,"partitioning_filters":null,"members":["m1"]}`))
	f.Add(key, "$JS.ACK.hub.acc.KV_elastic-consumer-groups.c.1.7.1.1767225600000000000.2.x", []byte("NATS/1.0\r\nKV-Operation: PURGE\r\n\r\n"), []byte(nil))
	f.Add(key, ack, []byte("NATS/1.0\r\nNats-Marker-Reason: MaxAge\r\n\r\n"), []byte(nil))
	f.Add("_INBOX.x", "", []byte("NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 0\r\n\r\n"), []byte(nil))
	f.Add("_INBOX.x", "", []byte("NATS/1.0 100 Idle Heartbeat\r\nNats-Last-Consumer: 7\r\nNats-Consumer-Stalled: a\r\n\r\n"), []byte(nil))
	f.Add("_INBOX.x", "$JS.FC.x", []byte("NATS/1.0 100 FlowControl Request\r\n\r\n"), []byte(nil))
	f.Add("_INBOX.x", "", []byte("NATS/1.0 409 Consumer Deleted\r\n\r\n"), []byte(nil))
	f.Add(key, "$JS.ACK.S.c.1.1.1.0.18446744073709551615", []byte(nil), []byte("null"))
	f.Fuzz(func(t *testing.T, subject, reply string, header, body []byte) {
		m := &nats.Msg{Subject: subject, Reply: reply, Data: body, Sub: &nats.Subscription{}}
		if h, err := nats.DecodeHeadersMsg(header); err == nil {
			m.Header = h
		}
		var seen []model.Observation
		l := deaf(func(o ...model.Observation) { seen = append(seen, o...) })
		b := l.bucket(BucketName(model.KindElastic))
		b.ledger = configLedger{model.KindElastic, account{l, model.KindElastic}}
		const most = 5
		w := &watching{bucket: b, link: l, fresh: map[string]bool{}, left: most, heard: time.Now(), answered: func() {}}
		for range most {
			r, err := w.receive(m)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Fatalf("more than a line: %q", err)
				}
				if !errors.Is(err, errReread) && r != nil {
					t.Fatalf("an entry and an error: %+v %v", r, err)
				}
				break
			}
			if r != nil {
				if !strings.HasSuffix(subject, r.Key) || r.Removed != removal(m.Header) {
					t.Fatalf("%q is taken for %+v", subject, r)
				}
				b.take(*r)
			}
			if w.left > most {
				t.Fatalf("%d are to come of %d", w.left, most)
			}
		}
		b.agrees(&streamInfo{})
		told(t, seen...)
	})
}

// FuzzSubjects: whatever a stream's info lists as subjects, no more than what it lists is
// counted, each in a partition that there is.
func FuzzSubjects(f *testing.F) {
	f.Add([]byte(`{"state":{"messages":6,"last_seq":9,"num_subjects":2,"subjects":{"0.a.b":1,"1.a.c":5}},"ts":"2026-03-01T12:00:00Z"}`))
	f.Add([]byte(`{"state":{"num_subjects":100000,"subjects":{"00.a":1,"-1.a":2,"4.a":3,"3.a":18446744073709551615,"3":1,"":7}}}`))
	f.Add([]byte(`{"state":{"num_subjects":-9223372036854775808,"subjects":null}}`))
	f.Add([]byte(`{"error":{"code":503,"description":"down"}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		l := deaf(func(...model.Observation) {})
		l.api.send = answering(body)
		ctx := t.Context()
		g := told(t).Group(elastic("S", "g"))
		info, err := l.api.streamInfo(ctx, "S-g")
		if err != nil {
			return
		}
		sum, err := l.totals(ctx, g, info)
		if err != nil || sum == nil {
			return
		}
		if len(sum.pending) != len(g.Partitions) || sum.cost < 1 {
			t.Fatalf("%+v of %d partitions", sum, len(g.Partitions))
		}
		looks := make([]look, len(g.Partitions))
		loosen(looks, g, sum)
		for _, p := range l.choose(sum, looks) {
			if sum.pending[p] == 0 {
				t.Fatalf("partition %d is asked for, in which nothing waits", p)
			}
		}
		o := model.PartitionsCounted{Key: g.Key, Counts: model.Counts{At: time.Now()}}
		for p := range looks {
			one := looks[p].told(sum.pending[p], sum.info)
			if one.Pending != sum.pending[p] {
				t.Fatalf("partition %d: %+v of %d", p, one, sum.pending[p])
			}
			o.Partitions = append(o.Partitions, one)
		}
		told(t, o)
	})
}

// FuzzDenial: whatever a server says on the error path, what is told of it is one line.
func FuzzDenial(f *testing.F) {
	for _, text := range []string{
		`nats: Permissions Violation for Publish to "$JS.API.CONSUMER.LIST.S"`, `nats: permissions violation for subscription to "_INBOX.x.*"`,
		`Permissions Violation for Publish to "$JS.API.DIRECT.GET.KV_a.$KV.a.S.g"`, `Permissions Violation for Subscription to "$JS.API.CONSUMER.MSG.NEXT.S.*" using queue "q"`,
		`Permissions Violation for Publish to "$JS.API.STREAM.MSG.GET.S"`, `Permissions Violation for Publish to "$JS.API."`, "nats: slow consumer, messages dropped",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, ok := parseDenial(text)
		if !ok {
			return
		}
		for _, inbox := range []string{"", "_INBOX"} {
			d.inbox = inbox
			if d.operation("$JS.API") == "" || !strings.Contains(d.advice("$JS.API"), d.verb+" to ") {
				t.Fatalf("%q: %q, %q", text, d.operation("$JS.API"), d.advice("$JS.API"))
			}
		}
		l := deaf(func(...model.Observation) {})
		l.api.refuse(d)
		told(t, model.DeniedSeen{What: d.advice("$JS.API")})
	})
}
