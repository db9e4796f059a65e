package parti

import (
	"fmt"
	"time"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// How often a deployment is told.
const (
	tellGap   = 50 * time.Millisecond  // between two pictures of a flood of changes
	lookEvery = 200 * time.Millisecond // whether time alone changed something: expiry sends no event
	tellEvery = 2 * time.Second        // for the ages in it
)

// tell tells a deployment once all of its buckets were read, and whenever something is new.
func (f *following) tell(d *followed) error {
	read := make(chan struct{})
	f.run(func() error { d.first.Wait(); close(read); return nil })
	select {
	case <-d.ctx.Done():
		return nil
	case <-read:
	}
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var last time.Time
	aged := ""
	for {
		if f.emit(d) {
			last = time.Now()
		}
		aged = d.aging(f.account.Now())
		for due := false; !due; {
			select {
			case <-d.ctx.Done():
				return nil
			case <-d.changed:
				due = true
			case <-look.C:
				due = time.Since(last) >= tellEvery || d.aging(f.account.Now()) != aged
			}
		}
		if pause.For(d.ctx, tellGap-time.Since(last)) != nil {
			return nil
		}
		select {
		case <-d.changed: // what came meanwhile is told along
		default:
		}
	}
}

// emit tells the deployment, if there is one, and has its stream read.
func (f *following) emit(d *followed) (told bool) {
	d.telling.Lock()
	defer d.telling.Unlock()
	d.mu.Lock()
	first, whole := !d.tried, d.sourcesRead()
	more := first || whole != d.whole
	d.tried, d.whole = true, whole
	d.mu.Unlock()
	exists := d.exists()
	if d.ctx.Err() == nil && (first || exists == d.absent) {
		d.absent = !exists
		f.tellPrefix(d)
	}
	if d.ctx.Err() != nil || !exists {
		f.nudge()
		return false
	}
	k := f.name(d)
	d.mu.Lock()
	d.ahead = time.Until(f.account.Now())
	stream, reads := d.stream, d.reads
	d.reads = d.stream
	d.mu.Unlock()
	f.account.Emit(model.GroupTold{Key: k, Stream: stream, Teller: d.deployment})
	if first || stream != reads {
		f.account.Reads(k, stream)
	}
	if more || stream != reads {
		f.nudge()
	}
	return true
}

// tellPrefix tells whether anything is there of what was named by prefix.
func (f *following) tellPrefix(d *followed) {
	if f.prefix == "" || d.stem != f.prefix {
		return
	}
	text := ""
	if d.absent {
		text = fmt.Sprintf("--parti %[1]s finds nothing: this account has no bucket %[1]s-stableid, -election, -heartbeat, -assignment or -handoff; give what stands before -heartbeat in nats kv ls", f.prefix)
	}
	f.account.Emit(model.NotFoundSeen{Kind: Name, Text: text})
}

// nudge lets streams be looked for, and who waits for the groups be told.
func (f *following) nudge() {
	select {
	case f.poke <- struct{}{}:
	default:
	}
}

// name is the group's key, which it keeps.
func (f *following) name(d *followed) model.Key {
	f.mu.Lock()
	defer f.mu.Unlock()
	k, known := f.keys[d.stem]
	if !known {
		group := d.instance
		if group == "" {
			group = d.commonPrefix()
		}
		k = model.Key{Kind: Name, Stream: d.stem, Group: group}
		f.keys[d.stem] = k
	}
	f.open[k], f.told[k] = d.deployment, true
	return k
}
