package command

import (
	"fmt"
	"time"

	"pcgtop/model"
)

// weighs tells whether the strategy needs loads to decide by.
func (c ElasticPlan) weighs() bool {
	return c.Strategy == string(model.StrategyLoad) || c.Strategy == string(model.StrategyIsolate) && c.Partition == ""
}

// fewMessages is how many messages tell nothing yet about what is loaded how much.
const fewMessages = 100

// measure watches a group, so that one message more or less decides nothing, and returns
// it as it is then with what its partitions carry. Where that tells too little, it
// refuses.
func (c ElasticPlan) measure(e *Env, g *model.Group) (*model.Group, []float64, error) {
	if c.Watch < time.Second {
		return nil, nil, Usage("--watch is %s: give at least 1s", c.Watch)
	}
	var looks [2]*model.Group
	for i, watch := range []time.Duration{0, c.Watch} {
		s, err := e.Engine.Look(e.Context, g.Key, watch)
		if err != nil {
			return nil, nil, fmt.Errorf("measuring loads: %w", err)
		}
		if looks[i] = s.Group(g.Key); looks[i] == nil {
			return nil, nil, fmt.Errorf("%w: it was deleted meanwhile", ErrNotFound)
		}
	}
	weights, seen := model.Measure(looks[0], looks[1])
	if seen < fewMessages {
		return nil, nil, fmt.Errorf("%.0f messages came or waited within %s: too few to tell loads by; give --weights, a longer --watch, or --strategy fewest-moves", seen, c.Watch)
	}
	if _, clear := model.HeaviestOf(weights); c.Strategy == string(model.StrategyIsolate) && !clear {
		return nil, nil, fmt.Errorf("no partition stands out from the others: give --partition or --weights")
	}
	return looks[1], weights, nil
}
