// Package standin plays a Parti deployment on a real server: a leader, workers and their
// handoffs, of either version. It writes what Parti's sources say that Parti writes, with
// code of its own, so that what reads it is not tested against itself.
package standin
