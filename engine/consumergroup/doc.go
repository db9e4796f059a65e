// Package consumergroup finds and follows the groups of the Rust consumergroup crates.
// They keep no config: a group is known by the shape of its stream, a work queue that
// stamps a partition number behind a prefix into every subject, and of its members'
// consumers, whose filters name the numbers that each one takes. That is all there is to
// see; how the crates will split the numbers next is not predicted.
package consumergroup
