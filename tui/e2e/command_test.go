package e2e

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// run carries out one command without a terminal and returns what it printed and its
// exit code.
func (a *account) run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err strings.Builder
	cmd := exec.CommandContext(t.Context(), binary(), append([]string{"-s", a.url}, args...)...)
	cmd.Env = environment(t.TempDir())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &err
	_ = cmd.Run() // the exit code says it
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// call is a command and what is to come of it.
type call struct {
	args string // and after <<< a line of standard input
	code int
	says string // on standard output, or on standard error when the code is not 0
}

// call runs a command and compares what comes of it.
func (a *account) call(t *testing.T, c call) (stdout, stderr string) {
	t.Helper()
	args, stdin, asked := strings.Cut(c.args, " <<< ")
	if asked {
		stdin += "\n"
	}
	stdout, stderr, code := a.run(t, stdin, strings.Fields(args)...)
	text := stdout
	if c.code != 0 {
		text = stderr
	}
	if code != c.code || !strings.Contains(text, c.says) {
		t.Errorf("pcgtop %s: exit %d, want %d with %q\n%s%s", c.args, code, c.code, c.says, stdout, stderr)
	}
	return stdout, stderr
}

// TestCommands runs every verb, in an order in which each has something to do.
func TestCommands(t *testing.T) {
	t.Parallel()
	a := serve(t)
	for _, c := range []call{
		{args: "elastic ls ORDERS", says: "analytics\nfulfillment\n"},
		{args: "elastic list NOPE", code: 3, says: "stream NOPE: not found"},
		{args: "static ls ORDERS", says: ""},
		{args: "elastic create ORDERS mine 4 --filter orders.* --wildcards 1 --max-buffered-msgs 1000", says: "created elastic group ORDERS/mine with 4 partitions"},
		{args: "elastic create ORDERS mine 4 --filter orders.* --wildcards 1 --max-buffered-msgs 1000", says: "elastic group ORDERS/mine exists already, with the same settings"},
		{args: "elastic create ORDERS huge 65537", code: 2, says: "65537 partitions: give at most 65536"},
		{args: "static create balanced PAYMENTS huge 70000 x", code: 2, says: "70000 partitions: give at most 65536"},
		{args: "elastic ls ORDERS", says: "analytics\nfulfillment\nmine\n"},
		{args: "elastic create ORDERS a*b 4", code: 2, says: "a group's name may hold letters, digits and - / _ = . but not"},
		{args: "elastic create TELEMETRY astray 4 --filter orders.* --wildcards 1", code: 1, says: `filter "orders.*" matches no subject of stream TELEMETRY, which takes telemetry.*.*; nothing was written`},
		{args: "elastic info TELEMETRY astray", code: 3, says: "not found"},
		{args: "elastic create ORDERS mine 5 --filter orders.* --wildcards 1", code: 1, says: "can not be updated"},
		{args: "elastic create ORDERS bad 4 --filter orders.* --wildcards x", code: 2, says: `"x" is not the position of a wildcard`},
		{args: "elastic add ORDERS mine b a", says: "add b, a to ORDERS/mine"},
		{args: "elastic add ORDERS mine a", code: 1, says: "a is a member already"},
		{args: "elastic add ORDERS mine bad.name", code: 1, says: "unusable name"},
		{args: "elastic add ORDERS mine z a z", says: "add z to ORDERS/mine"},
		{args: "elastic drop ORDERS mine z", says: "drop z"},
		{args: "elastic dm ORDERS mine", says: "ORDERS/mine has no mappings: nothing to remove"},
		{args: "elastic create-mapping ORDERS mine a:0,1,2", code: 1, says: "nobody is given partition 3"},
		{args: "elastic cm ORDERS mine a:x", code: 2, says: `"x" is no partition number`},
		{args: "elastic cm ORDERS mine a", code: 2, says: "want MEMBER:PARTITIONS"},
		{args: "elastic cm ORDERS mine a:0,1,2 b:3", says: "remap ORDERS/mine (1 move)"},
		{args: "elastic drop ORDERS mine a", code: 1, says: "mapped"},
		{args: "elastic cm ORDERS mine b:3 a:2,1,0", says: "nothing to change, revision"},
		{args: "elastic info ORDERS mine", says: "elastic, 4 partitions, mapped"},
		{args: "elastic balance ORDERS mine", says: "balance ORDERS/mine"},
		{args: "elastic cm ORDERS mine a:0,1,2 b:3", says: "remap"},
		{args: "elastic dm ORDERS mine", says: "mappings removed"},
		{args: "elastic add ORDERS mine c", says: "add c"},
		{args: "elastic drop ORDERS mine c", says: "no member is left"},
		{args: "elastic minfo ORDERS fulfillment m1", says: "m1"},
		{args: "elastic create ORDERS bad 4 --filter orders.* --wildcards 1 --wildcards 2", code: 2, says: "1 filters, 2 --wildcards"},
		{args: "elastic ls ORDERS -o json", says: `["analytics","fulfillment","mine"]`},
		{args: "elastic info ORDERS mine -o json", says: `"key":{"kind":"elastic","stream":"ORDERS","group":"mine"}`},
		{args: "elastic minfo ORDERS fulfillment m1 -o json", says: `"name":"m1"`},
		{args: "elastic add ORDERS mine d -o json", says: `"done":"add d to ORDERS/mine`},
		{args: "static create balanced PAYMENTS js 8 x -o json", says: `"done":"created static group PAYMENTS/js`},
		{args: "static rm -f PAYMENTS js -o json", says: `"deleted":["config`},
		{args: "elastic minfo ORDERS fulfillment nobody", code: 3, says: `member "nobody" of ORDERS/fulfillment: not found`},
		{args: "elastic sd ORDERS fulfillment nobody", code: 3, says: `member "nobody" of ORDERS/fulfillment: not found`},
		{args: "elastic create NOPE x 4", code: 3, says: "not found"},
		{args: "elastic consume ORDERS nope m", code: 3, says: "not found"},
		{args: "elastic ls *", code: 2, says: `"*" is not the name of a stream`},
		{args: "--max-requests 0.1 report", code: 2, says: `--max-requests is "0.1": give a number of at least 1`},
		{args: "elastic info ORDERS nope", code: 3, says: "ORDERS/nope: not found"},
		{args: "elastic sd ORDERS analytics a1", says: "step down a1 of ORDERS/analytics"},
		{args: "elastic delete ORDERS mine <<< other", code: 1, says: "not confirmed: nothing was deleted"},
		{args: "elastic rm ORDERS mine <<< mine", says: "deleted: work stream ORDERS-mine"},
		{args: "elastic rm -f ORDERS mine", code: 3, says: "elastic group ORDERS/mine: not found"},
		{args: "elastic rm ORDERS mine -o json", code: 3, says: "elastic group ORDERS/mine: not found"},
		{args: "static rm -f NOPE mine", code: 3, says: "static group NOPE/mine: not found"},
		{args: "static create balanced PAYMENTS even 8 x y --filter *.payments.*", code: 1, says: "give payments.*, or a part of it; nothing was written"},
		{args: "static ls PAYMENTS", says: "settlement\n"},
		{args: "static create balanced PAYMENTS even 8 x y --filter payments.*", says: "created static group PAYMENTS/even"},
		{args: "static create mapped PAYMENTS odd 4 x:0,2 y:1,3", says: "created static group PAYMENTS/odd"},
		{args: "static create mapped PAYMENTS odd 2 x:zero", code: 2, says: `"zero" is no partition number or range`},
		{args: "static info PAYMENTS even", says: "static, 8 partitions, balanced"},
		{args: "static minfo PAYMENTS settlement east", says: "0-2,6"},
		{args: "static create balanced PAYMENTS even 8 x y --filter payments.*", says: "static group PAYMENTS/even exists already"},
		{args: "elastic minfo TELEMETRY rollup m3", says: "\nC  m3      absent  10-14"}, // the letter that the map has
		{args: "elastic minfo TELEMETRY rollup m1", says: "warning: m3 never seen: it owns 5 partitions"},
		{args: "static sd PAYMENTS settlement east", says: "step down east"},
		{args: "static rm -f PAYMENTS even", says: "deleted"},
		{args: "static rm -f PAYMENTS odd", says: "deleted"},
		{args: "report", says: "TELEMETRY/rollup"},
		{args: "report ORDERS/fulfillment", says: "PARTITION  OWNER"},
		{args: "report NOPE/x", code: 3, says: "NOPE/x: not found"},
		{args: "report -n 2 --every 10ms ORDERS", says: "ORDERS/analytics"},
		{args: "report -o xml", code: 2, says: "--output must be one of"},
		{args: "--tlscert /nope report", code: 1, says: "--tlscert is of no use without the other half: give --tlskey too"},
		{args: "--server foo://x report", code: 1, says: "no NATS server is reached by foo"},
		{args: "elastic plan --help", says: "How to connect, and what else every command takes: pcgtop --help"},
		{args: "config", says: "\ncontext  -\n"},
		{args: "elastic plan ORDERS fulfillment --strategy fewest-moves --add m4", says: "same as: pcgtop elastic create-mapping ORDERS fulfillment"},
		{args: "report --at 50%", code: 2, says: "give --replay FILE too"},
		{args: "elastic consume --help", says: "--sleep"},
		{args: "elastic", code: 2, says: "pcgtop --help"},
		{args: "--help", says: "Usage: pcgtop"},
		{args: "", code: 2, says: "no terminal that can show the screens"},
		{args: "--server nats://u:secret@127.0.0.1:1 report", code: 1, says: "cannot connect to nats://127.0.0.1:1"},
	} {
		out, errs := a.call(t, c)
		if c.code != 0 && strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: not one line on standard error: %q", c.args, errs)
		}
		if strings.HasSuffix(out, "\n\n") {
			t.Errorf("pcgtop %s: an empty line at the end: %q", c.args, out)
		}
		if strings.ContainsRune(out+errs, '\x1b') || strings.Contains(out+errs, "secret") {
			t.Errorf("pcgtop %s: escape codes or a secret: %q", c.args, out+errs)
		}
	}
}

// The help of a verb tells of no flag that is another's.
func TestHelpOfAVerb(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	a := &account{}
	for _, verb := range []string{"elastic plan", "elastic add", "elastic", "static info", "static create balanced"} {
		if out, _, code := a.run(t, "", append(strings.Fields(verb), "--help")...); code != 0 || strings.Contains(out, "--sleep") || !strings.Contains(out, "--output") {
			t.Errorf("%s: exit %d\n%s", verb, code, out)
		}
	}
}

// TestConsumeJoin: a member that joins by command is added first, gets messages, and is
// dropped at a clean end.
func TestConsumeJoin(t *testing.T) {
	t.Parallel()
	a := serve(t)
	cmd := exec.Command(binary(), "-s", a.url, "elastic", "consume", "ORDERS", "analytics", "a7", "--join", "--sleep", "1ms", "-o", "json", "--client-name", "worker-7")
	cmd.Env = environment(t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	var line struct {
		Member, Subject, Error string
		PinID                  string `json:"pin_id"`
	}
	read := json.NewDecoder(out)
	for range 3 {
		if err := read.Decode(&line); err != nil {
			t.Fatal(err)
		}
		if line.Member != "a7" || !strings.HasPrefix(line.Subject, "orders.c") || line.PinID == "" || line.Error != "" {
			t.Errorf("%+v", line)
		}
	}
	if s := a.stored(t, "ORDERS.analytics"); !strings.Contains(s, `"a7"`) {
		t.Errorf("not a member: %s", s)
	}
	within(t, "worker-7 to be listed", func() bool { // a busy server may tell later who it is
		out, _, _ := a.run(t, "", "report", "ORDERS/analytics", "--instances")
		return strings.Contains(out, "worker-7")
	})
	_ = cmd.Process.Signal(syscall.SIGINT)
	for read.Decode(&line) == nil { // the rest, until it ends
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if s := a.stored(t, "ORDERS.analytics"); strings.Contains(s, `"a7"`) {
		t.Errorf("still a member: %s", s)
	}
}

// TestConsumeFinishesWhatIsInHand: interrupted, a member acknowledges the message that it is
// at work on, and does not leave it to be delivered again.
func TestConsumeFinishesWhatIsInHand(t *testing.T) {
	a := serve(t)
	cmd := exec.Command(binary(), "-s", a.url, "elastic", "consume", "TELEMETRY", "rollup", "m3", "--sleep", "500ms")
	cmd.Env = environment(t.TempDir())
	var out strings.Builder
	cmd.Stdout = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	c, err := a.js.Consumer(t.Context(), "TELEMETRY-rollup", "m3")
	for end := time.Now().Add(20 * time.Second); err != nil || c.CachedInfo().NumAckPending == 0; c, err = a.js.Consumer(t.Context(), "TELEMETRY-rollup", "m3") {
		if time.Now().After(end) {
			t.Fatalf("it gets no message: %v", err)
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("exit: %v", err)
	}
	info, err := c.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.NumAckPending > 0 || info.Delivered.Consumer != info.AckFloor.Consumer || strings.Contains(out.String(), "not acked") || !strings.Contains(out.String(), "acked") {
		t.Errorf("%d not acknowledged\n%s", info.NumAckPending, out.String())
	}
}

// TestReportJSON: a script can tell every partition's owner and every member's pin.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	a := serve(t)
	out, errs, code := a.run(t, "", "report", "-o", "json")
	if code != 0 {
		t.Fatal(errs)
	}
	var s struct {
		Schema string
		Groups []struct {
			Key        struct{ Stream, Group string }
			Partitions []struct {
				Partition int
				Owner     string
			}
			Members []struct {
				Name     string
				Consumer *struct {
					PinID string `json:"pin_id"`
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	partitions := map[string]int{}
	for _, g := range s.Groups {
		for _, p := range g.Partitions {
			if p.Owner != "" {
				partitions[g.Key.Stream+"/"+g.Key.Group]++
			}
		}
		for _, m := range g.Members {
			if m.Consumer == nil != (m.Name == "m3" && g.Key.Group == "rollup") {
				t.Errorf("%s of %v: consumer %+v", m.Name, g.Key, m.Consumer)
			}
		}
	}
	for name, n := range map[string]int{"ORDERS/fulfillment": 12, "ORDERS/analytics": 8, "PAYMENTS/settlement": 8, "TELEMETRY/rollup": 16} {
		if partitions[name] != n {
			t.Errorf("%s: %d owned partitions, want %d", name, partitions[name], n)
		}
	}
	if s.Schema != "pcgtop/1" || len(s.Groups) != 4 {
		t.Errorf("schema %s, %d groups", s.Schema, len(s.Groups))
	}
}

// TestNoTerminal: where the screens cannot be shown, one line says what to do instead.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for _, args := range [][]string{{}, {"demo"}} {
		cmd := exec.Command(binary(), args...)
		tmp := t.TempDir()
		cmd.Env = environment(tmp, "TERM=xterm")
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 2 || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "pcgtop report") {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("%v left %v behind", args, left)
		}
	}
	term := open(t, 80, 24, "demo", "--no-color")
	term.see("ORDERS/fulfillment")
	term.press("q")
	term.exit(patience)
	<-term.done
	for _, sgr := range regexp.MustCompile(`\x1b\[([0-9;]*)m`).FindAllStringSubmatch(term.output(), -1) {
		for _, code := range strings.Split(sgr[1], ";") {
			if n, _ := strconv.Atoi(code); n >= 30 && n < 50 && n != 39 && n != 49 || n >= 90 {
				t.Fatalf("a colour with --no-color: %q", sgr[0])
			}
		}
	}
}

// TestDeleteInJSON: with -o json standard output is JSON or nothing; the question is asked
// on standard error.
func TestDeleteInJSON(t *testing.T) {
	t.Parallel()
	a := serve(t)
	out, errs, code := a.run(t, "no\n", "elastic", "rm", "ORDERS", "analytics", "-o", "json")
	if code != 1 || out != "" || !strings.Contains(errs, "will be deleted: work stream ORDERS-analytics") || !strings.Contains(errs, `Type "analytics" to go on`) {
		t.Errorf("%d %q %q", code, out, errs)
	}
	out, errs, code = a.run(t, "analytics\n", "elastic", "rm", "ORDERS", "analytics", "-o", "json")
	var done struct{ Deleted []string }
	if err := json.Unmarshal([]byte(out), &done); code != 0 || err != nil || len(done.Deleted) < 2 {
		t.Errorf("%d %v %q %q", code, err, out, errs)
	}
}

// TestHelpOfACommand: it shows what the command takes, and not once more what all take.
func TestHelpOfACommand(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for args, want := range map[string]bool{"--help": true, "elastic plan --help": false, "report --help": false} {
		out, err := exec.Command(binary(), strings.Fields(args)...).Output()
		if err != nil || strings.Contains(string(out), "--tlscert") != want {
			t.Errorf("%s: %v\n%s", args, err, out)
		}
	}
}

// TestDemoRefuses: a port that is taken, and flags that have to do with another server, are
// said at once.
func TestDemoRefuses(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	for args, want := range map[string]struct {
		code int
		says string
	}{
		"demo --serve --port " + port:          {1, "address already in use; give another --port"},
		"-s nats://127.0.0.1:1 demo --serve":   {2, "demo shows a server of its own: leave out --server"},
		"demo --serve --creds /nope":           {2, "leave out --creds"},
		"demo --serve --context somewhere":     {2, "leave out --context"},
		"demo --serve --js-domain x --port 1x": {2, "--port"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		cmd := exec.CommandContext(ctx, binary(), strings.Fields(args)...)
		tmp := t.TempDir()
		cmd.Env = environment(tmp)
		out, _ := cmd.CombinedOutput()
		cancel()
		if code := cmd.ProcessState.ExitCode(); code != want.code || !strings.Contains(string(out), want.says) || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%s: exit %d: %s", args, code, out)
		}
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("%s left %v behind", args, left)
		}
	}
}
