// Package model is the pure domain of pcgtop: what a partitioned consumer group
// is, who owns which partition, what was observed about it, and what a change
// would do. It talks to nothing and depends on the standard library only.
//
// The way through it: the engine turns what it hears from NATS into
// [Observation] values, [Reduce] folds them into an immutable [Snapshot], the
// screens show that, and [NewPlan] turns an intention into a [Plan] whose target
// is frozen at the revision that was shown.
package model
