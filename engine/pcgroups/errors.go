package pcgroups

import (
	"errors"
	"fmt"

	"pcgtop/internal/unanswered"
	"pcgtop/model"
)

// What callers decide on. Test with errors.Is: the texts returned say more.
var (
	// ErrGroupNotFound: no config is stored for the group.
	ErrGroupNotFound = errors.New("consumer group not found")
	// ErrGroupDiffers: the group exists with other settings than those asked for.
	ErrGroupDiffers = errors.New("the consumer group exists with another config")
	// ErrInvalidConfig: the config breaks a rule that every library checks.
	ErrInvalidConfig = errors.New("invalid consumer group config")
	// ErrChanged: a write was refused because the config is no longer the one it
	// was made for. errors.As with *[ChangedError] gives the revisions.
	ErrChanged = errors.New("changed by someone else")
	// ErrUnusableName: a name that no stream, consumer or key can have.
	ErrUnusableName = model.ErrUnusableName
	// ErrNameCollision: a stream or consumer name is held by something else.
	ErrNameCollision = errors.New("name already taken")
	// ErrOverlap: two filters of one group match the same subjects.
	ErrOverlap = errors.New("filters overlap")
	// ErrMapped: the group's partitions are mapped by hand, so its members can
	// neither be added nor dropped one by one.
	ErrMapped = errors.New("the consumer group uses member mappings")
	// ErrPinChanged: another instance is pinned than the one to step down.
	ErrPinChanged = errors.New("another instance is pinned now")
	// ErrNotPinnable: the consumer has no priority group, so nobody is ever pinned.
	ErrNotPinnable = errors.New("the consumer has no priority group")
	// ErrServerTooOld: the server is older than 2.11, which pins, so that no instance would
	// ever get a message.
	ErrServerTooOld = errors.New("the server pins nobody: run nats-server 2.11 or later")
	// ErrConsumerGone: a static member's consumer was deleted under it, and with it
	// how far the member had come. [WithDurableGone] can make it again.
	ErrConsumerGone = errors.New("the member's consumer was deleted")
	// ErrStreamGone: the stream that the member consumes from does not exist any more.
	ErrStreamGone = errors.New("the consumer group's stream is gone")
	// ErrUnanswered: no answer came to something that was to be written, made or deleted,
	// so that it may have been done, or be done yet.
	ErrUnanswered = errors.New("no answer to what was written")
	// ErrEnded: the instance has ended, so what was waited for will not happen.
	ErrEnded = errors.New("the member has ended")
	// ErrHandlerPanic: the message handler panicked. The message is not acknowledged.
	ErrHandlerPanic = errors.New("the message handler panicked")
)

// ChangedError says that the config changed between reading and writing.
type ChangedError struct {
	Seen    uint64 // the revision that the write was made for
	Current uint64 // the revision that is stored now, 0 when unknown or none
}

func (e *ChangedError) Error() string {
	if e.Current == 0 {
		return fmt.Sprintf("%v: revision %d is not the current one", ErrChanged, e.Seen)
	}
	return fmt.Sprintf("%v: revision %d is now %d", ErrChanged, e.Seen, e.Current)
}

// Is makes errors.Is(err, ErrChanged) true.
func (e *ChangedError) Is(target error) bool { return target == ErrChanged }

// plainError has exactly the text that programs of the reference library may
// compare, and wraps what errors.Is is asked about.
type plainError struct {
	text string
	is   []error
}

func (e *plainError) Error() string   { return e.text }
func (e *plainError) Unwrap() []error { return e.is }

// maybeDone makes an error of a write wrap [ErrUnanswered] where no answer came: the
// request was sent, and then the time was up or the connection lost.
func maybeDone(err error) error {
	if unanswered.Is(err) {
		return &plainError{text: err.Error(), is: []error{ErrUnanswered, err}}
	}
	return err
}
