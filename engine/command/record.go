package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
	"pcgtop/model/recording"
)

// Watched is an engine whose snapshots can be followed.
type Watched interface {
	// Run observes until the context ends.
	Run(ctx context.Context) error
	// Snapshots delivers the newest; it is closed when Run ends.
	Snapshots() <-chan *model.Snapshot
	// Focus says which groups are read first, and which one in depth.
	Focus(open *model.Key, visible []model.Key)
	// Exists tells whether a stream, or a group of it, is there.
	Exists(ctx context.Context, stream, group string) error
}

// Record is `record`.
type Record struct {
	File      string         `arg:"" help:"File to write; compressed when its name ends in .gz. - is standard output."`
	Target    string         `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"Read this stream's groups first, or this group in depth: with its instances and partitions."`
	For       *time.Duration `help:"Stop after this long; else when interrupted."`
	Force     bool           `help:"Replace the file if it is there."`
	Addresses bool           `help:"Keep network addresses; else they are left out."`
}

// Run records until it is interrupted or the time is over.
func (c Record) Run(e *Env) (err error) {
	engine, ok := e.Engine.(Watched)
	if !ok {
		return errors.New("there is nothing to record")
	}
	if c.For != nil && *c.For <= 0 {
		return Usage("--for %v: give a time above 0s, or leave it out to record until interrupted", *c.For)
	}
	stream, group, _ := strings.Cut(c.Target, "/")
	if err := engine.Exists(e.Context, stream, group); err != nil {
		return err
	}
	file, err := c.begin()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(e.Context)
	defer cancel()
	if c.For != nil {
		var over context.CancelFunc
		ctx, over = context.WithTimeout(ctx, *c.For)
		defer over()
	}
	observed := make(chan error, 1)
	go func() { observed <- engine.Run(ctx) }()
	var seen []model.Key
	var early *model.Snapshot // before everything was read: no groups, or a part of them
	written := false
	for s := range engine.Snapshots() {
		if early = s; s.Link.State != model.LinkStarting || written {
			file.Add(s)
			written = true
		}
		if err = file.Err(); err != nil {
			cancel()
		}
		if keys := keysOf(s, stream, group); !slices.Equal(keys, seen) {
			seen = keys
			engine.Focus(depth(keys, group), keys)
		}
	}
	if !written && early != nil {
		file.Add(early)
	}
	text, closing := file.Close()
	if err := errors.Join(closing, <-observed); err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.Err, text)
	return err
}

// ToOutput tells whether it is written to standard output, for another program such as ssh.
func (c Record) ToOutput() bool { return c.File == "-" }

// begin begins the recording.
func (c Record) begin() (*recording.Recorder, error) {
	if !c.ToOutput() {
		file, err := recording.Create(c.File, c.Force, c.Addresses)
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w, or --force to replace it", err)
		}
		return file, err
	}
	return recording.To(os.Stdout, c.Addresses), nil
}

// keysOf lists what is to be read first.
func keysOf(s *model.Snapshot, stream, group string) []model.Key {
	groups := s.Groups
	if stream != "" {
		groups = s.Lookup(stream, group)
	}
	keys := make([]model.Key, len(groups))
	for i, g := range groups {
		keys[i] = g.Key
	}
	return keys
}

// depth is the one group that is read in depth, if one was named.
func depth(keys []model.Key, group string) *model.Key {
	if group == "" || len(keys) == 0 {
		return nil
	}
	return &keys[0]
}
