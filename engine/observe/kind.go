package observe

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// Kind is one kind of partitioned groups: it discovers its groups in the account and
// follows them. What can be done to a group is told along with it: see
// [model.Told].Actions.
type Kind interface {
	// Name is the kind's name, on the screens and in JSON.
	Name() model.Kind

	// Follow tells of the kind's groups until the context ends, which it does with the
	// connection; it is called again with the next one, and has to tell everything anew.
	// ready is to be called once the groups that exist are told, or cannot be; until then
	// the picture does not count as live. An error ends all watching.
	Follow(ctx context.Context, a Account, ready func()) error
}

// Actor is a kind whose groups can be changed, by the actions that [model.Action.OfKind]
// tells apart.
type Actor interface {
	Kind

	// Plan works an action out against what is known of a group. It asks nobody and returns
	// at once. The error wraps [model.ErrRefused] and says in a line what does not fit.
	Plan(k model.Key, in model.Intent) (*model.Plan, error)

	// Apply carries such a plan out as it stands, or not at all, and returns the revision
	// written; 0: none was. It works the plan out anew against what is stored: nothing of it
	// but the intent is written. The error wraps [ErrChanged] when that comes to something
	// else, or the revision is another.
	Apply(ctx context.Context, o Opener, p *model.Plan) (revision uint64, err error)
}

// ErrChanged is wrapped when what was to be written was written by somebody else meanwhile.
var ErrChanged = errors.New("changed meanwhile")

// Opener opens KV buckets that exist, and can do nothing else; [jetstream.JetStream] is one.
type Opener interface {
	KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error)
}

// Account is what a [Kind] is given of the account it watches. Nothing here writes, and
// every request takes its turn in the budget.
type Account interface {
	// Emit tells what was seen.
	Emit(...model.Observation)

	// Reads has the consumers of a stream read in turn, as a group's that is told with
	// that stream: again and again, oftener while it is on the screen. Forget ends that.
	Reads(k model.Key, stream string)
	Forget(k model.Key)

	// Bucket follows a KV bucket until the context ends, whether it exists or not, and
	// tells the ledger. ready is called when what is in it was told. The error is nil.
	Bucket(ctx context.Context, name string, l Ledger, ready func()) error

	// Streams brings the list of all streams of the account whenever it was read, the
	// newest one only. It begins when every kind is ready or has asked for it. Where the
	// streams may not be listed, nothing comes, and who waits for it counts as ready.
	Streams(ctx context.Context) <-chan []Stream

	// Consumers reads all consumers of a stream, by name.
	Consumers(ctx context.Context, stream string) ([]*model.Consumer, error)

	// Subjects counts the messages of each of a stream's subjects that match.
	Subjects(ctx context.Context, stream, filter string) (map[string]uint64, error)

	// Now is the server's time, as far as it is known.
	Now() time.Time
}

// Ledger is told what becomes of a KV bucket. One call comes at a time.
type Ledger interface {
	// Appeared: the bucket exists. lost are keys of a bucket of that name that was there
	// before, and is not the same; nil when it is.
	Appeared(info Stream, lost []string, anew bool)
	// Vanished: there is no such bucket. lost are the keys that it had.
	Vanished(lost []string, was bool)
	// Refused: it cannot be read, and why.
	Refused(why string)
	// Took: values were stored, or keys removed. The slice is good during the call only.
	Took(records []Record)
	// Dropped: keys are gone and left no trace.
	Dropped(keys []string)
}

// Record is one stored value or removal of a bucket.
type Record struct {
	Key      string
	Revision uint64
	At       time.Time // server clock
	Value    []byte
	Removed  bool
}

// Stream is one stream of the account, as listed.
type Stream struct {
	info   *streamInfo
	silent bool
}

// Unanswered is a stream of which nothing but its name is known.
func Unanswered(name string) Stream {
	s := Stream{info: &streamInfo{}, silent: true}
	s.info.Config.Name = name
	return s
}

// Answered is false when it exists and told nothing but its name, which happens in
// clusters.
func (s Stream) Answered() bool { return !s.silent }

// Name is the stream's name: KV_<bucket> for a bucket.
func (s Stream) Name() string { return s.info.Config.Name }

// Metadata is what its maker noted, without what the server does.
func (s Stream) Metadata() map[string]string { return s.info.Config.Metadata }

// Facts are its settings and its state.
func (s Stream) Facts() model.StreamFacts { return s.info.facts() }

// MaxAge is how long it keeps a message; 0: for ever.
func (s Stream) MaxAge() time.Duration { return s.info.Config.MaxAge }

// Consumers is how many it has.
func (s Stream) Consumers() int { return s.info.State.Consumers }

// Kinds are the two that pcgroups has.
func Kinds() []Kind { return []Kind{configs{model.KindStatic}, configs{model.KindElastic}} }
