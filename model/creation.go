package model

import (
	"fmt"
	"strconv"
	"strings"
)

// Creation is a group that is to be made, and what will be made for it.
type Creation struct {
	Config     Config      `json:"config"`
	WorkStream string      `json:"work_stream,omitempty"` // of an elastic group
	Transforms []Transform `json:"transforms,omitempty"`  // how the work stream's source stamps partitions
	Replicas   int         `json:"replicas,omitempty"`    // taken from the origin
	Storage    string      `json:"storage,omitempty"`     // taken from the origin: file or memory
	Warnings   []string    `json:"warnings,omitempty"`
}

// Deletion is what deleting a group would remove, and leave alone.
type Deletion struct {
	Revision    uint64   `json:"revision"` // of the config that this is about, 0: there is none
	Removed     []string `json:"removed"`
	LeftAlone   []string `json:"left_alone,omitempty"`
	AlreadyGone []string `json:"already_gone,omitempty"`
	Waiting     uint64   `json:"waiting"` // messages in the work stream that go with it
}

// NewCreation plans a group that does not exist yet.
func NewCreation(k Key, c Creation) *Plan {
	p := &Plan{Intent: Intent{Action: ActionCreate}, Key: k, Creation: &c, Warnings: c.Warnings}
	args := []string{"pcgtop", string(k.Kind), "create", k.Stream, k.Group, strconv.Itoa(c.Config.Partitions)}
	if k.Kind == KindStatic {
		form, owners := "balanced", c.Config.Members
		if c.Config.Mapped() {
			form, owners = "mapped", mappingArgs(c.Config.Mappings)
		}
		args = append([]string{"pcgtop", string(k.Kind), "create", form, k.Stream, k.Group, strconv.Itoa(c.Config.Partitions)}, owners...)
	}
	positions := false
	for _, f := range c.Config.Filters {
		args = append(args, "--filter", f.Subject)
		positions = positions || len(f.Wildcards) > 0
	}
	for _, f := range c.Config.Filters {
		if positions {
			args = append(args, "--wildcards", joined(f.Wildcards))
		}
	}
	if n := c.Config.MaxBufferedMsgs; n > 0 {
		args = append(args, "--max-buffered-msgs", strconv.FormatInt(n, 10))
	}
	if n := c.Config.MaxBufferedBytes; n > 0 {
		args = append(args, "--max-buffered-bytes", strconv.FormatInt(n, 10))
	}
	p.Command = args
	return p
}

// NewDeletion plans the removal of a group and of what is proved to be its own.
func NewDeletion(k Key, d Deletion) *Plan {
	return &Plan{Intent: Intent{Action: ActionDelete}, Key: k, Revision: d.Revision, Deletion: &d,
		Command: []string{"pcgtop", string(k.Kind), "delete", k.Stream, k.Group}}
}

func joined(numbers []int) string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = strconv.Itoa(n)
	}
	return strings.Join(list, ",")
}

// WorkTransforms are the subject transforms that an elastic group's work stream stamps
// partitions with, in the form in which they are stored (orbit.go/pcgroups v0.2.2).
func (c *Config) WorkTransforms() []Transform {
	filters := c.Filters
	if len(filters) == 0 {
		filters = []Filter{{Subject: ">"}}
	}
	list := make([]Transform, 0, len(filters))
	for _, f := range filters {
		args := strconv.Itoa(c.Partitions)
		if len(f.Wildcards) > 0 {
			args += "," + joined(f.Wildcards)
		}
		tokens, stars := strings.Split(f.Subject, "."), 0
		for i, t := range tokens {
			if t == "*" {
				stars++
				tokens[i] = fmt.Sprintf("{{Wildcard(%d)}}", stars)
			}
		}
		list = append(list, Transform{From: f.Subject, To: "{{Partition(" + args + ")}}." + strings.Join(tokens, ".")})
	}
	return list
}
