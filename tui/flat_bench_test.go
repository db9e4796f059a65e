package tui

import (
	"fmt"
	"testing"
	"time"

	"pcgtop/internal/flatline"
	"pcgtop/model"
)

// BenchmarkFlatOverview draws the list of groups anew after one of them changed, the picture
// taken in included, in a window that ten groups fill.
func BenchmarkFlatOverview(b *testing.B) {
	flatline.Line{Step: "list of groups drawn anew", Beside: "groups", Sizes: flatline.Groups(), Goal: 1.5}.Measure(b, func(n int) func() {
		st := newStage(b, 200, 20)
		st.blind = true
		var pictures []*model.Snapshot
		s := estate(n)
		for i := range 8 {
			s = model.Reduce(s, moment().Add(time.Duration(i)*time.Second), estateRead(i, uint64(i%2)))
			pictures = append(pictures, s)
		}
		i := 0
		return func() {
			st.show(pictures[i%8])
			st.m.View()
			i++
		}
	})
}

// BenchmarkFlatGroup draws an open group anew after one of its consumers moved, by how many
// partitions it has.
func BenchmarkFlatGroup(b *testing.B) {
	flatline.Line{Step: "group drawn anew", Beside: "partitions", Sizes: flatline.Partitions(), Goal: 4}.Measure(b, func(n int) func() {
		st := newStage(b, 200, 60)
		st.blind = true
		k := estateKey(0)
		read := func(i int) model.Observation {
			at := moment().Add(time.Duration(i) * time.Second)
			var list []*model.Consumer
			for m := range 8 {
				list = append(list, &model.Consumer{Name: fmt.Sprint("m", m), Created: moment(), TS: at, Pending: uint64(i % 2), Waiting: 1, AckWait: 5 * time.Second})
			}
			return model.ConsumersRead{Stream: k.ConsumeStream(), TS: at, Consumers: list}
		}
		s := model.Reduce(nil, moment(), model.LinkSeen{State: model.LinkLive},
			model.ConfigSeen{Key: k, Revision: 1, Written: moment(), Config: &model.Config{Partitions: n, Members: []string{"m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7"}}}, read(0))
		var pictures []*model.Snapshot
		for i := range 8 {
			s = model.Reduce(s, moment().Add(time.Duration(i)*time.Second), read(i+1))
			pictures = append(pictures, s)
		}
		st.show(pictures[7]).press("enter")
		i := 0
		return func() {
			st.show(pictures[i%8])
			st.m.View()
			i++
		}
	})
}
