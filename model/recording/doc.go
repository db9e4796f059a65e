// Package recording writes what a session saw to a file, and reads and plays such
// files. It depends on the model and the standard library alone.
//
// A recording is text, a JSON object a line. A full line is a [model.Snapshot] in its
// one JSON form. A change line holds what became different since the line before:
//
//	{"schema":"pcgtop/1","after":41,"seq":42,"taken":"…","link":{"heard":"…"},
//	 "groups":[{"key":{…},"pending":7,"members":{"1":{"consumer":{"pending":4}}}}],
//	 "gone":[{…}],"events":[{…}],"forgot":[12]}
//
// "after" is the seq of the snapshot that it changes. Objects are merged member by
// member, null removes one; an object in place of a list changes elements by their
// position; anything else replaces. Groups are found by their key, "gone" are the keys
// of those that are no more. "events" are new ones, "forgot" the numbers of those that
// left the list.
//
// A new full line comes when the changes take [refull] times the room of the last, so
// that any moment is found without reading all before it. In a compressed file every
// full line begins a gzip member of its own, for the same reason.
//
// The way through it: [Writer] makes lines (changes.go, patch.go), [Recorder] writes
// them to a file while a session goes on, [Open] finds the pictures of a file (scan.go,
// recording.go), and [Player] shows them in time.
package recording
