//go:build race

package observe

func raceEnabled() bool { return true }
