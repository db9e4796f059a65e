// Package pcgroups speaks the wire contract of partitioned consumer groups on
// NATS JetStream: it stores and edits their configs, makes and removes what a
// group consists of, and consumes as a member.
//
// # What a partitioned consumer group is
//
// A group divides a stream's messages into partitions, by tokens of their subjects,
// and the partitions among members. Each partition has one member at a time and each
// member one instance at work, so that the messages of one key are handled one after
// the other while different keys are handled in parallel. A member is a name; an
// instance is a running process of that member, of which the server pins one while the
// others stand by.
//
// A static group ([CreateStatic], [StaticConsume]) reads a stream that stamps each
// message's partition in front of its subject itself, and has the members it was made
// with. [CheckReach] tells whether the stream stamps what the group expects. An elastic
// group ([CreateElastic], [ElasticConsume]) reads any stream through a work stream of
// its own, and its members come and go: [AddMembers], [DeleteMembers],
// [SetMemberMappings].
//
// # Consuming
//
// A member's handler is called with one message at a time, a [*ConsumerGroupMsg],
// which it acknowledges. The running member is an [Instance]: it can be stopped,
// drained, waited for and asked for its state. [Option] values choose a logger, an
// observer of its changes, and how acknowledgements and slow handlers are treated.
//
// What a service does, once stream and group exist, the context being the one that ends
// when the process is told to (errors are left out):
//
//	member, err := pcgroups.ElasticConsume(ctx, js, "ORDERS", "billing", "m1", func(msg jetstream.Msg) {
//		bill(msg.Data())
//		_ = msg.Ack()
//	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1})
//	<-ctx.Done()
//	deadline, cancel := context.WithTimeout(context.Background(), 10*time.Second)
//	left, err := member.(pcgroups.Instance).Drain(deadline)
//
// Run twice with one name, the second process stands by for the first. To share the
// work, processes take names of their own, which [AddMembers] puts into the membership;
// it may be called each time one starts. A member that leaves for good first hands its
// partitions over: [DeleteMembers], WaitConsuming(ctx, false), then Stop. Several
// instances may share a connection. The package's Examples are whole programs.
//
// A message that is neither acknowledged, nor refused with Nak or Term, comes again
// after the ack wait; with MaxAckPending 1 the member's other messages wait for it.
//
// Three settings of the consumer config matter:
//
//   - MaxAckPending 1 keeps each key in order whatever happens. With more (0 is the
//     server's default, 1,000), messages
//     that were delivered and not acknowledged when an instance dies come again after
//     later ones; planned changes and clean stops keep the order all the same.
//   - AckWait bounds how long a handler may take, and everything else follows from it:
//     the pin of an instance that died is given to another one after it. Below 2 s pins
//     change at every quiet moment. It covers the time that a message is buffered behind
//     others, too: either MaxAckPending times the handler's time is shorter, or
//     [WithInProgress] is used.
//   - AckPolicy is explicit for elastic groups.
//
// A message can come more than once: after a crash, and when its handler takes longer
// than the ack wait. It is not handled twice because the membership changes, an
// instance stops or another one steps in.
//
// # What a member absorbs
//
// Lost connections, restarted servers, changed leaders, a deleted consumer and config
// watches that end or go blind: see Recovered of [Instance]. A member ends, with the
// reason, when its group was removed (nil) or changed beyond its membership, when its
// stream is gone ([ErrStreamGone]), when a static member's durable was deleted
// ([ErrConsumerGone], or as [WithDurableGone] says), when its connection is closed for
// good, and when its handler panics ([PanicError]).
//
// # A drop-in for orbit.go/pcgroups
//
// A program that uses orbit.go/pcgroups v0.2.2 moves over by changing its import
// path: the exported names, JSON tags and validation texts of that library are all
// here, with the same meaning, and calls of its functions compile as they are; only
// the types of StaticConsume and ElasticConsume differ, which take options at the end.
// Groups made by either library, or by the Java, .NET and Python ports, are
// administered and consumed by the other, also by instances of one member.
//
// What is different is written down where it happens. In short: every write is
// compare-and-set; stored configs are edited in place and never re-encoded; what
// cannot work (names no consumer can have, filters that overlap, two groups that
// want one name) is refused before anything is written; deleting removes only what
// is proved to be the group's own; a member survives the loss of its consumer, of
// its config watch and of the context it was joined with.
//
// # For programs that show a state and act on it
//
// Beside the drop-in functions there is a lower level that acts on exactly the state
// that was seen: [DecodeConfig], [EditMembership], [ApplyMembership], [UnpinMember],
// [PlanDelete] and [DeleteGroup].
//
// The facts about the wire come from orbit.go/pcgroups v0.2.2 run against
// nats-server 2.14 and 2.15.
package pcgroups
