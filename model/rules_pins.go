package model

import "fmt"

func flapping(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		if !m.Flapping() {
			return Finding{}
		}
		return Finding{Text: fmt.Sprintf("%s flaps: pinned %d times within a minute", m.Name, m.PinChangesPerMinute()), Hint: m.FlapHint()}
	})
}
