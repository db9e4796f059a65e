package engine

import (
	"pcgtop/engine/consumergroup"
	"pcgtop/engine/observe"
	"pcgtop/engine/parti"
)

// kinds are the kinds of groups that are looked for. A new kind is its own folder and a
// line here.
func (o Options) kinds() []observe.Kind {
	return append(observe.Kinds(), parti.New(o.Parti), consumergroup.New())
}
