package tui

import (
	"fmt"
	"reflect"

	"pcgtop/model"
)

// drift says in what the group is no longer the one that the plan was made for.
func (d *planWindow) drift(m *Model, now *model.Group) string {
	if why := m.elsewhere(d.server); why != "" {
		return why
	}
	if d.plan.Edit != nil {
		return d.editDrift(m, now)
	}
	if d.plan.Creation != nil {
		if now != nil {
			return "a group of that name exists by now"
		}
		return ""
	}
	why := drift(d.group, now)
	if why == "" && d.plan.Intent.Action == model.ActionStepDown {
		why = pinDrift(d.plan.Pins[0], now)
	}
	return why
}

// elsewhere says that another server answers than when [model.Server.Moved] said that, and
// that has nothing to do with it: what looks the same there is not.
func (m *Model) elsewhere(then string) string {
	switch now := m.live.Server.Moved(); {
	case now == then:
		return ""
	case now == "":
		return "the server that answered at first answers again"
	default:
		return now
	}
}

// renewable tells whether the plan can be made anew.
func (d *planWindow) renewable() bool {
	return (d.stale != "" || d.failed != "") && d.plan.Creation == nil && !d.applying
}

// drift says in what a group is no longer the one it was, or nothing.
func drift(then, now *model.Group) string {
	switch {
	case now == nil:
		return "the group is gone"
	case now.Unreadable != "" && then.Unreadable == "":
		return "the stored config became unreadable"
	case now.Stored() != then.Stored() || !now.Written.Equal(then.Written) || !reflect.DeepEqual(now.Config, then.Config):
		return fmt.Sprintf("revision %d ▸ %d: %s", then.Stored(), now.Stored(), model.DescribeChange(&then.Config, &now.Config))
	}
	return ""
}

// pinDrift says whether a pin is no longer the one that was shown.
func pinDrift(pin model.PinLoss, now *model.Group) string {
	switch mem := now.Member(pin.Member); {
	case mem == nil || mem.Consumer == nil:
		return pin.Member + " has no consumer any more"
	case mem.Consumer.PinID == "":
		return pin.Member + " is unpinned already"
	case mem.Consumer.PinID != pin.PinID:
		return "the pin moved: " + model.ShortID(pin.PinID) + " ▸ " + model.ShortID(mem.Consumer.PinID)
	}
	return ""
}

// refusal says why the plan cannot be applied now, or nothing.
func (d *planWindow) refusal(m *Model) string {
	switch {
	case d.failed != "":
		return d.failed
	case d.stale != "":
		return "changed meanwhile: " + d.stale
	}
	return m.writeRefusal()
}
