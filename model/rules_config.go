package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

func unreadable(v *view) []Finding {
	if v.Unreadable == "" {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("unreadable config: %s, revision %d", v.Unreadable, v.UnreadableRevision), Hint: "repair or delete the key " + v.Key.BucketKey()}
	if v.Revision > 0 {
		f.Text += fmt.Sprintf("; showing revision %d, old", v.Revision)
	}
	return one(f)
}

func unread(v *view) []Finding {
	if v.ReadError == "" {
		return nil
	}
	return one(Finding{Text: "consumers not read: " + v.ReadError})
}

func streamOffline(v *view) []Finding {
	if v.Stream.Offline == "" {
		return nil
	}
	return one(Finding{Text: "stream " + v.ConsumeStream() + " is offline: " + v.Stream.Offline, Hint: "run servers that support it"})
}

func noQuorum(v *view) []Finding {
	f := v.Stream
	if f.Quorum() {
		return nil
	}
	text := fmt.Sprintf("no quorum: %d of the %d servers of stream %s are down (%s)", len(f.Down), f.Replicas, v.ConsumeStream(), strings.Join(f.Down, ", "))
	if f.enough() {
		text = fmt.Sprintf("no leader for stream %s: too few of its servers are up, or they are about to elect one", v.ConsumeStream())
	}
	return one(Finding{Text: text + ": nothing is stored or delivered", Hint: "bring servers back: more than half of them are needed"})
}

func serverDown(v *view) []Finding {
	f := v.Stream
	if len(f.Down) == 0 || !f.Quorum() {
		return nil
	}
	return one(Finding{Text: fmt.Sprintf("%d of the %d servers of stream %s down: %s", len(f.Down), f.Replicas, v.ConsumeStream(), strings.Join(f.Down, ", "))})
}

// Quorum tells whether more than half of the stream's servers are up and one leads them.
func (f StreamFacts) Quorum() bool { return f.enough() && !f.Leaderless }

// enough tells whether more than half of the stream's servers are up, as far as is known.
func (f StreamFacts) enough() bool { return f.Replicas == 0 || 2*len(f.Down) < f.Replicas }

// lacksStream tells whether the stream that members consume from is known not to exist.
func (v *view) lacksStream() bool {
	return v.Stream.Known && !v.Stream.Exists && v.Stream.Offline == "" && (v.Unreadable == "" || v.Revision > 0)
}

func noWorkStream(v *view) []Finding {
	if !v.lacksStream() || v.Key.Kind != KindElastic {
		return nil
	}
	return one(Finding{Text: "no work stream " + v.Key.ConsumeStream() + ": nothing can be consumed", Hint: "create the group again with the same settings"})
}

func noStream(v *view) []Finding {
	if !v.lacksStream() || v.Key.Kind != KindStatic {
		return nil
	}
	return one(Finding{Text: "no stream " + v.Key.ConsumeStream() + ": nothing can be consumed", Hint: "make the stream again, or delete the group"})
}

// fed tells whether the work stream is this group's own.
func (v *view) fed() bool {
	f := v.Stream
	return v.Key.Kind == KindElastic && f.Known && f.Exists && len(f.Sources) == 1 && f.Sources[0].Name == v.Key.Stream
}

func notOurStream(v *view) []Finding {
	if f := v.Stream; v.Key.Kind != KindElastic || !f.Known || !f.Exists || v.fed() || v.Unreadable != "" && v.Revision == 0 {
		return nil
	}
	return one(Finding{Text: "stream " + v.Key.ConsumeStream() + " is not sourced from " + v.Key.Stream + ": it belongs to another group", Hint: "delete this group; its stream will be left alone"})
}

func noOrigin(v *view) []Finding {
	if !v.fed() || !v.origin.Known || v.origin.Exists || v.origin.Offline != "" {
		return nil
	}
	text := "no origin " + v.Key.Stream + ": nothing new will come"
	if n := v.Stream.Messages; n > 0 {
		text += fmt.Sprintf("; %s of its messages are still in the work stream", Thousands(n))
	}
	return one(Finding{Text: text, Hint: "make the stream again, or delete the group"})
}

func originAnew(v *view) []Finding {
	if v.Hop == nil || !v.origin.Exists || !v.origin.Created.After(v.Stream.Created) || v.Stream.Created.IsZero() || v.startsEmpty(v.origin) {
		return nil
	}
	switch v.Hop.State {
	case HopBroken:
		return one(Finding{Text: v.Hop.Why, Hint: "nats-server 2.15 begins again within half a minute; before it, delete the group and create it again"})
	case HopStopped:
		return one(Finding{Text: fmt.Sprintf("the origin was made anew, %s messages wait there and none is sourced", Thousands(v.Hop.Behind)), Hint: "delete the group and create it again"})
	}
	return one(Finding{Severity: Info, Text: "the origin was made anew after the group"})
}

// nothingMatches finds groups that are empty for ever: no subject that the stream stores
// matches their filters, as where its transform stamps partitions in front.
func nothingMatches(v *view) []Finding {
	stream, kept := v.origin, v.origin.stored()
	switch {
	case v.Key.Kind == KindElastic && !(v.fed() && v.startsEmpty(v.origin)):
		return nil
	case v.Key.Kind == KindStatic:
		stream, kept = v.Stream, v.Stream.stored()
		var filters []string
		for _, f := range v.Config.Filters {
			filters = append(filters, "*."+f.Subject)
		}
		if len(stream.Transforms) == 0 || !stream.matchesNone(filters) {
			return nil
		}
	}
	var filters []string
	for _, f := range v.Config.Filters {
		filters = append(filters, f.Subject)
	}
	return one(Finding{
		Text: fmt.Sprintf("nothing matches %s: stream %s stores %s", strings.Join(filters, ", "), v.Key.Stream, strings.Join(kept, ", ")),
		Hint: "delete the group, and create it with filters that match",
	})
}

func configDiffers(v *view) []Finding {
	if !v.ConfigDiffers() {
		return nil
	}
	want, have := v.Config.WorkTransforms(), v.Stream.Sources[0].Transforms
	var parts []string
	for _, t := range want {
		i := slices.IndexFunc(have, func(h Transform) bool { return h.From == t.From })
		switch {
		case i < 0:
			parts = append(parts, "nothing of "+t.From+" is sourced")
		case have[i].plain() != t.plain():
			parts = append(parts, fmt.Sprintf("%s goes to %s, not %s", t.From, have[i].To, t.To))
		}
	}
	for _, t := range have {
		if !slices.ContainsFunc(want, func(w Transform) bool { return w.From == t.From }) {
			parts = append(parts, t.From+" is sourced and in no filter")
		}
	}
	f := Finding{Text: "config differs from work stream: " + strings.Join(parts, ", "), Hint: "running members will have stopped; put the config back, or create another group"}
	if c := v.Counts; c != nil && c.Reach != nil {
		f.Text += fmt.Sprintf("; %s of %s messages are out of every member's reach", Thousands(c.Reach.Beyond()), Thousands(c.Reach.Stored))
	}
	return one(f)
}

// ConfigDiffers tells whether an elastic group's work stream is fed by other filters, or
// into other partitions, than the config says.
func (g *Group) ConfigDiffers() bool {
	if v := (&view{Group: g}); !v.fed() || g.Revision == 0 || len(g.Stream.Sources[0].Transforms) == 0 {
		return false
	}
	spell := func(list []Transform) []string {
		var all []string
		for _, t := range list {
			all = append(all, t.From+" "+t.plain())
		}
		slices.Sort(all)
		return all
	}
	return !slices.Equal(spell(g.Config.WorkTransforms()), spell(g.Stream.Sources[0].Transforms))
}

// StampDiffers says what is wrong with how a static group's stream stamps partitions;
// empty when nothing is. sure is false when publishers may have stamped the messages.
func (g *Group) StampDiffers() (why string, sure bool) {
	if g.Key.Kind != KindStatic || !g.Stream.Known || !g.Stream.Exists || g.Revision == 0 {
		return "", false
	}
	list := g.Stamping()
	for _, t := range list {
		s, ok := t.Stamp()
		switch {
		case !ok:
			continue
		case s.Place != 0:
			return fmt.Sprintf("stream puts the partition in token %d of the subject, members look for it in the first", s.Place+1), true
		case s.Partitions != g.Config.Partitions:
			return fmt.Sprintf("stream makes %s, group covers %s", Count(s.Partitions, "partition"), span(g.Config.Partitions)), true
		}
		return "", true
	}
	return "stream stamps no partition into its subjects", false
}

func span(n int) string {
	if n == 1 {
		return "0"
	}
	return fmt.Sprintf("0-%d", n-1)
}

func stampDiffers(v *view) []Finding {
	why, sure := v.StampDiffers()
	if why == "" {
		return nil
	}
	f := Finding{Text: why, Hint: "give the stream a transform to {{partition(" + fmt.Sprint(v.Config.Partitions) + ",…)}} in front of the subject"}
	c := v.Counts
	switch {
	case c != nil && c.Reach != nil && (sure || c.Reach.Beyond() > 0):
		f.Text += fmt.Sprintf("; %s of %s out of reach", Thousands(c.Reach.Beyond()), Count(int(c.Reach.Stored), "message"))
	case c != nil && c.Reach != nil && c.Reach.Stored > 0: // all of them carry a partition
		return nil
	case !sure:
		f.Severity, f.Text = Info, f.Text+": whoever publishes has to"
	}
	return one(f)
}

// followGrace is how long members may take to follow a change of the config: they look
// every ack wait and half a second, and make their consumers anew.
func followGrace(ackWait time.Duration) time.Duration { return 2*ackWait + time.Second }

func filtersDiffer(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		c := m.Consumer
		if len(m.Partitions) == 0 || c.TS.Sub(v.Written) < followGrace(c.AckWait) || c.Offline != "" {
			return Finding{}
		}
		held, ok := c.partitions()
		switch {
		case len(c.Filters) == 0:
			return Finding{} // not told
		case !ok:
			return Finding{Text: fmt.Sprintf("%s consumes %s, which is no partition of the group", m.Name, strings.Join(c.Filters, ", ")), Hint: "delete the consumer " + c.Name + ": its member makes it anew"}
		case !slices.Equal(held, m.Partitions):
			return Finding{Text: fmt.Sprintf("%s consumes partitions %s, and owns %s", m.Name, Ranges(held), Ranges(m.Partitions)), Hint: "delete the consumer " + c.Name + ": its member makes it anew"}
		}
		for _, filter := range c.Filters {
			if rest := after(filter); rest != ">" && len(v.Config.Filters) > 0 && !slices.ContainsFunc(v.Config.Filters, func(f Filter) bool { return f.Subject == rest }) {
				return Finding{Text: fmt.Sprintf("%s consumes %s, which is no filter of the group", m.Name, rest), Hint: "delete the consumer " + c.Name + ": its member makes it anew"}
			}
		}
		return Finding{}
	})
}

func collision(v *view) []Finding {
	return v.each(StateElsewhere, func(m *Member) Finding {
		return Finding{Text: m.Name + ": " + m.Why, Hint: "two groups want the same consumer name: rename one"}
	})
}

func partialMapping(v *view) []Finding {
	if v.Key.Kind != KindStatic || !v.Config.Partial() {
		return nil
	}
	return one(Finding{Text: "the mappings leave partitions out: members of some libraries refuse to start", Hint: "a static group is fixed: delete it and create it with every partition mapped"})
}

// orbitCannotStart finds mapped groups of several filters: members of orbit ask for each of
// their partitions once a filter, and the server takes no filter twice.
func orbitCannotStart(v *view) []Finding {
	n := len(v.Config.Filters)
	if !v.Config.Mapped() || n < 2 {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("orbit members cannot start (10138): with mappings they ask for each partition %d times, once a filter", n), Hint: "run members of pcgtop's library, which ask once, or go back to balanced (b)"}
	if v.Key.Kind == KindStatic {
		f.Hint = "run members of pcgtop's library, which ask once; a static group is fixed"
	}
	return one(f)
}

// Partial tells whether the mappings are sound but for partitions that they leave out.
// Some libraries take such a static config, others refuse it.
func (c *Config) Partial() bool {
	if !c.Mapped() || c.Partitions < 1 {
		return false
	}
	used, names := map[int]bool{}, map[string]bool{}
	for _, m := range c.Mappings {
		if names[m.Member] {
			return false
		}
		names[m.Member] = true
		for _, p := range m.Partitions {
			if p < 0 || p >= c.Partitions || used[p] {
				return false
			}
			used[p] = true
		}
	}
	return len(used) < c.Partitions && len(names) <= c.Partitions
}
