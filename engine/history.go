package engine

import (
	"errors"
	"strings"
	"time"

	"pcgtop/model"
)

// told is what an applied or refused plan is remembered by: an event, and where the
// config was written the state before and after, so that it can be undone.
func (e *Engine) told(p *model.Plan, done Outcome, err error) []model.Observation {
	now := time.Now().UTC()
	event := model.Event{At: now, Kind: model.EventAction, Key: p.Key, Text: done.Text}
	if a := p.Intent.Action; (a == model.ActionStepDown || a == model.ActionRemoveID) && len(p.Intent.Members) == 1 {
		event.Member = p.Intent.Members[0]
	}
	switch {
	case errors.Is(err, model.ErrUnsure):
		event.Text = err.Error()
	case err != nil && done.Text == "":
		event.Text = describe(p) + " refused: " + strings.TrimPrefix(err.Error(), describe(p)+": ")
	}
	list := []model.Observation{model.EventSeen{Event: event}}
	if done.Text == "" {
		return list
	}
	applied := model.Applied{At: now, Key: p.Key, Action: p.Intent.Action, Text: describe(p)}
	if p.WritesConfig() {
		applied.Before, applied.From = p.Base, p.Revision
		applied.After, applied.To = after(p), done.Revision
	}
	return append(list, model.AppliedSeen{Applied: applied})
}

// after is the config that a plan writes.
func after(p *model.Plan) model.Config {
	c := p.Base
	c.Members, c.Mappings = p.Members, p.Mappings
	return c
}
