package tui

import (
	"os"
	"syscall"
)

// duplicate opens what a file descriptor stands for once more.
func duplicate(fd int) (*os.File, error) {
	n, err := syscall.Dup(fd)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(n)
	return os.NewFile(uintptr(n), "standard error"), nil
}

// redirect lets a file descriptor stand for what another one does.
func redirect(from, to int) error { return syscall.Dup3(from, to, 0) }

// widen lets a pipe hold a megabyte, as much as anybody may ask for: what a fatal error
// writes about every goroutine has to fit, for nobody reads it then, and a full pipe would
// keep the program from ending. Where that is refused the pipe stays as it is.
func widen(pipe *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ of fcntl(2), which syscall does not name
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, pipe.Fd(), setPipeSize, 1<<20)
}
