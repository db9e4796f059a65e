package command

import (
	"fmt"
	"io"
	"strings"
	"time"

	"pcgtop/model"
)

// Where is `pcgtop where`.
type Where struct {
	Group   string        `arg:"" placeholder:"STREAM/GROUP" help:"The group."`
	Subject string        `arg:"" help:"A subject, or a part of one: then the stream's subjects that contain it are listed."`
	Most    int           `short:"n" default:"50" help:"Most subjects to list."`
	Listen  time.Duration `default:"5s" help:"How long to listen, at most, for the pull that tells which process is pinned; 0s: not at all."`
	Output  string        `short:"o" enum:"text,json" default:"text" help:"text or json."`
}

// placed is what where prints as JSON.
type placed struct {
	Key    model.Key     `json:"key"`
	Places []model.Place `json:"places"`
	More   bool          `json:"more,omitempty"` // subjects that are not listed
}

// Run says which partition the subject goes to, who owns it, which instance is pinned
// there and how much waits. It fails, once it has, where not all of that could be read.
func (c Where) Run(e *Env) error {
	e.JSON = c.Output == "json"
	stream, group, ok := strings.Cut(c.Group, "/")
	if !ok || stream == "" || group == "" {
		return Usage("%q: want STREAM/GROUP, such as ORDERS/fulfillment", c.Group)
	}
	s, err := e.Engine.Once(e.Context)
	if err != nil {
		return err
	}
	groups := s.Lookup(stream, group)
	if len(groups) == 0 {
		return Missing(s, c.Group)
	}
	var why []string
	for i, g := range groups {
		if s, err = e.Engine.LookUntil(e.Context, g.Key, c.Listen, c.known); err != nil {
			return err
		}
		if g = s.Group(g.Key); g == nil {
			return fmt.Errorf("%s: %w: it was deleted meanwhile", c.Group, ErrNotFound)
		}
		if err := c.place(e, g); err != nil {
			return err
		}
		groups[i] = g
		if g.Counts != nil && g.Counts.Error != "" && g.Stream.Direct { // else the stream is as it was made
			why = append(why, fmt.Sprintf("%s: partitions not counted: %s", g.Key, g.Counts.Error))
		}
	}
	return Whole(groups, why...)
}

// known tells whether there is nothing to wait for: it is known which instance is
// pinned, or it will not be.
func (c Where) known(g *model.Group) bool {
	p, why := g.Place(c.Subject)
	return why != "" || p.PinID == "" || p.Instance != nil && p.Instance.Asked || g.Watch != nil && g.Watch.NoPulls != ""
}

// place prints where the subject goes, or, if it goes nowhere, which subjects contain it.
func (c Where) place(e *Env, g *model.Group) error {
	if g.Undealt() {
		return fmt.Errorf("%s: where a subject goes cannot be told: unreadable config: %s", g.Key, g.Unreadable)
	}
	out := placed{Key: g.Key}
	p, why := g.Place(c.Subject)
	if why == "" {
		out.Places = []model.Place{p}
	} else {
		found, more, err := e.Engine.Subjects(e.Context, g.Key, c.Subject, c.Most)
		if err != nil {
			return err
		}
		out.More = more
		for _, subject := range found {
			if p, why := g.Place(subject); why == "" {
				out.Places = append(out.Places, p)
			}
		}
		if len(out.Places) == 0 {
			return fmt.Errorf("%s in %s: %w: %s, and no stored subject contains it", c.Subject, g.Key, ErrNotFound, why)
		}
	}
	return e.print(out, out.text)
}

func (o placed) text(w io.Writer) error {
	for _, p := range o.Places {
		line := fmt.Sprintf("%s  partition %d  ", p.Subject, p.Partition)
		switch {
		case p.Unknown:
			line += "whose it is is not known"
		case p.Owner == "":
			line += "nobody owns it"
		default:
			line += fmt.Sprintf("%s (%s)", p.Owner, p.State)
		}
		if who := p.Pinned(); who != "" {
			line += "  " + who
		}
		if p.PinID != "" {
			line += "  pin " + p.PinID
		}
		if c := p.Count; c != nil {
			line += "  " + model.Thousands(c.Pending) + " wait before it"
			if !c.Oldest.IsZero() {
				most := ""
				if c.AtMost {
					most = "at most "
				}
				line += fmt.Sprintf(", the oldest for %s%s", most, max(0, p.CountedAt.Sub(c.Oldest)).Round(time.Millisecond))
			}
		} else if p.Uncounted != "" {
			line += "  what waits before it is not known: not counted: " + p.Uncounted
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	if o.More {
		_, err := fmt.Fprintln(w, "there are more subjects that contain it: say more of it, or use -n")
		return err
	}
	return nil
}
