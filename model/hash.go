package model

import (
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Stamp is what a subject transform does with the partition number.
type Stamp struct {
	Partitions int   // how many it makes
	Wildcards  []int // positions from 1 of the wildcards that choose; none: the whole subject
	Place      int   // the token of the destination it is in; members look for it in token 0
}

// Stamp reads the partition function from a transform's destination, as nats-server does
// (subject_transform.go); false when there is none.
func (t Transform) Stamp() (Stamp, bool) {
	for place, token := range strings.Split(t.To, ".") {
		args, ok := function(token, "partition")
		if !ok {
			continue
		}
		numbers := strings.Split(args, ",")
		s := Stamp{Place: place}
		for i, n := range numbers {
			v, err := strconv.Atoi(strings.TrimSpace(n))
			if err != nil {
				return Stamp{}, false
			}
			if i == 0 {
				s.Partitions = v
			} else {
				s.Wildcards = append(s.Wildcards, v)
			}
		}
		return s, s.Partitions > 0 && s.Partitions <= math.MaxInt32 // what nats-server takes
	}
	return Stamp{}, false
}

// function reads the arguments of {{Name(arguments)}}, in any case of the name's first
// letter.
func function(token, name string) (args string, ok bool) {
	inner, ok := strings.CutPrefix(token, "{{")
	if !ok {
		return "", false
	}
	if inner, ok = strings.CutSuffix(inner, "}}"); !ok {
		return "", false
	}
	inner = strings.TrimSpace(inner)
	if len(inner) < len(name) || !strings.EqualFold(inner[:len(name)], name) {
		return "", false
	}
	inner = strings.TrimSpace(inner[len(name):])
	if inner, ok = strings.CutPrefix(inner, "("); !ok {
		return "", false
	}
	return strings.CutSuffix(inner, ")")
}

// Partition is the partition that the transform gives a subject that it takes: FNV-1a
// 32 of the chosen tokens, joined without a separator, modulo their number. False when
// the transform stamps none or does not take the subject.
func (t Transform) Partition(subject string) (int, bool) {
	s, ok := t.Stamp()
	if !ok || !Covers(t.From, subject) {
		return 0, false
	}
	h := fnv.New32a()
	if len(s.Wildcards) == 0 {
		h.Write([]byte(subject)) // a hash takes everything
		return int(h.Sum32() % uint32(s.Partitions)), true
	}
	var stars []string
	from, tokens := strings.Split(t.From, "."), strings.Split(subject, ".")
	for i, f := range from[:min(len(from), len(tokens))] { // there is nothing behind a >, whatever is written
		if f == "*" {
			stars = append(stars, tokens[i])
		}
	}
	for _, w := range s.Wildcards {
		if w < 1 || w > len(stars) {
			return 0, false
		}
		h.Write([]byte(stars[w-1]))
	}
	return int(h.Sum32() % uint32(s.Partitions)), true
}

// Lost lists the wildcards of the source, by their positions from 1, that choose the
// partition and are not carried on whole into the destination: messages that differ in
// them alone get one subject. What stands behind a > always is.
func (t Transform) Lost() []int {
	s, ok := t.Stamp()
	if !ok {
		return nil
	}
	chosen := s.Wildcards
	if len(chosen) == 0 { // the whole subject does
		for _, token := range strings.Split(t.From, ".") {
			if token == "*" {
				chosen = append(chosen, len(chosen)+1)
			}
		}
	}
	kept := map[int]bool{}
	for _, token := range strings.Split(t.To, ".") {
		if n, err := strconv.Atoi(strings.TrimPrefix(token, "$")); err == nil && token[0] == '$' {
			kept[n] = true
		}
		for _, name := range []string{"wildcard", "split", "splitfromleft", "splitfromright", "slicefromleft", "slicefromright"} {
			args, ok := function(token, name)
			first, _, _ := strings.Cut(args, ",")
			if n, err := strconv.Atoi(strings.TrimSpace(first)); ok && err == nil {
				kept[n] = true
			}
		}
	}
	var lost []int
	for _, n := range chosen {
		if !kept[n] && !slices.Contains(lost, n) {
			lost = append(lost, n)
		}
	}
	return lost
}

// plain is a transform's destination in one spelling: every library has its own.
func (t Transform) plain() string {
	tokens := strings.Split(t.To, ".")
	for i, token := range tokens {
		if strings.HasPrefix(token, "{{") {
			tokens[i] = strings.ToLower(strings.ReplaceAll(token, " ", ""))
		}
	}
	return strings.Join(tokens, ".")
}

// Stamping lists the transforms that give the group's messages their partitions: as the
// stream has them, or, while that is not known, as the config asks for.
func (g *Group) Stamping() []Transform {
	if g.Key.Kind != KindElastic {
		list := g.Stream.Transforms
		for _, s := range g.Stream.Sources { // a stream may be stamped on its way in, too
			list = append(list[:len(list):len(list)], s.Transforms...)
		}
		return list
	}
	if g.Stream.Exists && len(g.Stream.Sources) == 1 && len(g.Stream.Sources[0].Transforms) > 0 {
		return g.Stream.Sources[0].Transforms
	}
	return g.Config.WorkTransforms()
}
