package tui

import (
	"context"

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

// Administrator carries out confirmed plans.
type Administrator interface {
	// Apply carries a plan out as it stands or not at all, and says in a line what was
	// done.
	Apply(ctx context.Context, p *model.Plan) (string, error)
	// ReadOnly tells whether every Apply would be refused.
	ReadOnly() bool
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
