package consumergroup

import (
	"slices"
	"strconv"
	"strings"

	"pcgtop/model"
)

// Shape is what makes a stream one that such a group consumes from.
type Shape struct {
	Prefix     string          // one token or more in front of the partition number
	Partitions int             // how many numbers the stream makes, from 0; 1 at least
	Stamp      model.Transform // the stream's own, that puts them there
}

// ShapeOf reads the shape of a stream: a work queue whose own transform stamps
// {{partition(N,…)}} behind a prefix that is the same for every message. False when it has
// another one. Static groups of pcgroups have the number in front.
func ShapeOf(f model.StreamFacts) (Shape, bool) {
	if !f.WorkQueue {
		return Shape{}, false
	}
	for _, t := range f.Transforms {
		stamp, ok := t.Stamp()
		if !ok || stamp.Place == 0 {
			continue
		}
		prefix := strings.Split(t.To, ".")[:stamp.Place]
		if slices.ContainsFunc(prefix, varies) {
			continue
		}
		if t.From == "" { // nats-server takes that for everything
			t.From = ">"
		}
		return Shape{Prefix: strings.Join(prefix, "."), Partitions: stamp.Partitions, Stamp: t}, true
	}
	return Shape{}, false
}

// varies tells whether a token of a transform's destination is not taken as it stands.
func varies(token string) bool {
	if token == "" || strings.ContainsAny(token, "*> \t\r\n") || strings.HasPrefix(token, "{{") {
		return true
	}
	_, err := strconv.Atoi(token[1:])
	return token[0] == '$' && err == nil
}

// Subject matches the messages of a partition.
func (s Shape) Subject(partition int) string {
	return s.Prefix + "." + strconv.Itoa(partition) + ".>"
}

// Filters is what a member's consumer takes.
type Filters struct {
	Held   []int    // partitions, in order, each once
	Beyond []string // filters for numbers that the stream never makes
}

// Filters reads a consumer's. False when it is no member's: somebody is pinned to it, or
// messages are pushed to it, or one of its filters is not <prefix>.<number>.>
func (s Shape) Filters(c *model.Consumer) (Filters, bool) {
	if c.Push || c.PriorityGroup != "" || len(c.Filters) == 0 {
		return Filters{}, false
	}
	var f Filters
	for _, filter := range c.Filters {
		rest, ok := strings.CutPrefix(filter, s.Prefix+".")
		number, all := strings.CutSuffix(rest, ".>")
		if !ok || !all || number == "" || strings.Trim(number, "0123456789") != "" {
			return Filters{}, false
		}
		n, err := strconv.Atoi(number)
		if err != nil || n >= s.Partitions || strconv.Itoa(n) != number { // it is stamped as 7, never as 07
			f.Beyond = append(f.Beyond, filter)
			continue
		}
		f.Held = append(f.Held, n)
	}
	slices.Sort(f.Held)
	f.Held = slices.Compact(f.Held)
	return f, true
}

// Unreachable tells whether no filter of a member's form can match what the stream makes:
// nothing stands behind the number.
func (s Shape) Unreachable() bool {
	return strings.Count(s.Stamp.To, ".") == strings.Count(s.Prefix, ".")+1
}
