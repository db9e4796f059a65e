package observe

import (
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Case: the server is restarted on the same port and store, and the configs change at
// once.
func TestRestartedServerIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	s := natstest.Start(t, func(o *server.Options) { o.StoreDir = dir })
	port := s.Addr().(*net.TCPAddr).Port
	url := s.ClientURL()
	kv := bucketOf(t, jetStream(t, connect(t, url)), model.KindStatic)
	must(kv.PutString(t.Context(), "S.old", goodConfig))
	must(kv.PutString(t.Context(), "S.goes", goodConfig))
	_, r := observe(t, connect(t, url), Options{Refresh: time.Minute}) // nothing is read merely because its turn has come
	r.until(t, "live", func(s *model.Snapshot) bool { return live(s) && len(s.Groups) == 2 })

	natstest.Stop(s)
	_, took := r.until(t, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
	t.Logf("lost after %v", took)
	if now := r.now(); len(now.Groups) != 2 {
		t.Error("the groups went with the connection")
	}
	natstest.Start(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	kv = must(jetStream(t, connect(t, url)).KeyValue(t.Context(), BucketName(model.KindStatic)))
	back := time.Now()
	must(kv.PutString(t.Context(), "S.new", goodConfig))
	must(kv.PutString(t.Context(), "T.new", goodConfig))
	if err := kv.Delete(t.Context(), "S.goes"); err != nil {
		t.Fatal(err)
	}
	now, _ := r.until(t, "everything read again", func(s *model.Snapshot) bool {
		return live(s) && s.Group(static("S", "new")) != nil && s.Group(static("T", "new")) != nil && s.Group(static("S", "goes")) == nil
	})
	t.Logf("read again %v after the server was back", time.Since(back))
	if time.Since(back) > time.Second {
		t.Errorf("took %v", time.Since(back))
	}
	if now.Group(static("S", "old")) == nil {
		t.Error("a group that did not change is missing")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var states []model.LinkState
	read := false // since the link state before
	for _, o := range r.all {
		switch o := o.(type) {
		case model.ConsumersRead:
			read = read || o.Stream == "S"
		case model.LinkSeen:
			if states = append(states, o.State); o.State == model.LinkLive && !read {
				t.Errorf("it counts as live before the stream was read: %v", states)
			}
			read = false
		}
	}
	want := []model.LinkState{model.LinkLive, model.LinkLost, model.LinkRereading, model.LinkLive}
	if len(states) != len(want) {
		t.Fatalf("link states %v", states)
	}
	for i := range want {
		if states[i] != want[i] {
			t.Fatalf("link states %v", states)
		}
	}
}

// proxy stands between a client and a server, and can freeze what passes.
type proxy struct {
	net.Listener
	target string

	mu     sync.Mutex
	frozen chan struct{} // closed when not frozen
	conns  []net.Conn
	delay  func() time.Duration // of the next that passes; nil: none
	dead   []*[2]bool           // of each connection: nothing passes up, or down
	wg     sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, target: target, frozen: make(chan struct{})}
	close(p.frozen)
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		p.thaw()
		_ = l.Close()
		p.mu.Lock()
		for _, c := range p.conns {
			_ = c.Close()
		}
		p.mu.Unlock()
		p.wg.Wait()
	})
	return p
}

func (p *proxy) serve() {
	for {
		in, err := p.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = in.Close()
			continue
		}
		p.mu.Lock()
		dead := &[2]bool{}
		p.conns, p.dead = append(p.conns, in, out), append(p.dead, dead)
		p.mu.Unlock()
		p.wg.Go(func() { p.copy(out, in, &dead[0]) })
		p.wg.Go(func() { p.copy(in, out, &dead[1]) })
	}
}

// swallow lets nothing pass any more on the connections there are: up to the server, or
// down from it.
func (p *proxy) swallow(up bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, dead := range p.dead {
		dead[map[bool]int{true: 0, false: 1}[up]] = true
	}
}

func (p *proxy) copy(dst, src net.Conn, dead *bool) {
	defer dst.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := src.Read(buffer)
		if n > 0 {
			p.mu.Lock()
			gate, wait, drop := p.frozen, time.Duration(0), *dead
			if p.delay != nil {
				wait = p.delay()
			}
			p.mu.Unlock()
			<-gate
			time.Sleep(wait)
			if drop {
				continue
			}
			if _, err := dst.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen = make(chan struct{})
}

func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.frozen:
	default:
		close(p.frozen)
	}
}

func TestFrozenServerIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for pings to time out")
	}
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	p := newProxy(t, s.Addr().String())
	_, r := observe(t, connect(t, "nats://"+p.Addr().String()), Options{})
	r.until(t, "live", live)
	p.freeze()
	frozen := time.Now()
	now, took := r.until(t, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
	t.Logf("noticed after %v", took)
	if ago := frozen.Sub(now.Link.Heard); ago < 0 || ago > time.Second {
		t.Errorf("the data are from %v before the server froze", ago)
	}
	if took > 2*time.Second {
		t.Errorf("noticed after %v", took)
	}
	must(kv.PutString(t.Context(), "S.new", goodConfig))
	p.thaw()
	r.until(t, "live again with what happened meanwhile", func(s *model.Snapshot) bool {
		return live(s) && s.Group(static("S", "new")) != nil
	})
}

func TestClosedConnectionEndsRun(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	o, r := New(nc, Options{}), newRecorder()
	ended := make(chan error, 1)
	go func() { ended <- o.Run(t.Context(), r.emit) }()
	r.until(t, "live", live)
	nc.Close()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Run does not end")
	}
}

func TestPanicEndsRun(t *testing.T) {
	s := natstest.Start(t)
	o := New(connect(t, s.ClientURL()), Options{})
	ended := make(chan error, 1)
	go func() {
		ended <- o.Run(t.Context(), func(observations ...model.Observation) {
			if _, ok := observations[0].(model.BucketSeen); ok {
				panic("boom")
			}
		})
	}()
	select {
	case err := <-ended:
		p, ok := err.(*PanicError)
		if !ok || p.Value != "boom" || len(p.Stack) == 0 {
			t.Errorf("%v", err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Run does not end")
	}
}

// Who may not log in any more is told so while the link is away, not once it is back.
func TestLoginRefusedMeanwhile(t *testing.T) {
	t.Parallel()
	var o *server.Options
	s := natstest.Start(t, func(made *server.Options) {
		made.Users = []*server.User{{Username: "u", Password: "p"}}
		o = made
	})
	o.Port = s.Addr().(*net.TCPAddr).Port
	_, r := observe(t, connect(t, s.ClientURL(), nats.UserInfo("u", "p"), nats.IgnoreAuthErrorAbort()), quick())
	r.until(t, "live", live)
	without := o.Clone()
	without.Users = []*server.User{{Username: "other", Password: "p"}}
	if err := s.ReloadOptions(without); err != nil {
		t.Fatal(err)
	}
	r.until(t, "why it is away", func(s *model.Snapshot) bool {
		return s.Link.State == model.LinkLost && slices.ContainsFunc(s.Events, func(e model.Event) bool { return strings.Contains(strings.ToLower(e.Text), "authorization violation") })
	})
}

// A connection that is lost again before anything was read over it is no other server.
func TestNobodyIsNoOtherServer(t *testing.T) {
	nc := connect(t, natstest.Start(t).ClientURL())
	l := newLink(New(nc, quick()), func(...model.Observation) {})
	if len(l.server(0)) != 1 {
		t.Error("a server is nobody")
	}
	nc.Close()
	if seen := l.server(0); len(seen) != 0 {
		t.Errorf("nobody is %+v", seen)
	}
}
