package observe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// connections finds the connections of instances: of newcomers at once, of all when a
// pin moved, and now and then for what changes.
func (p *pulls) connections(ctx context.Context) error {
	tick := time.NewTicker(connzSoon)
	defer tick.Stop()
	var refreshed, last time.Time
	big := false   // the account has too many connections to read them all
	moved := false // a pin did, and nobody was asked since
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.pinned:
			moved = true
		case <-tick.C:
		}
		if consumer, pin := p.undecided(time.Now()); pin != nil {
			if err := p.serve(ctx, consumer, pin); err != nil && ctx.Err() == nil {
				pin.looks = len(servedLooks())
				p.opts.Log.Warn("counts not read", "error", err)
			}
		}
		if time.Since(last) < connzGap {
			continue
		}
		strangers, all := p.strangers(time.Now(), big)
		whole := (moved && time.Since(refreshed) > connzMoved || time.Since(refreshed) > connzRefresh || len(strangers) > connzSingles) && len(all) > 0 && !big
		if !whole && len(strangers) == 0 {
			continue
		}
		var err error
		last = time.Now()
		if whole {
			var r *round
			if r, err = p.askAll(ctx, all); errors.Is(err, errTooMany) {
				big, last = true, time.Time{}
				continue
			}
			if err == nil {
				refreshed, moved = time.Now(), false
				p.learn(r, all)
			}
		} else {
			most := connzSingles
			if big {
				most = connzBigSingles
			}
			for _, reply := range strangers[:min(len(strangers), most)] {
				var r *round
				if r, err = p.askFor(ctx, reply, false); err != nil {
					break
				}
				p.learn(r, []string{reply})
			}
		}
		switch {
		case errors.Is(err, errDenied), errors.Is(err, errNoAnswer):
			p.mu.Lock()
			p.noConns, p.changed = strings.TrimPrefix(err.Error(), errDenied.Error()+": "), true
			p.mu.Unlock()
			p.signal()
			if errors.Is(err, errDenied) {
				return nil // it stays so for this connection
			}
		case err != nil && ctx.Err() == nil:
			p.opts.Log.Warn("connections not read", "error", err)
		}
	}
}

// strangers lists the replies whose connection is not known and due to be asked for, or,
// where they are not all read together, known for so long that its values are old; and
// those of all instances.
func (p *pulls) strangers(now time.Time, big bool) (unknown, all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.voices {
		all = append(all, v.reply)
		if v.conn != nil && !v.family && now.Sub(v.last) > model.Missed*v.pull.Expires && (v.asked.Before(v.last.Add(model.Missed*v.pull.Expires)) || now.Sub(v.asked) > connzSilent) {
			unknown = append(unknown, v.reply) // is it still there?
		}
		if big && v.conn != nil && now.Sub(v.asked) > connzRefresh {
			unknown = append(unknown, v.reply)
		}
		if v.conn == nil && now.Sub(v.seen) > connzSoon && now.Sub(v.asked) > min(connzGap<<min(v.tries, 8), connzRetry) {
			unknown = append(unknown, v.reply)
		}
	}
	return unknown, all
}

// learn takes in what a round brought about these replies. Who was asked for at a
// server that answered, and is not there any more, is gone. One whose connection stands
// may be about to pull with another reply subject, as when it makes its consumer anew.
func (p *pulls) learn(r *round, replies []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := map[string]bool{}
	for _, reply := range replies {
		asked[reply] = true
	}
	for k, v := range p.voices {
		f, ok := r.replies[v.reply]
		switch {
		case !asked[v.reply]:
		case ok:
			newcomer := v.conn == nil
			v.conn, v.asked, v.tries, v.left = f.conn, r.began, 0, false
			if newcomer {
				p.adopt(k, v, f.info)
			}
		case v.conn == nil:
			v.asked, v.tries = r.began, v.tries+1
		}
	}
	for k, v := range p.voices {
		_, ok := r.replies[v.reply]
		if !asked[v.reply] || ok || v.conn == nil || v.family || !r.servers[v.conn.Server] || !v.last.Before(r.began) {
			continue
		}
		if r.standing[keyOf(v.conn)] && time.Since(v.last) < model.Missed*v.pull.Expires {
			v.left = true
		} else {
			delete(p.voices, k)
		}
	}
	p.changed = true
	p.noConns = ""
	p.signal()
}

// adopt finds out that a newcomer is somebody known who uses another reply subject: the
// same connection, and either neither subject was heard twice, or the one before is not
// subscribed to any more, as after a member has made its consumer anew. The lock is held.
func (p *pulls) adopt(k voiceKey, v *voice, now *connInfo) {
	for other, o := range p.voices {
		if o == v || o.consumer != v.consumer || o.conn == nil || keyOf(o.conn) != keyOf(v.conn) || !o.last.Before(v.seen) {
			continue
		}
		once := o.pulls == 1 && v.pulls == 1 && family(k.reply) == family(other.reply)
		if moved := !o.family && !slices.Contains(now.subjects(), o.reply); once || moved {
			v.id, v.seen = o.id, o.seen
			delete(p.voices, other)
		}
	}
}

// errTooMany: an account's connections are too many to read.
var errTooMany = errors.New("too many connections")
