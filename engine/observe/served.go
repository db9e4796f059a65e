package observe

import (
	"context"
	"time"
)

// newPin is a pin that somebody got, while no pull has named it.
type newPin struct {
	id    string
	heard time.Time
	looks int
	began time.Time // the first look
	among []candidate
}

// candidate is an instance that may have got a new pin.
type candidate struct {
	reply string
	beat  time.Duration // how often the server sends it a heartbeat; 0: never
	sent  int64         // how many messages the server had sent to it at the first look
}

// When the counts of a new pin's candidates are looked at, after it was heard of.
func servedLooks() []time.Duration {
	return []time.Duration{0, 250 * time.Millisecond, 750 * time.Millisecond, 1750 * time.Millisecond}
}

const (
	servedMost  = 6 // candidates: of more it is not asked
	servedClear = 3 // messages more than the server sends to one that stands by
)

// undecided picks a new pin that is due for a look at whom the server sends messages;
// nil when there is nothing to find out.
func (p *pulls) undecided(now time.Time) (consumer string, pin *newPin) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for consumer, pin := range p.unnamed {
		if looks := servedLooks(); pin.looks >= len(looks) || now.Sub(pin.heard) < looks[pin.looks] {
			continue
		}
		if pin.looks == 0 {
			for _, v := range p.voices {
				if v.consumer == consumer && v.pull.ID == "" && v.conn != nil && !v.family && !v.silent {
					pin.among = append(pin.among, candidate{reply: v.reply, beat: v.pull.Heartbeat})
				}
			}
		}
		if n := len(pin.among); n > 1 && n <= servedMost {
			return consumer, pin
		}
		pin.looks = len(servedLooks()) // there is nothing to find out, or too much
	}
	return "", nil
}

// serve finds out to which candidate the server sends messages, by the counts that it
// keeps of each subscription. No message is looked at.
func (p *pulls) serve(ctx context.Context, consumer string, pin *newPin) error {
	first := pin.looks == 0
	began := time.Now()
	sent := make([]int64, len(pin.among))
	for n, c := range pin.among {
		r, err := p.askFor(ctx, c.reply, true)
		if err != nil {
			return err
		}
		sent[n] = r.replies[c.reply].sent
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if pin.looks++; first {
		pin.began = began
		for n := range pin.among {
			pin.among[n].sent = sent[n]
		}
		return nil
	}
	reply := served(pin.among, sent, time.Since(pin.began))
	if reply == "" || p.unnamed[consumer] != pin {
		return nil
	}
	pin.looks = len(servedLooks())
	for _, v := range p.voices {
		if v.consumer == consumer && v.reply == reply {
			v.served, p.changed = pin.id, true
		}
	}
	p.signal()
	return nil
}

// served is the only candidate that got more than heartbeats and the end of its pull
// since the first look; empty when there is no such one.
func served(among []candidate, sent []int64, span time.Duration) string {
	only := ""
	for n, c := range among {
		idle := int64(1)
		if c.beat > 0 {
			idle += 1 + int64(span/c.beat)
		}
		switch got := sent[n] - c.sent; {
		case got <= idle:
		case got < idle+servedClear || only != "":
			return ""
		default:
			only = c.reply
		}
	}
	return only
}
