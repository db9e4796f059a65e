package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// CheckCreation says why a group cannot be made, as far as that can be told from what
// is seen; nil when nothing speaks against it. The server may know more.
func (s *Snapshot) CheckCreation(k Key, c Config) error {
	if err := k.CheckGroup(); err != nil {
		return err
	}
	if s.Group(k) != nil {
		return fmt.Errorf("%s group %s exists already", k.Kind, k)
	}
	if err := c.CheckNew(k); err != nil {
		return err
	}
	if k.Kind == KindElastic {
		return s.workStreamTaken(k)
	}
	return s.consumersTaken(k, c)
}

// workStreamTaken: names joined by a dash can mean two things.
func (s *Snapshot) workStreamTaken(k Key) error {
	for _, g := range s.Groups {
		if g.Key.Kind == KindElastic && g.Key != k && g.Key.ConsumeStream() == k.ConsumeStream() {
			return fmt.Errorf("the work stream %s belongs to group %s", k.ConsumeStream(), g.Key)
		}
	}
	if s.hasStream(k.ConsumeStream()) {
		return fmt.Errorf("a stream %s exists: the group's work stream could not be made", k.ConsumeStream())
	}
	return nil
}

func (s *Snapshot) consumersTaken(k Key, c Config) error {
	for _, g := range s.Groups {
		if g.Key.Kind != KindStatic || g.Key.Stream != k.Stream {
			continue
		}
		for _, m := range g.deal.Members {
			for _, mine := range c.Assignment().Members {
				if g.Key.ConsumerName(m) == k.ConsumerName(mine) {
					return fmt.Errorf("the consumer %s belongs to group %s", k.ConsumerName(mine), g.Key)
				}
			}
		}
	}
	return nil
}

func (s *Snapshot) hasStream(name string) bool {
	return slices.ContainsFunc(s.streams, func(st *Stream) bool { return st.Name == name && st.Facts.Exists })
}

// CheckGroup refuses names that a group could not be stored or could not run under.
func (k Key) CheckGroup() error {
	for what, name := range map[string]string{"stream": k.Stream, "group": k.Group} {
		if name == "" {
			return fmt.Errorf("name the %s", what)
		}
	}
	if strings.ContainsAny(k.Stream, ". */>\\\t\r\n") {
		return fmt.Errorf("no stream can be called %q", k.Stream)
	}
	if err := CheckStreamLen(k.Stream); err != nil {
		return err
	}
	for _, r := range k.Stream + k.Group {
		if !strings.ContainsRune("-/_=.", r) && (r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r)) {
			return fmt.Errorf("a group's name may hold letters, digits and - / _ = . but not %q", r)
		}
	}
	if strings.HasPrefix(k.Group, ".") || strings.HasSuffix(k.Group, ".") || strings.Contains(k.Group, "..") {
		return fmt.Errorf("a dot in a group's name stands between other characters")
	}
	if k.Kind == KindStatic {
		return CheckConsumerName(k.Group, k.ConsumerName("m"))
	}
	switch name := k.ConsumeStream(); {
	case strings.ContainsAny(name, "./"):
		return fmt.Errorf("the work stream could not be called %s: it holds a dot or a slash", name)
	case len(name) > MaxNameLen:
		return fmt.Errorf("the work stream's name would be %d bytes, the limit is %d", len(name), MaxNameLen)
	}
	return nil
}

// CheckNew says which rule a new group's config breaks, by the rules of every library.
func (c *Config) CheckNew(k Key) error {
	switch {
	case c.Partitions < 1:
		return errors.New("give at least 1 partition")
	case c.Partitions > MaxPartitions:
		return fmt.Errorf("give at most %d partitions", MaxPartitions)
	}
	for i, f := range c.Filters {
		if err := f.check(k.Kind); err != nil {
			return err
		}
		for _, other := range c.Filters[:i] {
			if Overlap(other.Subject, f.Subject) {
				return fmt.Errorf("%s and %s match the same subjects", other.Subject, f.Subject)
			}
		}
	}
	if k.Kind == KindStatic && len(c.Members)+len(c.Mappings) == 0 {
		return errors.New("a static group is made with its members: name them")
	}
	if len(c.Mappings) > 0 {
		return k.checkMappings(c.Partitions, c.Mappings)
	}
	for _, m := range c.Members {
		if err := k.CheckMember(m); err != nil {
			return err
		}
	}
	return nil
}

// check is the rules for one filter; only an elastic group's choose wildcards.
func (f Filter) check(kind Kind) error {
	tokens := strings.Split(f.Subject, ".")
	stars := 0
	for i, t := range tokens {
		switch {
		case t == "":
			return fmt.Errorf("filter %q has an empty token", f.Subject)
		case t == ">" && i < len(tokens)-1:
			return fmt.Errorf("filter %s goes on after its >", f.Subject)
		case strings.ContainsFunc(t, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			return fmt.Errorf("filter %q holds white space", f.Subject)
		case t == "*":
			stars++
		}
	}
	if kind == KindStatic {
		return nil
	}
	if stars == 0 && tokens[len(tokens)-1] != ">" {
		return fmt.Errorf("filter %s needs a * or a > at its end: there is nothing to partition by", f.Subject)
	}
	for i, w := range f.Wildcards {
		switch {
		case w < 1 || w > stars:
			return fmt.Errorf("filter %s has no wildcard %d: it has %s", f.Subject, w, Count(stars, "*"))
		case slices.Contains(f.Wildcards[:i], w):
			return fmt.Errorf("filter %s: wildcard %d is chosen twice", f.Subject, w)
		}
	}
	return nil
}

// Overlap tells whether some subject matches both filters, which may hold * and >.
func Overlap(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := 0; ; i++ {
		switch {
		case i == len(as) || i == len(bs):
			return len(as) == len(bs)
		case as[i] == ">" || bs[i] == ">":
			return true
		case as[i] != bs[i] && as[i] != "*" && bs[i] != "*":
			return false
		}
	}
}
