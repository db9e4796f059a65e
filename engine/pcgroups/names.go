package pcgroups

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// Where and under which names groups live (orbit.go/pcgroups v0.2.2).
const (
	staticBucket  = "static-consumer-groups"
	elasticBucket = "elastic-consumer-groups"

	// priorityGroup is the consumer's only priority group. Older libraries used
	// the member's name instead, so whoever reads a consumer asks it.
	priorityGroup = "PCG"
)

func bucketName(kind model.Kind) string {
	if kind == model.KindElastic {
		return elasticBucket
	}
	return staticBucket
}

func groupKey(kind model.Kind, stream, group string) model.Key {
	return model.Key{Kind: kind, Stream: stream, Group: group}
}

// bucketKey is the key a group's config is stored under. Unlike [model.Key] it
// keeps the dot when the stream is empty, as the reference does.
func bucketKey(stream, group string) string { return stream + "." + group }

// CheckMemberName tells whether a consumer could have this name. A member with any
// other name would own partitions that nobody can ever consume. Letters of any
// script are fine; the limit is 255 bytes, less the prefix "<group>-" if the group
// is static. The error wraps [ErrUnusableName].
func CheckMemberName(name string) error { return model.CheckMemberName(name) }

var keyForm = regexp.MustCompile(`^[-/_=.a-zA-Z0-9]+$`)

// checkGroupName refuses a group whose config could be stored, or not even that,
// but that could never have a work stream or consumers.
func checkGroupName(k model.Key) error {
	if k.Stream == "" || k.Group == "" {
		return &plainError{text: fmt.Sprintf("invalid stream name or %s consumer group name", k.Kind), is: []error{ErrUnusableName}}
	}
	if strings.ContainsAny(k.Stream, ". */>\\\t\r\n") {
		return &plainError{
			text: fmt.Sprintf("%v: %q", jetstream.ErrInvalidStreamName, k.Stream),
			is:   []error{jetstream.ErrInvalidStreamName, ErrUnusableName},
		}
	}
	key := k.BucketKey()
	if !keyForm.MatchString(key) || strings.HasPrefix(key, ".") || strings.HasSuffix(key, ".") || strings.Contains(key, "..") {
		return &plainError{text: jetstream.ErrInvalidKey.Error(), is: []error{jetstream.ErrInvalidKey, ErrUnusableName}}
	}
	if k.Kind == model.KindStatic {
		// The shortest consumer name the group could have.
		return model.CheckConsumerName(k.Group, k.ConsumerName("m"))
	}
	name := k.ConsumeStream()
	switch {
	case strings.ContainsAny(name, "./"):
		return &plainError{
			text: fmt.Sprintf("can't create the elastic consumer group's stream: %v: %q", jetstream.ErrInvalidStreamName, name),
			is:   []error{jetstream.ErrInvalidStreamName, ErrUnusableName},
		}
	case len(name) > model.MaxNameLen:
		return fmt.Errorf("%w: the work stream's name would be %d bytes, the limit is %d", ErrUnusableName, len(name), model.MaxNameLen)
	}
	return nil
}
