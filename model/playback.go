package model

import "time"

// Playback is where a recording that is shown stands.
type Playback struct {
	File    string
	Start   time.Time // of the first picture, by the clock of the recording
	End     time.Time // of the last
	At      time.Time // of the one shown
	Picture int       // its number, from 0
	Of      int       // how many there are
	Speed   float64   // 1: as it was
	Playing bool
	Problem string // what could not be read, in a line; empty: all was
}
