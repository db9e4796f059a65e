//go:build unix

package tui

import (
	"os"
	"os/signal"
	"syscall"

	tea "charm.land/bubbletea/v2"
)

// suspending gives the terminal back before the program is stopped by others, as it does
// when it stops itself, and takes it again when it goes on. resumed is told by whoever sees
// that it goes on; end ends all that.
func suspending(send func(tea.Msg), resumed <-chan struct{}) (end func()) {
	stop, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(stop, syscall.SIGTSTP)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-resumed: // nobody waits for it
			case <-stop:
				send(tea.SuspendMsg{})
				select {
				case <-stop: // from Bubble Tea, to stop the program, once it let go of the terminal
				case <-over:
					return
				}
				// A signal that Go has once caught does not stop the program any more.
				_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) // it is allowed to stop itself
				select {
				case <-resumed:
				case <-over:
					return
				}
			}
		}
	}()
	return func() {
		signal.Stop(stop)
		close(over)
	}
}

// suspend stops the program as a terminal's own key does.
func suspend() tea.Msg {
	_ = syscall.Kill(os.Getpid(), syscall.SIGTSTP) // it is allowed to stop itself
	return nil
}
