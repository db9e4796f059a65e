package model

import "time"

// Phase is how far a drained handover has come.
type Phase string

const (
	PhasePausing  Phase = "pausing"  // members are being paused
	PhaseWaiting  Phase = "waiting"  // until nothing they were given is unacknowledged
	PhaseWriting  Phase = "writing"  // the config
	PhaseWatching Phase = "watching" // until every partition flows at its owner
	PhaseUndoing  Phase = "undoing"  // our pauses, for nothing was written
	PhaseDone     Phase = "done"
)

// Handover is a drained handover as it stands: what was done and what is waited for.
// Each report is complete in itself.
type Handover struct {
	Key      Key           `json:"key"`
	Phase    Phase         `json:"phase"`
	Began    time.Time     `json:"began"`    // local clock
	Deadline time.Time     `json:"deadline"` // when the pauses end by themselves, server clock
	Paused   []string      `json:"paused"`   // members that were paused from here
	Left     []string      `json:"left_alone,omitempty"`
	Unacked  uint64        `json:"unacked"` // delivered and not acknowledged by those members, now
	AtFirst  uint64        `json:"unacked_at_first"`
	Drained  time.Duration `json:"drained_ns"`      // from the first pause to the write
	Revision uint64        `json:"revision"`        // written; 0: not yet
	Flowing  int           `json:"flowing"`         // partitions that flow at their owner
	Total    int           `json:"total"`           // partitions that have an owner
	Waits    []string      `json:"waits,omitempty"` // members whose partitions do not flow yet, and why
	Stood    time.Duration `json:"stood_ns"`        // from the first pause until the last partition flowed
}
