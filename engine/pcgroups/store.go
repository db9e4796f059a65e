package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// rollbackTimeout bounds the undoing of a half-made group, which has to happen also
// when the caller's context is what ended the making.
const rollbackTimeout = 5 * time.Second

// openBucket finds the bucket that the kind's configs are stored in. Only a bucket
// that really is not there counts as missing; any other error is told as it is.
func openBucket(ctx context.Context, js jetstream.JetStream, kind model.Kind) (jetstream.KeyValue, error) {
	kv, err := js.KeyValue(ctx, bucketName(kind))
	switch {
	case errors.Is(err, jetstream.ErrBucketNotFound):
		return nil, &plainError{
			text: fmt.Sprintf("the %s consumer group KV bucket doesn't exist: %v", kind, err),
			is:   []error{err, ErrGroupNotFound},
		}
	case err != nil:
		return nil, fmt.Errorf("open the %s consumer group KV bucket: %w", kind, err)
	}
	return kv, nil
}

// createBucket makes the bucket, as replicated as the first group's stream and always
// in files.
func createBucket(ctx context.Context, js jetstream.JetStream, kind model.Kind, replicas int) (jetstream.KeyValue, error) {
	kv, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: bucketName(kind), Replicas: replicas, Storage: jetstream.FileStorage,
	})
	if errors.Is(err, jetstream.ErrBucketExists) {
		// Somebody else made it in between, with other replicas.
		return openBucket(ctx, js, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("create the %s consumer group KV bucket: %w", kind, maybeDone(err))
	}
	return kv, nil
}

// getEntry reads what is stored about a group. A deleted, purged or expired key is
// not found.
func getEntry(ctx context.Context, kv jetstream.KeyValue, k model.Key) (jetstream.KeyValueEntry, error) {
	if err := k.CheckKey(); err != nil {
		return nil, err
	}
	entry, err := kv.Get(ctx, bucketKey(k.Stream, k.Group))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, &plainError{
			text: fmt.Sprintf("error getting the %s consumer group's config: not found", k.Kind),
			is:   []error{ErrGroupNotFound, err},
		}
	case err != nil:
		return nil, fmt.Errorf("error getting the %s consumer group's config: %w", k.Kind, err)
	}
	return entry, nil
}

// readConfig reads and checks a group's config.
func readConfig(ctx context.Context, kv jetstream.KeyValue, k model.Key) (settings, jetstream.KeyValueEntry, error) {
	if k.Stream == "" || k.Group == "" {
		return settings{}, nil, fmt.Errorf("invalid stream name or %s consumer group name", k.Kind)
	}
	entry, err := getEntry(ctx, kv, k)
	if err != nil {
		return settings{}, nil, err
	}
	s, err := loadSettings(k.Kind, entry.Value())
	return s, entry, err
}

// writeConfig replaces the value that had this revision, and nothing else.
func writeConfig(ctx context.Context, kv jetstream.KeyValue, k model.Key, value []byte, revision uint64) (uint64, error) {
	written, err := kv.Update(ctx, bucketKey(k.Stream, k.Group), value, revision)
	if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		err = changed(ctx, kv, k, revision)
	}
	if err != nil {
		return 0, fmt.Errorf("couldn't put the %s consumer group's config in the bucket: %w", k.Kind, oversize(maybeDone(err), value))
	}
	return written, nil
}

// The codes of the server's refusals where the bucket's stream has a limit of its own on a
// message, and on all of them (nats-server 2.15, errors.json).
const (
	messageTooLarge jetstream.ErrorCode = 10054
	notStored       jetstream.ErrorCode = 10077
)

// oversize says what to do where it was too large to be stored; other errors stay as they are.
func oversize(err error, value []byte) error {
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == notStored {
		return fmt.Errorf("nothing was written: the bucket is full: raise its limits (max_bytes, max_msgs), or delete groups that nobody uses: %w", err)
	}
	if !errors.Is(err, nats.ErrMaxPayload) && !(errors.As(err, &refused) && refused.ErrorCode == messageTooLarge) {
		return err
	}
	return fmt.Errorf("nothing was written: it would be %s bytes, more than the server (max_payload) or the bucket (max_msg_size) takes: give it fewer members, or raise the limit: %w",
		model.Thousands(len(value)), err)
}

// changed looks up which revision was lost to.
func changed(ctx context.Context, kv jetstream.KeyValue, k model.Key, seen uint64) *ChangedError {
	e := &ChangedError{Seen: seen}
	if entry, err := kv.Get(ctx, bucketKey(k.Stream, k.Group)); err == nil && entry.Revision() != seen {
		e.Current = entry.Revision()
	}
	return e
}

// findStream is nil without an error when there is no stream of that name.
func findStream(ctx context.Context, js jetstream.JetStream, name string) (jetstream.Stream, error) {
	s, err := js.Stream(ctx, name)
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrInvalidStreamName) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look up the stream %q: %w", name, err)
	}
	return s, nil
}

// originStream is the stream the group reads.
func originStream(ctx context.Context, js jetstream.JetStream, name string) (jetstream.Stream, error) {
	s, err := js.Stream(ctx, name)
	switch {
	case errors.Is(err, jetstream.ErrInvalidStreamName):
		return nil, err // it names the stream
	case err != nil:
		return nil, fmt.Errorf("look up the stream %q: %w", name, err)
	}
	return s, nil
}

// listConsumers lists all consumers of a stream, or fails: half a list would look whole.
func listConsumers(ctx context.Context, s jetstream.Stream) ([]*jetstream.ConsumerInfo, error) {
	lister := s.ListConsumers(ctx)
	var infos []*jetstream.ConsumerInfo
	for info := range lister.Info() {
		infos = append(infos, info)
	}
	if err := lister.Err(); err != nil {
		return nil, fmt.Errorf("list the consumers of %q: %w", s.CachedInfo().Config.Name, err)
	}
	return infos, nil
}
