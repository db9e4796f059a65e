package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TUI-02: under a shell, which goes on and to which the terminal belongs, a killed program
// leaves it as it was.
func TestKilledUnderAShell(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("finds the shell's child in /proc")
	}
	t.Parallel()
	term := start(t, 80, 24, exec.Command("sh", "-c", `"$0"; echo "the shell goes on"; read line`, os.Args[0]), "PCGTOP_BREAK=killed")
	shell := modes(t, term)
	term.see("VERDICT", "S/g")
	if modes(t, term) == shell {
		t.Fatal("the screen does not take the terminal")
	}
	pid := term.cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	if err != nil {
		t.Fatal(err)
	}
	program, err := strconv.Atoi(strings.TrimSpace(string(children)))
	if err != nil {
		t.Fatalf("the shell's only child is not found: %q", children)
	}
	if err := syscall.Kill(program, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	term.waitFor("the shell, and its terminal as it was", func(string) bool {
		out := term.output()
		return strings.Contains(out, "the shell goes on") && strings.Contains(out, "\x1b[?1049l") && modes(t, term) == shell
	})
	restored(t, term.output())
	term.press("q", enter)
	term.exit(patience)
}
