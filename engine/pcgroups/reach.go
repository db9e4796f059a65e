package pcgroups

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// Reach compares the partitions that a stream stamps with those of a static group.
// Members see the messages whose subject begins with a partition of the group, and
// no others, so a group on a stream that stamps otherwise looks healthy and handles
// a part of the data or none.
type Reach struct {
	Stamped    uint   // partitions that the stream's transforms make, 0 for none in front
	Partitions uint   // of the group
	Why        string // what does not fit, for people; empty when it fits

	// What is stored, from [CheckReach]: the messages that the group is for, and how
	// many of them no member can ever get.
	Messages   uint64
	OutOfReach uint64
}

// Fits tells whether nothing is out of reach: neither stored nor to be stamped.
func (r Reach) Fits() bool { return r.Why == "" && r.OutOfReach == 0 }

// String says it in one line.
func (r Reach) String() string {
	var parts []string
	if r.Why != "" {
		parts = append(parts, r.Why)
	}
	if r.OutOfReach > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s messages out of reach", model.Thousands(r.OutOfReach), model.Thousands(r.Messages)))
	}
	if len(parts) == 0 {
		return "every partition is covered"
	}
	return strings.Join(parts, "; ")
}

// partitionCall is the mapping function of nats-server 2.10 and later; its name is
// taken in any case, and without token positions the whole subject counts (2.12).
var partitionCall = regexp.MustCompile(`(?i)\{\{\s*partition\(\s*(\d+)\s*(?:,[^)]*)?\)\s*\}\}`)

// CompareTransform tells whether the stream's subject transform, or those of its
// sources or mirror, stamp a group's partitions as the first token of each subject. A
// stream without any transform does not fit, unless its publishers stamp subjects
// themselves, which only the stored messages tell ([CheckReach]).
func CompareTransform(c jetstream.StreamConfig, partitions uint) Reach {
	r := Reach{Partitions: partitions}
	var all []jetstream.SubjectTransformConfig
	if c.SubjectTransform != nil {
		all = append(all, *c.SubjectTransform)
	} else {
		sources := c.Sources
		if c.Mirror != nil {
			sources = append([]*jetstream.StreamSource{c.Mirror}, sources...)
		}
		for _, s := range sources {
			all = append(all, s.SubjectTransforms...)
		}
	}
	if len(all) == 0 {
		r.Why = fmt.Sprintf("stream %s stamps no partitions: it has no subject transform", c.Name)
		return r
	}
	for _, t := range all {
		at := partitionCall.FindStringSubmatchIndex(t.Destination)
		switch {
		case at == nil:
			r.Why = fmt.Sprintf("stream %s stamps no partitions: its transform makes %q", c.Name, t.Destination)
			return r
		case at[0] != 0 || at[1] < len(t.Destination) && t.Destination[at[1]] != '.':
			r.Why = fmt.Sprintf("stream %s stamps the partition elsewhere than in front: its transform makes %q", c.Name, t.Destination)
			return r
		}
		n, err := strconv.ParseUint(t.Destination[at[2]:at[3]], 10, 32)
		if err != nil {
			r.Why = fmt.Sprintf("stream %s stamps no partitions: its transform makes %q", c.Name, t.Destination)
			return r
		}
		r.Stamped = max(r.Stamped, uint(n))
		if uint(n) != partitions {
			r.Why = fmt.Sprintf("stream makes %d partitions, group covers %s", n, span(partitions))
		}
	}
	return r
}

func span(partitions uint) string {
	if partitions < 2 {
		return "0"
	}
	return fmt.Sprintf("0-%d", partitions-1)
}

// CheckReach compares a static group with its stream as [CompareTransform] does, and
// counts what is stored. The stream is asked for its subjects, so this is for people
// who create or look into a group, not for a loop. If every message stored for the
// group is in reach, a stream without a transform fits: its publishers stamp.
func CheckReach(ctx context.Context, js jetstream.JetStream, streamName, consumerGroupName string) (Reach, error) {
	s, err := getConfig(ctx, js, groupKey(model.KindStatic, streamName, consumerGroupName))
	if err != nil {
		return Reach{}, err
	}
	stream, err := originStream(ctx, js, streamName)
	if err != nil {
		return Reach{}, err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter(">"))
	if err != nil {
		return Reach{}, fmt.Errorf("list the subjects of %q: %w", streamName, err)
	}
	r := CompareTransform(info.Config, s.maxMembers)
	for subject, n := range info.State.Subjects {
		partition, rest, _ := strings.Cut(subject, ".")
		p, err := strconv.ParseUint(partition, 10, 32)
		stamped := err == nil && strconv.FormatUint(p, 10) == partition && s.wants(rest)
		if !stamped && !s.wants(subject) {
			continue
		}
		r.Messages += n
		if !stamped || uint(p) >= s.maxMembers {
			r.OutOfReach += n
		}
	}
	if r.Messages > 0 && r.OutOfReach == 0 && info.Config.SubjectTransform == nil && r.Stamped == 0 {
		r.Why = ""
	}
	return r, nil
}

// wants tells whether a subject, without partition, is one that the group is for.
func (s settings) wants(subject string) bool {
	for _, f := range s.filters {
		if matches(f.Filter, subject) {
			return true
		}
	}
	return len(s.filters) == 0
}

// matches tells whether a subject without wildcards matches a filter.
func matches(filter, subject string) bool {
	fs, ss := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, f := range fs {
		switch {
		case i == len(ss):
			return false
		case f == ">":
			return true
		case f != "*" && f != ss[i]:
			return false
		}
	}
	return len(fs) == len(ss)
}
