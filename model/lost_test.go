package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A stream that is gone is what is wrong with its group. Nothing that follows from it advises
// what nobody can do before it is back, or goes on telling what was true before.
func TestLostStream(t *testing.T) {
	mapped := &Config{Partitions: 4, Mappings: []Mapping{{"a", []int{0, 3}}, {"b", []int{1}}, {"c", []int{2}}}}
	for _, k := range []Key{elastic("S", "g"), static("S", "g")} {
		for _, c := range []*Config{config(4, "a", "b", "c"), mapped} {
			s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: c})
			s, _ = watched(s, k, epoch(), 60, func(i int, c *Consumer, work *StreamFacts) {
				c.Name = k.ConsumerName(c.Name)
				work.Messages += uint64(15 * i) // of c's, which nobody runs
			})
			f := has(s.Group(k), "absent")
			if f == nil || !strings.Contains(f.Hint, "start an instance of c") || !strings.Contains(f.Text, "there") {
				t.Fatalf("%s: %+v", k.Kind, s.Group(k).Findings)
			}
			s = Reduce(s, epoch().Add(time.Minute), StreamRead{Name: k.ConsumeStream()}, ConsumersRead{Stream: k.ConsumeStream(), Missing: true})
			var said []string
			for _, f := range s.Group(k).Findings {
				said = append(said, f.Text+" > "+f.Hint)
			}
			want := []string{"a gone: it owns 2 partitions (0,3) > ", "b gone: it owns 1 partition (1) > ", "c never seen: it owns 1 partition (2) > "}
			if k.Kind == KindElastic {
				want = append([]string{"no work stream S-g: nothing can be consumed > create the group again with the same settings"}, want...)
			} else {
				want = append([]string{"no stream S: nothing can be consumed > make the stream again, or delete the group"}, want...)
			}
			if !slices.Equal(said, want) {
				t.Errorf("%s, mapped %v:\n%s\nwant\n%s", k.Kind, c.Mapped(), strings.Join(said, "\n"), strings.Join(want, "\n"))
			}
		}
	}
}
