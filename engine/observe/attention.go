package observe

import (
	"context"
	"sync"

	"pcgtop/model"
)

// attention is which streams' pulls are listened to: the open group's, and those asked
// for. Of all others there is no subscription.
type attention struct {
	wake chan struct{}

	mu      sync.Mutex
	open    string
	asked   []string
	running map[string]*pulls
}

func newAttention() *attention {
	return &attention{wake: make(chan struct{}, 1), running: map[string]*pulls{}}
}

func (a *attention) focus(open *model.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open = ""
	if open != nil && open.Kind.Pins() {
		a.open = open.ConsumeStream()
	}
	a.signal()
}

func (a *attention) ask(keys []model.Key) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = nil
	for _, k := range keys {
		if k.Kind.Pins() {
			a.asked = append(a.asked, k.ConsumeStream())
		}
	}
	a.signal()
}

func (a *attention) signal() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

func (a *attention) wanted() map[string]bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	streams := map[string]bool{}
	for _, s := range append([]string{a.open}, a.asked...) {
		if usable(s) {
			streams[s] = true
		}
	}
	return streams
}

// pinMoved passes on that the pin of a consumer moved, if its pulls are listened to.
func (a *attention) pinMoved(stream, consumer, pinID string) {
	a.mu.Lock()
	p := a.running[stream]
	a.mu.Unlock()
	if p != nil {
		p.pinMoved(consumer, pinID)
	}
}

func (a *attention) set(stream string, p *pulls) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p == nil {
		delete(a.running, stream)
	} else {
		a.running[stream] = p
	}
}

// attend listens to the pulls of the streams that are wanted, for as long as they are.
func (l *link) attend(ctx context.Context) error {
	crew, ctx := newCrew(ctx)
	crew.run(func() error {
		listening := map[string]func(){}
		for {
			wanted := l.attention.wanted()
			for stream, stop := range listening {
				if !wanted[stream] {
					stop()
					delete(listening, stream)
				}
			}
			for stream := range wanted {
				if listening[stream] == nil {
					listening[stream] = l.listen(ctx, crew, stream)
				}
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-l.attention.wake:
			}
		}
	})
	return crew.wait()
}

// listen starts to listen to a stream's pulls; stop returns when that has ended.
func (l *link) listen(ctx context.Context, crew *crew, stream string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	p := newPulls(l, stream)
	l.attention.set(stream, p)
	crew.run(func() error {
		defer close(ended)
		defer l.attention.set(stream, nil)
		return p.run(ctx)
	})
	return func() {
		cancel()
		<-ended
	}
}
