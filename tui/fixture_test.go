package tui

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// moment is when every fixture was taken.
func moment() time.Time { return time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC) }

// source is a Source that records what it is asked.
type source struct {
	snapshots chan *model.Snapshot
	open      *model.Key
	visible   []model.Key
	focused   int
	reads     int
}

func newSource() *source { return &source{snapshots: make(chan *model.Snapshot, 16)} }

func (s *source) Snapshots() <-chan *model.Snapshot { return s.snapshots }
func (s *source) ReadNow()                          { s.reads++ }
func (s *source) Focus(open *model.Key, visible []model.Key) {
	s.open, s.visible = open, visible
	s.focused++
}

// admin is an Administrator that records what it is told to do, and does nothing.
type admin struct {
	mu       sync.Mutex
	plans    []*model.Plan
	readOnly bool
	revision uint64 // that a deletion is said to be about; 0: the sketch's
	text     string
	err      error
}

func (a *admin) Apply(_ context.Context, p *model.Plan) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plans = append(a.plans, p)
	return a.text, a.err
}

func (a *admin) ReadOnly() bool { return a.readOnly }

// tape is a Recording that remembers what it is given.
type tape struct {
	file      string
	snapshots []*model.Snapshot
	closed    int
	refuses   error // to begin
	err       error // once it goes on
}

func (t *tape) record(file string) (Recording, error) {
	if t.refuses != nil {
		return nil, t.refuses
	}
	t.file = file
	return t, nil
}

func (t *tape) Add(s *model.Snapshot) { t.snapshots = append(t.snapshots, s) }
func (t *tape) Err() error            { return t.err }
func (t *tape) Close() (string, error) {
	t.closed++
	return fmt.Sprintf("recorded %d pictures to %s", len(t.snapshots), t.file), t.err
}

// stage is a screen with its doubles, driven by hand.
type stage struct {
	t      testing.TB
	m      *Model
	source *source
	admin  *admin
	taped  *tape
	blind  bool // frames are not looked at
	clock  time.Time
	pace   time.Duration   // from one key to the next
	after  tea.Msg         // what comes later, the last of it,
	stays  time.Duration   // when,
	waits  context.Context // and for how long it is waited for
}

func newStage(t testing.TB, w, h int, change ...func(*Options)) *stage {
	s := &stage{t: t, source: newSource(), admin: &admin{}, taped: &tape{}, clock: moment(), pace: time.Second}
	o := Options{Source: s.source, Admin: s.admin, Record: s.taped.record, Look: Dark, Later: s.later, Now: func() time.Time { return s.clock }, Zone: time.UTC}
	for _, f := range change {
		f(&o)
	}
	s.m = New(o)
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
	return s
}

// later keeps what would come after a time.
func (s *stage) later(ctx context.Context, d time.Duration, msg tea.Msg) tea.Cmd {
	s.after, s.stays, s.waits = msg, d, ctx
	return nil
}

// send delivers a message, checks the frame, and returns the command.
func (s *stage) send(msg tea.Msg) tea.Cmd {
	if _, key := msg.(tea.KeyPressMsg); key {
		s.clock = s.clock.Add(s.pace)
	}
	_, cmd := s.m.Update(msg)
	if s.blind {
		return cmd
	}
	checkFrame(s.t, s.m)
	return cmd
}

func (s *stage) show(snap *model.Snapshot) *stage {
	s.send(snapshotMsg{snap})
	return s
}

// press types keys, named as Bubble Tea names them; commands are carried out, but for
// those that would wait.
func (s *stage) press(keys ...string) *stage {
	for _, k := range keys {
		cmd := s.send(press(k))
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case appliedMsg:
			s.send(msg)
		case foundMsg:
			s.send(msg)
		case tea.QuitMsg:
			s.t.Logf("%s quits", k)
		}
	}
	return s
}

// typed presses one key a character.
func (s *stage) typed(text string) *stage {
	for _, r := range text {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	return s
}

// press makes a key press from its name.
func press(name string) tea.KeyPressMsg {
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown,
		"left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp,
		"pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "f1": tea.KeyF1,
	}
	var k tea.Key
	for {
		switch {
		case strings.HasPrefix(name, "ctrl+"):
			k.Mod |= tea.ModCtrl
			name = name[5:]
			continue
		case strings.HasPrefix(name, "alt+"):
			k.Mod |= tea.ModAlt
			name = name[4:]
			continue
		case strings.HasPrefix(name, "shift+"):
			k.Mod |= tea.ModShift
			name = name[6:]
			continue
		}
		break
	}
	switch code, ok := named[name]; {
	case ok:
		k.Code = code
	case name == "space":
		k.Code, k.Text = tea.KeySpace, " "
	default:
		k.Code = []rune(name)[0]
		if k.Mod == 0 {
			k.Text = name
		}
	}
	return tea.KeyPressMsg(k)
}

func elastic(stream, group string) model.Key {
	return model.Key{Kind: model.KindElastic, Stream: stream, Group: group}
}

func static(stream, group string) model.Key {
	return model.Key{Kind: model.KindStatic, Stream: stream, Group: group}
}

// world is a set of groups to be observed.
type world struct {
	link    model.LinkState
	groups  []fixture
	events  []model.Event
	more    []model.Observation
	later   []model.Observation // once everything was read
	context string
}

// fixture is one group and what is seen of its members, by name. A member without an
// entry has no consumer.
type fixture struct {
	key       model.Key
	config    model.Config
	revision  uint64
	consumers map[string]model.Consumer
	messages  uint64
	history   []uint64
	waits     []model.Counted // in each partition; nil: not counted
	behind    uint64          // at the origin
}

// snapshot reduces the world as the engine does.
func (w world) snapshot() *model.Snapshot {
	at := moment()
	observed := []model.Observation{
		model.BucketSeen{Kind: model.KindStatic, Exists: true},
		model.BucketSeen{Kind: model.KindElastic, Exists: true},
		model.ServerSeen{Server: model.Server{Context: w.context, Name: "nats-2", Version: "2.15.3", RTT: 400 * time.Microsecond}},
		model.RequestsSeen{Requests: model.Requests{PerSecond: 3, Budget: 20}},
	}
	streams := map[string][]*model.Consumer{}
	facts := map[string]model.StreamFacts{}
	for _, f := range w.groups {
		config := f.config
		observed = append(observed, model.ConfigSeen{Key: f.key, Revision: f.revision, Written: at.Add(-3 * time.Hour), Config: &config})
		name := f.key.ConsumeStream()
		streams[name] = append(streams[name], nil)[:len(streams[name])]
		for member, c := range f.consumers {
			c.Name, c.TS, c.RateSpan = f.key.ConsumerName(member), at, time.Second
			if c.Created.IsZero() {
				c.Created = at.Add(-2 * time.Hour)
			}
			streams[name] = append(streams[name], &c)
		}
		if f.key.Kind == model.KindElastic {
			facts[name] = model.StreamFacts{Known: true, Exists: true, Messages: f.messages, MaxMsgs: f.config.MaxBufferedMsgs, LastSeq: 9000, Sources: []model.Source{{Name: f.key.Stream, Seq: 5000}}}
			observed = append(observed, model.StreamRead{Name: f.key.Stream, Facts: model.StreamFacts{Known: true, Exists: true, Messages: 5000 + f.behind, FirstSeq: 1, LastSeq: 5000 + f.behind}})
		} else {
			facts[name] = model.StreamFacts{Known: true, Exists: true, Messages: 1 << 20}
		}
	}
	for name, list := range streams {
		observed = append(observed, model.StreamRead{Name: name, Facts: facts[name]}, model.ConsumersRead{Stream: name, Consumers: list, TS: at})
	}
	observed = append(observed, w.more...)
	for _, e := range w.events {
		observed = append(observed, model.EventSeen{Event: e})
	}
	link := w.link
	if link == "" {
		link = model.LinkLive
	}
	s := model.Reduce(nil, at, observed...)
	var counts []model.Observation
	for _, f := range w.groups {
		if f.waits != nil {
			before := make([]model.Counted, len(f.waits))
			for p, c := range f.waits {
				before[p] = model.Counted{Pending: c.Pending - min(c.Pending, c.Newer)}
			}
			counts = append(counts,
				model.PartitionsCounted{Key: f.key, Counts: model.Counts{At: at.Add(-4 * time.Second), Every: 2 * time.Second}, Partitions: before},
				model.PartitionsCounted{Key: f.key, Counts: model.Counts{At: at.Add(-2 * time.Second), Every: 2 * time.Second}, Partitions: f.waits})
		}
	}
	if counts = append(counts, w.later...); len(counts) > 0 {
		s = model.Reduce(s, at, counts...)
	}
	s = model.Reduce(s, at.Add(200*time.Millisecond), model.LinkSeen{State: link})
	for _, f := range w.groups {
		if g := s.Group(f.key); g != nil && f.history != nil {
			g.History = f.history
		}
	}
	return s
}

// pinned is a consumer with a pinned instance and some that stand by.
func pinned(id string, ago time.Duration, standby int, pending, unacked uint64, in, out float64) model.Consumer {
	return model.Consumer{PinID: id, PinnedAt: moment().Add(-ago), Waiting: 1 + standby, Pending: pending, AckPending: unacked, In: in, Out: out, PriorityGroup: "PCG"}
}

func filter(subject string, wildcards ...int) []model.Filter {
	return []model.Filter{{Subject: subject, Wildcards: wildcards}}
}

func rising(n int, top uint64) []uint64 {
	h := make([]uint64, n)
	for i := range h {
		h[i] = top * uint64(i+1) * uint64(i+1) / uint64(n*n)
	}
	return h
}

func flat(n int, v uint64) []uint64 {
	h := make([]uint64, n)
	for i := range h {
		h[i] = v
	}
	return h
}

// sketch is the four groups of a small account, two of them in need.
func sketch() world {
	return world{context: "prod-eu", groups: []fixture{
		{key: elastic("TELEMETRY", "rollup"), revision: 41, messages: 14212, history: rising(40, 14212),
			waits:  counted(41*time.Second, 20, 18, 0, 31, 24, 12, 4211, 30, 8, 21, 1960, 1971, 1950, 1944, 1986, 25),
			config: model.Config{Partitions: 16, Filters: filter("telemetry.*.*", 1), Members: []string{"m1", "m2", "m3"}, MaxBufferedMsgs: 200000},
			consumers: map[string]model.Consumer{
				"m1": pinned("Xk2PqLrT9fWmVb5c9d", 12*time.Minute, 0, 118, 0, 40, 40),
				"m2": pinned("Xk2PqLrT9fWmVb91ab", 3*time.Minute, 1, 4281, 1, 90, 0),
			}},
		{key: static("PAYMENTS", "settlement"), revision: 7, history: rising(40, 812),
			config: model.Config{Partitions: 8, Filters: filter("payments.>"), Members: []string{"alpha", "beta"}},
			consumers: map[string]model.Consumer{
				"alpha": filtered(pinned("Xk2PqLrT9fWmVb7f9c", 26*time.Hour, 1, 12, 2, 60, 61), 0, 1, 2, 3),
				"beta":  filtered(model.Consumer{Waiting: 1, Pending: 800, In: 60, PriorityGroup: "PCG", PinChanged: moment().Add(-time.Minute)}, 4, 5, 6, 7),
			}},
		{key: elastic("ORDERS", "analytics"), revision: 52, messages: 6, history: flat(40, 6), waits: counted(300*time.Millisecond, 1, 0, 2, 1, 0, 0, 1, 1),
			config: model.Config{Partitions: 8, Filters: filter("orders.*.>", 1), Members: []string{"a1", "a2"}},
			consumers: map[string]model.Consumer{
				"a1": pinned("Xk2PqLrT9fWmVb1111", 3*time.Hour, 1, 3, 1, 100, 100),
				"a2": pinned("Xk2PqLrT9fWmVb2222", 3*time.Hour, 1, 1, 1, 99, 99),
			}},
		{key: elastic("ORDERS", "fulfillment"), revision: 60, messages: 1, history: flat(40, 1),
			config: model.Config{Partitions: 12, Filters: filter("orders.*.>", 1), Members: []string{"m1", "m2", "m3"}},
			consumers: map[string]model.Consumer{
				"m1": pinned("Xk2PqLrT9fWmVb3333", 40*time.Minute, 1, 0, 1, 70, 70),
				"m2": pinned("Xk2PqLrT9fWmVbb2d1", 9*time.Second, 1, 0, 0, 70, 70),
				"m3": pinned("Xk2PqLrT9fWmVb5555", 40*time.Minute, 1, 0, 0, 60, 60),
			}},
	}, events: []model.Event{
		{At: moment().Add(-8 * time.Minute), Kind: model.EventConfig, Key: elastic("TELEMETRY", "rollup"), Text: "+m3, 6-7 m1▸m2, 11-15 m2▸m3"},
		{At: moment().Add(-135 * time.Second), Kind: model.EventPin, Key: elastic("TELEMETRY", "rollup"), Member: "m2", Text: "unpinned (timeout) after 9m, was …77e0"},
		{At: moment().Add(-134 * time.Second), Kind: model.EventPin, Key: elastic("TELEMETRY", "rollup"), Member: "m2", Text: "pinned …b91ab"},
		{At: moment().Add(-9 * time.Second), Kind: model.EventAction, Key: elastic("ORDERS", "fulfillment"), Member: "m2", Text: "stepped down …7f9c from here, in 2 ms"},
		{At: moment().Add(-9 * time.Second), Kind: model.EventPin, Key: elastic("ORDERS", "fulfillment"), Member: "m2", Text: "pinned …bb2d1"},
	}}
}

// counted is what waits in partitions: so many messages, the oldest of them so old.
func counted(oldest time.Duration, pending ...uint64) []model.Counted {
	list := make([]model.Counted, len(pending))
	for p, n := range pending {
		if list[p] = (model.Counted{Pending: n, Newer: n / 50, HasNewer: true}); n > 0 {
			list[p].Oldest = moment().Add(-2*time.Second - oldest)
		}
	}
	return list
}

// stuck is a consumer that was given a message so long ago, and acknowledged none since.
func stuck(c model.Consumer, ago time.Duration) model.Consumer {
	c.AckWait, c.LastDelivered, c.LastAck = 5*time.Second, moment().Add(-ago), moment().Add(-ago)
	return c
}

// filtered gives a static group's consumer the filters of its partitions.
func filtered(c model.Consumer, partitions ...int) model.Consumer {
	for _, p := range partitions {
		c.Filters = append(c.Filters, fmt.Sprintf("%d.>", p))
	}
	return c
}
