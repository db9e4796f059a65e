package tui

import (
	"context"
	"encoding/base64"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// copied is what a key puts on the clipboard.
func (s *stage) copied(key string) string {
	s.t.Helper()
	cmd := s.send(press(key))
	if cmd == nil {
		s.t.Fatalf("%s copies nothing:\n%s", key, s.plain())
	}
	return fmt.Sprint(cmd())
}

func TestCopy(t *testing.T) {
	open := func(keys ...string) *stage {
		return newStage(t, 120, 40).show(sketch().snapshot()).press("down").press(keys...)
	}
	for _, c := range []struct {
		way  []string
		want string
	}{
		{nil, "TELEMETRY/rollup: degraded, m3 never seen: it owns 5 partitions (10-14), 9,811 messages wait there"},
		{[]string{"enter"}, "m3 of TELEMETRY/rollup: absent, partitions 10-14"},
		{[]string{"enter", "up"}, "m2 of TELEMETRY/rollup: pinned 3 m, partitions 5-9, 4,281 pending, consumer m2 of TELEMETRY-rollup"},
		{[]string{"enter", "tab", "right"}, "TELEMETRY/rollup partition 1: m1, pinned, 18 wait, oldest 41 s"},
		{[]string{"enter", "x", "enter"}, "pcgtop elastic drop TELEMETRY rollup m3"},
	} {
		s := open(c.way...)
		if got := s.copied("c"); !strings.HasPrefix(got, c.want) {
			t.Errorf("%v copies %q, want %q", c.way, got, c.want)
		}
		s.sees("copied: ")
	}
	// The true value is copied, whatever it holds; on the screen it is written out.
	s := newStage(t, 120, 40).show(hostile().snapshot())
	got := s.copied("c")
	if want := groupLine(s.m.overview.rows[0]); got != want || !strings.ContainsAny(got, "\x1b\r\n\u202e") {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// Inside tmux and screen the sequence goes through wrapped, so that the terminal outside
// gets it.
func TestCopyThroughMultiplexers(t *testing.T) {
	var sent strings.Builder
	var run func(msg tea.Msg)
	run = func(msg tea.Msg) {
		switch m := msg.(type) {
		case tea.RawMsg:
			fmt.Fprint(&sent, m.Msg)
		default:
			if s := fmt.Sprintf("%T", msg); strings.Contains(s, "sequence") {
				for _, cmd := range sequence(msg) {
					run(cmd())
				}
				return
			}
			fmt.Fprintf(&sent, "<%v>", msg)
		}
	}
	payload := base64.StdEncoding.EncodeToString([]byte("text"))
	for by, want := range map[Multiplexer]string{
		NoMultiplexer: "<text>",
		Tmux:          "<text>\x1bPtmux;\x1b\x1b]52;c;" + payload + "\x07\x1b\\",
		GNUScreen:     "\x1bP\x1b]52;c;" + payload + "\x07\x1b\\",
	} {
		sent.Reset()
		if run(clipboard(by, "text")()); sent.String() != want {
			t.Errorf("%q: %q, want %q", by, sent.String(), want)
		}
	}
}

// sequence takes a sequence of commands apart, whose type Bubble Tea keeps to itself.
func sequence(msg tea.Msg) (cmds []tea.Cmd) {
	v := reflect.ValueOf(msg)
	for i := range v.Len() {
		cmds = append(cmds, v.Index(i).Interface().(tea.Cmd))
	}
	return cmds
}

// A message goes after a time, once: what is said later has its own, and then nothing waits
// for the first one's end any more.
func TestMessagesGo(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot())
	clean := s.plain()
	s.press("r").sees("reading…")
	first, waits := s.after, s.waits
	if waits.Err() != nil {
		t.Error("nothing waits for its end")
	}
	s.press("c").sees("copied: ")
	if waits.Err() == nil || s.waits.Err() != nil {
		t.Fatal("the end of a message that is gone is waited for, or not that of the new one")
	}
	if msg := later(waits, time.Hour, first)(); msg != nil {
		t.Errorf("what nothing waits for comes as %v", msg)
	}
	if s.send(first); !strings.Contains(s.plain(), "copied: ") {
		t.Error("the time of one message ended another")
	}
	if s.stays > 10*time.Second {
		t.Errorf("it stays for %v", s.stays)
	}
	if s.send(s.after); s.plain() != clean {
		t.Errorf("something is left:\n%s", s.plain())
	}
	s.after = nil
	if s.send(fadedMsg{99}); s.after != nil || s.plain() != clean {
		t.Error("the screen does not rest")
	}
	good := s.stays
	s.press("enter", "b").sees("!")
	if s.stays <= good {
		t.Errorf("what went wrong stays for %v", s.stays)
	}
	if s.press("down"); strings.Contains(s.plain(), "! a balanced") {
		t.Error("a key does not end the message")
	}
}

// inspector answers with documents.
type inspector struct {
	key    model.Key
	member string
	docs   []model.Document
}

func (i *inspector) Inspect(_ context.Context, k model.Key, member string) []model.Document {
	i.key, i.member = k, member
	return i.docs
}

func documents() []model.Document {
	return []model.Document{
		{Title: "config, revision 41", From: "$KV.elastic-consumer-groups.TELEMETRY.rollup", Text: `{"max_members":16,"filter":"telemetry.*.*","members":["m1","m2","m3"],"odd":"a\u001b[31mb"}`},
		{Title: "work stream", From: "$JS.API.STREAM.INFO.TELEMETRY-rollup", Text: `{"type":"io.nats.jetstream.api.v1.stream_info_response","state":{"messages":14212}}`},
		{Title: "consumer of m3", From: "$JS.API.CONSUMER.INFO.TELEMETRY-rollup.m3", Problem: "consumer not found"},
	}
}

func TestRaw(t *testing.T) {
	in := &inspector{docs: documents()}
	s := newStage(t, 120, 40, func(o *Options) { o.Inspector = in }).show(sketch().snapshot()).press("down", "enter")
	cmd := s.send(press("y"))
	s.sees("reading the rest…").sees("pcgtop/1")
	s.send(cmd())
	if in.key != elastic("TELEMETRY", "rollup") || in.member != "m3" {
		t.Errorf("asked for %v, %q", in.key, in.member)
	}
	s.sees("config, revision 41").sees(`"filter": "telemetry.*.*",`).sees(`"odd": "a\u001b[31mb"`).sees("1 of 4")
	if got := s.copied("c"); got != documents()[0].Text {
		t.Errorf("copied %q", got)
	}
	s.press("tab").sees(`"messages": 14212`).press("tab").sees("not read: consumer not found")
	if s.press("c").sees("there is nothing to copy"); len(s.m.windows) != 1 {
		t.Error("the window is gone")
	}
	s.press("tab").sees("as pcgtop sees it").sees("lines 1-35 of")
	s.press("G").sees(`of 4`).press("tab").sees("config, revision 41").press("esc")
	if len(s.m.windows) != 0 {
		t.Error("it does not close")
	}
	// What is no JSON is shown as it is, made safe, and copied as it is.
	in.docs = []model.Document{{Title: "config", Text: "{\"a\": \x1b[31m\r\n\xff " + strings.Repeat("long ", 60)}}
	s.send(s.send(press("y"))())
	s.sees(`{"a": \x1b[31m\r`).sees(`\xff long long`)
	if got := s.copied("c"); got != in.docs[0].Text {
		t.Errorf("copied %q", got)
	}
	s.press("esc")
	// However long a line is, its end can be seen.
	in.docs = []model.Document{{Title: "config", Text: strings.Repeat("long ", 1<<18) + "Ω"}}
	s.send(s.send(press("y"))())
	s.press("G").sees("Ω").press("esc")
	// Without anybody to ask, what is on the screen can be seen still.
	newStage(t, 120, 40).show(sketch().snapshot()).press("y").sees("as pcgtop sees it").sees("pcgtop/1")
	newStage(t, 120, 40).show(world{}.snapshot()).press("y").sees("there is no group")
}

func TestRawFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h, func(o *Options) { o.Inspector = &inspector{docs: documents()} }).show(sketch().snapshot()).press("down", "enter")
		s.send(s.send(press("y"))())
		s.golden("raw-"+z.String(), z.h == 24)
	}
}
