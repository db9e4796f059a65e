package observe

import (
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// voice is one process that pulls, as it is heard.
type voice struct {
	id       string // the reply subject, or the family of those that change
	consumer string
	reply    string // the last one
	body     []byte // of the last pull
	pull     pullRequest
	seen     time.Time
	last     time.Time
	pulls    uint64
	family   bool // its reply subject changes from pull to pull

	silent bool   // no pull, though it is still there
	left   bool   // its connection stands, but is not subscribed to its reply subject any more
	served string // the new pin under which the server was seen to send it messages

	asked time.Time // when the servers were last asked for its connection
	tries int       // how often in vain
	conn  *model.Connection
}

type voiceKey struct{ consumer, reply string }

// oneShots is how many replies of one family, each used once, make it clear that this
// client uses a new one for each pull.
const oneShots = 4

// manyShots is how many it takes before the servers were asked whose they are: the
// connections of one process have replies of one family, too.
const manyShots = 32

// newcomer finds whose a reply is that was not heard before. The lock is held.
func (p *pulls) newcomer(consumer, reply, pin string, now time.Time) *voice {
	kin := family(reply)
	if v := p.voices[voiceKey{consumer, kin}]; v != nil && v.family {
		return v
	}
	v := &voice{id: reply, consumer: consumer, seen: now}
	p.voices[voiceKey{consumer, reply}] = v
	var once []*voice
	for k, o := range p.voices {
		if o.consumer != consumer || o.pulls > 1 || o.family || family(k.reply) != kin {
			continue
		}
		if o != v && pin != "" && o.pull.ID == pin { // nobody but that client was told the pin
			v.id, v.seen, v.conn, v.asked = o.id, o.seen, o.conn, o.asked
			delete(p.voices, k)
			continue
		}
		once = append(once, o)
	}
	if len(once) < oneShots || kin == reply || apart(once) || p.unasked(once) && len(once) < manyShots {
		return v
	}
	v.id, v.family = kin, true
	for _, o := range once {
		if o.seen.Before(v.seen) {
			v.seen = o.seen
		}
		if o.conn != nil {
			v.conn, v.asked = o.conn, o.asked
		}
	}
	for k, o := range p.voices {
		if slices.Contains(once, o) {
			delete(p.voices, k)
		}
	}
	p.voices[voiceKey{consumer, kin}] = v
	p.changed = true
	return v
}

// sibling tells whether a process that uses a reply subject once is known to be there.
// The lock is held.
func (p *pulls) sibling(k voiceKey, v *voice) bool {
	for other, o := range p.voices {
		if o != v && o.consumer == v.consumer && o.conn != nil && o.pulls == 1 && family(other.reply) == family(k.reply) {
			return true
		}
	}
	return false
}

// unasked tells whether the servers are yet to be asked whose some voices are. The lock
// is held.
func (p *pulls) unasked(list []*voice) bool {
	return p.noConns == "" && slices.ContainsFunc(list, func(v *voice) bool { return v.conn == nil && v.tries == 0 })
}

// apart tells whether voices are known to come from more than one connection.
func apart(list []*voice) bool {
	var one *model.Connection
	for _, v := range list {
		switch {
		case v.conn == nil:
		case one == nil:
			one = v.conn
		case one.Server != v.conn.Server || one.CID != v.conn.CID:
			return true
		}
	}
	return false
}

// family is what stays the same of the reply subjects of one process: libraries that
// use a new one for each pull number the last token, or count up the end of a NUID.
func family(reply string) string {
	const nuid, counter = 22, 10
	dot := strings.LastIndexByte(reply, '.')
	switch last := reply[dot+1:]; {
	case len(last) == nuid:
		return reply[:len(reply)-counter]
	case strings.Count(reply, ".") > 1:
		return reply[:dot]
	}
	return reply
}

// patience is how long a newcomer is held back for its name.
const patience = 700 * time.Millisecond
