package tui

import "pcgtop/model"

// asked is how far the search is for the group that the program was started for.
type asked int

const (
	askedSought asked = iota
	askedOpened       // it was found; whether it is the only one of its name is not known yet
	askedDone
)

// openAsked opens the group that the program was started for, as soon as there is something
// to be seen of it: the rest of the account is not waited for. When all groups are known
// another one may turn out to have the same name.
func (m *Model) openAsked() {
	if m.asked == askedDone {
		return
	}
	live := m.snap.Link.State == model.LinkLive
	switch o := m.opts; {
	case o.Open != nil:
		if m.asked == askedSought && m.snap.Group(*o.Open) != nil {
			m.open(*o.Open)
			m.asked = askedDone
		}
	case o.Stream != "" && o.Group != "":
		found := m.snap.Lookup(o.Stream, o.Group)
		switch {
		case m.asked == askedSought && len(found) == 1 && (live || !found[0].ReadAt.IsZero()):
			m.overview.filter = input{}
			m.open(found[0].Key)
			m.asked = askedOpened
		case m.asked == askedOpened && len(found) > 1 && m.group != nil:
			m.say(plainly, "there is another group of that name: / "+found[0].Key.String()+" lists both")
			m.asked = askedDone
		}
	}
	if live {
		m.asked = askedDone
	}
}

func (m *Model) open(k model.Key) {
	m.group = newGroupView(k)
	m.group.take(m.snap)
	m.overview.settle(k)
}
