package tui

import (
	"slices"
	"strings"

	"pcgtop/model"
)

// term is one word of a filter. All of them have to match.
type term struct {
	key  string // is, kind, stream or member; empty: the text is looked for anywhere
	text string
	not  bool // what matches is left out

	numbers []int // the text, read as numbers of partitions, in order
}

// terms reads a filter as it is typed. Nothing that can be typed is wrong: what is no
// key is text.
func terms(typed string) []term {
	var list []term
	for _, word := range strings.Fields(strings.ToLower(typed)) {
		t := term{text: word}
		if rest, ok := strings.CutPrefix(word, "-"); ok && rest != "" {
			t.text, t.not = rest, true
		}
		if key, text, ok := strings.Cut(t.text, ":"); ok && slices.Contains(filterKeys(), key) {
			t.key, t.text = key, text
		}
		list = append(list, t)
	}
	return list
}

func filterKeys() []string { return []string{"is", "kind", "stream", "member"} }

// matches tells whether a group is to be shown.
func matches(g *model.Group, list []term) bool {
	for _, t := range list {
		if t.matches(g) == t.not {
			return false
		}
	}
	return true
}

func (t term) matches(g *model.Group) bool {
	switch t.key {
	case "is":
		return strings.HasPrefix(string(g.Verdict), t.text) || g.Verdict.InNeed() && strings.HasPrefix("need", t.text)
	case "kind":
		return strings.HasPrefix(string(g.Key.Kind), t.text)
	case "stream":
		return strings.Contains(strings.ToLower(g.Key.Stream), t.text)
	case "member":
		return slices.ContainsFunc(g.Members, func(m *model.Member) bool { return strings.Contains(strings.ToLower(m.Name), t.text) })
	}
	return strings.Contains(strings.ToLower(g.Key.String()+" "+string(g.Key.Kind)+" "+string(g.Verdict)), t.text)
}

// tells is matches for an event: its kind, its stream and its member, or any of its text.
func (t term) tells(e model.Event) bool {
	in := e.Line()
	switch t.key {
	case "kind":
		return strings.HasPrefix(string(e.Kind), t.text)
	case "stream":
		in = e.Key.Stream
	case "member":
		in = e.Member
	case "is":
		return strings.Contains(strings.ToLower(in), "is:"+t.text)
	}
	return strings.Contains(strings.ToLower(in), t.text)
}

// unknownTerm says what no group can match, or nothing: a verdict or a kind that there
// is not.
func unknownTerm(list []term, kinds []model.Kind) string {
	for _, t := range list {
		var known []string
		switch t.key {
		case "is":
			for _, v := range model.Verdicts() {
				known = append(known, string(v))
			}
			known = append(known, "need")
		case "kind":
			for _, k := range kinds {
				known = append(known, string(k))
			}
		default:
			continue
		}
		if !slices.ContainsFunc(known, func(w string) bool { return strings.HasPrefix(w, t.text) }) {
			return t.key + ": takes " + strings.Join(known, ", ")
		}
	}
	return ""
}
