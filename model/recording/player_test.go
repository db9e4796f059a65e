package recording

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// playing runs a player of a session until the test ends.
func playing(t *testing.T, r *Recording, from int, play bool) *Player {
	t.Helper()
	p := NewPlayer(r, from, play)
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		p.Run(ctx)
		close(over)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	return p
}

// shown waits for a picture.
func shown(t *testing.T, p *Player) *model.Snapshot {
	t.Helper()
	select {
	case s := <-p.Snapshots():
		return s
	case <-time.After(20 * time.Second):
		t.Fatal("no picture comes")
		return nil
	}
}

func TestPlayerStandsAndMoves(t *testing.T) {
	list := session(200)
	p := playing(t, open(t, record(t, "s", Options{}, list...)), 20, false)
	at := func(what string, i int) {
		t.Helper()
		s, now := shown(t, p), p.Playback()
		if s.Seq != list[i].Seq || now.Picture != i || !now.At.Equal(list[i].Taken) || now.Playing || now.Of != 200 {
			t.Fatalf("%s: seq %d, not %d; %+v", what, s.Seq, list[i].Seq, now)
		}
	}
	at("begin", 20)
	p.Step(1)
	at("on", 21)
	p.Step(-3)
	at("back", 18)
	p.Step(-100)
	at("beyond the start", 0)
	p.Step(1000)
	at("beyond the end", 199)
	p.Seek(list[150].Taken.Sub(list[199].Taken) + time.Millisecond)
	at("seek", 150)
	if err := p.Go("+10s", time.UTC); err != nil {
		t.Fatal(err)
	}
	at("go", p.rec.Find(list[0].Taken.Add(10*time.Second)))
	before := p.Playback()
	if err := p.Go("yesterday", time.UTC); err == nil || !strings.Contains(err.Error(), `"yesterday" is no time`) || p.Playback() != before {
		t.Errorf("%v, %+v", err, p.Playback())
	}
}

// TestPlayerPlays: in the recording's time, by its speed, to the end; the newest
// picture replaces one that nobody took.
func TestPlayerPlays(t *testing.T) {
	list := session(200) // about 110 s
	p := playing(t, open(t, record(t, "s", Options{}, list...)), 0, true)
	for range 20 {
		p.Faster(1)
	}
	if s := p.Playback().Speed; s != 600 {
		t.Errorf("the highest speed is %v", s)
	}
	last := uint64(0)
	for last != list[199].Seq {
		s := shown(t, p)
		if s.Seq < last {
			t.Fatalf("%d after %d", s.Seq, last)
		}
		last = s.Seq
	}
	if now := p.Playback(); now.Playing || now.Picture != 199 {
		t.Errorf("at the end: %+v", now)
	}
	for range 20 {
		p.Faster(-1)
	}
	if s := p.Playback().Speed; s != 0.1 {
		t.Errorf("the lowest speed is %v", s)
	}
	p.Toggle() // again from the beginning, slowly
	if s := shown(t, p); s.Seq != list[0].Seq || !p.Playback().Playing {
		t.Errorf("again: seq %d, %+v", s.Seq, p.Playback())
	}
	p.Toggle()
	if p.Playback().Playing {
		t.Error("it does not stop")
	}
}

// TestPlayerSkips what cannot be read, says so, and shows what comes after it.
func TestPlayerSkips(t *testing.T) {
	list := session(400)
	b, err := os.ReadFile(record(t, "s", Options{}, list...))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	bad := func(i int) {
		lines[i] = fmt.Appendf(nil, `{"schema":"pcgtop/1","after":%d,"seq":%d,"taken":%q,"groups":[7]}`+"\n", list[i].Seq-1, list[i].Seq, list[i].Taken.Format(time.RFC3339Nano))
	}
	bad(100)
	bad(398)
	r := open(t, file(t, "x", bytes.Join(lines, nil)))
	next := r.Resume(100)
	if next >= 398 {
		t.Fatal("the session is too short")
	}
	p := playing(t, r, 100, false)
	if s := shown(t, p); s.Seq != list[next].Seq || !strings.Contains(p.Playback().Problem, "picture 100") {
		t.Errorf("seq %d, not %d: %q", s.Seq, list[next].Seq, p.Playback().Problem)
	}
	p.Step(1000) // on broken ground to the end
	if s := shown(t, p); s.Seq != list[next].Seq || !strings.Contains(p.Playback().Problem, "picture 398") {
		t.Errorf("seq %d, %q", s.Seq, p.Playback().Problem)
	}
	p.Step(-1000)
	if s := shown(t, p); s.Seq != list[0].Seq {
		t.Errorf("seq %d", s.Seq)
	}
}

func TestParseAt(t *testing.T) {
	zone := time.FixedZone("", 3600)
	start, end := time.Date(2026, 3, 4, 22, 30, 20, 5e8, time.UTC), time.Date(2026, 3, 5, 0, 30, 0, 0, time.UTC) // 23:30:20 to 01:30 there
	for text, want := range map[string]string{
		"23:30": "2026-03-04T23:30:20.5+01:00", "23:30:20": "2026-03-04T23:30:20.5+01:00", "23:45": "2026-03-04T23:45:00+01:00", "00:10:05": "2026-03-05T00:10:05+01:00",
		"+90s": "2026-03-04T23:31:50.5+01:00", "-1m30s": "2026-03-05T01:28:30+01:00", "-0s": "2026-03-05T01:30:00+01:00", "50%": "2026-03-05T00:30:10.25+01:00", "100%": "2026-03-05T01:30:00+01:00",
		"2026-03-04T23:00:00Z": "2026-03-05T00:00:00+01:00", "2026-03-05 00:10": "2026-03-05T00:10:00+01:00", " 2026-03-05 00:10:07 ": "2026-03-05T00:10:07+01:00",
	} {
		got, err := ParseAt(text, start, end, zone)
		if err != nil || got.In(zone).Format(time.RFC3339Nano) != want {
			t.Errorf("%q is %s, %v; want %s", text, got.In(zone).Format(time.RFC3339Nano), err, want)
		}
	}
	for text, says := range map[string]string{"": "is no time", "12": "is no time", "25:00": "is no time", "90s": "is no time", "101%": "is no time", "-5%": "is no time",
		"22:00": "is not in the recording", "02:00": "is not in the recording", "+3h": "is not in the recording, which goes from 2026-03-04 23:30:20 to 2026-03-05 01:30:00"} {
		if _, err := ParseAt(text, start, end, zone); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, not %q", text, err, says)
		}
	}
}
