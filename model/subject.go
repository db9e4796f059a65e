package model

import "strings"

// Covers tells whether a subject pattern takes everything that another one, or a
// subject, can be.
func Covers(pattern, subject string) bool {
	ps, ss := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, p := range ps {
		switch {
		case p == ">":
			return len(ss) > i
		case i >= len(ss):
			return false
		case p == "*" && ss[i] != ">":
		case p != ss[i]:
			return false
		}
	}
	return len(ps) == len(ss)
}

// StoredSubjects are the subjects, with wildcards, under which a stream stores what it takes:
// its transform may change all of them, or some. Of a stream that takes none itself there are
// none.
func StoredSubjects(taken []string, transforms []Transform) []string {
	var list []string
	for _, subject := range taken {
		whole := false
		for _, t := range transforms {
			whole = whole || t.From == "" || Covers(t.From, subject)
		}
		if !whole {
			list = append(list, subject)
		}
	}
	for _, t := range transforms {
		if len(taken) > 0 {
			list = append(list, t.made())
		}
	}
	return list
}

// made is what the transform's subjects look like. Functions that write one token are a *;
// behind others anything may follow.
func (t Transform) made() string {
	tokens := strings.Split(t.To, ".")
	for i, token := range tokens {
		_, partition := function(token, "partition")
		_, wildcard := function(token, "wildcard")
		switch {
		case partition || wildcard || strings.HasPrefix(token, "$"):
			tokens[i] = "*"
		case strings.HasPrefix(token, "{{"):
			return strings.Join(append(tokens[:i:i], ">"), ".")
		}
	}
	return strings.Join(tokens, ".")
}

// literal tells whether messages can be published to a subject: it has no wildcard and
// no empty token.
func literal(subject string) bool {
	for _, t := range strings.Split(subject, ".") {
		if t == "" || t == "*" || t == ">" || strings.ContainsAny(t, " \t\r\n") {
			return false
		}
	}
	return true
}
