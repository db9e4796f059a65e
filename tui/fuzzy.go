package tui

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fuzzy tells whether all words fit a name, and how well: a word fits where its letters
// follow each other in the name, better where they stand together, and best where they
// begin a word. hits are the bytes of the name that fit.
func fuzzy(words []string, name string) (score int, hits []int, ok bool) {
	score, ok = suits(words, name, &hits)
	if !ok {
		hits = nil
	}
	return score, hits, ok
}

// suits is fuzzy that adds the bytes to a list, or without one leaves them.
func suits(words []string, name string, hits *[]int) (score int, ok bool) {
	plain := strings.ToLower(name)
	if len(plain) != len(name) { // bytes no longer stand for the same letters
		plain = name
	}
	for _, w := range words {
		s, ok := fits(strings.ToLower(w), plain, hits)
		if !ok {
			return 0, false
		}
		score += s
	}
	if len(words) > 0 {
		score -= len(name) / 8 // of two that fit, the one that says less beside it
	}
	return score, true
}

func fits(word, name string, hits *[]int) (score int, ok bool) {
	hit := func(at, n int) {
		for i := 0; hits != nil && i < n; i++ {
			*hits = append(*hits, at+i)
		}
	}
	if at := together(word, name); at >= 0 {
		hit(at, len(word))
		score = 100 + 4*len(word) - min(at, 40)
		if begins(name, at) {
			score += 60
		}
		return score, true
	}
	at := 0
	for from, to := 0, 0; from < len(word); from = to {
		_, size := utf8.DecodeRuneInString(word[from:])
		to = from + size
		i := strings.Index(name[at:], word[from:to])
		if i < 0 {
			return 0, false
		}
		if begins(name, at+i) {
			score += 12
		}
		score += 4 - min(i, 8)
		hit(at+i, size)
		at += i + size
	}
	return score, true
}

// together finds a word within a name, at the beginning of one of its words if it can.
func together(word, name string) int {
	first := strings.Index(name, word)
	for at := first; at >= 0; {
		if begins(name, at) {
			return at
		}
		next := strings.Index(name[at+1:], word)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return first
}

// begins tells whether a word of the name begins at a byte.
func begins(name string, at int) bool {
	if at == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(name[:at])
	return !unicode.IsLetter(before) && !unicode.IsDigit(before)
}
