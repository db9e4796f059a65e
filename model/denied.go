package model

import (
	"slices"
	"strings"
)

// WritesRefused tells whether anything that only a change of a group asks for was not
// permitted. The server says so when it is tried, and no sooner.
func (s *Snapshot) WritesRefused() bool {
	writes := []string{"allow publish to $KV.", "publish to $KV.", "$KV.", "STREAM.CREATE ", "STREAM.DELETE ", "CONSUMER.DELETE ", "CONSUMER.UNPIN ", "CONSUMER.PAUSE "}
	return slices.ContainsFunc(s.Denied, func(what string) bool {
		return slices.ContainsFunc(writes, func(w string) bool { return strings.HasPrefix(what, w) })
	})
}
