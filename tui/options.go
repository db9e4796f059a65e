package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// Options are what the screen needs from its maker.
type Options struct {
	Context context.Context // ends every wait and every Apply; nil: never
	Source  Source
	Admin   Administrator // nil: there is nothing that could be written to
	Finder  Finder        // nil: subjects cannot be listed
	Player  Player        // the source, when it shows a recording; else nil

	// ReadOnlyBy is what has Admin refuse every write: a flag, a variable, or a line of a file.
	ReadOnlyBy string

	// Record begins to write what is shown to a file; nil: it cannot.
	Record func(file string) (Recording, error)

	Contexts    Contexts    // nil: there is no other context to go to
	Inspector   Inspector   // nil: only what is on the screen can be shown raw
	Multiplexer Multiplexer // that the program runs in: it has to hand on what is copied

	Open   *model.Key // a group to open at once
	Stream string     // or: show the groups of this stream,
	Group  string     // and open the one of this name

	Keys    keymap.Table // what the keys do; nil: the usual
	Look    Look         // how the screen is coloured
	NoColor bool         // as NO_COLOR asks for
	ASCII   bool         // draw with ASCII alone
	Columns []string     // of the overview, in this order, named as [Columns] does; empty: all
	Mouse   bool         // take clicks and the wheel; the terminal's own selection then needs shift

	Now   func() time.Time // the local clock; nil: time.Now
	Later Later            // nil: by that clock
	Zone  *time.Location   // in which times are shown; nil: time.Local
}

// Later delivers a message after a time, unless the context ends first.
type Later func(ctx context.Context, after time.Duration, msg tea.Msg) tea.Cmd
