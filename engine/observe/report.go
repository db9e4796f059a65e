package observe

import (
	"time"

	"pcgtop/model"
)

// sameError is how long the same error of the connection is not told again.
const sameError = time.Minute

// report tells as an event what the connection says of itself, or returns a panic.
func (o *Observer) report(err error, emit func(...model.Observation)) error {
	if isPanic(err) {
		return err
	}
	o.opts.Log.Warn("nats", "error", err)
	if text := err.Error(); time.Since(o.reported[text]) > sameError {
		o.reported[text] = time.Now()
		emit(model.EventSeen{Event: model.Event{Kind: model.EventLink, Text: "the connection reports: " + text}})
	}
	return nil
}

// reportAll is [Observer.report] of all that was not taken yet, without what was not
// permitted: whoever asks again is told again.
func (o *Observer) reportAll(emit func(...model.Observation)) error {
	for {
		select {
		case err := <-o.async:
			if _, denied := parseDenial(err.Error()); denied {
				continue
			}
			if err := o.report(err, emit); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}
