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
