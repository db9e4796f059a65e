package parti

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Partition is one of what a deployment shares among its workers. Its keys identify it.
type Partition struct {
	Keys   []string `json:"keys"`
	Weight int64    `json:"weight"`
	Label  string   `json:"label,omitempty"`
}

// identity is the keys as one text that no other keys make: they cannot hold a NUL in a
// subject.
func (p Partition) identity() string { return strings.Join(p.Keys, "\x00") }

// dotted is how the partition is written in subjects.
func (p Partition) dotted() string { return strings.Join(p.Keys, ".") }

// printed is the same for a line of text: in quotes if it would break it.
func (p Partition) printed() string {
	name := p.dotted()
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return strconv.Quote(name)
	}
	return name
}

// dashed is how it is written in claims; other keys can make the same.
func (p Partition) dashed() string { return strings.Join(p.Keys, "-") }

// names are the partitions' names, none twice: keys with dots in them, which should not
// be, are told as a list.
func names(list []Partition) []string {
	count := make(map[string]int, len(list))
	for _, p := range list {
		count[p.dotted()]++
	}
	out := make([]string, len(list))
	for i, p := range list {
		if out[i] = p.dotted(); count[out[i]] > 1 || out[i] == "" {
			raw, _ := json.Marshal(p.Keys) // strings always can be
			out[i] = string(raw)
		}
	}
	return out
}

// compare orders partitions by their keys, numbers in them by value.
func (p Partition) compare(q Partition) int { return slices.CompareFunc(p.Keys, q.Keys, natural) }

// natural compares texts so that p2 comes before p10.
func natural(a, b string) int {
	for i, j := 0, 0; ; {
		if i == len(a) || j == len(b) {
			if c := cmp.Compare(len(a)-i, len(b)-j); c != 0 {
				return c
			}
			return strings.Compare(a, b)
		}
		x, y := number(a[i:]), number(b[j:])
		if x == "" || y == "" {
			if c := cmp.Compare(a[i], b[j]); c != 0 {
				return c
			}
			i, j = i+1, j+1
			continue
		}
		m, n := strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Compare(len(m), len(n)); c != 0 {
			return c
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		i, j = i+len(x), j+len(y)
	}
}

// number is the digits that a text begins with.
func number(s string) string {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n]
}
