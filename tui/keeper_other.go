//go:build !unix

package tui

import "os"

// Where there are no such terminals there is nothing to keep.
func keep() (last *os.File, release func()) { return nil, func() {} }

// Keeper tells whether the program was started to keep a terminal: never, here.
func Keeper([]string) bool { return false }
