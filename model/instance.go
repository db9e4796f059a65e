package model

import (
	"slices"
	"time"
)

// Role is what an instance is to the server.
type Role string

const (
	RolePinned  Role = "pinned"                // the server delivers to it
	RolePerhaps Role = "perhaps pinned"        // one of several of which one is
	RoleStandby Role = "standby"               // it waits for the pin
	RoleStale   Role = "believes it is pinned" // its last pull named a pin that is no more; the next one is refused
	RoleUnknown Role = "unknown"               // its member's consumer was never read
	RoleSilent  Role = "silent"                // connected and subscribed, but it does not pull: busy with a message, or frozen
)

// Instance is one running process of a member, told apart by the reply subject of its
// pull requests, whatever library it uses.
type Instance struct {
	ID       string        `json:"id"` // the reply subject, or what stays the same of it
	Role     Role          `json:"role"`
	Deduced  bool          `json:"deduced,omitempty"`    // pinned, because nobody else can be: its own pull did not say so yet
	PinID    string        `json:"pin_id,omitempty"`     // named in its last pull
	Seen     time.Time     `json:"seen"`                 // its first pull, local clock
	LastPull time.Time     `json:"last_pull"`            // local clock
	Expires  time.Duration `json:"expires_ns"`           // how long its last pull waits: it pulls at least as often
	Silent   bool          `json:"silent,omitempty"`     // no pull for Missed times its wait, but a server says that it is still subscribed
	Served   string        `json:"served_pin,omitempty"` // the new pin under which the server was seen to send it messages
	Left     bool          `json:"left,omitempty"`       // its process does not listen for what it pulled any more: it stopped, or begins anew
	Asked    bool          `json:"asked"`                // the servers were asked for its connection
	Conn     *Connection   `json:"connection,omitempty"`
}

// Connection is what a server tells of an instance's connection (nats-server, ConnInfo).
type Connection struct {
	Server  string        `json:"server"` // the name of the one it is connected to
	CID     uint64        `json:"cid"`    // its number there
	Name    string        `json:"name,omitempty"`
	Address string        `json:"address,omitempty"` // host:port; empty when addresses are hidden
	Lang    string        `json:"lang,omitempty"`
	Version string        `json:"version,omitempty"` // of the library
	RTT     time.Duration `json:"rtt_ns"`            // as the server measured it last
	Since   time.Time     `json:"since,omitzero"`    // connected, server clock
	Up      time.Duration `json:"up_ns"`             // for how long, when this was told
	Pending int64         `json:"pending_bytes"`     // what the server has yet to send to it
	Leaf    bool          `json:"leaf,omitempty"`    // it is a leaf node: the process is somewhere behind it
	At      time.Time     `json:"at"`                // when this was told, local clock
}

// UpFor is how long the connection has stood: what the server told, and the time since.
func (c *Connection) UpFor(now time.Time) time.Duration {
	return c.Up + max(0, now.Sub(c.At))
}

// Missed is how many times the wait of its last pull an instance may stay silent before
// it counts as gone, unless a server says that it is not.
const Missed = 2

// Gone tells whether the instance was not heard for too long.
func (i *Instance) Gone(now time.Time) bool {
	return now.Sub(i.LastPull) > Missed*i.Expires
}

// Name is what people call the instance: its connection's name, or else the end of its
// reply subject, which is all that is known of it.
func (i *Instance) Name() string {
	if c := i.Conn; c != nil && c.Name != "" && !c.Leaf {
		return c.Name
	}
	return ShortID(i.ID)
}

// Watch says how far the instances of a group are known.
type Watch struct {
	Since         time.Time `json:"since"`                    // when listening to pulls began, local clock
	NoPulls       string    `json:"no_pulls,omitempty"`       // why pulls are not heard: waiting pulls can only be counted
	NoConnections string    `json:"no_connections,omitempty"` // why connections are not known: instances have no names
}

// Settled tells whether every instance that was there at the start has been heard.
func (w *Watch) Settled(now time.Time, longest time.Duration) bool {
	return now.Sub(w.Since) > longest+time.Second
}

// InstancesSeen is everybody who pulls from a stream, or, with a nil Watch, that nobody
// listens any more.
type InstancesSeen struct {
	Stream    string
	Watch     *Watch
	Consumers map[string][]Instance // by consumer, in the order in which they were heard first
}

// running lists the member's instances with their roles, the pinned one first. A consumer
// that is not there is known not to be.
func running(list []Instance, c *Consumer, known bool, h heirs) []Instance {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	var left []string
	if c != nil {
		left = h.left(list, c.PinID)
	}
	for n := range list {
		i := &list[n]
		i.Role, i.Deduced = RoleStandby, false
		switch {
		case c == nil && !known:
			i.Role = RoleUnknown
		case c == nil:
		case i.PinID != "" && i.PinID == c.PinID:
			i.Role = RolePinned
		case i.PinID != "":
			i.Role = RoleStale
		case len(left) == 1 && left[0] == i.ID:
			i.Role, i.Deduced = RolePinned, true
		case slices.Contains(left, i.ID):
			i.Role = RolePerhaps
		}
		if i.Silent && i.Role != RolePinned && i.Role != RolePerhaps {
			i.Role = RoleSilent
		}
	}
	slices.SortStableFunc(list, func(a, b Instance) int { return rank(a.Role) - rank(b.Role) })
	return list
}

func rank(r Role) int {
	return slices.Index([]Role{RolePinned, RolePerhaps, RoleStandby, RoleStale, RoleUnknown, RoleSilent}, r)
}

// Holder is the member's pinned instance, nil while it is not known which one that is.
func (m *Member) Holder() *Instance {
	if len(m.Running) > 0 && m.Running[0].Role == RolePinned {
		return &m.Running[0]
	}
	return nil
}

// Instance finds one of the member's instances; nil when it is not there.
func (m *Member) Instance(id string) *Instance {
	for n := range m.Running {
		if m.Running[n].ID == id {
			return &m.Running[n]
		}
	}
	return nil
}

// holderName names the pinned instance and where it runs; empty while it is not known.
func (m *Member) holderName() string {
	if h := m.Holder(); h != nil {
		return h.described()
	}
	return ""
}

// Perhaps names the instances of which one is pinned, while it is not known which.
func (m *Member) Perhaps() []string {
	var names []string
	for n := range m.Running {
		if i := &m.Running[n]; i.Role == RolePerhaps {
			names = append(names, i.Name())
		}
	}
	return names
}

// standby names the instances that can take over.
func (m *Member) standby() []string {
	var names []string
	for n := range m.Running {
		if i := &m.Running[n]; i.Role == RoleStandby || i.Role == RolePerhaps {
			names = append(names, i.described())
		}
	}
	return names
}
