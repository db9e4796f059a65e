//go:build unix

package tui

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"
	tty "github.com/charmbracelet/x/term"
)

// keeperCommand is the argument by which the program starts itself once more, as the
// keeper of its terminal.
const keeperCommand = "keep-terminal"

// keeperPatience is how long the screen waits for its keeper. Without one it goes on.
const keeperPatience = time.Second

// inOrder is what a keeper is told when the program has given the terminal back itself.
const inOrder = "in order\n"

// mostLast bounds the last words, in bytes.
const mostLast = 1 << 20

// keep starts a keeper. Some ends leave no chance to put the terminal in order: a kill, a
// library that exits, a panic in one of its goroutines, a fatal error of the runtime. The
// keeper is a process that waits for the end of this one, does it then, and prints what was
// written to last, the last words; last is nil without a keeper. release tells it that
// there is nothing to do.
func keep() (last *os.File, release func()) {
	none := func() {}
	program, err := os.Executable()
	if err != nil || !tty.IsTerminal(os.Stdin.Fd()) || !tty.IsTerminal(os.Stdout.Fd()) {
		return nil, none
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, none
	}
	defer told.Close()
	ready, says, err := os.Pipe()
	if err != nil {
		tell.Close()
		return nil, none
	}
	defer ready.Close()
	cmd := exec.Command(program, keeperCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = told, os.Stdout, os.Stderr, []*os.File{says, os.Stdin}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what ends this group must not end it
	err = cmd.Start()
	says.Close()
	if err != nil {
		tell.Close()
		return nil, none
	}
	_ = ready.SetReadDeadline(time.Now().Add(keeperPatience))
	_, _ = ready.Read(make([]byte, 1)) // it knows now what the terminal is to be like
	return tell, func() {
		_, _ = io.WriteString(tell, inOrder)
		tell.Close()
		_ = cmd.Wait()
	}
}

// Keeper does what a keeper does, if the program was started as one, and tells whether
// it was. main and the tests' mains ask it first.
func Keeper(args []string) bool {
	if len(args) != 1 || args[0] != keeperCommand {
		return false
	}
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGTTOU, syscall.SIGPIPE)
	ready, keys := os.NewFile(3, "ready"), os.NewFile(4, "keyboard")
	before, err := tty.GetState(keys.Fd())
	ready.Close()
	if err != nil {
		return true
	}
	said := lastOf(os.Stdin) // until the end, however it comes
	if bytes.HasSuffix(said, []byte(inOrder)) {
		return true
	}
	_, _ = io.WriteString(os.Stdout, ansi.ResetModifyOtherKeys+ansi.PopKittyKeyboard(1)+
		ansi.ResetModeMouseButtonEvent+ansi.ResetModeMouseAnyEvent+ansi.ResetModeMouseExtSgr+
		ansi.ResetModeBracketedPaste+ansi.ResetModeSynchronizedOutput+ansi.ResetModeUnicodeCore+
		ansi.ResetStyle+ansi.ResetModeAltScreenSaveCursor+ansi.SetModeTextCursorEnable)
	_ = tty.Restore(keys.Fd(), before)
	_, _ = io.WriteString(os.Stderr, shown(string(said)))
	return true
}

// lastOf reads to the end and returns what came last.
func lastOf(r io.Reader) (said []byte) {
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		if said = append(said, buf[:n]...); len(said) > mostLast {
			said = said[len(said)-mostLast/2:]
		}
		if err != nil {
			return said
		}
	}
}
