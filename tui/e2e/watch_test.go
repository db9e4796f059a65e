package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// TestSeed: the same seed gives the same traffic, another one other traffic.
func TestSeed(t *testing.T) {
	t.Parallel()
	first := func(seed string) (subjects []string) {
		a := serve(t, "--seed", seed)
		stream, err := a.js.Stream(t.Context(), "ORDERS")
		if err != nil {
			t.Fatal(err)
		}
		for seq := uint64(1); seq <= 40; seq++ {
			within(t, "message to come", func() bool {
				m, err := stream.GetMsg(t.Context(), seq)
				if err == nil {
					subjects = append(subjects, m.Subject)
				}
				return err == nil
			})
		}
		return subjects
	}
	one, same, other := first("7"), first("7"), first("8")
	if !slices.Equal(one, same) || slices.Equal(one, other) {
		t.Errorf("seed 7: %v, again: %v, seed 8: %v", one, same, other)
	}
}

// TestLatency: a change made elsewhere, and a new pin, are on the screen within 100 ms
// of the server's event. The best of several counts, since the machine may be busy.
func TestLatency(t *testing.T) {
	a := serve(t)
	term := a.openGroup(t, "ORDERS/fulfillment")
	best := func(what string, do func(round int) string) {
		t.Helper()
		least := time.Hour
		for round := range 8 {
			start := time.Now()
			text := do(round)
			done := time.Now()
			term.waitForFast(text)
			least = min(least, time.Since(start))
			t.Logf("%s, round %d: on the screen %s after the call, %s after its answer", what, round, time.Since(start).Round(time.Millisecond), time.Since(done).Round(time.Millisecond))
		}
		if least > 100*time.Millisecond {
			t.Errorf("%s: on the screen after %s at best, want 100 ms", what, least)
		}
	}
	best("a member added elsewhere", func(round int) string {
		name := fmt.Sprintf("late%d", round)
		if _, err := orbit.AddMembers(t.Context(), a.js, "ORDERS", "fulfillment", []string{name}); err != nil {
			t.Fatal(err)
		}
		return " " + name + " " // its row among the members
	})
	pinned := make(chan string, 16)
	sub, err := a.js.Conn().Subscribe("$JS.EVENT.ADVISORY.CONSUMER.PINNED.ORDERS-analytics.a1", func(m *nats.Msg) {
		var advisory struct {
			PinID string `json:"pinned_id"`
		}
		if json.Unmarshal(m.Data, &advisory) == nil {
			pinned <- advisory.PinID
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Unsubscribe()
	term.press("q")
	term.exit(5 * time.Second)
	term = a.openGroup(t, "ORDERS/analytics")
	best("the pin after a step-down", func(int) string {
		if err := orbit.ElasticMemberStepDown(t.Context(), a.js, "ORDERS", "analytics", "a1"); err != nil {
			t.Fatal(err)
		}
		id := <-pinned
		return "pinned …" + id[len(id)-6:]
	})
	term.press("q")
	term.exit(5 * time.Second)
}

// waitForFast is see with a finer clock.
func (term *terminal) waitForFast(text string) {
	term.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		if strings.Contains(term.text(), text) {
			return
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("waited %s for %q; the screen:\n%s", patience, text, term.text())
		}
	}
}

// TestBrokenConfigs: what cannot be read is shown as such, harms nothing else, and no
// escape code in a name reaches the terminal.
func TestBrokenConfigs(t *testing.T) {
	t.Parallel()
	a := serve(t)
	for key, value := range map[string]string{
		"BAD.json": "{bad", "BAD.both": `{"max_members":2,"partitioning_filters":null,"members":["m"],"member_mappings":[{"member":"m","partitions":[0,1]}]}`,
		"BAD.future": `{"max_members":2,"partitioning_filters":null,"members":["m1"],"colour":{"x":1}}`, "nodot": `{"max_members":2,"partitioning_filters":null}`,
	} {
		if _, err := a.kv.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	hostile := "$KV.elastic-consumer-groups.BAD.\x1b[2J\x1b]0;x\x07red"
	if _, err := a.js.Publish(t.Context(), hostile, []byte(`{"max_members":2,"partitioning_filters":null,"members":["\u001b[31mm\u009b1m"]}`)); err != nil {
		t.Fatal(err)
	}
	term := open(t, 120, 40, "-s", a.url)
	screen := term.see("BAD/json", "BAD/both", "BAD/future", "nodot", `\x1b[2J`, "bad JSON: invalid", "unreadable config: ", "ORDERS/fulfillment", "3/3")
	if !strings.Contains(screen, "either members or member mappings") {
		t.Errorf("nothing says what is wrong with BAD/both:\n%s", screen)
	}
	term.press("q")
	if code := term.exit(5 * time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
	<-term.done
	// Commands say it too, and nothing that was never read.
	if out, errs, code := a.run(t, "", "where", "BAD/json", "orders.1"); code != 1 || !strings.Contains(errs, "BAD/json: where a subject goes cannot be told: unreadable config: bad JSON") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	if out, errs, code := a.run(t, "", "elastic", "info", "BAD", "json"); code != 0 || !strings.Contains(out, "BAD/json  unreadable  elastic, revision ") {
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	// What pcgtop itself asks: which colour the background has.
	if out := strings.ReplaceAll(term.output(), "\x1b]11;?\x07", ""); strings.Contains(out, "\x1b[2Jred") || strings.Contains(out, "\x1b]0;") || strings.Contains(out, "\x1b[31mm") || strings.Contains(out, "\x07") {
		t.Error("an escape code of a name reached the terminal")
	}
}

// TestReadOnly: the engine refuses, the screen says why, and the commands too.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	a := serve(t)
	before := a.stored(t, "ORDERS.analytics")
	term := a.openGroup(t, "ORDERS/analytics", "--read-only")
	term.see("RO")
	term.press("a")
	term.see("read-only")
	term.press("q")
	term.exit(5 * time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, args := range [][]string{
		{"elastic", "add", "ORDERS", "analytics", "zz"}, {"elastic", "delete", "-f", "ORDERS", "analytics"}, {"elastic", "step-down", "ORDERS", "analytics", "a1"},
		{"elastic", "create", "ORDERS", "new", "4"}, {"static", "create", "balanced", "PAYMENTS", "new", "4", "m"}, {"static", "rm", "-f", "PAYMENTS", "settlement"},
		{"elastic", "delete-mapping", "ORDERS", "analytics"}, {"elastic", "consume", "TELEMETRY", "rollup", "m3"}, {"static", "consume", "PAYMENTS", "settlement", "east"},
	} {
		cmd := exec.CommandContext(ctx, binary(), append([]string{"-s", a.url}, args...)...)
		cmd.Env = environment(t.TempDir(), "PCGTOP_READ_ONLY=1")
		out, err := cmd.CombinedOutput()
		if err == nil || !strings.Contains(string(out), "read-only") || strings.Count(string(out), "\n") != 1 {
			t.Errorf("%v: %v %s", args, err, out)
		}
	}
	if after := a.stored(t, "ORDERS.analytics"); after != before {
		t.Errorf("it was written: %s", after)
	}
}
