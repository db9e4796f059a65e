package consumergroup

import (
	"fmt"
	"strings"
	"time"

	"pcgtop/model"
)

// teller tells one group.
type teller struct{ found Shape } // of its stream when it was found

// Tell reads the group off its stream: see [model.Teller].
func (t teller) Tell(stream *model.Stream, _ time.Time) model.Told {
	shape, stamped := ShapeOf(stream.Facts)
	if !stamped || shape.Prefix != t.found.Prefix {
		shape, stamped = t.found, !stream.Facts.Known
	}
	told := model.Told{Facts: facts(shape)}
	if shape.Partitions > model.MaxPartitions {
		told.Unreadable = fmt.Sprintf("%d partitions, more than %d", shape.Partitions, model.MaxPartitions)
		told.Findings = one(model.VerdictUnreadable, model.Finding{ID: "unreadable", Severity: model.Critical, Text: "the stream makes " + told.Unreadable + ": they are not shown"})
		return told
	}
	s := splitOf(shape, stream)
	told.Members = s.members
	between, nobodys := s.unowned()
	notes := make(map[int]string, len(between))
	for _, p := range between {
		if notes[p] = "between members"; s.lost[p].member != "" {
			notes[p] = "left by " + s.lost[p].member
		}
	}
	for p, owner := range s.owner {
		told.Partitions = append(told.Partitions, model.ToldPartition{Owner: owner, Note: notes[p], Filter: shape.Subject(p)})
	}
	switch f := stream.Facts; {
	case f.Offline != "": // the model says so
	case f.Known && !f.Exists:
		told.Findings = one(model.VerdictBroken, model.Finding{ID: "no-stream", Severity: model.Critical, Text: "no stream " + stream.Name + ": nothing can be consumed"})
	case stream.Read.IsZero(): // nothing is known of the members
	default:
		if len(between)+len(nobodys) > 0 {
			told.Stray = s.stray()
		}
		told.Findings = s.findings(stamped, between, nobodys, told.Stray)
	}
	return told
}

// facts says what the stream does, in a few words each.
func facts(s Shape) []string {
	by := "the whole subject"
	if stamp, _ := s.Stamp.Stamp(); len(stamp.Wildcards) > 0 {
		by = "wildcard " + strings.Trim(strings.ReplaceAll(fmt.Sprint(stamp.Wildcards), " ", ","), "[]")
	}
	return []string{s.Stamp.From + " by " + by, fmt.Sprintf("subjects %s.0-%d", s.Prefix, s.Partitions-1), "known by its shape"}
}
