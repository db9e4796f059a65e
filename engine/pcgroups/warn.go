package pcgroups

import (
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// warn tells when joining what will not work as its user may expect.
func (m *member) warn() {
	if m.template.AckWait < steadyAckWait {
		m.options.log.Warn("the ack wait is too short for steady pins: with several instances the pinned one changes at every quiet moment",
			"ack_wait", m.template.AckWait, "at_least", steadyAckWait)
	}
	if m.key.Kind == model.KindStatic {
		if r := CompareTransform(m.stream.CachedInfo().Config, m.settings.maxMembers); r.Why != "" {
			m.options.log.Warn("the stream does not stamp the group's partitions", "why", r.Why)
		}
	}
}

// adopt tells what is different about a consumer that another instance has made.
func (m *member) adopt(c jetstream.ConsumerConfig) {
	var differs []any
	add := func(what string, theirs, ours any) {
		if theirs != ours {
			differs = append(differs, what, theirs, "our_"+what, ours)
		}
	}
	add("ack_wait", c.AckWait, m.template.AckWait)
	add("priority_timeout", c.PinnedTTL, m.template.PinnedTTL)
	if m.key.Kind == model.KindElastic {
		add("inactive_threshold", c.InactiveThreshold, m.template.InactiveThreshold)
	}
	// The server fills in 1,000 for 0.
	if m.template.MaxAckPending != 0 {
		add("max_ack_pending", c.MaxAckPending, m.template.MaxAckPending)
	}
	if len(differs) > 0 {
		m.options.log.Warn("using the consumer that exists, whose settings are another instance's", differs...)
	}
}
