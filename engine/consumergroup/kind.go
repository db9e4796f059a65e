package consumergroup

import (
	"context"
	"slices"
	"time"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// Name is what the crates' groups are called in pcgtop.
const Name model.Kind = "consumergroup"

// askAgain is how long it takes until the consumers of a stream that could be a group's,
// and is not, are looked at once more although their number did not change.
const askAgain = 30 * time.Second

// Kind finds and follows the crates' groups. It remembers, over connections, which there
// are: a group that all its members left is one until its stream goes.
type Kind struct {
	streams map[string]*candidate // those of the right shape, by name; one Follow at a time has it
}

// candidate is a stream of the right shape.
type candidate struct {
	listed    Shape     // as of the last list that told it
	group     bool      // members were seen on it
	shape     Shape     // of the stream then
	created   time.Time // of the stream
	consumers int       // as listed when they were looked at
	asked     time.Time // local clock; zero: never
}

// New makes the kind for one observer.
func New() *Kind { return &Kind{streams: map[string]*candidate{}} }

// Name is the kind's.
func (k *Kind) Name() model.Kind { return Name }

// Follow looks for groups in every list of streams. No stream is asked about anything that
// has not the shape of a group's.
func (k *Kind) Follow(ctx context.Context, a observe.Account, ready func()) error {
	lists := a.Streams(ctx)
	for name, c := range k.streams {
		if c.group {
			c.tell(a, name)
		}
		c.asked = time.Time{} // what happened meanwhile is not known
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case list := <-lists:
			k.look(ctx, a, list)
			ready()
		}
	}
}

// look compares a list of streams with what is known of the last.
func (k *Kind) look(ctx context.Context, a observe.Account, list []observe.Stream) {
	there := make(map[string]bool, len(list))
	for _, s := range list {
		there[s.Name()] = true
		if s.Answered() {
			k.note(a, s.Name(), s.Facts(), s.Consumers())
		}
	}
	for name := range k.streams {
		if !there[name] {
			k.drop(a, name)
		}
	}
	for name, c := range k.streams {
		if c.group && c.listed.Prefix == c.shape.Prefix || c.consumers == 0 || time.Since(c.asked) < askAgain {
			continue
		}
		c.asked = time.Now()
		if consumers, err := a.Consumers(ctx, name); err == nil && slices.ContainsFunc(consumers, c.listed.member) { // else it is tried again
			c.leave(a, name) // its members have gone over to another prefix
			c.group, c.shape = true, c.listed
			c.tell(a, name)
		}
	}
}

// note takes what a list tells of one stream.
func (k *Kind) note(a observe.Account, name string, f model.StreamFacts, consumers int) {
	shape, fits := ShapeOf(f)
	c := k.streams[name]
	if c != nil && (!c.created.Equal(f.Created) || !fits && !c.group) {
		k.drop(a, name)
		c = nil
	}
	if c == nil && !fits {
		return
	}
	if c == nil {
		c = &candidate{created: f.Created}
		k.streams[name] = c
	}
	if c.consumers != consumers || fits && c.listed.Prefix != shape.Prefix {
		c.consumers, c.asked = consumers, time.Time{}
	}
	if fits { // else it has lost its shape, which its group says
		c.listed = shape
	}
}

// drop forgets a stream, and its group if there is one.
func (k *Kind) drop(a observe.Account, name string) {
	k.streams[name].leave(a, name)
	delete(k.streams, name)
}

// leave says that the group is no more, if there was one.
func (c *candidate) leave(a observe.Account, stream string) {
	if c.group {
		a.Forget(c.key(stream))
		a.Emit(model.ConfigGone{Key: c.key(stream), At: a.Now()})
	}
}

// key is the group's: its stream can have one prefix only.
func (c *candidate) key(stream string) model.Key {
	return model.Key{Kind: Name, Stream: stream, Group: c.shape.Prefix}
}

// tell says that there is the group, and has its members read.
func (c *candidate) tell(a observe.Account, stream string) {
	a.Emit(model.GroupTold{Key: c.key(stream), Stream: stream, Teller: teller{c.shape}})
	a.Reads(c.key(stream), stream)
}

// member tells whether a consumer is a member's.
func (s Shape) member(c *model.Consumer) bool {
	_, fits := s.Filters(c)
	return fits
}
