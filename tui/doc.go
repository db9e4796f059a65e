// Package tui is the screen of pcgtop: the overview of all groups, one group, its events, and the
// windows in which a change is prepared and confirmed.
//
// It draws what a [Source] tells it and changes nothing but through an
// [Administrator], with a plan that was shown and confirmed. Nothing is optimistic: a
// change is on the screen when a snapshot shows it.
//
// The way through it: [Model] in app.go receives messages and hands key presses to the
// top window of the stack, or to the screen below (keys.go). Screens and windows draw
// [row] values (row.go), which measure, cut and sanitise text in one place (text.go);
// frame.go puts them together.
package tui
