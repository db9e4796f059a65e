package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// Subjects lists at most n subjects of a group's messages that contain a text, in order,
// and tells whether there may be more: of the origin for an elastic group, as stored for
// a static one. The server tells of 100,000 subjects at most (nats-server,
// JSMaxSubjectDetails); others are not looked at.
func (e *Engine) Subjects(ctx context.Context, k model.Key, part string, n int) (found []string, more bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, e.timeout)
	defer cancel()
	filters, stream := []string{">"}, k.Stream
	g := e.Current().Group(k)
	if g != nil && !slices.Contains(model.Founded(), k.Kind) {
		stream = g.ConsumeStream()
	}
	if g != nil && k.Kind == model.KindElastic && len(g.Config.Filters) > 0 {
		filters = nil
		for _, f := range g.Config.Filters {
			filters = append(filters, f.Subject)
		}
	}
	for _, filter := range filters {
		all, total, err := e.subjects(ctx, stream, filter)
		if err != nil {
			return nil, false, fmt.Errorf("subjects of %s: %w", stream, err)
		}
		more = more || total > len(all)
		for subject := range all {
			if strings.Contains(subject, part) {
				found = append(found, subject)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	return found[:min(n, len(found))], more || len(found) > n, nil
}

// subjects reads one page of a stream's subjects, and how many there are.
func (e *Engine) subjects(ctx context.Context, stream, filter string) (all map[string]uint64, total int, err error) {
	body, err := json.Marshal(map[string]string{"subjects_filter": filter})
	if err != nil {
		return nil, 0, err
	}
	var msg *nats.Msg
	asked := e.settings.APIPrefix + ".STREAM.INFO." + stream
	err = e.guard(ctx, concerns(asked), func(ctx context.Context) (err error) {
		msg, err = e.request(ctx, asked, body)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return readSubjects(msg.Data)
}

// readSubjects reads one page of subjects out of a stream's info.
func readSubjects(answer []byte) (all map[string]uint64, total int, err error) {
	if why := refusal(answer); why != "" {
		return nil, 0, errors.New(why)
	}
	var info struct {
		Total int `json:"total"`
		State struct {
			Subjects map[string]uint64 `json:"subjects"`
		} `json:"state"`
	}
	if err := json.Unmarshal(answer, &info); err != nil {
		return nil, 0, fmt.Errorf("unreadable answer: %w", err)
	}
	return info.State.Subjects, max(0, info.Total), nil
}
