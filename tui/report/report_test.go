package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

func snapshot() *model.Snapshot {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg\x1b[31m"}
	return model.Reduce(nil, at,
		model.ConfigSeen{Key: k, Revision: 3, Config: &model.Config{Partitions: 3, Members: []string{"m1", "名前"}}},
		model.ConsumersRead{Stream: k.ConsumeStream(), TS: at, Consumers: []*model.Consumer{
			{Name: "m1", Waiting: 1, PinID: "abc", PinnedAt: at.Add(-90 * time.Second), Pending: 12, AckPending: 1, TS: at, Filters: []string{"0.>", "2.>"}}}})
}

func TestOverview(t *testing.T) {
	var b bytes.Buffer
	if err := Overview(&b, snapshot()); err != nil {
		t.Fatal(err)
	}
	want := `VERDICT   GROUP              KIND     PARTS  MEMBERS  PINNED  LAG  PENDING  UNACKED  OUT/S  IN/S  WHY
degraded  ORDERS/cg\x1b[31m  elastic      3      1/2   1 +≤1  ≥13      ≥12        1      -     -  名前 never seen: it owns 1 partition (1)
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestGroup(t *testing.T) {
	var b bytes.Buffer
	if err := Group(&b, snapshot().Groups[0]); err != nil {
		t.Fatal(err)
	}
	want := `ORDERS/cg\x1b[31m  degraded  elastic, 3 partitions, balanced, revision 3
  warning: 名前 never seen: it owns 1 partition (1)

   MEMBER  STATE   PARTITIONS  PIN  PINNED  STANDBY  PENDING  UNACKED  OUT/S  IN/S
A  m1      pinned  0,2         abc  1m30s        ≤1       12        1      -     -
B  名前    absent  1                              0        -        -      -     -

PARTITION  OWNER  STATE   PENDING  OLDEST
        0  m1     pinned        -
        1  名前   absent        -
        2  m1     pinned        -
`
	if b.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", b.String(), want)
	}
}

// TestCountedGroup: what was counted is in the text and in the JSON, and why it was not.
func TestCountedGroup(t *testing.T) {
	s := snapshot()
	k, at := s.Groups[0].Key, time.Date(2026, 11, 29, 14, 0, 41, 0, time.UTC)
	s = model.Reduce(s, at, model.PartitionsCounted{Key: k, Counts: model.Counts{At: at, Every: time.Second},
		Partitions: []model.Counted{{Pending: 12, Oldest: at.Add(-41 * time.Second)}, {Pending: 3, Oldest: at.Add(-time.Second)}, {}}})
	var b, j bytes.Buffer
	if err := Group(&b, s.Groups[0]); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"0  m1     pinned       12     41s", "1  名前   absent        3      1s", "2  m1     pinned        0\n", "1 partition (1), 3 messages wait there"} {
		if !strings.Contains(b.String(), line) {
			t.Errorf("%q is not in\n%s", line, b.String())
		}
	}
	if err := JSON(&j, s); err != nil || !strings.Contains(j.String(), `"count":{"pending":12,"oldest":"2026-11-29T14:00:00Z"`) {
		t.Errorf("%v %s", err, j.String())
	}
	s = model.Reduce(s, at, model.PartitionsCounted{Key: k, Counts: model.Counts{At: at, Every: time.Second},
		Partitions: []model.Counted{{Pending: 12, Oldest: at.Add(-41 * time.Second), AtMost: true, Kept: true}, {}, {}}})
	b.Reset()
	if err := Group(&b, s.Groups[0]); err != nil || !strings.Contains(b.String(), "0  m1     pinned       12    ≤41s") {
		t.Errorf("%v %s", err, b.String())
	}
	s = model.Reduce(s, at, model.PartitionsCounted{Key: k, Counts: model.Counts{At: at, Error: "no direct gets (allow_direct)"}})
	b.Reset()
	if err := Group(&b, s.Groups[0]); err != nil || !strings.Contains(b.String(), "partitions not counted: no direct gets (allow_direct)") {
		t.Errorf("%v %s", err, b.String())
	}
}

// TestJSON: a script can tell every partition's owner and every member's pin, and the
// true names are in it, escaped.
func TestJSON(t *testing.T) {
	var b bytes.Buffer
	if err := JSON(&b, snapshot()); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') || strings.Count(b.String(), "\n") != 1 {
		t.Errorf("not one clean line: %q", b.String())
	}
	var s struct {
		Schema string
		Groups []struct {
			Key        struct{ Stream, Group string }
			Partitions []struct {
				Partition int
				Owner     string
			}
			Members []struct {
				Name     string
				State    string
				Consumer struct {
					PinID string `json:"pin_id"`
				}
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	g := s.Groups[0]
	if s.Schema != "pcgtop/1" || g.Key.Group != "cg\x1b[31m" || g.Partitions[1].Owner != "名前" || g.Members[0].Consumer.PinID != "abc" || g.Members[1].State != "absent" {
		t.Errorf("%+v", s)
	}
}

func TestNoGroups(t *testing.T) {
	var b bytes.Buffer
	s := model.Reduce(nil, time.Now(), model.BucketSeen{Kind: model.KindElastic}, model.BucketSeen{Kind: model.KindStatic})
	if err := Overview(&b, s); err != nil || !strings.Contains(b.String(), "no groups: there is no config bucket in this account") {
		t.Errorf("%v %s", err, b.String())
	}
}

// TestNoControlReachesATerminal: neither as text nor as JSON.
func TestNoControlReachesATerminal(t *testing.T) {
	name := "a\x1b[2Jb\u009b1mc\x7f"
	var text, encoded bytes.Buffer
	if _, err := Text(&text).Write([]byte(name + "\n")); err != nil || text.String() != `a\x1b[2Jb\x9b1mc\x7f`+"\n" {
		t.Errorf("%v %q", err, text.String())
	}
	text.Reset() // however long a line is, all of it is printed
	long := strings.Repeat("m1:0,1,2 ", 10_000) + "\n"
	if _, err := Text(&text).Write([]byte(long)); err != nil || text.String() != long {
		t.Errorf("%d of %d bytes, %v", text.Len(), len(long), err)
	}
	if err := json.NewEncoder(Escaped(&encoded)).Encode(name); err != nil {
		t.Fatal(err)
	}
	for _, r := range encoded.String() {
		if r < ' ' && r != '\n' || r >= 0x7f && r < 0xa0 {
			t.Errorf("%q", encoded.String())
		}
	}
	var back string
	if err := json.Unmarshal(encoded.Bytes(), &back); err != nil || back != name {
		t.Errorf("%v: the true name is %q, not %q", err, name, back)
	}
}

// asTold is a kind that says what it is told to.
type asTold struct{ model.Told }

func (a asTold) Tell(*model.Stream, time.Time) model.Told { return a.Told }

// TestNoPinsAreCountedWhereThereAreNone: nobody is pinned or stands by in groups of other kinds.
func TestNoPinsAreCountedWhereThereAreNone(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	told := model.Told{Members: []model.ToldMember{{Name: "w0", Live: true, State: "live", Consumer: "w0"}}, Partitions: []model.ToldPartition{{Owner: "w0"}}}
	s := model.Reduce(nil, at, model.GroupTold{Key: model.Key{Kind: "parti", Stream: "fleet", Group: "w"}, Stream: "WORK", Teller: asTold{told}},
		model.StreamRead{Name: "WORK", Facts: model.StreamFacts{Exists: true}}, model.ConsumersRead{Stream: "WORK", TS: at, Consumers: []*model.Consumer{{Name: "w0", Waiting: 3, TS: at}}})
	var all, one bytes.Buffer
	if err := Overview(&all, s); err != nil {
		t.Fatal(err)
	}
	if err := Group(&one, s.Groups[0]); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{all.String(): " fleet/w parti 1 1/1 - 0 ", one.String(): " MEMBER STATE PARTITIONS PENDING UNACKED OUT/S IN/S A w0 live 0 0 0 "} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// TestToldGroup: all that its kind tells of members and partitions is in the text, in no more
// than 100 columns, and a column is there only where somebody says something in it.
func TestToldGroup(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	told := model.Told{
		Facts: []string{"version 4", "inferred: rebalancing"},
		Members: []model.ToldMember{
			{Name: "worker-0", Live: true, State: "stable", Why: "inferred: alive and up to date", Facts: []string{"leader", "heartbeat: 2 s ago", "applied: 4 of 4", "labels: gpu, spot", "gated"}},
			{Name: "worker-1", Live: true, State: "lagging", Why: "inferred: behind version 4", Facts: []string{"heartbeat: 11 s ago", "applied: 3 of 4"}},
		},
		Partitions: []model.ToldPartition{{Name: "eu.0", Owner: "worker-0", Weight: 3, Label: "gpu"}, {Name: "eu.1", Owner: "worker-1", Weight: 10, Note: "handoff: prepare, worker-1 ▸ worker-0"}},
	}
	text := func() string {
		s := model.Reduce(nil, at, model.GroupTold{Key: model.Key{Kind: "parti", Stream: "fleet", Group: "w"}, Teller: asTold{told}})
		var b bytes.Buffer
		if err := Group(&b, s.Groups[0]); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := `fleet/w  idle  parti, 2 partitions, version 4, inferred: rebalancing

   MEMBER    STATE    PARTITIONS  PENDING  UNACKED  OUT/S  IN/S
A  worker-0  stable   0                 -        -      -     -
B  worker-1  lagging  1                 -        -      -     -

   MEMBER    HEARTBEAT  APPLIED  LABELS     ALSO           WHY
A  worker-0  2 s ago    4 of 4   gpu, spot  leader, gated  inferred: alive and up to date
B  worker-1  11 s ago   3 of 4                             inferred: behind version 4

PARTITION  OWNER     STATE    WEIGHT  LABEL  PENDING  NOTE
   0 eu.0  worker-0  stable        3  gpu          -
   1 eu.1  worker-1  lagging      10               -  handoff: prepare, worker-1 ▸ worker-0
`
	if got := text(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	told.Unsure = true
	for i := range told.Partitions {
		told.Partitions[i].Owner = ""
	}
	if got := text(); strings.Contains(got, "nobody") || !strings.Contains(got, "\nB  worker-1  lagging  unknown  ") || !strings.Contains(got, "\n   0 eu.0  unknown  unknown       3  gpu ") {
		t.Errorf("owners that cannot be told:\n%s", got)
	}
	for i := range told.Members {
		told.Members[i].Facts, told.Members[i].Why = []string{"leader"}, ""
		told.Partitions[i].Weight, told.Partitions[i].Label, told.Partitions[i].Note = 0, "", ""
	}
	if got := text(); !strings.Contains(got, "   MEMBER    ALSO\nA  worker-0  leader\n") || !strings.Contains(got, "PARTITION  OWNER    STATE    PENDING\n") {
		t.Errorf("columns that nobody fills:\n%s", got)
	}
}

// TestJSONListsAreLists: what is a list in JSON is one where there is nothing in it, too.
func TestJSONListsAreLists(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	s := model.Reduce(nil, at, model.ConfigSeen{Key: k, Revision: 3, Config: &model.Config{Partitions: 1, Members: []string{"m1"}}},
		model.StreamRead{Name: k.ConsumeStream(), Facts: model.StreamFacts{Exists: true, Sources: []model.Source{{Name: "ORDERS"}}}},
		model.ConsumersRead{Stream: k.ConsumeStream(), TS: at, Consumers: []*model.Consumer{{Name: "m1", Waiting: 2, TS: at, Filters: []string{"0.>"}}}},
		model.GroupTold{Key: model.Key{Kind: "parti", Stream: "fleet", Group: "w"}, Teller: asTold{}})
	var b bytes.Buffer
	if err := JSON(&b, s); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ReplaceAll(b.String(), `"pending":null`, ""), ":null") || strings.Count(b.String(), `"findings":[`) != 2 {
		t.Errorf("a list is none: %s", b.String())
	}
}

// What waits for members without a consumer is not known until their partitions were counted.
func TestUncounted(t *testing.T) {
	at := time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC)
	k := model.Key{Kind: model.KindStatic, Stream: "PAY", Group: "odd"}
	s := model.Reduce(nil, at, model.ConfigSeen{Key: k, Revision: 1, Config: &model.Config{Partitions: 2, Members: []string{"x", "y"}}},
		model.StreamRead{Name: "PAY", Facts: model.StreamFacts{Exists: true, Messages: 19_266}}, model.ConsumersRead{Stream: "PAY", TS: at})
	counted := model.Reduce(s, at, model.PartitionsCounted{Key: k, Counts: model.Counts{At: at, Every: time.Second}, Partitions: []model.Counted{{Pending: 288}, {Pending: 894}}})
	for _, c := range []struct {
		s          *model.Snapshot
		list, some string
		pending    string
	}{
		{s, ` 0 \+0 +- +- +0 `, `A +x +absent +0 +0 +- +- `, `"pending":null`},
		{counted, ` 0 \+0 +1182 +1182 +0 `, `A +x +absent +0 +0 +288 +- `, `"pending":0,"ack_pending":0,(?s:.*)"strayed":1182`},
	} {
		var list, group, lines bytes.Buffer
		if err := errors.Join(Overview(&list, c.s), Group(&group, c.s.Groups[0]), JSON(&lines, c.s)); err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]string{list.String(): c.list, group.String(): c.some, lines.String(): c.pending} {
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("not to be found: %s in\n%s", want, text)
			}
		}
	}
}
