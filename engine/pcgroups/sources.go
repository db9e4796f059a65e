package pcgroups

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// CheckSources refuses filters of a group that no subject of its stream can match, as after
// a slip of the fingers: the group would be healthy and empty for ever. Messages count as
// they are stored, after the stream's own transform; a static group's filters follow the
// partition that is in front of them. Where a stream is fed by others it cannot be told, nor
// whether publishers stamp partitions for a static group.
func CheckSources(kind model.Kind, c jetstream.StreamConfig, filters []model.Filter) error {
	if len(c.Subjects) == 0 || len(c.Sources) > 0 || c.Mirror != nil || kind == model.KindStatic && c.SubjectTransform == nil {
		return nil
	}
	stored, what := c.Subjects, "of stream "+c.Name+", which takes "
	if t := c.SubjectTransform; t != nil {
		stored = model.StoredSubjects(c.Subjects, []model.Transform{{From: t.Source, To: t.Destination}})
		what = "that stream " + c.Name + " stores, which are "
	}
	for _, f := range filters {
		subject := f.Subject
		if kind == model.KindStatic {
			subject = "*." + subject
		}
		if !slices.ContainsFunc(stored, func(s string) bool { return model.Overlap(s, subject) }) {
			if behind := behindPartition(stored); kind == model.KindStatic && len(behind) > 0 {
				return fmt.Errorf("filter %q matches no subject that stream %s stores behind the partition in front, which a static group's filters leave out: give %s, or a part of it", f.Subject, c.Name, strings.Join(behind, " or "))
			}
			return fmt.Errorf("filter %q matches no subject %s%s", f.Subject, what, strings.Join(stored, ", "))
		}
	}
	return nil
}

// behindPartition is what follows in stored subjects, with wildcards, on a token that may be
// the number of a partition.
func behindPartition(stored []string) []string {
	var list []string
	for _, s := range stored {
		first, rest, more := strings.Cut(s, ".")
		if _, err := strconv.Atoi(first); more && (first == "*" || err == nil) {
			list = append(list, rest)
		}
	}
	return list
}

// StampedAlready says that an elastic group's stream stamps partitions itself, as that of a
// static group does: its filters have to begin with a token for them. Empty: it does not.
func StampedAlready(c jetstream.StreamConfig) string {
	if t := c.SubjectTransform; t != nil && CompareTransform(c, 0).Stamped > 0 {
		return fmt.Sprintf("stream %s stamps partitions itself (%s): the group sees them as the first token of its subjects", c.Name, t.Destination)
	}
	return ""
}
