// Package engine is what talks to NATS: it connects as the nats CLI does, keeps an
// immutable [model.Snapshot] of all consumer groups up to date, and carries out
// [model.Plan] values.
//
// Observing lives in engine/observe, the stored form of groups and all writes to them
// in engine/pcgroups. This package puts them together: observations go through
// [model.Reduce] one at a time, and snapshots come out, the newest replacing one that
// nobody has taken yet.
package engine
