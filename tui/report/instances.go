package report

import (
	"fmt"
	"io"
	"slices"
	"time"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Instances writes a row a running instance, under its group and member, and why where they
// are not known.
func Instances(w io.Writer, s *model.Snapshot) error {
	t := table{head: []string{"GROUP", "MEMBER", "INSTANCE", "ROLE", "ADDRESS", "LIBRARY", "SERVER", "RTT", "UP", "PINNED", "PULLED", "TO SEND"}, right: []int{7, 8, 9, 10, 11}}
	fmt.Fprintln(w)
	var apart []model.Kind // whose instances are not told apart
	heard := false
	for _, g := range s.Groups {
		if heard = heard || g.Pins(); !g.Pins() && !slices.Contains(apart, g.Key.Kind) {
			apart = append(apart, g.Key.Kind)
		}
		if g.Watch != nil {
			for _, missing := range []string{g.Watch.NoPulls, g.Watch.NoConnections} {
				if missing != "" {
					fmt.Fprintf(w, "%s: not known: %s\n", glyph.Clean(g.Key.String()), glyph.Clean(missing))
				}
			}
		}
		for _, m := range g.Members {
			for _, i := range m.Running {
				row := []string{g.Key.String(), m.Name, i.Name(), role(i), "", "", "", "", "", "", ago(i.LastPull, s.Taken), ""}
				if c := i.Conn; c != nil {
					row[4], row[5], row[6], row[7] = c.Address, c.Lang+" "+c.Version, c.Server, c.RTT.Round(10*time.Microsecond).String()
					row[8], row[11] = c.UpFor(s.Taken).Round(time.Second).String(), fmt.Sprint(c.Pending)
				}
				if i.Role == model.RolePinned && m.Consumer != nil {
					row[9] = since(m.Consumer.PinnedAt, m.Consumer.TS)
				}
				t.add(row...)
			}
		}
	}
	for _, k := range apart {
		fmt.Fprintf(w, "instances of %s groups are not told apart: the server pins none of them\n", k)
	}
	switch {
	case len(t.rows) == 0 && !heard && len(apart) > 0:
		return nil
	case len(t.rows) == 0:
		_, err := fmt.Fprintln(w, "no instances were heard")
		return err
	}
	return t.write(w)
}

func role(i model.Instance) string {
	if i.Deduced {
		return string(i.Role) + " (deduced)"
	}
	return string(i.Role)
}

func ago(at, now time.Time) string {
	return max(0, now.Sub(at)).Round(100 * time.Millisecond).String()
}
