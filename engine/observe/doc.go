// Package observe watches partitioned consumer groups on a NATS server and turns
// what it hears into [model.Observation] values.
//
// Three sources feed it. The config buckets are watched and checked against their
// streams, because a watch can go blind without an error. Advisories tell of pins,
// consumers and streams as they change. Lists of consumers and streams are read in
// turn, what is on the screen first, all under one budget of requests per second.
//
// Everything that runs for one connection ends with it, and starts again with the
// next one by reading everything anew: see [Observer.Run].
package observe
