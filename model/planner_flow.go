package model

// evenFlow deals even counts with the least movement under rules about who may own
// what: a flow of least cost from partitions to members, where the cost of a member's
// k-th partition is 2k-1 big units (so that the counts come out even) and that of a
// move is one.
//
// It starts with every partition at home, which no cheaper exchange among the members
// can better, and then sends partitions along cheapest paths: first those that have no
// home, then from members with many to members with few, until no path is worth it.
// That is the optimum: cheapest paths leave no cycle that would save anything.
type evenFlow struct {
	t       *table
	limbo   int   // the node of the partitions that have no owner yet
	at      []int // the node each partition is at
	count   []int // partitions of each member, fixed ones too
	dist    []int
	from    []step
	waiting []bool
	queue   []int
	leave   []leaving
	back    [][]int
}

// step is how the search came to a node: by moving a partition from another.
type step struct{ node, partition int }

const far = int(^uint(0) >> 2)

func newEvenFlow(t *table) *evenFlow {
	owners := len(t.members) + 1
	nodes := owners + len(t.may)
	f := &evenFlow{t: t, limbo: owners - 1, at: make([]int, t.n), count: make([]int, owners),
		leave: make([]leaving, owners*len(t.may)), back: make([][]int, owners),
		dist: make([]int, nodes), from: make([]step, nodes), waiting: make([]bool, nodes)}
	for p := range t.n {
		switch {
		case t.fixed[p] >= 0:
			f.at[p] = t.fixed[p]
		case t.home[p] >= 0:
			f.at[p] = t.home[p]
		default:
			f.at[p] = f.limbo
		}
		f.count[f.at[p]]++
	}
	return f
}

func (f *evenFlow) run() []int {
	for f.count[f.limbo] > 0 {
		f.advance(func(node int) (int, bool) { return 0, node == f.limbo })
	}
	big := 4 * (f.t.n + len(f.t.members))
	for f.advance(func(node int) (int, bool) {
		return -big * (2*f.count[node] - 1), node != f.limbo && f.count[node] > 0
	}) {
	}
	return f.at
}

// advance moves one partition from a source to wherever it costs least, with all that
// have to make room for it, and tells whether that was worth it.
func (f *evenFlow) advance(source func(node int) (int, bool)) bool {
	big := 4 * (f.t.n + len(f.t.members))
	f.search(source)
	best, cost := -1, 0
	if f.count[f.limbo] > 0 {
		cost = far
	}
	for m := range f.t.members {
		if f.from[m].node < 0 || f.dist[m] >= far {
			continue
		}
		if c := f.dist[m] + big*(2*f.count[m]+1); c < cost {
			best, cost = m, c
		}
	}
	if best < 0 {
		return false
	}
	f.count[best]++
	node := best
	for f.from[node].node >= 0 {
		s := f.from[node]
		if s.partition < 0 { // by way of a class
			s = f.from[s.node]
		}
		f.at[s.partition] = node
		node = s.node
	}
	f.count[node]--
	return true
}

// search finds the cheapest way to every member (Bellman and Ford, with a queue). What
// may go to the same members passes through a node of its own, so that there are few
// ways to look at.
func (f *evenFlow) search(source func(node int) (int, bool)) {
	leave, back := f.edges()
	classes, hubs := len(f.t.may), f.limbo+1
	queue := f.queue[:0]
	for n := range f.dist {
		f.dist[n], f.from[n], f.waiting[n] = far, step{-1, -1}, false
		if n < hubs {
			if d, ok := source(n); ok {
				f.dist[n], f.waiting[n] = d, true
				queue = append(queue, n)
			}
		}
	}
	for at := 0; at < len(queue); at++ {
		n := queue[at]
		f.waiting[n] = false
		relax := func(to, cost, partition int) {
			if d := f.dist[n] + cost; d < f.dist[to] {
				f.dist[to], f.from[to] = d, step{n, partition}
				if !f.waiting[to] {
					f.waiting[to] = true
					queue = append(queue, to)
				}
			}
		}
		if n >= hubs {
			for m, ok := range f.t.may[n-hubs] {
				if ok {
					relax(m, 0, -1)
				}
			}
			continue
		}
		for c, e := range leave[n*classes : (n+1)*classes] {
			if e.partition >= 0 {
				relax(hubs+c, e.cost, e.partition)
			}
		}
		for _, p := range back[n] {
			relax(f.t.home[p], -1, p)
		}
	}
	f.queue = queue
}

type leaving struct{ partition, cost int }

// edges lists, for every node and class, the partition that leaves cheapest, and for
// every node those that would go back home.
func (f *evenFlow) edges() (leave []leaving, back [][]int) {
	classes := len(f.t.may)
	leave, back = f.leave, f.back
	for i := range leave {
		leave[i] = leaving{-1, 0}
	}
	for n := range back {
		back[n] = back[n][:0]
	}
	for p, n := range f.at {
		if f.t.fixed[p] >= 0 {
			continue
		}
		cost := 0
		switch h := f.t.home[p]; {
		case h == n:
			cost = 1
		case h >= 0:
			back[n] = append(back[n], p)
		}
		if e := &leave[n*classes+f.t.class[p]]; e.partition < 0 || cost < e.cost {
			*e = leaving{p, cost}
		}
	}
	return leave, back
}
