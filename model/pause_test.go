package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// That a pause is over is told when it is: not when it would have run out.
func TestPauses(t *testing.T) {
	at := func(ms int) time.Time { return epoch().Add(time.Duration(ms) * time.Millisecond) }
	read := func(created, ms int, paused bool) Observation {
		c := consumer("m", "X", at(ms), 0, 2)
		c.Created, c.Paused = at(created), paused
		return ConsumersRead{Stream: "S-g", TS: at(ms), Consumers: []*Consumer{c}}
	}
	const hour = -3_600_000
	pause := func(from, until int) Observation {
		return PauseSeen{Stream: "S-g", Consumer: "m", Paused: true, Until: at(until), At: at(from)}
	}
	over := func(ms int) Observation {
		return PauseSeen{Stream: "S-g", Consumer: "m", Until: at(ms), At: at(ms)}
	}
	paused := "paused until " + at(10_000).Format(time.RFC3339)
	for name, c := range map[string]struct {
		seen []Observation
		want []string
	}{
		"runs out":              {[]Observation{pause(0, 10_000), over(10_000), read(hour, 10_100, false)}, []string{"0s " + paused, "10s resumed"}},
		"taken back":            {[]Observation{pause(0, 10_000), PauseSeen{Stream: "S-g", Consumer: "m", At: at(40)}, read(hour, 2000, false), over(10_000)}, []string{"0s " + paused, "40ms resumed"}},
		"seen to be over":       {[]Observation{pause(0, 10_000), read(hour, 500, true), read(hour, 1000, false), over(10_000)}, []string{"0s " + paused, "1s resumed"}},
		"an answer from before": {[]Observation{pause(1000, 10_000), read(hour, 900, false)}, []string{"1s " + paused}},
		"handed over": {[]Observation{
			pause(0, 10_000), ConsumerDeleted{Stream: "S-g", Consumer: "m", At: at(12)}, ConsumerCreated{Stream: "S-g", Consumer: "m", At: at(14)}, read(14, 1000, false), over(10_000),
		}, []string{"0s " + paused, "12ms pause ended with the consumer"}},
		"made anew unheard":   {[]Observation{pause(0, 10_000), read(14, 1000, false), over(10_000)}, []string{"0s " + paused, "14ms pause ended with the consumer"}},
		"deleted for good":    {[]Observation{pause(0, 10_000), ConsumersRead{Stream: "S-g", TS: at(1000)}, over(10_000)}, []string{"0s " + paused, "1s pause ended with the consumer"}},
		"another one since":   {[]Observation{pause(0, 10_000), ConsumerDeleted{Stream: "S-g", Consumer: "m", At: at(12)}, pause(5000, 20_000), over(10_000)}, []string{"0s " + paused, "12ms pause ended with the consumer", "5s paused until " + at(20_000).Format(time.RFC3339)}},
		"from before, read":   {[]Observation{read(hour, 0, true), over(10_000)}, []string{"10s resumed"}},
		"from before, unread": {[]Observation{read(hour, 0, false), over(10_000)}, nil},
	} {
		s := pinnedGroup("X")
		for _, o := range c.seen {
			s = Reduce(s, epoch(), o)
		}
		var got []string
		for _, e := range slices.Backward(s.Events) {
			if e.Kind == EventPause {
				got = append(got, e.At.Sub(epoch()).String()+" "+e.Text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %s; want %s", name, strings.Join(got, "; "), strings.Join(c.want, "; "))
		}
	}
}
