package model

import (
	"fmt"
	"testing"
	"time"

	"pcgtop/internal/flatline"
)

// beside makes an account of so many groups with so many partitions each, of which the
// first has two members that run.
func beside(groups, partitions int) *Snapshot {
	var seen []Observation
	for i := range groups {
		seen = append(seen, ConfigSeen{Key: elastic(fmt.Sprintf("S%02d", i/100), fmt.Sprintf("g%04d", i)), Revision: 1, Config: config(partitions, "m1", "m2")})
	}
	for i := range min(groups, 1000) {
		seen = append(seen, StreamRead{Name: fmt.Sprintf("S%02d-g%04d", i/100, i), Facts: facts(fmt.Sprintf("S%02d", i/100))})
	}
	s := Reduce(nil, epoch(), seen...)
	return Reduce(s, epoch(), consumersOf("S00-g0000", epoch(), partitions))
}

func consumersOf(stream string, at time.Time, partitions int) ConsumersRead {
	o := ConsumersRead{Stream: stream, TS: at}
	for m := range 2 {
		c := consumer(fmt.Sprint("m", m+1), "id", at)
		for p := range partitions / 2 {
			c.Filters = append(c.Filters, fmt.Sprintf("%d.o.*", m*partitions/2+p))
		}
		o.Consumers = append(o.Consumers, c)
	}
	return o
}

// BenchmarkFlatRead reads the consumers of one group again, beside others.
func BenchmarkFlatRead(b *testing.B) {
	flatline.Line{Step: "next snapshot", Beside: "groups", Sizes: flatline.Groups(), Goal: 2.5}.Measure(b, func(n int) func() {
		s, at := beside(n, 16), epoch()
		return func() {
			at = at.Add(time.Second)
			s = Reduce(s, at, consumersOf("S00-g0000", at, 16))
		}
	})
}

// BenchmarkFlatPin pins another instance of a member, in a group of more partitions.
func BenchmarkFlatPin(b *testing.B) {
	flatline.Line{Step: "pin noted", Beside: "partitions", Sizes: flatline.Partitions(), Goal: 2.5}.Measure(b, func(n int) func() {
		s, at, i := beside(1, n), epoch(), 0
		return func() {
			at, i = at.Add(20*time.Second), i+1
			s = Reduce(s, at, PinSeen{Stream: "S00-g0000", Consumer: "m1", PriorityGroup: "PCG", PinID: fmt.Sprint("id", i), At: at})
		}
	})
}
