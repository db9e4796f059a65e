package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/engine/demo"
	"pcgtop/engine/observe"
	"pcgtop/model/recording"
	"pcgtop/tui"
	"pcgtop/tui/report"
)

// record begins a recording from the screen. It keeps no addresses.
func (c *cli) record(file string) (tui.Recording, error) {
	r, err := recording.Create(file, false, false)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// replayCmd is `pcgtop replay`.
type replayCmd struct {
	File   string `arg:"" help:"The recording."`
	Target string `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"What to open at once."`
	At     string `help:"Begin there: a time of day, +90s from the start, -1m from the end, 50%." placeholder:"TIME"`
	Stop   bool   `help:"Do not play until space is pressed."`
}

// Run shows a recording.
func (r replayCmd) Run(ctx context.Context, c *cli) error {
	if err := terminal(); err != nil {
		return err
	}
	file, picture, err := open(r.File, r.At)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	player := recording.NewPlayer(file, picture, !r.Stop)
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		err := playing(ctx, player)
		over <- err
		if err != nil {
			cancel() // without pictures the screens end too
		}
	}()
	show := c.screen(r.Target)
	show.Source, show.Player = player, player
	err = tui.Run(ctx, show)
	cancel()
	return errors.Join(err, <-over)
}

// playing plays until the context ends. An error is a panic.
func playing(ctx context.Context, p *recording.Player) error {
	return observe.Guard(func() error {
		p.Run(ctx)
		return nil
	})
}

// open opens a recording and finds the picture of a moment; the first for none.
func open(name, at string) (*recording.Recording, int, error) {
	file, err := recording.Open(name)
	if err != nil || at == "" {
		return file, 0, err
	}
	t, err := recording.ParseAt(at, file.Time(0), file.Time(file.Len()-1), time.Local)
	if err != nil {
		_ = file.Close()
		return nil, 0, command.Usage("--at: %w", err)
	}
	return file, file.Find(t), nil
}

// held says that a target is not in a picture.
func held(file *recording.Recording, picture int, target string) error {
	s, _, err := file.Last(picture)
	stream, group, _ := strings.Cut(target, "/")
	if err != nil || stream == "" || len(s.Lookup(stream, group)) > 0 {
		return err
	}
	return fmt.Errorf("%s: %w in %s at %s", target, command.ErrNotFound, file.Name(), file.Time(picture).Local().Format(time.TimeOnly))
}

// replay prints pictures of a recording, with so much of its time between two.
func (r reportCmd) replay() error {
	file, picture, err := open(r.Replay, r.At)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if p := file.Problem(); p != "" {
		fmt.Fprintln(os.Stderr, "pcgtop: "+report.OneLine(r.Replay+": "+p))
	}
	if r.At == "" && r.Count == 1 {
		picture = file.Len() - 1
	}
	for n, t := 1, file.Time(picture); ; n, t = n+1, t.Add(max(r.Every, time.Millisecond)) {
		s, problem, err := file.Last(file.Find(t))
		if err != nil {
			return err
		}
		if problem != "" {
			fmt.Fprintln(os.Stderr, "pcgtop: "+report.OneLine(problem+"; this is the last one before it"))
		}
		if err := held(file, file.Find(t), r.Target); err != nil {
			return err
		}
		if err := r.print(s); err != nil {
			return err
		}
		if n == r.Count || t.After(file.Time(file.Len()-1)) {
			return nil
		}
	}
}

// shotCmd is `pcgtop shot`.
type shotCmd struct {
	Output string        `short:"o" required:"" placeholder:"FILE" help:"File to write: its name ends in .svg, .txt or .ansi."`
	Size   string        `default:"120x40" placeholder:"WxH" help:"Columns and lines."`
	Screen string        `placeholder:"NAME" help:"${screens}; else the list of groups, or the group that is named."`
	Keys   []string      `placeholder:"KEY,…" help:"Keys to press then: enter, tab, ctrl+r, x and so on."`
	For    time.Duration `default:"3s" help:"How long to watch first; a recording is not watched."`
	Replay string        `placeholder:"FILE" help:"Draw from a recording instead of a server."`
	At     string        `placeholder:"TIME" help:"The moment of the recording: a time of day, +90s from the start, -1m from the end, 50%; else its end."`
	Demo   bool          `help:"Draw from the demo instead of a server."`
	Target string        `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"What to open."`
}

// Run draws the screen and writes the file.
func (s shotCmd) Run(ctx context.Context, c *cli) error {
	shot := tui.Shot{Screen: s.Screen, Keys: s.Keys, For: s.For}
	if s.Replay != "" {
		shot.For = 0
	}
	if n, err := fmt.Sscanf(s.Size+" ", "%dx%d ", &shot.Width, &shot.Height); n != 2 || err != nil {
		return command.Usage("--size %s: want columns and lines, such as 120x40", s.Size)
	}
	write, known := map[string]func(*tui.Picture, io.Writer) error{".svg": (*tui.Picture).SVG, ".txt": (*tui.Picture).Text, ".ansi": (*tui.Picture).ANSI}[filepath.Ext(s.Output)]
	if !known {
		return command.Usage("-o %s: its name has to end in .svg, .txt or .ansi", s.Output)
	}
	if err := shot.Check(); err != nil { // before anybody connects
		return err
	}
	var picture *tui.Picture
	err := s.source(ctx, c, func(show tui.Options) (err error) {
		picture, err = shot.Take(ctx, show)
		return err
	})
	if err != nil {
		return err
	}
	f, err := os.Create(s.Output)
	if err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	if err := errors.Join(write(picture, f), f.Close()); err != nil {
		return fmt.Errorf("writing the picture: %w", err)
	}
	return nil
}

// source runs what is drawn from for as long as the picture takes.
func (s shotCmd) source(ctx context.Context, c *cli, take func(tui.Options) error) (err error) {
	show := c.screen(s.Target)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if s.Replay != "" {
		at := s.At
		if at == "" {
			at = "100%"
		}
		file, picture, err := open(s.Replay, at)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }() // it was only read
		if err := held(file, picture, s.Target); err != nil {
			return err
		}
		player := recording.NewPlayer(file, picture, false)
		over := make(chan error, 1)
		go func() { over <- playing(ctx, player) }()
		show.Source, show.Player = player, player
		err = take(show)
		cancel()
		return errors.Join(err, <-over)
	}
	o := c.options()
	if s.Demo {
		running, err := demo.Start(ctx, demo.Options{Seed: 1})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, running.Stop()) }()
		o = c.demoOptions(running.URL())
	}
	e, err := engine.Connect(ctx, o)
	if err != nil {
		return err
	}
	defer e.Close()
	observed := make(chan error, 1)
	go func() { observed <- e.Run(ctx) }()
	if err := e.Exists(ctx, show.Stream, show.Group); err != nil {
		cancel()
		return errors.Join(err, <-observed)
	}
	show.Source = e
	err = take(show)
	cancel()
	return errors.Join(err, <-observed)
}
