//go:build !unix

package tui

import tea "charm.land/bubbletea/v2"

// Where there are no such signals, Bubble Tea says that the program cannot be suspended.
func suspending(func(tea.Msg), <-chan struct{}) (end func()) { return func() {} }

func suspend() tea.Msg { return tea.Suspend() }
