package model

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkReduceRead reads the consumers of one group again: by how many members it
// has, and by how many other groups there are. The cost is to follow what changed.
func BenchmarkReduceRead(b *testing.B) {
	for _, c := range []struct{ members, groups int }{{10, 1}, {100, 1}, {1000, 1}, {10000, 1}, {10, 100}, {10, 1000}, {10, 10000}} {
		b.Run(fmt.Sprintf("members=%d/groups=%d", c.members, c.groups), func(b *testing.B) {
			var names []string
			for i := range c.members {
				names = append(names, fmt.Sprintf("m%05d", i))
			}
			var seen []Observation
			for i := range c.groups {
				seen = append(seen, ConfigSeen{Key: elastic("S", fmt.Sprint(i)), Revision: 1, Config: config(1024, names...)})
			}
			s := Reduce(nil, epoch(), seen...)
			read := ConsumersRead{Stream: "S-0", TS: epoch(), Consumers: []*Consumer{consumer("m00000", "id", epoch(), 0)}}
			for b.Loop() {
				read.TS = read.TS.Add(time.Second)
				s = Reduce(s, epoch(), read)
			}
		})
	}
}
