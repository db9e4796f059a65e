package main

import (
	"errors"
	"strings"

	"github.com/alecthomas/kong"
)

// partiPrefix is --parti PREFIX; the demo takes --parti alone.
type partiPrefix struct {
	Given bool
	Name  string
}

// Decode takes the prefix where there is one.
func (p *partiPrefix) Decode(ctx *kong.DecodeContext) error {
	p.Given = true
	next := ctx.Scan.Peek()
	if text, is := next.Value.(string); next.Type != kong.EOLToken && is && (next.Type == kong.FlagValueToken || !strings.HasPrefix(text, "-")) {
		return ctx.Scan.PopValueInto("prefix", &p.Name)
	}
	return nil
}

// check says what is wrong with the flag for a command that connects to a server.
func (p partiPrefix) check(demo bool) error {
	switch {
	case demo && p.Name != "":
		return errors.New("--parti takes no value with demo; name the group before it")
	case !demo && p.Given && p.Name == "":
		return errors.New("--parti wants what the buckets' names begin with")
	}
	return nil
}
