package tui

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"pcgtop/keymap"
	"pcgtop/model"
)

// byHand forgets the plan that the edit was: something is given by hand.
func (d *remapWindow) byHand() { d.strategy, d.balanced, d.notes = "", false, nil }

// staying are the members that are not left out.
func (d *remapWindow) staying() []string {
	list := []string{}
	for i, name := range d.names {
		if !d.out[i] {
			list = append(list, name)
		}
	}
	return list
}

// dealt is the plan that an action starts from.
func dealt(id keymap.ID) model.Strategy {
	switch id {
	case keymap.DealFewest:
		return model.StrategyFewest
	case keymap.DealLoad:
		return model.StrategyLoad
	case keymap.DealAlone:
		return model.StrategyIsolate
	}
	return model.StrategyBalanced
}

// deal takes one of the plans as the edit, and tells whether there is one. What is marked
// stays where it is now.
func (d *remapWindow) deal(m *Model, strategy model.Strategy, alone int) bool {
	if len(d.owner) == 0 || d.stale != "" {
		return false
	}
	ask := model.Ask{Strategy: strategy, Before: d.group.Config.Assignment(), Members: d.staying(), Weights: d.weights, Isolate: alone}
	for p := range d.owner {
		if d.chart.marked[p] && strategy != model.StrategyBalanced && (strategy != model.StrategyIsolate || p != alone) {
			ask.Rules.Keep = append(ask.Rules.Keep, p)
		}
	}
	deal, err := model.Propose(ask)
	if err != nil {
		m.say(sorry, reason(err))
		return false
	}
	index := map[string]int{}
	for i, name := range d.names {
		index[name] = i
	}
	for p, o := range deal.Owner {
		d.owner[p] = index[deal.Members[o]]
	}
	d.strategy, d.balanced, d.notes, d.alone = strategy, deal.Balanced, deal.Notes, alone
	d.work(m)
	return true
}

// leave leaves the member under the cursor out of the plans, or takes it in again. When the
// edit is one of them it is made anew: the map never shows another plan than enter makes.
func (d *remapWindow) leave(m *Model) {
	if len(d.owner) == 0 || d.owner[d.chart.cursor] < 0 {
		return
	}
	i := d.owner[d.chart.cursor]
	before := d.out
	d.out = maps.Clone(before)
	said := d.names[i] + " is left out"
	if d.out[i] = !d.out[i]; !d.out[i] {
		delete(d.out, i)
		said = d.names[i] + " is taken in"
	}
	switch {
	case d.strategy == "":
		m.say(plainly, fmt.Sprintf("%s; 1 to 4 plan for %s", said, model.Count(len(d.staying()), "member")))
	case d.deal(m, d.strategy, d.alone):
		m.say(plainly, fmt.Sprintf("%s; planned anew, %s, for %s", said, d.strategy, model.Count(len(d.staying()), "member")))
	default:
		d.out = before
	}
}

// hire takes a new member in, at its place by name, so that its letter is the one it will
// have, and gives it what is marked. Letters after it move on, as they would then.
func (d *remapWindow) hire(m *Model, name string) {
	at, _ := slices.BinarySearch(d.names, name)
	d.names = slices.Insert(d.names, at, name)
	for _, owner := range [][]int{d.owner, d.before} {
		for p, o := range owner {
			if o >= at {
				owner[p]++
			}
		}
	}
	out := map[int]bool{}
	for i := range d.out {
		if i >= at {
			i++
		}
		out[i] = true
	}
	d.out = out
	d.give(m, at)
	said := name + " is " + model.Letter(at)
	if n := len(d.names) - at - 1; n > 0 {
		said += ", and " + model.Count(n, "letter") + " after it moved on"
	}
	m.say(plainly, said)
}

// loads are each member's share of the load before and after; nil when nothing was
// measured.
func (d *remapWindow) loads() (before, after []float64) {
	total := 0.0
	for _, w := range d.weights {
		total += w
	}
	if total <= 0 {
		return nil, nil
	}
	before, after = make([]float64, len(d.names)), make([]float64, len(d.names))
	for p, w := range d.weights {
		if o := d.before[p]; o >= 0 {
			before[o] += w / total
		}
		if o := d.owner[p]; o >= 0 {
			after[o] += w / total
		}
	}
	return before, after
}

// percent writes a share in three cells.
func percent(share float64) string { return fmt.Sprintf("%.0f%%", math.Min(99, 100*share)) }

// price says how even the edit is and how much of it stays.
func (d *remapWindow) price(t *theme, w int) *row {
	if d.plan == nil {
		return t.row()
	}
	return priceRow(t, d.plan.Price).fit(w)
}

// form says whether the group would be mapped or balanced.
func (d *remapWindow) form(t *theme, w int) *row {
	was, is := "balanced", "mapped"
	if d.group.Config.Mapped() {
		was = "mapped"
	}
	if d.balanced || d.plan != nil && d.plan.Moved() == 0 && d.strategy == "" {
		is = "balanced"
		if d.strategy == "" {
			is = was
		}
	}
	text := "stays " + is
	switch {
	case was == "balanced" && is == "mapped":
		text = "becomes mapped: members then change by remap only"
	case was == "mapped" && is == "balanced":
		text = "becomes balanced: members can be added and dropped again"
	}
	if d.strategy != "" {
		text = howDealt(d.strategy) + ": " + text
	}
	for _, n := range d.notes {
		text += "; " + n
	}
	return t.row().gap(2).left(t.dim, text, w-2)
}

// howDealt says in words how a plan was made.
func howDealt(s model.Strategy) string {
	switch s {
	case model.StrategyFewest:
		return "dealt with the fewest moves"
	case model.StrategyLoad:
		return "dealt by load"
	case model.StrategyIsolate:
		return "dealt to isolate a partition"
	}
	return "dealt evenly"
}
