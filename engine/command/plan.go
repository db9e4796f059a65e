package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"pcgtop/model"
)

// ElasticPlan is `elastic plan`.
type ElasticPlan struct {
	target
	Strategy  string        `required:"" enum:"balanced,fewest-moves,load,isolate" help:"How to deal the partitions: balanced, fewest-moves, load or isolate."`
	Members   []string      `placeholder:"NAME" help:"Who is to own partitions; default: the present members."`
	Add       []string      `placeholder:"NAME" help:"Members to add to them."`
	Drop      []string      `placeholder:"NAME" help:"Members to leave out."`
	Weights   string        `placeholder:"P=W,…" help:"Load of partitions, such as 3=120,7=15.5, or as many numbers as there are partitions. Others weigh 1. Default: as measured."`
	Tolerance float64       `default:"10" help:"With load: how much heavier than a plan made from scratch the heaviest member may be, in per cent."`
	Partition string        `placeholder:"P" help:"With isolate: the partition that gets a member to itself; default: the heaviest."`
	Alone     []string      `placeholder:"P:MEMBER" help:"This partition alone on that member."`
	Only      []string      `placeholder:"P,P:PATTERN" help:"These partitions only on members whose name matches, such as 0,1:gpu-*."`
	Keep      []string      `placeholder:"P" help:"These partitions stay where they are."`
	Watch     time.Duration `default:"10s" help:"How long loads are measured, where they are needed."`
	Apply     bool          `help:"Carry it out; otherwise the plan is only shown."`
	draining
}

// Run makes the plan, shows it, and carries it out if asked to.
func (c ElasticPlan) Run(e *Env) error {
	if c.Apply {
		if err := e.mayWrite(); err != nil {
			return err
		}
	}
	if err := c.consistent(); err != nil {
		return err
	}
	k := c.key(model.KindElastic)
	g, err := e.group(k)
	if err != nil {
		return err
	}
	if _, err := c.ask(g, nil); err != nil { // before anybody waits for loads to be measured
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	var weights []float64
	switch {
	case c.Weights != "":
		weights, err = parseWeights(c.Weights, g.Config.Partitions)
	case c.weighs():
		g, weights, err = c.measure(e, g)
	}
	if err != nil {
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	ask, err := c.ask(g, weights)
	if err != nil {
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	deal, err := model.Propose(ask)
	if err != nil {
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	in := deal.Intent()
	if in.Weights = weights; weights == nil { // what waits at one moment is no load
		in.Weights = make([]float64, g.Config.Partitions)
	}
	p, err := model.NewPlan(g, in)
	if err == nil {
		p.Price.Forced = deal.Price.Forced
		p.Warnings = append(p.Warnings, deal.Notes...)
		p, err = c.draining.of(p)
	}
	if err != nil {
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	if !c.Apply {
		return e.print(struct {
			Strategy model.Strategy `json:"strategy"`
			Plan     *model.Plan    `json:"plan"`
		}{deal.Strategy, p}, func(w io.Writer) error { return showPlan(w, p, weights) })
	}
	if !e.JSON {
		if err := showPlan(e.Out, p, weights); err != nil {
			return fmt.Errorf("printing it failed: %w", err)
		}
		fmt.Fprintln(e.Out) // before what was done
	}
	done, err := e.carryOut(p)
	if err != nil {
		return fmt.Errorf("plan for %s: %w", k, err)
	}
	p.Warnings = nil // shown above
	return e.tell(done, p)
}

// consistent refuses what the strategy would ignore.
func (c ElasticPlan) consistent() error {
	if c.Strategy == string(model.StrategyBalanced) {
		for flag, given := range map[string][]string{"--alone": c.Alone, "--only": c.Only, "--keep": c.Keep} {
			if len(given) > 0 {
				return Usage("%s: balanced takes no constraints, for members deal by their names alone; use another --strategy", flag)
			}
		}
	}
	if c.Partition != "" && c.Strategy != string(model.StrategyIsolate) {
		return Usage("--partition is for --strategy isolate only")
	}
	return nil
}

// mostTolerance is a tolerance, in per cent, that allows anything.
const mostTolerance = 1_000_000

// ask turns the arguments into a question to the planner.
func (c ElasticPlan) ask(g *model.Group, weights []float64) (model.Ask, error) {
	a := model.Ask{Strategy: model.Strategy(c.Strategy), Before: g.Config.Assignment(), Tolerance: c.Tolerance / 100, Isolate: model.Heaviest, Weights: weights}
	members := c.Members
	if len(members) == 0 {
		members = a.Before.Members
	}
	for _, name := range c.Drop {
		if !slices.Contains(members, name) {
			return a, fmt.Errorf("--drop %s: there is no such member", name)
		}
	}
	a.Members = []string{}
	for _, name := range append(slices.Clone(members), c.Add...) {
		if !slices.Contains(c.Drop, name) {
			a.Members = append(a.Members, name)
		}
	}
	for _, name := range a.Members {
		if err := g.Key.CheckMember(name); err != nil {
			return a, err
		}
	}
	if !(c.Tolerance >= 0 && c.Tolerance <= mostTolerance) {
		return a, Usage("--tolerance is %g: give 0 to %d per cent", c.Tolerance, mostTolerance)
	}
	a.Tolerance = max(a.Tolerance, 1e-9) // 0 is meant
	if c.Partition != "" {
		list, err := model.ParseRanges(c.Partition)
		if err != nil || len(list) != 1 {
			return a, Usage("--partition %q is not a partition number", c.Partition)
		}
		a.Isolate = list[0]
	}
	var err error
	a.Rules, err = c.rules()
	return a, err
}

func (c ElasticPlan) rules() (r model.Constraints, err error) {
	for _, arg := range c.Alone {
		numbers, member, ok := strings.Cut(arg, ":")
		list, err := model.ParseRanges(numbers)
		if !ok || err != nil || len(list) != 1 {
			return r, Usage("--alone %q: want PARTITION:MEMBER", arg)
		}
		r.Alone = append(r.Alone, model.Alone{Partition: list[0], Member: member})
	}
	pending := "" // numbers before a comma that kong took for a separator
	for _, arg := range c.Only {
		numbers, pattern, ok := strings.Cut(arg, ":")
		if !ok {
			pending += arg + ","
			continue
		}
		list, err := model.ParseRanges(pending + numbers)
		if err != nil {
			return r, Usage("--only %q: %w", pending+arg, err)
		}
		pending = ""
		r.Only = append(r.Only, model.Only{Partitions: list, Pattern: pattern})
	}
	if pending != "" {
		return r, Usage("--only %q: want PARTITIONS:PATTERN", strings.TrimSuffix(pending, ","))
	}
	if len(c.Keep) > 0 {
		if r.Keep, err = model.ParseRanges(strings.Join(c.Keep, ",")); err != nil {
			return r, Usage("--keep: %w", err)
		}
	}
	return r, nil
}

// showPlan prints a plan as a table: a line a member, and what it costs.
func showPlan(w io.Writer, p *model.Plan, weights []float64) error {
	before, after := p.Base.Assignment(), p.After()
	names := slices.Concat(before.Members, after.Members)
	slices.Sort(names)
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "MEMBER\tBEFORE\tAFTER\tLOAD BEFORE\tLOAD AFTER")
	unit := weights
	if !p.Price.Weighed {
		unit = make([]float64, p.Base.Partitions)
		for i := range unit {
			unit[i] = 1
		}
	}
	had, has := before.Shares(), after.Shares()
	lb, la := model.LoadOf(before, unit), model.LoadOf(after, unit)
	for _, name := range slices.Compact(names) {
		b, was := slices.BinarySearch(before.Members, name)
		a, is := slices.BinarySearch(after.Members, name)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", name, owned(had, b, was), owned(has, a, is), load(lb, b, was), load(la, a, is))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	price := p.Price
	fmt.Fprintf(w, "\n%d of %s move (%d had to); %.0f %% stay\n", price.Moves, model.Count(len(p.Changes), "partition"), p.HadTo(), 100*price.Locality)
	fmt.Fprintf(w, "heaviest against the mean: %.2f ▸ %.2f, by %s\n", price.Before.Ratio(), price.After.Ratio(), map[bool]string{true: "load", false: "count"}[price.Weighed])
	if moves := model.DescribeMoves(before, after); moves != "" {
		fmt.Fprintln(w, "moves: "+moves)
	}
	for _, warning := range p.Warnings {
		fmt.Fprintln(w, "note: "+warning)
	}
	_, err := fmt.Fprintf(w, "same as: %s\n", model.Quote(p.Command))
	return err
}

func owned(shares [][]int, i int, ok bool) string {
	switch {
	case !ok:
		return "-"
	case len(shares[i]) == 0:
		return "none"
	}
	return model.Ranges(shares[i])
}

func load(loads []float64, i int, ok bool) string {
	if !ok {
		return "-"
	}
	if loads[i] >= 100 && loads[i] < 1e9 {
		return fmt.Sprintf("%.0f", loads[i])
	}
	return fmt.Sprintf("%.3g", loads[i])
}
