package observe

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Who is silent but connected is listed as that, for two minutes; who is silent and not
// known to be connected goes after twice the wait of its pull.
func TestSilentInstances(t *testing.T) {
	p, list := offline(t)
	p.noConns = ""
	for _, reply := range []string{"_INBOX.busy", "_INBOX.unknown"} {
		for range 2 {
			pulled(p, reply, `{"expires":1000000000,"group":"PCG"}`)
		}
	}
	now := time.Now()
	busy := p.voices[voiceKey{"m", "_INBOX.busy"}]
	busy.conn = &model.Connection{Name: "busy"}
	p.voices[voiceKey{"m", "_INBOX.unknown"}].tries = 1 // no server knows it
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{1900 * time.Millisecond, "2 silent 0"}, {3 * time.Second, "1 silent 1"}, {2 * time.Minute, "1 silent 1"}, {2*time.Minute + 3*time.Second, "0 silent 0"}} {
		busy.asked = now.Add(c.after) // a server says that it is there
		p.sweep(now.Add(c.after))
		silent := 0
		for _, i := range list() {
			if i.Silent {
				silent++
			}
		}
		if got := fmt.Sprintf("%d silent %d", len(list()), silent); got != c.want {
			t.Errorf("after %v: %s, want %s", c.after, got, c.want)
		}
	}
}

// An account with more connections than are read: the instances are found one by one.
func TestInstancesAmongThousandsOfConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("opens thousands of connections")
	}
	s := natstest.Start(t)
	for range connzPages*connzPage + 50 {
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			t.Skipf("so many connections are not to be had here: %v", err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprint(c, "CONNECT {\"verbose\":false,\"pedantic\":false}\r\nPING\r\n")
		for r := bufio.NewReader(c); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if line == "PONG\r\n" {
				break
			}
		}
	}
	p := newParty(t, s.ClientURL(), 1, "m-orbit", "m-own", "m-plain")
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	p.listed([2]string{s.ClientURL(), s.ClientURL()}, o, r)
	p.killed(r, "m-plain")
}

// Where all connections are too many to read, the values of those that are known are
// read again one by one.
func TestValuesAreReadAgainOneByOne(t *testing.T) {
	p, _ := offline(t)
	pulled(p, "_INBOX.a", `{"expires":30000000000,"group":"PCG"}`)
	v := p.voices[voiceKey{"m", "_INBOX.a"}]
	now := time.Now()
	v.conn, v.asked = &model.Connection{}, now
	for _, c := range []struct {
		after time.Duration
		big   bool
		want  int
	}{{connzRefresh / 2, true, 0}, {connzRefresh + time.Second, true, 1}, {connzRefresh + time.Second, false, 0}} {
		if due, _ := p.strangers(now.Add(c.after), c.big); len(due) != c.want {
			t.Errorf("%+v: %q", c, due)
		}
	}
}
