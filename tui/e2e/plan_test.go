package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// checkAudit reads an audit file and compares action and result of each line.
func checkAudit(t *testing.T, file string, want ...string) {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, mode %v", err, info.Mode())
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(raw)) {
		var r struct {
			Time                               time.Time
			Action, Result, User, Host, Server string
			Revision                           uint64
			Before, After                      *struct{ Members []string }
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if r.Time.IsZero() || r.User == "" || r.Server == "" {
			t.Errorf("incomplete: %s", line)
		}
		if r.Action == "add" && (r.Before == nil || r.After == nil || r.Result == "done" && r.Revision == 0) {
			t.Errorf("incomplete: %s", line)
		}
		got = append(got, r.Action+" "+r.Result)
	}
	if !slices.Equal(got, want) {
		t.Errorf("audit: %v, want %v\n%s", got, want, raw)
	}
}

// TestPlanCommand: plans as a table and as JSON, and carried out.
func TestPlanCommand(t *testing.T) {
	t.Parallel()
	a := serve(t)
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	if _, err := orbit.CreateElastic(t.Context(), a.js, "ORDERS", "mine", 8, []orbit.PartitioningFilter{{Filter: "orders.*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	plan := "elastic plan ORDERS mine --strategy "
	for _, c := range []call{
		{plan + "fewest-moves", 1, "there is no member to deal to"},
		{plan + "balanced --members a,b", 0, "pcgtop elastic plan ORDERS mine --strategy balanced --members a,b --apply"},
		{plan + "balanced --members a,b --apply --audit " + file, 0, "balance ORDERS/mine among a, b"},
		{plan + "fewest-moves --add c", 0, "2 of 8 partitions move (2 had to); 75 % stay"},
		{plan + "balanced --add c", 0, "5 of 8 partitions move (2 had to); 38 % stay"}, // as the screen says it
		{plan + "balanced --add c --keep 0", 2, "--keep: balanced takes no constraints"},
		{plan + "balanced --add c --alone 0:c", 2, "--alone: balanced takes no constraints"},
		{plan + "balanced --add c --only 0:c", 2, "--only: balanced takes no constraints"},
		{plan + "fewest-moves --partition 0", 2, "--partition is for --strategy isolate only"},
		{plan + "load --weights x", 2, `"x" is not a weight`},
		{plan + "load --weights 1", 2, "1 number for 8 partitions"},
		{plan + "load --watch 1ms", 2, "--watch is 1ms: give at least 1s"},
		{plan + "fewest-moves --add c --drop b -o json", 0, `"strategy":"fewest-moves"`},
		{plan + "load --weights 0=90,1=30", 0, "heaviest against the mean: "},
		{plan + "load --weights 1,2,3", 2, "3 numbers for 8 partitions"},
		{plan + "load --weights 9=1", 2, `no partition "9"`},
		{plan + "load --weights 0=nan", 2, `"nan" is not a weight`},
		{plan + "load --weights 0=-1", 2, `"-1" is not a weight`},
		{plan + "load --weights 0=1e400", 2, `"1e400" is not a weight`},
		{plan + "load --weights 0,0,0,0,0,0,0,0", 0, "by count"},
		{plan + "load --weights 0=1e299,4=1e299", 0, "1e+299"},
		{plan + "load --weights 0=1e299 -o json", 0, `"strategy":"load"`},
		{plan + "load --weights 5,5,1,1,5,1,1,2", 0, "0 of 8 partitions move"},
		{plan + "load --weights 5,5,1,1,5,1,1,2 --tolerance 0", 0, "heaviest against the mean: 1.14 ▸ 1.05"},
		{plan + "load --weights 5,5,1,1,5,1,1,2 --tolerance 1000000", 0, "0 of 8 partitions move"},
		{plan + "load --tolerance=-1", 2, "--tolerance is -1: give 0 to 1000000 per cent"},
		{plan + "load --tolerance NaN", 2, "--tolerance is NaN: give 0 to"},
		{plan + "load --tolerance +Inf", 2, "--tolerance is +Inf: give 0 to"},
		{plan + "isolate --partition 8", 1, "no partition 8: there are 0 to 7"},
		{plan + "isolate --partition 1-2", 2, `"1-2" is not a partition number`},
		{plan + "fewest-moves --keep 99999999", 2, "--keep: "},
		{plan + "fewest-moves --drop a --drop b", 1, "there is no member to deal to"},
		{plan + "isolate --partition 2 --add c", 0, "c"},
		{plan + "fewest-moves --add gpu-1 --only 0,1:gpu-*", 0, "gpu-1"},
		{plan + "fewest-moves --only 0:gpu-*", 1, "none that is free matches gpu-*"},
		{plan + "fewest-moves --add c --keep 0-7", 0, "0 of 8 partitions move"},
		{plan + "fewest-moves --alone 0:c --add c", 0, "c"},
		{plan + "fewest-moves --alone zero", 2, "want PARTITION:MEMBER"},
		{plan + "fewest-moves --drop z", 1, "there is no such member"},
		{plan + "best", 2, "--strategy must be one of"},
		{plan + "fewest-moves --add bad.name --apply", 1, "unusable name"},
		{plan + "fewest-moves --add c --apply --drain --audit " + file, 0, "remap ORDERS/mine (2 moves): revision"},
		{plan + "balanced --apply --read-only", 1, "read-only"},
		{"elastic plan ORDERS nope --strategy balanced", 3, "not found"},
		{"elastic balance ORDERS mine --drain --audit " + file, 0, "nobody ran, so there was nothing to drain"},
		{"elastic drop ORDERS mine c --drain --longest 1ms", 2, "--longest is 1ms: give 100ms to 1h0m0s"},
		{"elastic drop ORDERS mine c --drain --longest=-5s", 2, "--longest is -5s: give 100ms to 1h0m0s"},
		{"elastic drop ORDERS mine c --drain --longest 10000h", 2, "give 100ms to 1h0m0s"},
	} {
		begun := time.Now()
		_, errs := a.call(t, c)
		if took := time.Since(begun); c.code == 2 && took > 10*time.Second { // as long as loads are measured
			t.Errorf("pcgtop %s: refused after %v", c.args, took)
		}
		if strings.Contains(c.args, "balance ORDERS mine --drain") && !strings.Contains(errs, "no member runs: nothing to drain") {
			t.Errorf("pcgtop %s: %s", c.args, errs)
		}
	}
	checkAudit(t, file, "members begun", "members done", "remap begun", "remap done", "balance begun", "balance done")
	out, _, _ := a.run(t, "", "elastic", "plan", "ORDERS", "fulfillment", "--strategy", "load", "--weights", "0=1", "--add", "m9", "-o", "json")
	var p struct {
		Plan struct {
			Price struct {
				Moves, Forced int
				Locality      float64
				Weighed       bool
				After         struct{ Heaviest, Mean float64 }
			}
			Mappings []struct{ Member string }
		}
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil || p.Plan.Price.Moves == 0 || p.Plan.Price.Locality >= 1 || len(p.Plan.Mappings) != 4 {
		t.Errorf("%v %+v %s", err, p, out)
	}
}

// TestPlanByMeasuredLoad: a plan by load is made from what came over some seconds, not from
// the one message that waits at a moment, and is refused where that tells nothing.
func TestPlanByMeasuredLoad(t *testing.T) {
	t.Parallel()
	a := serve(t)
	if _, err := orbit.CreateElastic(t.Context(), a.js, "ORDERS", "quiet", 8, []orbit.PartitioningFilter{{Filter: "orders.nobody.*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(t.Context(), a.js, "ORDERS", "quiet", []string{"a", "b"}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"fulfillment --strategy isolate --add m4 --watch 4s", 1, "no partition stands out from the others: give --partition or --weights"},
		{"quiet --strategy load --watch 1s", 1, "0 messages came or waited within 1s: too few to tell loads by"},
		{"quiet --strategy isolate --watch 1s --add c", 1, "too few to tell loads by"},
		{"quiet --strategy isolate --partition 0 --add c", 0, "1 of 8"},
	} {
		out, errs, code := a.run(t, "", strings.Fields("elastic plan ORDERS "+c.args)...)
		if text := out + errs; code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: exit %d, want %d with %q\n%s", c.args, code, c.code, c.says, text)
		}
	}
	came := a.arrivals(t, "ORDERS")
	out, errs, _ := a.run(t, "", strings.Fields("elastic plan ORDERS fulfillment --strategy load --watch 5s -o json")...)
	rate := came()
	var p struct {
		Plan struct {
			Price struct {
				Moves  int
				Before struct{ Heaviest, Mean float64 }
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatalf("%v %s%s", err, out, errs)
	}
	price := p.Plan.Price
	if all := 3 * price.Before.Mean; all < 0.8*rate || all > 1.3*rate || price.Before.Heaviest > 1.5*price.Before.Mean {
		t.Errorf("%.0f messages came a second, spread evenly: %+v", rate, price)
	}
	out, _, _ = a.run(t, "", strings.Fields("elastic plan TELEMETRY rollup --strategy isolate --watch 5s --add m4")...)
	if !strings.Contains(out, "moves: 1 m1▸m4") { // the hot key's partition
		t.Error(out)
	}
}
