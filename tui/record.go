package tui

import (
	"time"

	"pcgtop/keymap"
	"pcgtop/model"
)

// recorder is the recording that goes on.
type recorder struct {
	Recording
	begun time.Time // when the first snapshot of it was taken
}

// draw says in the header that it goes on, and since when.
func (rec *recorder) draw(m *Model) func(*row) {
	return func(r *row) {
		r.put(m.theme.bad, "● ").put(m.theme.text, "rec").gap(1).put(m.theme.dim, lasting(m.live.Taken.Sub(rec.begun)))
	}
}

// record writes the newest snapshot, if a recording goes on.
func (m *Model) record(s *model.Snapshot) {
	if m.recorder == nil {
		return
	}
	if err := m.recorder.Err(); err != nil {
		m.recorder.Close() // it has said why
		m.recorder = nil
		m.say(sorry, reason(err)+"; what was written before can be replayed")
		return
	}
	m.recorder.Add(s)
}

// toggleRecording asks for a file to record to, or ends the recording.
func (m *Model) toggleRecording() {
	if m.recorder != nil {
		m.endRecording()
		return
	}
	if why := m.recordingRefusals()[keymap.Record]; why != "" {
		m.say(sorry, why)
		return
	}
	name := "pcgtop-" + m.live.Taken.In(m.opts.Zone).Format("20060102-150405") + ".jsonl.gz"
	m.push(&lineWindow{title: "Record", label: "file", input: input{name}, done: m.startRecording, hints: []string{
		"what is shown from now on, for pcgtop replay;", "compressed when the name ends in .gz"}})
}

func (m *Model) startRecording(file string) error {
	r, err := m.opts.Record(file)
	if err != nil {
		return err
	}
	m.recorder = &recorder{r, m.live.Taken}
	m.recorder.Add(m.live)
	m.say(good, "recording to "+file)
	return nil
}

// endRecording ends the recording that goes on, if one does.
func (m *Model) endRecording() {
	if m.recorder == nil {
		return
	}
	text, err := m.recorder.Close()
	m.recorder = nil
	if err != nil {
		m.say(sorry, reason(err))
		return
	}
	m.say(good, text)
}

// recordingRefusals says what cannot be done because of what is shown.
func (m *Model) recordingRefusals() map[keymap.ID]string {
	off := map[keymap.ID]string{}
	switch {
	case m.opts.Player != nil:
		off[keymap.Record] = "this is a recording already"
		off[keymap.ReadNow] = "this is a recording: there is nothing to read"
	case m.opts.Record == nil:
		off[keymap.Record] = "there is nowhere to record to"
	}
	return off
}
