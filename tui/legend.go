package tui

import (
	"pcgtop/keymap"
	"pcgtop/model"
)

// sign is a sign, a letter or a word that the screen shows, as it looks there, and what it
// means.
type sign struct {
	look  style
	text  string
	means string
}

// legend says what is to be seen on a screen that is not a word which explains itself.
func legend(t *theme, of keymap.Screen) []sign {
	switch of {
	case keymap.Overview:
		return append(append(verdictSigns(t), sign{t.text, "≥", "more may wait, where no consumer counts it"}), countSigns(t)...)
	case keymap.Group:
		return append(append(append(append(mapSigns(t), stateSigns(t)...), roleSigns(t)...), pinSign(t)), countSigns(t)...)
	case keymap.Partitions:
		return append(mapSigns(t), append(stateSigns(t), sign{t.text, "≥", "a rate of which a part leaves no trace: at least so much"}, sign{t.text, "≤", "an age that may be less by now"})...)
	case keymap.Remap:
		return []sign{
			{t.member(0), "A", "the member that is to own the partition; what it has is in the table beside"},
			{t.accent, "▸", "another member than now"},
			{t.accent, "■", "marked"},
			{t.bad, "· ✗", "nobody owns it"},
			{t.text, "5 ▸ 10", "partitions now, and then; likewise the share of the load"},
		}
	}
	return nil
}

func verdictSigns(t *theme) []sign {
	var list []sign
	for _, v := range model.Verdicts() {
		s, st := t.verdict(v)
		list = append(list, sign{st, s + " " + string(v), meansVerdict(v)})
	}
	return list
}

func meansVerdict(v model.Verdict) string {
	switch v {
	case model.VerdictUnreadable:
		return "the stored config cannot be used"
	case model.VerdictOffline:
		return "the server cannot run its stream"
	case model.VerdictBroken:
		return "it cannot work: a stream is missing, or is not as the config wants it"
	case model.VerdictStalled:
		return "messages wait and a member acknowledges none"
	case model.VerdictBehind:
		return "the lag grows"
	case model.VerdictDegraded:
		return "part of it does not work"
	case model.VerdictUnknown:
		return "not read yet"
	case model.VerdictIdle:
		return "nothing waits, nothing flows"
	}
	return "all is well"
}

func mapSigns(t *theme) []sign {
	return []sign{
		{t.member(0), "A B", "the member that owns the partition; it has the same letter among the members"},
		{t.bad, "A✗", "nobody takes its messages"},
		{t.warn, "A!", "something is wrong with its member, or its oldest message has waited for more than 10 s"},
		{t.bad, "·✗", "no member owns it"},
		{t.warn, "·?", "which member owns it cannot be told"},
		{t.ok, "███▌", "what waits there, as a share of the fullest: in red where nobody takes it, in yellow where it waits for more than 10 s, in green where it flows"},
	}
}

// states are all there are of a member, the usual ones first.
func states() []model.State {
	return []model.State{model.StatePinned, model.StateWaiting, model.StateNoPull, model.StateAbsent, model.StatePaused, model.StateNoPartition,
		model.StateCannotRun, model.StateOffline, model.StateElsewhere, model.StateForeign, model.StateUnknown}
}

func stateSigns(t *theme) []sign {
	var list []sign
	for _, s := range states() {
		mark, st := t.state(s)
		list = append(list, sign{st, mark + " " + string(s), meansState(s)})
	}
	return list
}

func meansState(s model.State) string {
	switch s {
	case model.StatePinned:
		return "one of its instances has the pin and gets the messages"
	case model.StateWaiting:
		return "instances pull and nobody is pinned: normal until the next message"
	case model.StateNoPull:
		return "its consumer is there and nobody pulls from it"
	case model.StateAbsent:
		return "it is configured and has no consumer: no instance runs"
	case model.StatePaused:
		return "its consumer is paused, for the time shown"
	case model.StateNoPartition:
		return "there are more members than partitions: it stands by"
	case model.StateCannotRun:
		return "no consumer can have that name"
	case model.StateOffline:
		return "the server cannot run its consumer"
	case model.StateElsewhere:
		return "the consumer of that name belongs to another group"
	case model.StateForeign:
		return "a consumer that nobody configured"
	}
	return "not read yet"
}

// roles are what an instance can be to the server.
func roles() []model.Role {
	return []model.Role{model.RolePinned, model.RolePerhaps, model.RoleStandby, model.RoleStale, model.RoleSilent, model.RoleUnknown}
}

func roleSigns(t *theme) []sign {
	var list []sign
	for _, r := range roles() {
		s, st := roleLook(t, &model.Instance{Role: r})
		list = append(list, sign{st, s + " " + roleWord(r), meansRole(r)})
	}
	s, st := roleLook(t, &model.Instance{Role: model.RoleStandby})
	return append(list, sign{st, s + " no consumer", "it runs, but its member's consumer is gone, or not made yet: it gets nothing"})
}

func meansRole(r model.Role) string {
	switch r {
	case model.RolePinned:
		return "the instance that gets its member's messages"
	case model.RolePerhaps:
		return "one of several of which one is pinned: their next pulls say which"
	case model.RoleStandby:
		return "it waits for the pin"
	case model.RoleStale:
		return "its last pull named a pin that is no more"
	case model.RoleUnknown:
		return "what it is cannot be told: its member's consumer was not read"
	}
	return "connected, but silent for long: busy with a message, or frozen"
}

// pinSign is of the strip of a member's pins.
func pinSign(t *theme) sign {
	return sign{t.member(0), "aab·", "who held the pin: a letter for each pin, the same for all that one instance was heard to have; · nobody"}
}

func countSigns(t *theme) []sign {
	return []sign{
		{t.text, "1 +2", "one pinned instance, and two that stand by"},
		{t.text, "1 +≤2", "at most two: their pulls were counted, not heard"},
		{t.text, "1 +…", "who stands by is still being heard; those heard are listed"},
		{t.text, "2/3", "of three members two pull"},
		{t.dim, "~", "put together from answers of different times"},
		{t.dim, "-", "not known, or not yet; 0 is known to be none"},
	}
}
