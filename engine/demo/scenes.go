package demo

import (
	"fmt"
	"math/rand/v2"
	"time"

	"pcgtop/engine/pcgroups"

	"github.com/nats-io/nats.go/jetstream"
)

// feed is a stream and the traffic on it.
type feed struct {
	stream  jetstream.StreamConfig
	rate    int                       // messages per second
	subject func(r *rand.Rand) string // of the next message
}

// scene is a group and the processes that run its members.
type scene struct {
	kind      string
	stream    string
	group     string
	create    creation
	instances []instance
}

// creation is what the group is made from; a static group has members or mappings.
type creation struct {
	partitions uint
	filters    []pcgroups.PartitioningFilter
	members    []string
	mappings   []pcgroups.MemberMapping
	maxMsgs    int64
}

// instance is one process of a member, on a connection of its own name.
type instance struct {
	member string
	name   string
	work   time.Duration // per message
}

// pair is two instances of a member, of which one will be pinned.
func pair(prefix, member string, work time.Duration) []instance {
	return []instance{
		{member: member, name: fmt.Sprintf("%s-%s-a", prefix, member), work: work},
		{member: member, name: fmt.Sprintf("%s-%s-b", prefix, member), work: work},
	}
}

// keepMsgs bounds the origin streams, so that a demo left running stays small.
const keepMsgs = 100_000

func feeds() []feed {
	limits := func(name string, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{Name: name, Subjects: subjects, MaxMsgs: keepMsgs, AllowDirect: true, Storage: jetstream.FileStorage}
	}
	payments := limits("PAYMENTS", "payments.*")
	payments.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "payments.*", Destination: "{{partition(8,1)}}.payments.{{wildcard(1)}}"}
	return []feed{
		{stream: limits("ORDERS", "orders.*"), rate: 200, subject: func(r *rand.Rand) string {
			return fmt.Sprintf("orders.c%03d", r.IntN(400))
		}},
		{stream: payments, rate: 100, subject: func(r *rand.Rand) string {
			return fmt.Sprintf("payments.acct%03d", r.IntN(300))
		}},
		{stream: limits("TELEMETRY", "telemetry.*.*"), rate: 180, subject: func(r *rand.Rand) string {
			if r.IntN(3) == 0 { // the hot key: one device sends a third of everything
				return "telemetry.dev007.temp"
			}
			return fmt.Sprintf("telemetry.dev%03d.%s", r.IntN(500), []string{"temp", "volt", "load"}[r.IntN(3)])
		}},
	}
}

func scenes() []scene {
	by := func(filter string, wildcards ...int) []pcgroups.PartitioningFilter {
		return []pcgroups.PartitioningFilter{{Filter: filter, PartitioningWildcards: wildcards}}
	}
	all := func(lists ...[]instance) (out []instance) {
		for _, l := range lists {
			out = append(out, l...)
		}
		return out
	}
	quick, slow := time.Millisecond, 14*time.Millisecond
	return []scene{
		{kind: "elastic", stream: "ORDERS", group: "fulfillment",
			create:    creation{partitions: 12, filters: by("orders.*", 1), members: []string{"m1", "m2", "m3"}, maxMsgs: -1},
			instances: all(pair("fulfil", "m1", quick), pair("fulfil", "m2", quick), pair("fulfil", "m3", quick))},
		{kind: "elastic", stream: "ORDERS", group: "analytics",
			create:    creation{partitions: 8, filters: by("orders.*", 1), members: []string{"a1", "a2"}, maxMsgs: -1},
			instances: all(pair("analytics", "a1", quick), pair("analytics", "a2", quick))},
		{kind: "static", stream: "PAYMENTS", group: "settlement",
			create: creation{partitions: 8, filters: by("payments.*"), mappings: []pcgroups.MemberMapping{
				{Member: "east", Partitions: []int{0, 1, 2, 6}}, {Member: "west", Partitions: []int{3, 4, 5, 7}}}},
			instances: all(pair("settle", "east", quick), pair("settle", "west", quick)[:1])},
		{kind: "elastic", stream: "TELEMETRY", group: "rollup",
			// m3 is configured and never comes; the others have one instance each, and the
			// one with the hot key's partition is slow.
			create:    creation{partitions: 16, filters: by("telemetry.*.*", 1), members: []string{"m1", "m2", "m3"}, maxMsgs: 200_000},
			instances: all(pair("roll", "m1", slow)[:1], pair("roll", "m2", slow)[:1])},
	}
}
