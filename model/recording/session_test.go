package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pcgtop/model"
)

func moment() time.Time { return time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC) }

// session is the snapshots of some groups that live: members that come and go, pins that
// move, partitions that are counted, groups that are made and deleted, events.
func session(n int) []*model.Snapshot {
	r := rand.New(rand.NewPCG(1, 2))
	now := moment()
	var s *model.Snapshot
	var list []*model.Snapshot
	revision := uint64(0)
	keys := []model.Key{{Kind: model.KindElastic, Stream: "ORDERS", Group: "fulfillment"}, {Kind: model.KindStatic, Stream: "PAYMENTS", Group: "settlement"}, {Kind: model.KindElastic, Stream: "TELEMETRY", Group: "rollup"}}
	acked := map[string]uint64{}
	for i := range n {
		now = now.Add(time.Duration(r.IntN(900)+100) * time.Millisecond)
		k := keys[r.IntN(len(keys))]
		var seen []model.Observation
		switch what := r.IntN(12); {
		case i == 0:
			seen = append(seen, model.BucketSeen{Kind: model.KindStatic, Exists: true}, model.BucketSeen{Kind: model.KindElastic, Exists: true},
				model.ServerSeen{Server: model.Server{Name: "nats-2", URL: "nats://10.1.2.3:4222", RTT: time.Millisecond}}, model.LinkSeen{State: model.LinkLive})
		case what == 0:
			revision++
			c := &model.Config{Partitions: 12, Filters: []model.Filter{{Subject: "a.*", Wildcards: []int{1}}}, Members: []string{"m1", "m2", fmt.Sprint("m", r.IntN(9)+3)}}
			seen = append(seen, model.ConfigSeen{Key: k, Revision: revision, Written: now, Config: c, Raw: fmt.Sprintf(`{"max_members":12,"n":%d}`, revision)})
		case what == 1 && i > n/2:
			revision++
			seen = append(seen, model.ConfigGone{Key: k, Revision: revision, At: now})
		case what == 2:
			seen = append(seen, model.EventSeen{Event: model.Event{At: now, Kind: model.EventInstance, Key: k, Text: "instance seen: roll-5c9d 10.1.4.7:53211"}})
		case what == 6:
			again := model.EventSeen{Event: model.Event{At: now, Kind: model.EventDeliver, Key: keys[0], Member: "m1", Text: "delivered 3 times"}}
			seen = append(seen, again, again) // counted in one line
		case what == 3:
			seen = append(seen, model.PartitionsCounted{Key: k, Counts: model.Counts{At: now, Every: time.Second}, Partitions: counted(r)})
		case what == 4:
			seen = append(seen, model.PinSeen{Stream: k.ConsumeStream(), Consumer: k.ConsumerName("m1"), PinID: fmt.Sprint("pin", i), At: now})
		case what == 5:
			seen = append(seen, model.InstancesSeen{Stream: k.ConsumeStream(), Watch: &model.Watch{Since: now.Add(-time.Minute)}, Consumers: map[string][]model.Instance{
				k.ConsumerName("m1"): {{ID: "_INBOX.a", Seen: now, LastPull: now, Expires: time.Second, Conn: &model.Connection{Server: "n1", Name: "roll", Address: "[fe80::1]:4011", At: now}}}}})
		default:
			var consumers []*model.Consumer
			for m := range 3 {
				name := k.ConsumerName(fmt.Sprint("m", m+1))
				acked[name] += uint64(r.IntN(200))
				consumers = append(consumers, &model.Consumer{Name: name, Filters: []string{fmt.Sprintf("%d.>", m)}, Waiting: r.IntN(3), Pending: uint64(r.IntN(1000)), AckPending: 1,
					Delivered: acked[name], AckFloor: acked[name], PinID: []string{"", "pin1"}[r.IntN(2)], PinnedAt: now, TS: now, LastAck: now})
			}
			seen = append(seen, model.ConsumersRead{Stream: k.ConsumeStream(), TS: now, Consumers: consumers})
		}
		s = model.Reduce(s, now, seen...)
		list = append(list, s)
	}
	return list
}

func counted(r *rand.Rand) []model.Counted {
	list := make([]model.Counted, 12)
	for i := range list {
		list[i] = model.Counted{Pending: uint64(r.IntN(99)), Oldest: moment()}
	}
	return list
}

// record writes a session to a file and returns its name.
func record(t testing.TB, name string, o Options, list ...*model.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	w := NewWriter(&b, o)
	for i, s := range list {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
		if i%7 == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if int64(b.Len()) != w.Bytes() || w.Pictures() != len(list) {
		t.Errorf("%d bytes of %d, %d pictures of %d", w.Bytes(), b.Len(), w.Pictures(), len(list))
	}
	return file(t, name, b.Bytes())
}

func file(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t testing.TB, path string) *Recording {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

// jsonOf is a snapshot as JSON, which is all that a recording can keep.
func jsonOf(t testing.TB, s *model.Snapshot) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
