package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"pcgtop/keymap"
	"pcgtop/model"
)

// Shot says which picture of the screen to take, without a terminal.
type Shot struct {
	Width, Height int
	Screen        string        // one of [Screens]; empty: where Options begin
	Keys          []string      // pressed then, by their names: enter, ctrl+r, x
	For           time.Duration // how long to watch before the picture is taken
}

// Picture is a screen that was drawn.
type Picture struct {
	frame string
	rows  []*row
	width int
	dark  bool
}

// screenSteps are the ways to the screens, by their names: what is done one after the
// other. All but the first few begin at an open group.
func screenSteps() (names []string, steps map[string][]keymap.ID) {
	steps = map[string][]keymap.ID{
		"overview": nil, "events": {keymap.Happened}, "help": {keymap.ShowHelp}, "palette": {keymap.Command},
		"group": nil, "partitions": {keymap.Open}, "map": {keymap.Open, keymap.Next}, "where": {keymap.Where},
		"remap": {keymap.Remapped}, "drop": {keymap.DropFrom}, "plan": {keymap.DropFrom, keymap.Make},
	}
	return []string{"overview", "events", "help", "palette", "group", "partitions", "map", "where", "remap", "drop", "plan"}, steps
}

// Screens names what can be drawn.
func Screens() []string {
	names, _ := screenSteps()
	return names
}

// NeedsGroup tells whether a screen is one of a group.
func NeedsGroup(screen string) bool {
	switch screen {
	case "", "overview", "events", "help", "palette":
		return false
	}
	return true
}

// still is an administrator for pictures: plans are drawn and none is carried out.
type still struct{}

func (still) ReadOnly() bool { return false }
func (still) Apply(context.Context, *model.Plan) (string, error) {
	return "", errors.New("a picture changes nothing")
}

// mostCells bounds a picture, which is kept whole while it is drawn: more than any terminal
// has.
const mostCells = 1_000_000

// ErrShot is what an error is when no such picture can be asked for, whatever there is to
// be seen.
var ErrShot = errors.New("no such picture")

// shotError is an error of what was asked for, in its own words.
type shotError string

func (e shotError) Error() string      { return string(e) }
func (shotError) Is(target error) bool { return target == ErrShot }

func refuse(format string, args ...any) error { return shotError(fmt.Sprintf(format, args...)) }

// Check says what is wrong with what was asked for; the error is an [ErrShot].
func (s Shot) Check() error {
	if s.Width < leastWidth || s.Height < leastHeight {
		return refuse("a picture of %dx%d is too small: %dx%d is the least", s.Width, s.Height, leastWidth, leastHeight)
	}
	if s.Width > mostCells/s.Height {
		return refuse("a picture of %dx%d is too large: %d characters are the most", s.Width, s.Height, mostCells)
	}
	if s.For < 0 {
		return refuse("nothing can be watched for %v: give a time of 0s or more", s.For)
	}
	if s.Screen != "" && !slices.Contains(Screens(), s.Screen) {
		return refuse("there is no screen %q: one of %s", s.Screen, strings.Join(Screens(), ", "))
	}
	for _, name := range s.Keys {
		if _, err := stroke(name); err != nil {
			return err
		}
	}
	return nil
}

// Take draws the screen that Options and the shot ask for, as soon as the source has
// shown everything. Nothing is ever written to. An error is an [ErrShot] when it is about
// what was asked for.
func (s Shot) Take(ctx context.Context, o Options) (*Picture, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	_, steps := screenSteps()
	o.Context, o.Admin = ctx, still{}
	switch o.Look {
	case Auto:
		o.Look = Dark
	case Contrast:
		o.Look = ContrastDark
	}
	m := New(o)
	m.Update(tea.WindowSizeMsg{Width: s.Width, Height: s.Height})
	if err := m.watch(ctx, s.For); err != nil {
		return nil, err
	}
	if NeedsGroup(s.Screen) && m.group == nil {
		return nil, refuse("screen %s is one of a group: name it, STREAM/GROUP", s.Screen)
	}
	for _, id := range steps[s.Screen] {
		m.finish(m.do(id))
		m.settle()
	}
	for _, name := range s.Keys {
		k, err := stroke(name)
		if err != nil {
			return nil, err
		}
		_, cmd := m.Update(k)
		m.finish(cmd)
	}
	if m.opts.Player != nil && m.window() == nil {
		m.opts.Admin = nil // a plan can be drawn; a replay itself offers none
		m.settle()
	}
	m.fresh = false
	frame := m.View().Content
	return &Picture{frame, m.cells, s.Width, o.Look != Light && o.Look != ContrastLight}, nil
}

// watch shows what the source tells, until all is known and the time is over.
func (m *Model) watch(ctx context.Context, least time.Duration) error {
	over := time.After(least)
	waiting, shown := true, false
	for {
		var done <-chan time.Time
		if waiting {
			done = over
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-done:
			waiting = false
		case s, more := <-m.opts.Source.Snapshots():
			if !more {
				return errors.New("there is nothing to draw")
			}
			m.Update(snapshotMsg{s})
			shown = true
		}
		if shown && !waiting && m.live.Link.State != model.LinkStarting {
			return nil
		}
	}
}

// finish waits for what a key began, such as a plan that asks the server.
func (m *Model) finish(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	const patience = 5 * time.Second
	answer := make(chan tea.Msg, 1)
	go func() { answer <- cmd() }()
	select {
	case msg := <-answer:
		if _, quits := msg.(tea.QuitMsg); !quits {
			m.Update(msg)
		}
	case <-time.After(patience):
	}
}

// stroke is a key press by its name.
func stroke(name string) (tea.KeyPressMsg, error) {
	var k tea.Key
	rest := name
	for _, mod := range []struct {
		name string
		is   tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if after, has := strings.CutPrefix(rest, mod.name); has {
			rest, k.Mod = after, k.Mod|mod.is
		}
	}
	named := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
		"home": tea.KeyHome, "end": tea.KeyEnd, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "backspace": tea.KeyBackspace, "delete": tea.KeyDelete,
	}
	runes := []rune(rest)
	switch code, ok := named[rest]; {
	case ok:
		k.Code = code
	case rest == "space":
		k.Code, k.Text = tea.KeySpace, " "
	case len(runes) == 1:
		if k.Code = runes[0]; k.Mod == 0 {
			k.Text = rest
		}
	default:
		return tea.KeyPressMsg{}, refuse("there is no key %q: give a character, or enter, esc, tab, space, up, ctrl+x and so on", name)
	}
	return tea.KeyPressMsg(k), nil
}

// ANSI writes the picture with the codes that terminals understand.
func (p *Picture) ANSI(w io.Writer) error {
	_, err := io.WriteString(w, p.frame+"\n")
	return err
}

// Text writes it without colours.
func (p *Picture) Text(w io.Writer) error {
	lines := strings.Split(ansi.Strip(p.frame), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// SVG draws it, on the ground that its look is for.
func (p *Picture) SVG(w io.Writer) error {
	fg, bg := lipgloss.Color("#d3d9e4"), lipgloss.Color("#161922")
	if !p.dark {
		fg, bg = lipgloss.Color("#1c2230"), lipgloss.Color("#ffffff")
	}
	return writeSVG(w, p.rows, p.width, fg, bg)
}
