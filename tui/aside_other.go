//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd

package tui

import (
	"errors"
	"os"
)

// Without file descriptors of this kind standard error stays where it is.
func duplicate(int) (*os.File, error) { return nil, errors.ErrUnsupported }

func redirect(int, int) error { return errors.ErrUnsupported }

func widen(*os.File) {}
