package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"pcgtop/model"
)

// figures is a table of what was measured beside what is wanted.
type figures struct{ rows [][3]string }

func (f *figures) add(what, goal, measured string) {
	f.rows = append(f.rows, [3]string{what, goal, measured})
}

// judge adds a figure, and says where its goal was missed.
func (f *figures) judge(what, goal, measured string, met bool) {
	if !met {
		measured += ", MISSED"
	}
	f.add(what, goal, measured)
}

func (f *figures) print(title string) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\n%s\nfigure\tgoal\tmeasured\n", title)
	for _, r := range f.rows {
		fmt.Fprintf(w, "%s\t%s\t%s\n", r[0], r[1], r[2])
	}
	_ = w.Flush() // standard output
}

// cpu is the processor time that the program has used.
func (term *terminal) cpu() time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", term.cmd.Process.Pid))
	if err != nil {
		term.t.Fatal(err)
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	var ticks int
	for _, f := range fields[11:13] { // utime and stime, in hundredths (proc(5))
		n, err := strconv.Atoi(f)
		if err != nil {
			term.t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// memory is a line of the program's status, such as VmRSS, in MB.
func (term *terminal) memory(what string) float64 {
	kb, err := strconv.ParseFloat(strings.Fields(term.status(what))[0], 64)
	if err != nil {
		term.t.Fatal(err)
	}
	return kb / 1024
}

// status is a line of what Linux tells of the program.
func (term *terminal) status(what string) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", term.cmd.Process.Pid))
	if err != nil {
		term.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == what {
			return strings.TrimSpace(value)
		}
	}
	term.t.Fatalf("no %s", what)
	return ""
}

// selected is the line of the screen that the selection is on, -1: none.
func (term *terminal) selected() int {
	term.mu.Lock()
	defer term.mu.Unlock()
	for y := range term.screen.Height() {
		if c := term.screen.CellAt(0, y); c != nil && c.Content == "▌" {
			return y
		}
	}
	return -1
}

// BenchmarkScale runs the program on an account of 10,000 groups with 100,000
// partitions, and measures what the person at the screen and the machine feel of it.
func BenchmarkScale(b *testing.B) {
	z := shape{static: 40, origins: 10, each: 200, run: 20}
	a := build(b, z)
	defer a.trade(100)()
	var f figures
	a.atTheScreen(b, &f) // not as benchmarks of their own, which are repeated where they are quick
	a.report(b, &f)
	a.latency(b, &f)
	a.beside(b, &f)
	f.load()
	f.print(fmt.Sprintf("%d groups with %d partitions, of which %d have consumers; 200x60; 100 messages/s", z.groups(), z.groups()*partitionsEach, (z.static+z.origins)*z.run))
}

// BenchmarkScaleElastic is the same at the screen where nearly every group has a stream of
// its own and consumers.
func BenchmarkScaleElastic(b *testing.B) {
	z := shape{static: 10, origins: 40, each: 200, run: 200}
	a := build(b, z)
	defer a.trade(2)() // of which one goes into 200 streams
	var f figures
	a.atTheScreen(b, &f)
	a.inTime(b, &f)
	f.load()
	f.print(fmt.Sprintf("%d groups, of which %d have work streams, with %d consumers; 200x60", z.groups(), z.origins*z.run, 2*z.groups()))
}

// load adds what else the machine did.
func (f *figures) load() {
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		f.add("load average of the machine", "", strings.Fields(string(load))[0])
	}
}

// atTheScreen measures the program in a terminal.
func (a *large) atTheScreen(b *testing.B, f *figures) {
	began := time.Now()
	term := open(b, 200, 60, "-s", a.url)
	all := model.Thousands(a.groups()) + " groups"
	for !strings.Contains(term.text(), all) {
		if time.Since(began) > time.Minute {
			b.Fatal(term.text())
		}
		time.Sleep(2 * time.Millisecond)
	}
	start := time.Since(began)
	f.judge("start to overview", "< 2 s", start.Round(10*time.Millisecond).String(), start < 2*time.Second)
	term.see("live")
	time.Sleep(15 * time.Second) // until what is not on the screen is read in turn, too

	const watch = 20 * time.Second
	stored := a.stored(b)
	cpu, sent := term.cpu(), a.traffic(b, "pcgtop")
	time.Sleep(watch)
	used, cost := term.cpu()-cpu, a.traffic(b, "pcgtop").since(sent)
	f.add("messages that arrived meanwhile", "", fmt.Sprintf("%.0f /s", float64(a.stored(b)-stored)/watch.Seconds()))
	percent, rate := 100*used.Seconds()/watch.Seconds(), float64(cost.requests)/watch.Seconds()
	f.judge("CPU, one refresh a second", "< 3 % of a core", fmt.Sprintf("%.1f %%", percent), percent < 3)
	f.judge("sent to the server", "≤ 20 /s", fmt.Sprintf("%.1f /s", rate), rate < 20.05) // as it is written
	f.add("bytes both ways", "", fmt.Sprintf("%.0f kB/s", float64(cost.bytes)/watch.Seconds()/1000))
	f.memory("memory", term.memory("VmRSS"))

	var took []time.Duration
	for n := range 300 {
		key := "j"
		if n%40 >= 20 {
			key = "k"
		}
		before := term.selected()
		start := time.Now()
		term.send(key)
		for term.selected() == before {
			if time.Since(start) > patience {
				b.Fatalf("%s moves nothing:\n%s", key, term.text())
			}
			time.Sleep(200 * time.Microsecond)
		}
		took = append(took, time.Since(start))
		time.Sleep(17 * time.Millisecond)
	}
	f.spread("key to frame on the terminal", 20*time.Millisecond, took)
	term.press(":", "e")
	term.see("more places fit")
	f.memory("memory at most, the palette included", term.memory("VmHWM"))
	term.press(esc)
	term.gone("Do or go to")
	term.press("q")
	term.exit(patience)
}

// inTime measures the memory of the program when it has read everything, which it is let do
// in two minutes instead of ten.
func (a *large) inTime(b *testing.B, f *figures) {
	const perSecond = 100
	term := open(b, 200, 60, "-s", a.url, "--max-requests", strconv.Itoa(perSecond))
	term.see("live")
	time.Sleep(time.Duration(3*a.origins*a.run/2/perSecond) * time.Second)
	f.memory("memory once everything was read", term.memory("VmRSS"))
	term.press("q")
	term.exit(patience)
}

func (f *figures) memory(what string, mb float64) {
	f.judge(what, "< 150 MB", fmt.Sprintf("%.0f MB", mb), mb < 150)
}

// spread adds the median and the 99th percentile of some times, of which the latter is to
// be less than most; 0: than anything.
func (f *figures) spread(what string, most time.Duration, took []time.Duration) {
	slices.Sort(took)
	at := func(percent int) time.Duration { return took[(len(took)-1)*percent/100].Round(10 * time.Microsecond) }
	goal := ""
	if most > 0 {
		goal = "p99 < " + most.String()
	}
	f.judge(fmt.Sprintf("%s, of %d", what, len(took)), goal, fmt.Sprintf("p50 %v, p99 %v", at(50), at(99)), most == 0 || at(99) < most)
}

// report measures the command that reads everything once.
func (a *large) report(b *testing.B, f *figures) {
	cmd := exec.Command(binary(), "report", "-s", a.url)
	cmd.Env = environment(b.TempDir())
	began, sent := time.Now(), a.traffic(b, "pcgtop")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	f.add("report over everything", "", fmt.Sprintf("%s, %d requests", time.Since(began).Round(100*time.Millisecond), a.traffic(b, "pcgtop").since(sent).requests))
}
