//go:build darwin || freebsd || netbsd || openbsd

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
func redirect(from, to int) error { return syscall.Dup2(from, to) }

// widen does nothing where a pipe grows by itself.
func widen(*os.File) {}
