package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// remapWindow is the partition map, editable. It starts from the group as it was when
// it was opened; when the group changes meanwhile, the edit has to start again.
type remapWindow struct {
	key     model.Key
	group   *model.Group
	names   []string // members by name, new ones too: in the order of their letters
	owner   []int    // of each partition, into names; -1: nobody
	before  []int
	chart   partMap
	plan    *model.Plan
	problem string
	stale   string
	server  string // which answered then: [model.Server.Moved]

	out      map[int]bool   // members that the plans 1 to 4 leave out
	alone    int            // the partition that the plan gives a member to itself
	strategy model.Strategy // the plan that the edit is, as long as nothing was given by hand since
	balanced bool           // that plan needs no mapping
	weights  []float64      // load of each partition; nil: not measured
	notes    []string       // what the plan says
}

func newRemapWindow(m *Model, g *model.Group, at int) window {
	d := &remapWindow{key: g.Key, chart: partMap{again: keymap.Mark}}
	d.start(m, g)
	d.chart.cursor = max(0, min(at, len(d.owner)-1))
	return d
}

// start takes the group as it is.
func (d *remapWindow) start(m *Model, g *model.Group) {
	deal := g.Config.Assignment()
	d.group, d.names, d.owner, d.before = g, slices.Clone(deal.Members), slices.Clone(deal.Owner), deal.Owner
	d.chart.take(g)
	d.chart.marked, d.stale, d.server = map[int]bool{}, "", m.live.Server.Moved()
	d.out, d.weights = map[int]bool{}, model.Weights(g)
	d.byHand()
	d.chart.edited = func(p int) (int, bool) { return d.owner[p], d.owner[p] != d.before[p] }
	d.work(m)
}

// work makes the plan that the edit stands for.
func (d *remapWindow) work(m *Model) {
	d.chart.letters = len(d.names)
	d.plan, d.problem = nil, m.writeRefusal()
	if d.problem != "" {
		return
	}
	p, err := model.NewPlan(d.group, d.intent())
	if err != nil {
		d.problem = reason(err)
		return
	}
	d.plan = p
}

func (d *remapWindow) intent() model.Intent {
	if d.balanced {
		return model.Intent{Action: model.ActionMembers, Members: d.staying(), Strategy: d.strategy, Weights: d.weights}
	}
	in := model.Intent{Action: model.ActionRemap, Strategy: d.strategy, Weights: d.weights}
	for i, share := range d.assignment().Shares() {
		if len(share) > 0 {
			in.Mappings = append(in.Mappings, model.Mapping{Member: d.names[i], Partitions: share})
		}
	}
	return in
}

// unchanged tells whether the edit is the group as it is: a mapping to the same owners would
// take the pins, and give nothing.
func (d *remapWindow) unchanged() bool {
	byHand := d.strategy == "" && slices.Equal(d.owner, d.before)
	return d.plan != nil && (byHand || d.plan.Idle())
}

// noChange is why nothing is planned then.
const noChange = "nothing to write: no partition moves"

// assignment is who owns what in the editor.
func (d *remapWindow) assignment() model.Assignment {
	return model.Assignment{Members: d.names, Owner: d.owner}
}

func (d *remapWindow) screen() keymap.Screen { return keymap.Remap }
func (d *remapWindow) paste(*Model, string)  {}

func (d *remapWindow) refresh(m *Model) {
	if d.stale == "" {
		if d.stale = m.elsewhere(d.server); d.stale == "" {
			d.stale = drift(d.group, m.live.Group(d.key))
		}
	}
	d.work(m)
}

func (d *remapWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Reset:
		if g := m.live.Group(d.key); g != nil {
			d.start(m, g)
		}
	case keymap.Make:
		switch {
		case d.stale != "" || d.plan == nil: // which is said already
		case d.unchanged():
			m.say(plainly, noChange)
		default:
			m.plan(d.group, d.intent())
		}
	case keymap.Named:
		m.push(&nameWindow{editor: d})
	case keymap.Mark:
		if p := d.chart.cursor; d.chart.marked[p] {
			delete(d.chart.marked, p)
		} else if len(d.owner) > 0 {
			d.chart.marked[p] = true
		}
	case keymap.DealBalanced, keymap.DealFewest, keymap.DealLoad, keymap.DealAlone:
		d.deal(m, dealt(id), d.chart.cursor)
	case keymap.Leave:
		d.leave(m)
	case keymap.Same:
		d.markOwners()
	case keymap.Some:
		m.push(&markWindow{editor: d})
	case keymap.Give:
		if k.Text == "" {
			m.say(plainly, "type the letter of a member, or click on it")
		} else if i := int(k.Text[0] - 'A'); i < len(d.names) {
			step := len(d.chart.marked) == 0
			d.give(m, i)
			if step { // letters typed one after another paint along
				d.chart.move(keymap.Right, 1)
			}
		}
	case keymap.OwnerNext, keymap.OwnerBefore:
		d.turn(m, id == keymap.OwnerNext)
	default:
		d.chart.move(id, max(1, m.windowHeight()-remapFrame(m.windowHeight())))
		if i := int(k.Code - 'a'); id == "" && k.Text == string(k.Code) && i >= 0 && i < min(len(d.names), 26) {
			m.say(sorry, k.Text+" does nothing: the letters of members are capitals, "+model.Letter(i)+" is "+d.names[i])
		}
	}
	return nil
}

// turn gives to the next member or the one before.
func (d *remapWindow) turn(m *Model, forward bool) {
	n := len(d.names)
	if n == 0 || len(d.owner) == 0 {
		return
	}
	to := d.owner[d.chart.cursor] + 1
	if !forward {
		to = max(0, d.owner[d.chart.cursor]) + n - 1
	}
	marked := d.chart.marked
	d.give(m, to%n)
	d.chart.marked = marked // so that they can be turned on
}

// give gives the marked partitions, or the one under the cursor, to a member.
func (d *remapWindow) give(m *Model, member int) {
	if len(d.owner) == 0 {
		return
	}
	if len(d.chart.marked) == 0 {
		d.owner[d.chart.cursor] = member
	}
	for p := range d.chart.marked {
		d.owner[p] = member
	}
	d.chart.marked = map[int]bool{}
	d.byHand()
	d.work(m)
}

func (d *remapWindow) settle(m *Model) {
	w, h := d.mapSize(m.width, m.windowHeight())
	d.chart.settle(w, h)
}
