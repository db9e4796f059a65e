package model

import "slices"

// isolate gives one partition a member to itself and deals the others in even counts.
// Which member that is makes a difference to the moves: its owner need not move it but
// loses all else; a member with little loses little. The cheapest is taken.
func isolate(a Ask, t *table) ([]int, []Alone, error) {
	p := a.Isolate
	if p == Heaviest {
		p = t.heaviestFirst()[0]
	}
	if err := t.partition(p); err != nil {
		return nil, nil, err
	}
	if m := t.fixed[p]; m >= 0 && t.reserve[m] {
		owner, err := t.fewest()
		return owner, a.Rules.Alone, err
	}
	if t.fixed[p] >= 0 {
		return t.isolateOn(a, p, t.fixed[p])
	}
	var best []int
	var alone []Alone
	var failed error
	for _, m := range t.candidates(p) {
		owner, rules, err := t.isolateOn(a, p, m)
		switch {
		case err != nil:
			failed = err
		case best == nil || better(t, owner, best):
			best, alone = owner, rules
		}
	}
	if best == nil {
		return nil, nil, failed
	}
	return best, alone, nil
}

// isolateOn makes the deal with the partition alone on that member.
func (t *table) isolateOn(a Ask, p, m int) ([]int, []Alone, error) {
	b := a
	b.Rules.Alone = append(slices.Clone(a.Rules.Alone), Alone{Partition: p, Member: t.members[m]})
	next, err := newTable(b)
	if err != nil {
		return nil, nil, err
	}
	owner, err := next.fewest()
	return owner, b.Rules.Alone, err
}

// candidates are the members worth trying: the owner, and of the others that with the
// least to lose. Under rules it may be
// another, so that two of those are tried.
func (t *table) candidates(p int) []int {
	count := make([]int, len(t.members))
	for _, h := range t.home {
		if h >= 0 {
			count[h]++
		}
	}
	var list []int
	for m, ok := range t.may[t.class[p]] {
		if ok && m != t.home[p] {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return count[a] - count[b] })
	if most := 2; len(t.rules.Only) == 0 && len(t.rules.Keep) == 0 && len(list) > 1 {
		list = list[:1]
	} else if len(list) > most {
		list = list[:most]
	}
	if h := t.home[p]; h >= 0 && t.may[t.class[p]][h] {
		list = append([]int{h}, list...)
	}
	return list
}
