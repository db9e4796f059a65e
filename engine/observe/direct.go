package observe

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// ErrNoConfig: no config is stored for the group.
var ErrNoConfig = errors.New("no config is stored")

// Stored reads a group's config as it is stored now, from the bucket's leader where
// that is permitted. The error wraps [ErrNoConfig] when there is none.
func (o *Observer) Stored(ctx context.Context, k model.Key) (model.ConfigSeen, error) {
	b := newBucket(BucketName(k.Kind))
	r, err := b.get(ctx, o.api, k.BucketKey())
	switch {
	case errors.Is(err, errNotFound), err == nil && r.Removed:
		return model.ConfigSeen{}, fmt.Errorf("%s: %w", k, ErrNoConfig)
	case err != nil:
		return model.ConfigSeen{}, fmt.Errorf("%s: %w", k, err)
	}
	return configSeen(k, *r), nil
}

// get reads one key's last value: from the stream's leader, whose word counts, or
// by a direct get where only that is permitted. A key without any message, not even
// a removal's marker, is errNotFound.
func (b *bucket) get(ctx context.Context, a *api, key string) (*Record, error) {
	r, err := b.getFromLeader(ctx, a, key)
	if errors.Is(err, errDenied) {
		return b.getDirect(ctx, a, key)
	}
	return r, err
}

func (b *bucket) getFromLeader(ctx context.Context, a *api, key string) (*Record, error) {
	var stored struct {
		answer
		Message struct {
			Seq  uint64    `json:"seq"`
			Hdrs string    `json:"hdrs"` // base64
			Data []byte    `json:"data"`
			Time time.Time `json:"time"`
		} `json:"message"`
	}
	request := map[string]string{"last_by_subj": b.prefix + key}
	if err := a.ask(ctx, "STREAM.MSG.GET."+b.stream, request, &stored); err != nil {
		return nil, err
	}
	m := stored.Message
	r := &Record{Key: key, Revision: m.Seq, At: m.Time, Value: m.Data}
	if m.Hdrs != "" {
		raw, err := base64.StdEncoding.DecodeString(m.Hdrs)
		if err != nil {
			return nil, fmt.Errorf("headers of %s: %w", key, err)
		}
		h, err := nats.DecodeHeadersMsg(raw)
		if err != nil {
			return nil, fmt.Errorf("headers of %s: %w", key, err)
		}
		r.Removed = removal(h)
	}
	return r, nil
}

// getDirect reads by $JS.API.DIRECT.GET.<stream>.<subject>: the answer is the message
// itself, with where it comes from in its headers.
func (b *bucket) getDirect(ctx context.Context, a *api, key string) (*Record, error) {
	m, err := a.raw(ctx, "DIRECT.GET."+b.stream+"."+b.prefix+key, nil)
	if err != nil {
		return nil, err
	}
	if status := m.Header.Get("Status"); status != "" {
		if status == strconv.Itoa(http.StatusNotFound) {
			return nil, fmt.Errorf("%w: %s", errNotFound, key)
		}
		return nil, fmt.Errorf("direct get of %s: %s %s", key, status, m.Header.Get("Description"))
	}
	revision, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("direct get of %s: %w", key, err)
	}
	at, err := time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp"))
	if err != nil {
		return nil, fmt.Errorf("direct get of %s: %w", key, err)
	}
	return &Record{Key: key, Revision: revision, At: at, Value: m.Data, Removed: removal(m.Header)}, nil
}

// poll follows a bucket that may not be watched: its subjects come with the stream's
// info, their values one by one, and whenever the last sequence has moved. It goes on until
// the time given, unless that is zero.
func (b *bucket) poll(ctx context.Context, l *link, ready func(), until time.Time) error {
	for until.IsZero() || time.Now().Before(until) {
		info, err := b.subjects(ctx, l)
		if err != nil {
			return err
		}
		if !info.Created.Equal(b.created) {
			return errReread
		}
		if !b.agrees(info) {
			if err := b.pollValues(ctx, l, info); err != nil {
				return err
			}
			b.settle(info)
		}
		ready()
		if _, err := pause.Until(ctx, l.opts.Health, b.poke); err != nil {
			return err
		}
	}
	return errReread
}

// subjects reads the stream's info with the list of its subjects, 100,000 at most
// (nats-server, JSMaxSubjectDetails).
func (b *bucket) subjects(ctx context.Context, l *link) (*streamInfo, error) {
	info := &streamInfo{}
	err := l.api.ask(ctx, "STREAM.INFO."+b.stream, map[string]string{"subjects_filter": b.prefix + ">"}, info)
	return info, err
}

func (b *bucket) pollValues(ctx context.Context, l *link, info *streamInfo) error {
	var gone []string
	for key := range b.known {
		if _, there := info.State.Subjects[b.prefix+key]; !there {
			gone = append(gone, key)
		}
	}
	b.drop(gone)
	for subject := range info.State.Subjects {
		key := strings.TrimPrefix(subject, b.prefix)
		r, err := b.get(ctx, l.api, key)
		switch {
		case errors.Is(err, errNotFound):
			b.drop([]string{key})
		case err != nil:
			return err
		default:
			b.take(*r)
		}
	}
	b.seen = max(b.seen, info.State.LastSeq)
	return nil
}
