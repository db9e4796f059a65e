package model

import "fmt"

// flapsMost is how often a pin may change within a minute.
const flapsMost = 3

func flapping(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		n := m.Consumer.flaps()
		if n <= flapsMost {
			return Finding{}
		}
		f := Finding{Text: fmt.Sprintf("%s flaps: the pin changed %d times within a minute", m.Name, n), Hint: "a handler takes longer than the ack wait, or instances come and go"}
		if w := m.Consumer.AckWait; w > 0 && w < ackWaitLeast {
			f.Hint = fmt.Sprintf("its ack wait of %s is below %s: join with a longer one", w, ackWaitLeast)
		}
		return f
	})
}
