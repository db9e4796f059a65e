package pcgroups

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// CheckSources refuses filters of an elastic group that no subject of its stream can match,
// as after a slip of the fingers: the group would be healthy and empty for ever. Where the
// stream stores other subjects than it takes, because it is fed by streams or transforms
// subjects, that cannot be told.
func CheckSources(c jetstream.StreamConfig, filters []model.Filter) error {
	if len(c.Subjects) == 0 || len(c.Sources) > 0 || c.Mirror != nil || c.SubjectTransform != nil {
		return nil
	}
	for _, f := range filters {
		within := false
		for _, subject := range c.Subjects {
			within = within || model.Overlap(subject, f.Subject)
		}
		if !within {
			return fmt.Errorf("filter %q matches no subject of stream %s, which takes %s", f.Subject, c.Name, strings.Join(c.Subjects, ", "))
		}
	}
	return nil
}
