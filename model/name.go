package model

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNameLen is the server's limit for the names of streams and consumers, in bytes
// (nats-server 2.15, JSMaxNameLen).
const MaxNameLen = 255

// MaxKeyLen is how long a config's key may be for a request to name it, in bytes: what is
// longer than a line of the protocol (nats-server 2.15, max_control_line: 4,096 bytes, with
// the subject and the inbox) ends the connection.
const MaxKeyLen = 3800

// CheckKey says why no request can name the group's config, or returns nil.
func (k Key) CheckKey() error {
	if n := len(k.BucketKey()); n > MaxKeyLen {
		return unusable(shorten(k.String()), fmt.Sprintf("its config's key is %s bytes, a request names at most %s", Thousands(n), Thousands(MaxKeyLen)))
	}
	return nil
}

// CheckStreamLen says that no stream can have so long a name, or returns nil.
func CheckStreamLen(name string) error {
	if len(name) > MaxNameLen {
		return unusable(shorten(name), fmt.Sprintf("a stream's name is at most %d bytes, this has %s", MaxNameLen, Thousands(len(name))))
	}
	return nil
}

// ErrUnusableName is wrapped by every refusal of a name that no stream, consumer or key
// can have.
var ErrUnusableName = errors.New("unusable name")

// CheckMemberName says why no consumer can carry the name, or returns nil. Letters of
// any script are fine. A member with an unusable name would own partitions that nobody
// can ever consume.
func CheckMemberName(name string) error { return CheckConsumerName(name, name) }

// CheckMember is [CheckMemberName] for a member of this group: the name of its consumer,
// which may have a prefix, has to be short enough.
func (k Key) CheckMember(name string) error {
	if name == "" {
		return unusable(name, "it is empty")
	}
	return CheckConsumerName(name, k.ConsumerName(name))
}

// CheckConsumerName says why the consumer of that name, which stands for the member,
// cannot exist, or returns nil.
func CheckConsumerName(member, consumer string) error {
	switch {
	case consumer == "":
		return unusable(member, "it is empty")
	case len(consumer) > MaxNameLen:
		return unusable(shorten(member), fmt.Sprintf("its consumer's name would be %d bytes, the limit is %d", len(consumer), MaxNameLen))
	case !utf8.ValidString(consumer):
		return unusable(member, "it is not valid UTF-8")
	}
	for _, r := range consumer {
		if strings.ContainsRune(" .*>/\\", r) {
			return unusable(member, fmt.Sprintf("it holds %q", r))
		}
		if unicode.IsControl(r) {
			return unusable(member, fmt.Sprintf("it holds the control character %U", r))
		}
	}
	return nil
}

func unusable(name, why string) error {
	return fmt.Errorf("%w %q: %s", ErrUnusableName, name, why)
}

// shorten keeps an over-long name from filling the screen.
func shorten(name string) string {
	const keep = 32
	if len(name) <= keep {
		return name
	}
	cut := keep
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + "…"
}
