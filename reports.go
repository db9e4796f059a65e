package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/model"
	"pcgtop/tui/report"
)

// reportCmd is `pcgtop report`.
type reportCmd struct {
	Output    string        `short:"o" enum:"table,json" default:"table" help:"table or json (a line a snapshot)."`
	Count     int           `short:"n" default:"1" help:"How many snapshots; 0 goes on until interrupted."`
	Every     time.Duration `default:"1s" help:"Time between two."`
	Instances bool          `help:"Listen for the running instances too; that takes as long as a pull waits."`
	Replay    string        `help:"Print what this recording holds instead of what is." placeholder:"FILE"`
	At        string        `help:"The moment of the recording: a time of day, +90s from the start, -1m from the end, 50%; else its end." placeholder:"TIME"`
	Target    string        `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"Only this stream's groups, or this group in full."`
}

// Run prints snapshots.
func (r reportCmd) Run(ctx context.Context, c *cli) error {
	switch {
	case r.Replay != "":
		return r.replay()
	case r.At != "":
		return command.Usage("--at is a moment of a recording: give --replay FILE too")
	}
	e, err := engine.Connect(ctx, c.options())
	if err != nil {
		return err
	}
	defer e.Close()
	for n := 1; ; n++ {
		s, err := r.read(ctx, e)
		if ctx.Err() != nil {
			return nil // interrupted, as a report without end is ended
		}
		if errors.Is(err, engine.ErrNotConnected) && r.Count == 0 {
			continue // it goes on once the server is back
		}
		if err != nil {
			return err
		}
		if err := r.print(s); err != nil {
			return err
		}
		if n == r.Count {
			return r.whole(s)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.Every):
		}
	}
}

// read reads everything, and a group that is named in depth.
func (r reportCmd) read(ctx context.Context, e *engine.Engine) (*model.Snapshot, error) {
	stream, group, _ := strings.Cut(r.Target, "/")
	if r.Instances {
		return e.Instances(ctx, stream, group)
	}
	s, err := e.Once(ctx)
	if err == nil && group != "" {
		for _, g := range s.Lookup(stream, group) {
			if s, err = e.Look(ctx, g.Key, 0); err != nil {
				return nil, err
			}
		}
	}
	return s, err
}

// whole fails when groups that belong into the report could not be read.
func (r reportCmd) whole(s *model.Snapshot) error {
	if r.Target == "" {
		return command.Whole(s.Groups, s.Unseen()...)
	}
	stream, group, _ := strings.Cut(r.Target, "/")
	if group == "" {
		return command.Whole(s.Lookup(stream, ""), s.Unseen()...)
	}
	return command.Whole(s.Lookup(stream, group))
}

func (r reportCmd) print(s *model.Snapshot) error {
	if r.Target != "" {
		stream, group, _ := strings.Cut(r.Target, "/")
		one := *s
		if one.Groups = s.Lookup(stream, group); len(one.Groups) == 0 {
			return command.Missing(s, r.Target)
		}
		s = &one
		if r.Output == "table" && group != "" {
			for _, g := range s.Groups {
				if err := report.Group(os.Stdout, g); err != nil {
					return err
				}
			}
			if r.Instances {
				return report.Instances(os.Stdout, s)
			}
			return nil
		}
	}
	if r.Output == "json" {
		return report.JSON(os.Stdout, s)
	}
	if err := report.Overview(os.Stdout, s); err != nil || !r.Instances {
		return err
	}
	return report.Instances(os.Stdout, s)
}
