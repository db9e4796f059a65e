// Package e2e drives the real binary in a pseudo terminal, with a terminal emulator
// as its screen, as a person would. It holds tests only.
package e2e
