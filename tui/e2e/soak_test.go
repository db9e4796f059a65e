package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestSoak runs a group under load while its members are killed, its membership changes and
// its server is restarted, with one screen that is driven all the while and one that only
// shows. At the end nothing may have grown, nothing be lost, and the terminals be as
// before. PCGTOP_SOAK says for how long, such as 10m.
func TestSoak(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("PCGTOP_SOAK"))
	if err != nil {
		t.Skip("runs for as long as PCGTOP_SOAK says: make soak")
	}
	w := newSoak(t)
	var leave []func()
	for name, ours := range map[string]bool{"m2": false, "m3": true, "m4": true, "m5": true} {
		for range 2 {
			leave = append(leave, w.join(name, ours))
		}
	}
	w.kill = []func(){w.spawn(), w.spawn()}
	idle := open(t, 120, 40, "-s", w.server.ClientURL())
	idle.see("SOAK/work", "live")
	d := &driver{terminal: open(t, 120, 40, "-s", w.server.ClientURL(), "SOAK/work"), random: rand.New(rand.NewPCG(1, uint64(length)))}
	d.see("▸ SOAK/work", "MEMBERS")

	ctx, end := context.WithTimeout(t.Context(), length)
	defer end()
	loaded, endLoad := context.WithCancel(t.Context())
	defer endLoad()
	var load, disturb sync.WaitGroup
	load.Go(func() { w.load(loaded) })
	disturb.Go(func() { w.disturb(ctx) })
	d.drive(ctx, length)
	disturb.Wait()
	w.change(t.Context(), false)
	d.home()
	fresh := open(t, 120, 40, "-s", w.server.ClientURL(), "SOAK/work")
	fresh.see("▸ SOAK/work", "MEMBERS", "pinned") // as it is under load: without, pins time out
	d.see("pinned")
	endLoad()
	load.Wait()

	f := &figures{}
	defer f.print("Soak")
	check := func(what, goal, measured string, ok bool) {
		t.Helper()
		f.add(what, goal, measured)
		if !ok {
			t.Errorf("%s: %s, want %s", what, measured, goal)
		}
	}
	sent, lost, twice := w.settled(2 * time.Minute)
	disturbances := w.kills + w.restarts + w.changes + d.written
	check("time, messages sent", "", fmt.Sprintf("%v, %d", length, sent), sent > 0)
	check("members killed, server restarts", "", fmt.Sprintf("%d, %d", w.kills, w.restarts), w.kills > 0 && (w.restarts > 0 || length < 30*time.Second))
	check("changes of members, from the screen", "", fmt.Sprintf("%d, %d", w.changes, d.written), w.changes > 0 && d.written > 0)
	check("keys pressed; the window's sizes", "", fmt.Sprintf("%d; %d", d.keys, d.sizes), d.keys > 0)
	check("messages lost", "0", fmt.Sprint(lost), lost == 0)
	most := 5 * disturbances // each may cut off every member in the middle of a message
	check("handled more than once", fmt.Sprintf("≤ %d, one a member and event", most), fmt.Sprint(twice), twice <= most)

	var subs []uint32
	within(t, "three screens connected, the driven one with no more subscriptions than a fresh one", func() bool {
		list := w.screens()
		subs = nil
		for _, c := range list {
			subs = append(subs, c.NumSubs)
		}
		return len(list) == 3 && max(list[0].NumSubs, list[1].NumSubs) <= list[2].NumSubs
	})
	check("subscriptions; of a fresh screen", "the same", fmt.Sprintf("%d; %d", max(subs[0], subs[1]), subs[2]), true)
	check("memory after a tenth; at the end; at most", "≤ 1.5 times, 150 MB", fmt.Sprintf("%.0f; %.0f; %.0f MB", d.early, d.memory("VmRSS"), d.memory("VmHWM")),
		d.memory("VmRSS") <= 1.5*d.early && d.memory("VmHWM") < 150)
	driven, anew := d.goroutines(), fresh.goroutines()
	check("goroutines; of a fresh screen", "≤ 10 more", fmt.Sprintf("%d; %d", len(driven), len(anew)), len(driven) > 0 && len(driven) <= len(anew)+10)
	if t.Failed() {
		t.Logf("the driven screen's goroutines are from %q, the fresh one's from %q", driven, anew)
	}

	idle.see("SOAK/work", "live")
	idle.press("q")
	code := idle.exit(patience)
	<-idle.done
	restored(t, idle.output())
	idle.leftNothing()
	check("exit code, terminal", "0, as before", fmt.Sprintf("%d, as before", code), code == 0 && !t.Failed())
	for _, end := range append(leave, w.kill...) {
		end()
	}
	left := -1
	within(t, "no consumer left on the config bucket", func() bool {
		left, err = w.watchers()
		return err == nil && left == 0
	})
	check("consumers left on the config bucket", "0", fmt.Sprint(left), left == 0)
}

// driver is a screen with somebody who presses everything.
type driver struct {
	*terminal
	random  *rand.Rand
	keys    int
	sizes   int
	written int     // changes of the membership that the screen says were made
	early   float64 // memory after a tenth of the time, in MB
}

// drive presses keys until the context ends. Whatever happens, the screen answers.
func (d *driver) drive(ctx context.Context, length time.Duration) {
	began := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		d.home()
		switch n % 10 {
		case 3:
			d.storm()
		case 6:
			d.membership("add", "a", "m", "5", enter)
		case 9:
			d.membership("drop", "x", " ", "G", " ", enter)
		default:
			d.tour(n)
		}
		if d.early == 0 && time.Since(began) > length/10 {
			d.early = d.memory("VmRSS")
		}
	}
}

func (d *driver) push(keys ...string) {
	d.keys += len(keys)
	d.press(keys...)
}

// home goes back to the group, from wherever it is. Escapes are apart, for two at once are
// another key.
func (d *driver) home() {
	d.t.Helper()
	for range 100 {
		s := d.text()
		switch group := strings.Contains(s, "▸ SOAK/work"); {
		case strings.Contains(s, "┌"): // a window
			d.push(esc)
		case group && strings.Contains(s, "MEMBERS"):
			return
		case !group && strings.Contains(s, "VERDICT"):
			d.push(enter)
		default:
			d.push(esc)
		}
		d.soon(func(now string) bool { return now != s })
		time.Sleep(100 * time.Millisecond) // data may have changed it, and the key not yet
	}
	d.t.Fatalf("there is no way back to the group:\n%s", d.text())
}

// tour looks at every screen there is.
func (d *driver) tour(n int) {
	ways := [][]string{
		{"j", "j", "k", "G", "g", tab, "j", "l", tab}, {enter, "j", tab, "l", "l", "<", ">", "i"}, {"e", tab, "j", "G", tab}, {"?", "j", "j"},
		{":", "a", "d", "d"}, {"w", "s", "o", "a", "k"}, {"y", tab, "G", tab}, {"m", "3", "2", "l", "B"}, {"p", "j", "p"}, {"r", "!", "f"}, {"s"}, {"U"},
	}
	way := ways[d.random.IntN(len(ways))]
	d.push(way...)
	if n%4 == 0 {
		d.answers()
	}
}

// answers asks for the help. An escape that is on its way may swallow the key.
func (d *driver) answers() {
	d.t.Helper()
	for range 5 {
		d.home()
		d.push("?")
		if d.soon(func(s string) bool { return strings.Contains(s, "Show what the keys do") }) {
			return
		}
	}
	d.t.Fatalf("it does not answer:\n%s", d.text())
}

// storm makes the window every size up to the first one, and that again. The emulator stays
// as large as it is: what it makes of being resized itself is not looked at here.
func (d *driver) storm() {
	for range 50 {
		d.window(1+d.random.IntN(120), 1+d.random.IntN(40))
	}
	d.window(119, 40) // another size than the last one in any case
	d.window(120, 40)
}

func (d *driver) window(width, height int) {
	d.sizes++
	if err := pty.Setsize(d.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		d.t.Fatal(err)
	}
}

// membership adds m5 or drops it, by keys alone. It may be refused: the server is away, the
// group has changed meanwhile, or m5 is there already.
func (d *driver) membership(verb string, keys ...string) {
	d.push(keys...)
	if !d.soon(func(s string) bool { return strings.Contains(s, "pcgtop elastic "+verb+" SOAK work m5 ") }) {
		return
	}
	d.push(tab)
	time.Sleep(300 * time.Millisecond) // sooner it counts as not read
	before := strings.Count(d.text(), verb+" m5 ")
	d.push(enter)
	if d.soon(func(s string) bool { return strings.Count(s, verb+" m5 ") > before && !strings.Contains(s, "Cancel") }) {
		d.written++
	}
}

// soon tells whether the screen comes to satisfy the condition within a while.
func (d *driver) soon(ok func(string) bool) bool {
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if ok(d.text()) {
			return true
		}
	}
	return false
}

// madeBy finds who began a goroutine.
var madeBy = regexp.MustCompile(`\ncreated by ([^\s]+)`)

// goroutines ends a program by a signal upon which it says what each of them does, and
// lists who began them. The terminal is given back even so.
func (term *terminal) goroutines() (list []string) {
	term.t.Helper()
	if err := term.cmd.Process.Signal(syscall.SIGQUIT); err != nil {
		term.t.Fatal(err)
	}
	term.exit(patience)
	<-term.done
	out := term.output()
	restored(term.t, out)
	for _, found := range madeBy.FindAllStringSubmatch(out[strings.LastIndex(out, "\x1b[?1049l"):], -1) {
		list = append(list, found[1])
	}
	slices.Sort(list)
	return list
}
