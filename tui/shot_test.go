package tui

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"pcgtop/model"
	"pcgtop/model/recording"
	"pcgtop/tui/glyph"
)

const demoRecording = "../testdata/recordings/demo.jsonl.gz"

// demoAt is the demo as it was at a moment of its recording, to be drawn from.
func demoAt(t testing.TB, moment string) Options {
	t.Helper()
	r, err := recording.Open(demoRecording)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	at, err := recording.ParseAt(moment, r.Time(0), r.Time(r.Len()-1), time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	player := recording.NewPlayer(r, r.Find(at), false)
	ctx, stop := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() {
		defer close(over)
		player.Run(ctx)
	}()
	t.Cleanup(func() { stop(); <-over })
	return Options{Source: player, Player: player, Look: Dark, Zone: time.UTC}
}

func shoot(t testing.TB, o Options, s Shot) *Picture {
	t.Helper()
	if NeedsGroup(s.Screen) {
		o.Stream, o.Group = "TELEMETRY", "rollup"
	}
	p, err := s.Take(context.Background(), o)
	if err != nil {
		t.Fatalf("%+v: %v", s, err)
	}
	return p
}

func written(t testing.TB, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDemoFrames: every screen, drawn from a recording of the demo.
func TestDemoFrames(t *testing.T) {
	for _, screen := range Screens() {
		for _, z := range []size{{80, 24}, {120, 40}} {
			p := shoot(t, demoAt(t, "100%"), Shot{Width: z.w, Height: z.h, Screen: screen})
			compare(t, filepath.Join(goldens, "demo-"+screen+"-"+z.String()+".txt"), written(t, p.Text))
		}
	}
	for _, at := range []string{"+3s", "+50s", "+70s"} {
		p := shoot(t, demoAt(t, at), Shot{Width: 120, Height: 40})
		compare(t, filepath.Join(goldens, "demo-overview"+at+".txt"), written(t, p.Text))
	}
}

// TestPictures: those of the README are what make pictures draws.
func TestPictures(t *testing.T) {
	raw, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	drawn := regexp.MustCompile(`(?m)^\t\$\(SHOT\) --size (\d+)x(\d+) -o snapshots/(\S+\.svg)(?: --screen (\S+))?(?: --keys (\S+))?( TELEMETRY/rollup)?$`).FindAllStringSubmatch(string(raw), -1)
	if n := bytes.Count(raw, []byte("\t$(SHOT) ")); len(drawn) != n || n < 4 {
		t.Fatalf("%d of %d pictures are understood", len(drawn), n)
	}
	for _, d := range drawn {
		s := Shot{Screen: d[4]}
		s.Width, _ = strconv.Atoi(d[1])
		s.Height, _ = strconv.Atoi(d[2])
		if d[5] != "" {
			s.Keys = strings.Split(d[5], ",")
		}
		if d[6] != "" && s.Screen == "" {
			s.Screen = "group"
		}
		compare(t, filepath.Join(goldens, d[3]), written(t, shoot(t, demoAt(t, "100%"), s).SVG))
	}
}

// TestSVG: the picture is sound, holds every character of the screen at its own cell,
// and nothing lies outside.
func TestSVG(t *testing.T) {
	for name, w := range map[string]world{"sketch": sketch(), "names": foreignNames(), "hostile": hostile(), "crowded": crowded()} {
		o := Options{Source: newSource(), Look: Light, Zone: time.UTC}
		o.Source.(*source).snapshots <- w.snapshot()
		p, err := Shot{Width: 100, Height: 30}.Take(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		drawn := cellsOf(t, written(t, p.SVG), 100, 30)
		for y, line := range strings.Split(ansi.Strip(p.frame), "\n") {
			x := 0
			for line != "" {
				cluster, w := ansi.FirstGraphemeCluster(line, ansi.GraphemeWidth)
				line = line[len(cluster):]
				got := drawn[[2]int{x, y}]
				if want := strings.TrimSpace(cluster); got != want && !(got == "shape" && !plainLetter(cluster)) {
					t.Errorf("%s: at %d, %d is %q, not %q", name, x, y, got, want)
				}
				x += w
			}
		}
	}
}

// cellsOf reads back what an SVG draws in each cell.
func cellsOf(t *testing.T, svg string, w, h int) map[[2]int]string {
	t.Helper()
	cells := map[[2]int]string{}
	number := func(e xml.StartElement, name string) float64 {
		for _, a := range e.Attr {
			if a.Name.Local == name {
				v, err := strconv.ParseFloat(a.Value, 64)
				if err != nil {
					return math.NaN()
				}
				return v
			}
		}
		return 0
	}
	d := xml.NewDecoder(strings.NewReader(svg))
	var open *xml.StartElement
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return cells
		}
		if err != nil {
			t.Fatalf("no sound XML: %v", err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			c := e.Copy()
			open = &c
			x, y := (number(e, "x")-margin)/cellWidth, (number(e, "y")-margin)/cellHeight
			switch e.Name.Local {
			case "rect":
				if high := number(e, "height"); high < cellHeight || number(e, "width") < cellWidth { // not what lies behind
					cells[[2]int{int(x + .01), int(y + .01)}] = "shape"
				} else if number(e, "width") < cellWidth*1.5 {
					cells[[2]int{int(x + .01), int(y + .01)}] = "shape"
				}
			case "path":
				for _, a := range e.Attr {
					if a.Name.Local == "d" {
						from := strings.FieldsFunc(a.Value, func(r rune) bool { return strings.ContainsRune("ML ", r) })
						px, _ := strconv.ParseFloat(from[0], 64)
						py, _ := strconv.ParseFloat(from[1], 64)
						cells[[2]int{int((px - margin) / cellWidth), int((py - margin) / cellHeight)}] = "shape"
					}
				}
			}
			if x > float64(w) || y > float64(h) {
				t.Errorf("%s at %v, %v is outside", e.Name.Local, x, y)
			}
		case xml.CharData:
			if open == nil || open.Name.Local != "text" {
				continue
			}
			x, y := (number(*open, "x")-margin)/cellWidth, (number(*open, "y")-baseline-margin)/cellHeight
			if math.Abs(x-math.Round(x)) > .01 || math.Abs(y-math.Round(y)) > .01 {
				t.Errorf("%q stands between cells, at %v, %v", e, x, y)
			}
			text := string(e)
			if length := number(*open, "textLength"); length > 0 && math.Abs(length-float64(glyph.Width(text))*cellWidth) > .01 {
				t.Errorf("%q is drawn %v wide", text, length)
			}
			for at := int(math.Round(x)); text != ""; {
				cluster, w := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
				text = text[len(cluster):]
				cells[[2]int{at, int(math.Round(y))}] = cluster
				at += w
			}
		case xml.EndElement:
			open = nil
		}
	}
}

// The terminal's own 16 colours are drawn as terminals show them: members' letters and what
// is wrong can be read on the picture's background.
func TestSVGOf16Colours(t *testing.T) {
	o := demoAt(t, "100%")
	o.Look = Terminal
	svg := written(t, shoot(t, o, Shot{Width: 100, Height: 30, Screen: "group"}).SVG)
	for _, want := range []string{"#cd0000", "#00cd00", "#cdcd00", "#00cdcd", "#cd00cd", "#5c5cff"} {
		if !strings.Contains(svg, want) {
			t.Errorf("no %s", want)
		}
	}
	for _, dim := range []string{"#800000", "#000080", "#0000ff"} {
		if strings.Contains(svg, dim) {
			t.Errorf("%s is hardly seen on black", dim)
		}
	}
}

// TestAPictureOfARecording says in its header what a replay does.
func TestAPictureOfARecording(t *testing.T) {
	header, _, _ := strings.Cut(written(t, shoot(t, demoAt(t, "+50s"), Shot{Width: 120, Height: 40}).Text), "\n")
	if want := regexp.MustCompile(` RO .* ■ stopped \d\d:\d\d:\d\d 0:(49|50) of \d:\d\d`); !want.MatchString(header) {
		t.Errorf("not as in a replay: %q", header)
	}
	if strings.Contains(header, "live") {
		t.Errorf("it looks live: %q", header)
	}
}

func TestShotRefuses(t *testing.T) {
	for says, s := range map[string]Shot{
		"39x12 is too small":       {Width: 39, Height: 12},
		"1001x1000 is too large":   {Width: 1001, Height: 1000},
		"too large: 1000000":       {Width: math.MaxInt, Height: math.MaxInt},
		"watched for -1s":          {Width: 80, Height: 24, For: -time.Second},
		`there is no screen "x"`:   {Width: 80, Height: 24, Screen: "x"},
		"remap is one of a group":  {Width: 80, Height: 24, Screen: "remap"},
		`there is no key "entert"`: {Width: 80, Height: 24, Keys: []string{"entert"}},
	} {
		if _, err := s.Take(context.Background(), demoAt(t, "100%")); !errors.Is(err, ErrShot) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v, not %q", s, err, says)
		}
	}
	empty := newSource()
	close(empty.snapshots)
	if _, err := (Shot{Width: 80, Height: 24}).Take(context.Background(), Options{Source: empty}); err == nil || !strings.Contains(err.Error(), "nothing to draw") {
		t.Errorf("%v", err)
	}
}

// TestShotWaits until everything was read, and as long as it was told.
func TestShotWaits(t *testing.T) {
	s := newSource()
	s.snapshots <- world{link: model.LinkStarting}.snapshot()
	go func() {
		time.Sleep(50 * time.Millisecond)
		s.snapshots <- sketch().snapshot()
	}()
	p := shoot(t, Options{Source: s}, Shot{Width: 80, Height: 24})
	if !strings.Contains(written(t, p.Text), "TELEMETRY/rollup") {
		t.Errorf("%s", written(t, p.Text))
	}
	if p = shoot(t, demoAt(t, "100%"), Shot{Width: 120, Height: 40, Screen: "plan"}); !strings.Contains(written(t, p.ANSI), "\x1b[") || !strings.Contains(written(t, p.Text), "Cancel") {
		t.Error("no plan, or no colours")
	}
}

// TestAPictureChangesNothing although its plan has the focus on what writes.
func TestAPictureChangesNothing(t *testing.T) {
	p := shoot(t, demoAt(t, "100%"), Shot{Width: 120, Height: 40, Screen: "group", Keys: []string{"x", "enter", "tab", "enter"}})
	if text := written(t, p.Text); !strings.Contains(text, "a picture changes nothing") && !strings.Contains(text, "Cancel") {
		t.Errorf("%s", text)
	}
}
