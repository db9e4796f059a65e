package model

import (
	"fmt"
	"time"
)

// InstanceCount is how many processes run a member, or the members of a group.
type InstanceCount struct {
	Pinned  int  // who have a pin
	Standby int  // who wait for one
	AtMost  bool // Standby is no more than a bound: instances were not heard, only pulls counted
}

// Standbys writes the number of those that stand by, with a ≤ where it is a bound.
func (n InstanceCount) Standbys() string {
	if n.AtMost {
		return fmt.Sprintf("≤%d", n.Standby)
	}
	return fmt.Sprint(n.Standby)
}

func (n InstanceCount) String() string { return fmt.Sprintf("%d +%s", n.Pinned, n.Standbys()) }

// Add sums up: with a bound in it the sum is one.
func (n InstanceCount) Add(o InstanceCount) InstanceCount {
	return InstanceCount{n.Pinned + o.Pinned, n.Standby + o.Standby, n.AtMost || o.AtMost}
}

// Instances counts the processes of all members.
func (g *Group) Instances() (sum InstanceCount) {
	for _, m := range g.Members {
		sum = sum.Add(g.InstancesOf(m))
	}
	return sum
}

// InstancesOf counts a member's processes: those that were heard, once it was listened for
// long enough. Until then its waiting pulls are all there is to go by, and they bound those
// that stand by: a client may have several out, as nats.go's pinned ones have.
func (g *Group) InstancesOf(m *Member) (n InstanceCount) {
	c := m.Consumer
	if c == nil || m.State == StateForeign || m.State == StateElsewhere {
		return n
	}
	if c.PinID != "" {
		n.Pinned = 1
	}
	perhaps := 0
	for _, i := range m.Running {
		switch i.Role {
		case RoleStandby, RoleStale:
			n.Standby++
		case RolePerhaps:
			perhaps++
		}
	}
	n.Standby += max(0, perhaps-n.Pinned)
	if m.heard(g.Watch, g.ReadAt) || m.listed(g.Watch, g.ReadAt) || m.alone(g.Watch, g.ReadAt) {
		return n
	}
	n.Standby = max(n.Standby, c.spare(), c.SpareMost)
	n.AtMost = n.Standby > 0
	return n
}

// spare is how many of the waiting pulls may be of instances that stand by: an idle pinned
// one has a pull out itself.
func (c *Consumer) spare() int {
	if c.PinID != "" && c.AckPending == 0 {
		return max(0, c.Waiting-1)
	}
	return c.Waiting
}

// rarestPull bounds how long is waited for an instance that was not heard yet: nats.go's own
// default is a pull every 30 s.
const rarestPull = 30 * time.Second

// PullsWithin is how long it takes at most until whoever pulls for the member was heard. The
// libraries let a pull wait for half the ack wait; those that were heard say how long theirs does.
func (m *Member) PullsWithin() time.Duration {
	d := max(time.Second, longest(m.Running))
	if m.Consumer != nil {
		d = max(d, min(m.Consumer.AckWait/2, rarestPull))
	}
	return d
}

// heard tells whether all of the member's instances are known. Pulls that wait, of which
// none was ever heard, come by a way that is not listened to.
func (m *Member) heard(w *Watch, now time.Time) bool {
	return w != nil && w.NoPulls == "" && w.Settled(now, m.PullsWithin()) && (len(m.Running) > 0 || m.Consumer.Waiting == 0)
}

// listed tells whether those of the member's instances that were heard are all of them, by
// their own waits: one of the same kind would have been heard by now.
func (m *Member) listed(w *Watch, now time.Time) bool {
	return w != nil && w.NoPulls == "" && len(m.Running) > 0 && w.Settled(now, Missed*longest(m.Running))
}

// Listened tells whether it was listened to the group's instances for so long that all of
// them were heard, or that it is not permitted to.
func (g *Group) Listened() bool {
	w := g.Watch
	if w == nil || w.NoPulls != "" {
		return w != nil
	}
	longest := time.Duration(0)
	for _, m := range g.Members {
		if m.Consumer != nil && m.Elsewhere == "" {
			longest = max(longest, m.PullsWithin())
		}
	}
	return w.Settled(g.ReadAt, longest)
}

// Unheard lists the members whose instances are not known, though somebody pulls.
func (g *Group) Unheard() (names []string) {
	if !g.Pins() {
		return nil
	}
	for _, m := range g.consumed() {
		if m.Consumer.Pulls() && !m.heard(g.Watch, g.ReadAt) {
			names = append(names, m.Name)
		}
	}
	return names
}
