// Package observe watches partitioned consumer groups on a NATS server and turns
// what it hears into [model.Observation] values.
//
// Three sources feed it. The config buckets are watched and checked against their
// streams, because a watch can go blind without an error. Advisories tell of pins,
// consumers and streams as they change. Lists of consumers and streams are read in
// turn, what is on the screen first, all under one budget of requests per second. Of the
// open group, and of no other, the pull requests are heard too: they tell its instances
// apart (pulls.go), whose connections the servers are asked for (connections.go).
//
// Everything that runs for one connection ends with it, and starts again with the
// next one by reading everything anew: see [Observer.Run].
package observe
