package recording

import (
	"context"
	"slices"
	"sync"
	"time"

	"pcgtop/model"
)

// frame is the least time between two pictures shown.
const frame = 40 * time.Millisecond

// speeds are those there are to choose from.
func speeds() []float64 { return []float64{0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 60, 120, 600} }

// Player shows a recording in time. Its methods return at once and may be called from
// any goroutine.
type Player struct {
	rec  *Recording
	out  chan *model.Snapshot
	wake chan struct{}

	mu   sync.Mutex
	now  model.Playback // what was asked for; it is shown a moment later
	from time.Time      // the recording's clock
	at   time.Time      // when it stood there, by the local clock
}

// NewPlayer plays from a picture on, or stands there.
func NewPlayer(r *Recording, picture int, playing bool) *Player {
	p := &Player{rec: r, out: make(chan *model.Snapshot, 1), wake: make(chan struct{}, 1)}
	n := r.Len()
	p.now = model.Playback{File: r.Name(), Start: r.Time(0), End: r.Time(n - 1), Of: n, Speed: 1, Problem: r.Problem()}
	p.now.Playing = playing
	p.move(picture)
	return p
}

// Run shows pictures until the context ends. The recording is its own meanwhile.
func (p *Player) Run(ctx context.Context) {
	defer close(p.out)
	shown := -1
	var last *model.Snapshot
	for {
		want, wait := p.due()
		if want != shown {
			shown = want
			s, err := p.rec.Snapshot(want)
			if err != nil && p.skip(want, err) {
				continue
			}
			if err == nil {
				last = s
			}
			if last != nil {
				p.deliver(last) // again, when something is to be said about it
			}
		}
		var next <-chan time.Time
		if wait >= 0 {
			next = time.After(max(frame, wait))
		}
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case <-next:
		}
	}
}

// due is the picture to be shown now and how long until the next one; negative: it
// stands.
func (p *Player) due() (picture int, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.now.Playing {
		return p.now.Picture, -1
	}
	clock := p.clock()
	p.now.Picture = max(p.now.Picture, p.rec.Find(clock))
	p.now.At = p.rec.Time(p.now.Picture)
	if p.now.Picture == p.now.Of-1 {
		p.now.Playing = false
		return p.now.Picture, -1
	}
	ahead := p.rec.Time(p.now.Picture + 1).Sub(clock)
	return p.now.Picture, max(0, time.Duration(float64(ahead)/p.now.Speed))
}

// clock is where the recording's clock stands.
func (p *Player) clock() time.Time {
	if !p.now.Playing {
		return p.from
	}
	return p.from.Add(time.Duration(float64(time.Since(p.at)) * p.now.Speed))
}

// skip goes on after a picture that cannot be read; false: it stops, for none is left.
func (p *Player) skip(picture int, err error) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now.Problem = err.Error()
	if p.now.Picture != picture {
		return true // something else was asked for meanwhile
	}
	next := p.rec.Resume(picture)
	if next == p.now.Of {
		p.now.Playing = false
		return false
	}
	p.move(next)
	return true
}

// move goes to a picture. The caller has the lock.
func (p *Player) move(picture int) {
	p.now.Picture = max(0, min(picture, p.now.Of-1))
	p.now.At = p.rec.Time(p.now.Picture)
	p.set(p.now.At)
}

// set lets the recording's clock stand at a time, now.
func (p *Player) set(clock time.Time) { p.from, p.at = clock, time.Now() }

// do changes what is asked for and lets it be shown.
func (p *Player) do(change func()) {
	p.mu.Lock()
	change()
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *Player) deliver(s *model.Snapshot) {
	for {
		select {
		case p.out <- s:
			return
		default:
		}
		select {
		case <-p.out:
		default:
		}
	}
}

// Snapshots delivers the picture to be shown; one not taken is replaced by the next.
func (p *Player) Snapshots() <-chan *model.Snapshot { return p.out }

// Focus does nothing: what was recorded is all there is.
func (p *Player) Focus(*model.Key, []model.Key) {}

// ReadNow does nothing.
func (p *Player) ReadNow() {}

// Playback is where it stands.
func (p *Player) Playback() model.Playback {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now
}

// Toggle plays, or stops. At the end it plays from the beginning.
func (p *Player) Toggle() {
	p.do(func() {
		switch {
		case p.now.Playing:
			p.set(p.clock())
			p.now.Playing = false
		case p.now.Picture == p.now.Of-1:
			p.move(0)
			p.now.Playing = true
		default:
			p.set(p.from)
			p.now.Playing = true
		}
	})
}

// Faster takes the next of the speeds up, or with a negative number down.
func (p *Player) Faster(n int) {
	p.do(func() {
		p.set(p.clock())
		all := speeds()
		p.now.Speed = all[max(0, min(slices.Index(all, p.now.Speed)+n, len(all)-1))]
	})
}

// Step stops, and goes so many pictures on or back.
func (p *Player) Step(n int) {
	p.do(func() {
		p.now.Playing = false
		p.move(p.now.Picture + n)
	})
}

// Seek goes on or back by so much of the recording's time.
func (p *Player) Seek(by time.Duration) {
	p.do(func() { p.seek(p.clock().Add(by)) })
}

func (p *Player) seek(t time.Time) {
	if t.After(p.now.End) {
		t = p.now.End
	} else if t.Before(p.now.Start) {
		t = p.now.Start
	}
	p.move(p.rec.Find(t))
	p.set(t)
}

// Go goes to a moment, written as [ParseAt] reads it.
func (p *Player) Go(text string, zone *time.Location) error {
	now := p.Playback()
	t, err := ParseAt(text, now.Start, now.End, zone)
	if err != nil {
		return err
	}
	p.do(func() { p.seek(t) })
	return nil
}
