package consumergroup

import (
	"fmt"
	"slices"
	"strings"

	"pcgtop/model"
)

func one(v model.Verdict, f model.Finding) []model.ToldFinding {
	return []model.ToldFinding{{Finding: f, Verdict: v}}
}

// findings is what is wrong with the group beside what is wrong with single consumers,
// which the model finds. stamped is false when the stream has lost its shape.
func (s *split) findings(stamped bool, between, nobodys []int, stray uint64) []model.ToldFinding {
	var list []model.ToldFinding
	add := func(v model.Verdict, f model.Finding) { list = append(list, one(v, f)...) }
	switch {
	case !stamped:
		add(model.VerdictBroken, model.Finding{
			ID: "stamp-gone", Severity: model.Critical, Text: "the stream no longer stamps partitions behind " + s.shape.Prefix + ": new messages reach no member",
			Hint: "give it a transform to " + s.shape.Stamp.To + " again",
		})
	case s.shape.Unreachable():
		add(model.VerdictBroken, model.Finding{
			ID: "unreachable", Severity: model.Critical, Text: fmt.Sprintf("subjects end with the partition's number (%s.0), and a filter such as %s needs more behind it: no message reaches a member", s.shape.Prefix, s.shape.Subject(0)),
			Hint: "carry the source's tokens on behind the number",
		})
	}
	if f, lost := s.lostKey(); lost && stamped {
		add(model.VerdictDegraded, f)
	}
	if len(nobodys) > 0 {
		add(model.VerdictDegraded, s.nobody(nobodys, stray))
	}
	if len(between) > 0 {
		add("", s.rebalancing(between))
	}
	if len(s.twice) > 0 {
		add(model.VerdictDegraded, s.shared())
	}
	for _, m := range s.members {
		if f, beyond := s.beyond[m.Name]; beyond {
			add(model.VerdictDegraded, model.Finding{
				ID: "beyond", Severity: model.Warning, Member: m.Name, Text: fmt.Sprintf("%s consumes %s, and the stream makes 0-%d: nothing comes there", m.Name, firstOf(f.Beyond), s.shape.Partitions-1),
				Hint: "make the members' number of partitions that of the stream",
			})
		}
	}
	if outside := s.unstamped(); len(outside) > 0 {
		add("", model.Finding{ID: "unstamped", Severity: model.Info, Text: firstOf(outside) + " is stored without a partition: no member gets that", Hint: "let the transform's source be all that the stream takes"})
	}
	return list
}

// lostKey finds the trap that a message is put into its partition by a token that it does
// not have any more when it is delivered.
func (s *split) lostKey() (model.Finding, bool) {
	lost := s.shape.Stamp.Lost()
	if len(lost) == 0 {
		return model.Finding{}, false
	}
	var tokens []string
	for at, token := range strings.Split(s.shape.Stamp.From, ".") {
		if token == "*" {
			tokens = append(tokens, fmt.Sprint(at+1))
		}
	}
	var named, carry []string
	for _, n := range lost {
		if n > 0 && n <= len(tokens) {
			named, carry = append(named, tokens[n-1]), append(carry, fmt.Sprintf("{{wildcard(%d)}}", n))
		}
	}
	if len(named) == 0 {
		return model.Finding{}, false
	}
	word := "token"
	if len(named) > 1 {
		word = "tokens"
	}
	return model.Finding{
		ID: "key-lost", Severity: model.Warning, Brief: "key token lost",
		Text: fmt.Sprintf("the stream drops the key: %s %s of %s chooses the partition and is not in %s, so handlers cannot tell messages of different keys apart", word, strings.Join(named, ", "), s.shape.Stamp.From, s.shape.Stamp.To),
		Hint: "carry it on with " + strings.Join(carry, " and ") + " in the transform's destination",
	}, true
}

// nobody is about partitions that are in no filter for long.
func (s *split) nobody(partitions []int, stray uint64) model.Finding {
	f := model.Finding{
		ID: "unowned", Severity: model.Warning, Brief: model.Count(len(partitions), "partition") + " unowned",
		Text: fmt.Sprintf("%s unowned: %s in no member's filter", model.Count(len(partitions), "partition"), model.Ranges(partitions)),
		Hint: "see whether a member is missing, or restart one, so that they share out anew",
	}
	if !slices.ContainsFunc(s.owner, func(o string) bool { return o != "" }) {
		f.Text, f.Brief, f.Hint = "no members: nobody consumes any partition", "no members", "start a member"
	}
	switch stray {
	case 0:
	case 1:
		f.Text += ", ~1 message waits there"
	default:
		f.Text += ", ~" + model.Thousands(stray) + " messages wait there"
	}
	return f
}

// rebalancing is about partitions that were in a filter a moment ago.
func (s *split) rebalancing(partitions []int) model.Finding {
	f := model.Finding{
		ID: "rebalancing", Severity: model.Info, Brief: "rebalancing",
		Text: fmt.Sprintf("rebalancing: %s (%s) in no filter for the moment", model.Count(len(partitions), "partition"), model.Ranges(partitions)),
	}
	var from []string
	for _, p := range partitions {
		if m := s.lost[p].member; m != "" && !slices.Contains(from, m) {
			from = append(from, m)
		}
	}
	if slices.Sort(from); len(from) > 0 {
		f.Text += ", left by " + firstOf(from)
	}
	return f
}

// shared is about partitions in the filters of several consumers, which the server refuses
// in a work queue, unless two are made at once in a cluster.
func (s *split) shared() model.Finding {
	var partitions []int
	var who []string
	for p, others := range s.twice {
		partitions = append(partitions, p)
		for _, m := range append(others[:len(others):len(others)], s.owner[p]) {
			if !slices.Contains(who, m) {
				who = append(who, m)
			}
		}
	}
	slices.Sort(partitions)
	slices.Sort(who)
	return model.Finding{
		ID: "shared", Severity: model.Warning, Brief: model.Count(len(partitions), "partition") + " shared",
		Text: fmt.Sprintf("%s (%s) in the filters of more than one member, of %s: messages can be handled twice and out of order", model.Count(len(partitions), "partition"), model.Ranges(partitions), firstOf(who)),
		Hint: "delete all but one of the consumers",
	}
}

// unstamped are subjects of the stream that the transform does not take.
func (s *split) unstamped() (list []string) {
	for _, subject := range s.stream.Facts.Subjects {
		if !model.Covers(s.shape.Stamp.From, subject) && !model.Covers(s.shape.Prefix+".>", subject) {
			list = append(list, subject)
		}
	}
	return list
}

// firstOf names at most three and says how many more there are.
func firstOf(names []string) string {
	const most = 3
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}
