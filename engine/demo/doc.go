// Package demo runs partitioned consumer groups to look at: an embedded nats-server
// on a loopback port of its own, with storage in a temporary folder, streams with
// steady traffic, and real members on connections of their own. Nothing in it is
// played but Parti's leaders and workers: the same screens and commands work on it as on
// any account.
package demo
