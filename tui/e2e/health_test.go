package e2e

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestCheck: exit codes, thresholds, JSON.
func TestCheck(t *testing.T) {
	t.Parallel()
	a := serve(t)
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"check", 1, "WARNING: 4 groups, 1 warning, 3 ok; TELEMETRY/rollup: 5/16 never seen: m3\n"},
		{"check", 1, "absent: m3 never seen: it owns 5 partitions (10-14)"},
		{"check ORDERS", 0, "OK: 2 groups, 2 ok"},
		{"check ORDERS/fulfillment --for 1s", 0, "watched for"},
		{"check TELEMETRY/rollup --rule absent=crit", 2, "CRITICAL: 1 group, 1 critical"},
		{"check TELEMETRY/rollup --rule absent=ok", 0, "OK"},
		{"check TELEMETRY/rollup --rule absent=ok --lag 1", 1, "lag: lag "},
		{"check TELEMETRY/rollup --lag 1:2", 2, "is at least 2"},
		{"check TELEMETRY/rollup --age 1ns:2ns", 2, "age: the oldest message waits for"},
		{"check ORDERS --age 1h", 0, "OK"},
		{"check NOPE/x", 3, "UNKNOWN: NOPE/x: not found"},
		{"check --lag x", 3, "UNKNOWN: --lag"},
		{"check --rule nope=warn", 3, "there is no finding \"nope\"; there are absent,"},
		{"check --lag 100:10", 3, "critical at 10 is less than a warning at 100"},
		{"check --nope", 3, ""},
		{"check -o json ORDERS", 0, `{"status":"ok","code":0,"groups":[{"key"`},
		{"check -o json NOPE", 3, `{"status":"unknown","code":3,"error":"NOPE: not found`},
		{"--server nats://127.0.0.1:1 check", 3, "UNKNOWN: cannot connect to nats://127.0.0.1:1: nobody answers"},
		{"--server nats://127.0.0.1:1 check -o json", 3, `{"status":"unknown","code":3,"error":"cannot connect to nats://127.0.0.1:1`},
		{"--server nats://127.0.0.1:1 report check", 1, ""}, // a stream of that name
	} {
		out, errs, code := a.run(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out, c.says) {
			t.Errorf("pcgtop %s: exit %d, want %d with %q\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
		if strings.Contains(out, "watched for") && !strings.Contains(c.args, "--for") {
			t.Errorf("pcgtop %s: nobody asked for that:\n%s", c.args, out)
		}
	}
}

// TestCheckWatchesAllAtOnce: how long it takes does not depend on the number of groups.
func TestCheckWatchesAllAtOnce(t *testing.T) {
	t.Parallel()
	a := serve(t)
	const watch = 6 * time.Second
	begun := time.Now()
	out, errs, code := a.run(t, "", "check", "--for", watch.String(), "--age", "1h", "-o", "json")
	took := time.Since(begun)
	var v struct {
		Groups []struct {
			Window struct {
				Span time.Duration `json:"span_ns"`
			}
			Findings []struct{ ID string }
		}
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 1 || len(v.Groups) != 4 {
		t.Fatalf("%v, exit %d, %s%s", err, code, out, errs)
	}
	for _, g := range v.Groups {
		if g.Window.Span < watch || slices.ContainsFunc(g.Findings, func(f struct{ ID string }) bool { return f.ID == "not-counted" }) {
			t.Errorf("%+v", g)
		}
	}
	if took > 2*watch {
		t.Errorf("%s for 4 groups watched for %s", took, watch)
	}
}

// TestCheckSeesAGroupFallBehind: watched for its window, the group with the hot key is
// behind, and a healthy neighbour is not.
func TestCheckSeesAGroupFallBehind(t *testing.T) {
	t.Parallel()
	a := serve(t)
	came := a.arrivals(t, "TELEMETRY")
	results := make(chan string, 2)
	for _, group := range []string{"TELEMETRY/rollup", "ORDERS/fulfillment"} {
		go func() {
			out, _, _ := a.run(t, "", "check", "-o", "json", group, "--for", "33s")
			results <- out
		}()
	}
	all := []string{<-results, <-results}
	published := came()
	for _, out := range all {
		var v struct {
			Groups []struct {
				Key      struct{ Group string }
				Verdict  string
				Window   struct{ Complete bool }
				Findings []struct{ ID, Text string }
			}
		}
		if err := json.Unmarshal([]byte(out), &v); err != nil || len(v.Groups) != 1 {
			t.Fatal(err, v)
		}
		want := map[string]string{"rollup": "behind", "fulfillment": "ok"}[v.Groups[0].Key.Group]
		if g := v.Groups[0]; g.Verdict != want || !g.Window.Complete {
			t.Errorf("%+v, want %s", g, want)
		}
		for _, f := range v.Groups[0].Findings { // what is said of the rate is what is published
			rate := regexp.MustCompile(`: (\d+)/s in, (\d+)/s out; what nobody consumes grew by [\d,]+ in `).FindStringSubmatch(f.Text)
			if f.ID != "behind" {
				continue
			}
			if rate == nil {
				t.Errorf("%s", f.Text)
				continue
			}
			if in, _ := strconv.ParseFloat(rate[1], 64); in < 0.83*published || in > 1.17*published {
				t.Errorf("%.0f messages are published a second: %s", published, f.Text)
			}
		}
	}
}

// TestWhere: exact subjects, parts of subjects, and what is not there.
func TestWhere(t *testing.T) {
	t.Parallel()
	a := serve(t)
	for _, c := range []call{
		{"where TELEMETRY/rollup telemetry.dev007.temp", 0, "telemetry.dev007.temp  partition 1  m1 (pinned)  roll-m1-"},
		{"where TELEMETRY/rollup telemetry.dev007.temp", 0, "wait before it"},
		{"where TELEMETRY/rollup dev007", 0, "telemetry.dev007."},
		{"where PAYMENTS/settlement payments.acct001", 0, "payments.acct001  partition "},
		{"where PAYMENTS/settlement acct -n 3", 0, "there are more subjects"},
		{"where ORDERS/fulfillment orders.c001 -o json", 0, `"places":[{"subject":"orders.c001","partition":`},
		{"where ORDERS/fulfillment nothing.like.it", 3, ""},
		{"where ORDERS/nope orders.c001", 3, ""},
		{"where ORDERS orders.c001", 2, ""},
		{"where /fulfillment orders.c001", 2, ""},
	} {
		a.call(t, c)
	}
	out, _, _ := a.run(t, "", "report", "-o", "json", "TELEMETRY/rollup")
	if !strings.Contains(out, `"count":{"pending":`) || !strings.Contains(out, `"hop":{"state":`) {
		t.Errorf("no counts in %s", out)
	}
}

// TestPartitionsScreen: the map shows bars, enter leads to the table, w says where a
// subject goes.
func TestPartitionsScreen(t *testing.T) {
	t.Parallel()
	a := serve(t)
	term := a.openGroup(t, "TELEMETRY/rollup")
	term.see("messages wait there", "C✗█")
	term.press(enter)
	term.see("PARTITIONS", "PENDING", "OLDEST", "wait in 16 partitions", "✗ absent")
	term.press("E")
	term.see("PENDING▼", "sorted by pending")
	term.press("w")
	term.see("Where in TELEMETRY/rollup")
	for _, r := range "telemetry.dev007.temp" {
		term.press(string(r))
	}
	term.see("partition 1", "wait", "before it")
	term.press("\x15") // ctrl+u
	for _, r := range "dev00" {
		term.press(string(r))
	}
	term.press(enter)
	term.see(`subjects with "dev00"`, "telemetry.dev00")
	term.press(esc)
	term.gone("Where in")
	term.press(esc)
	term.see("MEMBERS")
	term.press("q")
	term.exit(patience)
}
