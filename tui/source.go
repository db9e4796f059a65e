package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// Source tells what there is to be seen. Its methods return at once.
type Source interface {
	// Snapshots delivers the newest picture; one not yet taken may be replaced by a
	// newer one. It is closed when there will be no more.
	Snapshots() <-chan *model.Snapshot
	// Focus says what the user looks at: the open group, if one is, and the groups
	// whose rows are visible.
	Focus(open *model.Key, visible []model.Key)
	// ReadNow asks for everything in view to be read again without waiting.
	ReadNow()
}

// Player is a source that shows a recording, in its own time.
type Player interface {
	Source
	// Toggle plays, or stops.
	Toggle()
	// Step stops, and goes so many pictures on or back.
	Step(n int)
	// Faster takes the next speed up, or with a negative number down.
	Faster(n int)
	// Seek goes on or back by so much of the recording's time.
	Seek(by time.Duration)
	// Go goes to a moment as people write it, in a zone; the error says what is wrong
	// with it.
	Go(moment string, zone *time.Location) error
	// Playback is where it stands, or will in a moment.
	Playback() model.Playback
}

// Recording is a file that what is shown is written to.
type Recording interface {
	// Add writes a snapshot soon, and does not wait.
	Add(s *model.Snapshot)
	// Err is why nothing more is written, if so.
	Err() error
	// Close ends it, and says in a line what was written.
	Close() (string, error)
}

// Administrator carries out confirmed plans.
type Administrator interface {
	// Apply carries a plan out as it stands or not at all, and says in a line what was
	// done.
	Apply(ctx context.Context, p *model.Plan) (string, error)
	// ReadOnly tells whether every Apply would be refused.
	ReadOnly() bool
}

// Planning is an administrator that works out what only the kind of a group knows how to
// do: see [model.Action.OfKind].
type Planning interface {
	Administrator
	// Plan asks nobody and returns at once. The error says in a line what does not fit.
	Plan(k model.Key, in model.Intent) (*model.Plan, error)
}

// Handing is an administrator that hands partitions over drained.
type Handing interface {
	Administrator
	// Handover is Apply for a plan with a drain; report hears of every step, from
	// another goroutine, and must not wait. When the context ends before the write, what
	// was paused is resumed and nothing is written.
	Handover(ctx context.Context, p *model.Plan, report func(model.Handover)) (string, error)
}

// Founding is an administrator that makes and removes groups. Both methods only look,
// and say in an error why it cannot be done; Apply does it.
type Founding interface {
	Administrator
	PlanCreation(ctx context.Context, k model.Key, c model.Config) (*model.Plan, error)
	PlanDeletion(ctx context.Context, k model.Key) (*model.Plan, error)
}

// snapshotMsg is the newest picture.
type snapshotMsg struct{ snapshot *model.Snapshot }

// endedMsg says that no more pictures will come.
type endedMsg struct{}

// listen waits for the next snapshot and skips to the newest: View runs after every
// message, so a burst has to arrive as one.
func listen(ctx context.Context, snapshots <-chan *model.Snapshot) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case s, ok := <-snapshots:
			if !ok {
				return endedMsg{}
			}
			for {
				select {
				case newer, ok := <-snapshots:
					if !ok {
						return snapshotMsg{s}
					}
					s = newer
				default:
					return snapshotMsg{s}
				}
			}
		}
	}
}
