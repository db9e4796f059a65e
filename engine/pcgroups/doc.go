// Package pcgroups speaks the wire contract of partitioned consumer groups on
// NATS JetStream: it stores and edits their configs, makes and removes what a
// group consists of, and consumes as a member.
//
// A program that uses orbit.go/pcgroups v0.2.2 moves over by changing its import
// path: the exported names, signatures, JSON tags and validation texts of that
// library are all here, with the same meaning. Groups made by either library, or
// by the Java, .NET and Python ports, are administered and consumed by the other.
//
// What is different is written down where it happens. In short: every write is
// compare-and-set; stored configs are edited in place and never re-encoded; what
// cannot work (names no consumer can have, filters that overlap, two groups that
// want one name) is refused before anything is written; deleting removes only what
// is proved to be the group's own; a member survives the loss of its consumer, of
// its config watch and of the context it was joined with.
//
// Beside the drop-in functions there is a lower level for programs that show a
// state and act on exactly that state: [DecodeConfig], [EditMembership],
// [ApplyMembership], [UnpinMember], [PlanDelete] and [DeleteGroup].
//
// The facts about the wire come from orbit.go/pcgroups v0.2.2 run against
// nats-server 2.14 and 2.15.
package pcgroups
