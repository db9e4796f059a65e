package model

// Price is what a change of owners costs and gains.
type Price struct {
	Moves    int     `json:"moves"`    // partitions that change hands
	Forced   int     `json:"forced"`   // of them, those that cannot stay: the owner leaves, there is none, or a rule forbids it
	Locality float64 `json:"locality"` // share of partitions that stay, 0 to 1
	Before   Spread  `json:"before"`
	After    Spread  `json:"after"`
	Weighed  bool    `json:"weighed"` // loads are what was measured or given; false: they are counts of partitions
}

// Spread is how evenly loads lie on members.
type Spread struct {
	Heaviest float64 `json:"heaviest"` // load of the heaviest member
	Member   string  `json:"member"`   // who that is; empty: there is nobody
	Mean     float64 `json:"mean"`     // over all members, those with nothing too
}

// Ratio is the heaviest against the mean: 1 is even. It is 0 when there is no load.
func (s Spread) Ratio() float64 {
	if s.Mean <= 0 {
		return 0
	}
	return s.Heaviest / s.Mean
}

// PriceOf compares two assignments of the same partitions. Without weights, or with
// some for another number of partitions, each partition weighs 1.
func PriceOf(before, after Assignment, weights []float64) Price {
	if len(weights) != len(after.Owner) {
		weights = nil
	}
	p := Price{}
	load, weighed := usable(weights, len(after.Owner))
	p.Weighed = weighed
	p.Before, p.After = spread(before, load), spread(after, load)
	for n := range after.Owner {
		was, had := before.OwnerName(n)
		is, has := after.OwnerName(n)
		if was != is || had != has {
			p.Moves++
			if !had || !contains(after.Members, was) {
				p.Forced++
			}
		}
	}
	p.Locality = 1
	if n := len(after.Owner); n > 0 {
		p.Locality = float64(n-p.Moves) / float64(n)
	}
	return p
}

func sum(weights []float64) float64 {
	s := 0.0
	for _, w := range weights {
		s += w
	}
	return s
}

func spread(a Assignment, weights []float64) Spread {
	load := LoadOf(a, weights)
	s := Spread{}
	for i, l := range load {
		if l > s.Heaviest || s.Member == "" {
			s.Heaviest, s.Member = l, a.Members[i]
		}
		s.Mean += l / float64(len(load))
	}
	return s
}

// LoadOf sums the weights of each member's partitions.
func LoadOf(a Assignment, weights []float64) []float64 {
	load := make([]float64, len(a.Members))
	for p, o := range a.Owner {
		if o >= 0 && p < len(weights) {
			load[o] += weights[p]
		}
	}
	return load
}
