package command

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// fake is an Engine that shows one picture.
type fake struct {
	snapshot *model.Snapshot
	err      error
	looked   []model.Key
	surveyed *model.Snapshot // by a survey, where that is another one
}

func (f *fake) Once(context.Context) (*model.Snapshot, error) { return f.snapshot, f.err }
func (f *fake) Look(_ context.Context, k model.Key, _ time.Duration) (*model.Snapshot, error) {
	f.looked = append(f.looked, k)
	return f.snapshot, f.err
}
func (f *fake) LookUntil(ctx context.Context, k model.Key, watch time.Duration, _ func(*model.Group) bool) (*model.Snapshot, error) {
	return f.Look(ctx, k, watch)
}
func (f *fake) Survey(_ context.Context, keys []model.Key, _ time.Duration, _, _ bool) (groups []*model.Group, err error) {
	for _, k := range keys {
		f.looked = append(f.looked, k)
		if f.surveyed != nil {
			groups = append(groups, f.surveyed.Group(k))
			continue
		}
		groups = append(groups, f.snapshot.Group(k))
	}
	return groups, f.err
}
func (f *fake) Subjects(context.Context, model.Key, string, int) ([]string, bool, error) {
	return nil, false, f.err
}
func (f *fake) Apply(context.Context, *model.Plan) (string, error) { return "", f.err }
func (f *fake) Guard(ctx context.Context, run func(context.Context) error) error {
	return run(ctx)
}
func (f *fake) ReadOnlyBy() string             { return "a test" }
func (f *fake) JetStream() jetstream.JetStream { return nil }

// picture is S/g, in which 7 messages wait, the oldest for a minute, and one instance
// runs; S/h was not read.
func picture() *model.Snapshot {
	at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
	g, h := model.Key{Kind: model.KindElastic, Stream: "S", Group: "g"}, model.Key{Kind: model.KindElastic, Stream: "S", Group: "h"}
	config := &model.Config{Partitions: 2, Filters: []model.Filter{{Subject: "s.*", Wildcards: []int{1}}}, Members: []string{"m"}}
	c := &model.Consumer{Name: "m", Waiting: 1, PinID: "x", PinnedAt: at, Pending: 7, TS: at, Created: at.Add(-time.Hour), Filters: []string{"0.s.*", "1.s.*"}, LastActive: at}
	quiet := *c // before, nothing kept a second instance from pulling
	quiet.Pending, quiet.TS = 0, at.Add(-time.Second)
	s := model.Reduce(nil, at, model.ConfigSeen{Key: g, Revision: 1, Config: config}, model.ConfigSeen{Key: h, Revision: 2, Config: config},
		model.StreamRead{Name: "S-g", Facts: model.StreamFacts{Exists: true, Messages: 7, Sources: []model.Source{{Name: "S"}}}},
		model.ConsumersRead{Stream: "S-g", TS: quiet.TS, Consumers: []*model.Consumer{&quiet}},
		model.ConsumersRead{Stream: "S-g", TS: at, Consumers: []*model.Consumer{c}}, model.ConsumersRead{Stream: "S-h", Error: "no answer"})
	return model.Reduce(s, at, model.PartitionsCounted{Key: g, Counts: model.Counts{At: at, Every: time.Second}, Partitions: []model.Counted{{Pending: 7, Oldest: at.Add(-time.Minute)}, {}}})
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		check  Check
		err    error
		status Status
		says   string
		looks  int
	}{
		"healthy":            {Check{Target: "S/g"}, nil, StatusOK, "OK: 1 group, 1 ok", 1},
		"lag":                {Check{Target: "S/g", Lag: "7:8"}, nil, StatusWarning, "lag 7 is at least 7", 1},
		"much lag":           {Check{Target: "S/g", Lag: "2:7"}, nil, StatusCritical, "lag 7 is at least 7", 1},
		"little lag":         {Check{Target: "S/g", Lag: "8"}, nil, StatusOK, "", 1},
		"age":                {Check{Target: "S/g", Age: "1m:2m"}, nil, StatusWarning, "the oldest message waits for 1m0s, at least 1m0s", 1},
		"old age":            {Check{Target: "S/g", Age: "1s:1m"}, nil, StatusCritical, "", 1},
		"young":              {Check{Target: "S/g", Age: "61s"}, nil, StatusOK, "", 1},
		"no standby":         {Check{Target: "S/g", NoStandby: "warn"}, nil, StatusWarning, "no-standby: no standby for m", 1},
		"nobody listened":    {Check{Target: "S/g", NoStandby: "warn"}, nil, StatusWarning, "whether there is a standby is not known of m: its pulls were not heard", 1},
		"no standby in all":  {Check{NoStandby: "warn", Rule: []string{"unread=ok"}}, nil, StatusWarning, "no standby for m", 2},
		"no standby is bad":  {Check{Target: "S/g", NoStandby: "crit"}, nil, StatusCritical, "CRITICAL", 1},
		"no standby is fine": {Check{Target: "S/g", NoStandby: "ok"}, nil, StatusOK, "", 1},
		"not read":           {Check{}, nil, StatusUnknown, "unread: consumers not read: no answer", 0},
		"one of both":        {Check{Lag: "1"}, nil, StatusWarning, "WARNING: 2 groups, 1 warning, 1 unknown", 0},
		"not read is fine":   {Check{Target: "S", Rule: []string{"unread=ok"}}, nil, StatusOK, "OK: 2 groups, 2 ok", 0},
		"ages of all":        {Check{Target: "S", Age: "1h", Rule: []string{"unread=ok"}}, nil, StatusUnknown, "ages are not known: the partitions were not counted", 2},
		"no such group":      {Check{Target: "S/nope"}, nil, StatusUnknown, "UNKNOWN: S/nope: not found", 0},
		"not connected":      {Check{}, errors.New("gone"), StatusUnknown, "UNKNOWN: gone", 0},
		"bad lag":            {Check{Lag: "x"}, nil, StatusUnknown, "--lag", 0},
		"lag turned round":   {Check{Lag: "5:3"}, nil, StatusUnknown, "the lower first", 0},
		"no lag":             {Check{Lag: "0:3"}, nil, StatusUnknown, "--lag", 0},
		"half a lag":         {Check{Lag: "5:"}, nil, StatusUnknown, "--lag", 0},
		"critical lag only":  {Check{Target: "S/g", Lag: ":7"}, nil, StatusCritical, "CRITICAL: 1 group, 1 critical; S/g: lag 7 is at least 7\n", 1},
		"no critical lag":    {Check{Target: "S/g", Lag: ":8"}, nil, StatusOK, "OK: 1 group, 1 ok\n", 1},
		"negative time":      {Check{For: -1}, nil, StatusUnknown, "--for", 0},
		"bad age":            {Check{Age: "1"}, nil, StatusUnknown, "--age", 0},
		"bad standby":        {Check{NoStandby: "maybe"}, nil, StatusUnknown, `--no-standby "maybe": "maybe" is none of ok, warn, crit`, 0},
		"bad rule":           {Check{Rule: []string{"nope=ok"}}, nil, StatusUnknown, `--rule "nope=ok": there is no finding "nope"; there are absent, ack-wait-short, behind,`, 0},
		"bad level":          {Check{Rule: []string{"absent=maybe"}}, nil, StatusUnknown, `--rule "absent=maybe": "maybe" is none of ok, warn, crit`, 0},
		"no level":           {Check{Rule: []string{"absent"}}, nil, StatusUnknown, `--rule "absent": want ID=ok|warn|crit`, 0},
		"lags the wrong way": {Check{Lag: "100:10"}, nil, StatusUnknown, `critical at 10 is less than a warning at 100`, 0},
		"ages the wrong way": {Check{Age: "5m:3s"}, nil, StatusUnknown, `critical at 3s is less than a warning at 5m`, 0},
		"negative age":       {Check{Age: "-3s"}, nil, StatusUnknown, `"-3s" is no limit`, 0},
	} {
		var out bytes.Buffer
		f := &fake{snapshot: picture(), err: c.err}
		err := c.check.Run(&Env{Context: t.Context(), Engine: f, Out: &out})
		var exit *Exit
		status := StatusOK
		if errors.As(err, &exit) {
			status = exit.Status
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if status != c.status || !strings.Contains(out.String(), c.says) || len(f.looked) != c.looks {
			t.Errorf("%s: %s, want %s, %d looks:\n%s", name, status, c.status, len(f.looked), out.String())
		}
	}
	var out bytes.Buffer
	_ = Check{Target: "S/g", Output: "json"}.Run(&Env{Context: t.Context(), Engine: &fake{snapshot: picture()}, Out: &out})
	if !strings.HasPrefix(out.String(), `{"status":"ok","code":0,"groups":[{"key":{"kind":"elastic","stream":"S","group":"g"},"status":"ok","verdict":"ok","lag":7,"oldest_s":60,"window":{"span_ns":0,"complete":false},"findings":[{"status":"ok","id":"no-standby"`) {
		t.Error(out.String())
	}
}

// A limit for the lag is not kept because nobody counted: what is not known is unknown.
func TestCheckOfUncounted(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
	key := model.Key{Kind: model.KindStatic, Stream: "PAY", Group: "odd"}
	s := model.Reduce(nil, at, model.ConfigSeen{Key: key, Revision: 1, Config: &model.Config{Partitions: 2, Members: []string{"x", "y"}}},
		model.StreamRead{Name: "PAY", Facts: model.StreamFacts{Exists: true, Direct: true, Messages: 1182}}, model.ConsumersRead{Stream: "PAY", TS: at},
		model.LinkSeen{State: model.LinkLive})
	denied := model.Reduce(s, at, model.PartitionsCounted{Key: key, Counts: model.Counts{At: at, Every: time.Second, Error: "not permitted: DIRECT.GET"}})
	counted := model.Reduce(s, at, model.PartitionsCounted{Key: key, Counts: model.Counts{At: at, Every: time.Second}, Partitions: []model.Counted{{Pending: 1182}, {}}})
	running := model.Reduce(s, at, model.ConsumersRead{Stream: "PAY", TS: at, Consumers: []*model.Consumer{{Name: "odd-x", Filters: []string{"0.>"}, PriorityGroup: "PCG", Pending: 50, Waiting: 1, PinID: "p", TS: at}}})
	for name, c := range map[string]struct {
		of     *model.Snapshot
		target string
		lag    string
		status Status
		says   string
		looks  int
	}{
		"no limit":             {s, "PAY", "", StatusOK, "PAY/odd degraded, lag -\n", 0},
		"not counted":          {s, "PAY", "100:200", StatusUnknown, "not-counted: the lag is not known: the partitions were not counted", 1},
		"not permitted":        {denied, "PAY/odd", "5:10", StatusUnknown, "not-counted: the lag is not known: not permitted: DIRECT.GET", 1},
		"of too few messages":  {s, "PAY", "1183", StatusOK, "PAY/odd degraded, lag -\n", 0},
		"counted":              {counted, "PAY", "100:200", StatusCritical, "lag 1,182 is at least 200", 0},
		"a part is enough":     {running, "PAY", "50", StatusWarning, "PAY/odd degraded, lag ≥50\n", 0},
		"a part is not enough": {running, "PAY", "51", StatusUnknown, "PAY/odd degraded, lag ≥50\n", 1},
	} {
		var out bytes.Buffer
		f := &fake{snapshot: c.of}
		err := Check{Target: c.target, Lag: c.lag, Rule: []string{"absent=ok"}, Output: "text"}.Run(&Env{Context: t.Context(), Engine: f, Out: &out})
		var exit *Exit
		status := StatusOK
		if errors.As(err, &exit) {
			status = exit.Status
		}
		if status != c.status || !strings.Contains(out.String(), c.says) || len(f.looked) != c.looks {
			t.Errorf("%s: %v, want %s, %d looks\n%s", name, err, c.status, len(f.looked), out.String())
		}
	}
}

// Where there is nothing to check, as in the wrong account, all is not well.
func TestCheckOfNothing(t *testing.T) {
	for _, c := range []struct{ output, says string }{
		{"text", "UNKNOWN: no groups: nothing was found to check; is it the right account?\n"},
		{"json", `{"status":"unknown","code":3,"error":"no groups: nothing was found to check; is it the right account?","groups":[]}` + "\n"},
	} {
		var out bytes.Buffer
		nothing := model.Reduce(nil, time.Now(), model.BucketSeen{Kind: model.KindStatic}, model.BucketSeen{Kind: model.KindElastic, Exists: true}, model.LinkSeen{State: model.LinkLive})
		err := Check{Output: c.output}.Run(&Env{Context: t.Context(), Engine: &fake{snapshot: nothing}, Out: &out})
		if exit := (*Exit)(nil); !errors.As(err, &exit) || exit.Status != StatusUnknown || out.String() != c.says {
			t.Errorf("%v\n%s", err, out.String())
		}
	}
}

// Of a group whose member is at the first messages of a new consumer one look does not tell
// how it fares: without being asked for, its partitions are counted, and no others.
func TestCheckCountsWhatIsInDoubt(t *testing.T) {
	doubtful, counted := picture(), picture()
	k := model.Key{Kind: model.KindElastic, Stream: "S", Group: "g"}
	c := *doubtful.Group(k).Members[0].Consumer
	c.TS = c.TS.Add(time.Second)
	c.Created, c.AckWait, c.AckPending, c.Waiting, c.LastDelivered = c.TS.Add(-time.Second), 5*time.Second, 1, 1, c.TS.Add(-time.Second)
	read := func(s *model.Snapshot) *model.Snapshot {
		return model.Reduce(s, c.TS, model.ConsumersRead{Stream: "S-g", TS: c.TS, Consumers: []*model.Consumer{&c}})
	}
	counted = read(counted)
	doubtful = model.Reduce(read(doubtful), c.TS, model.PartitionsCounted{Key: k, Counts: model.Counts{At: c.TS, Every: time.Second, Error: "not yet"}})
	f := &fake{snapshot: doubtful, surveyed: counted}
	var out bytes.Buffer
	err := Check{Rule: []string{"unread=ok"}}.Run(&Env{Context: t.Context(), Engine: f, Out: &out})
	var exit *Exit
	if !errors.As(err, &exit) || exit.Status != StatusWarning || !strings.Contains(out.String(), "nothing-acked: m has acknowledged nothing since its consumer was made 1s ago: 8 messages wait, the first for 1m1s") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if len(f.looked) != 1 || f.looked[0] != k {
		t.Errorf("counted: %v", f.looked)
	}
}
