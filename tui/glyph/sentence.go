package glyph

import "strings"

// Middle cuts a cleaned name to w cells, with an ellipsis in its middle: names of one kind
// differ at the end.
func Middle(s string, w int) string {
	if Width(s) <= w || w < 6 {
		return Short(s, w)
	}
	head, n := Cut(s, w/2)
	return head + "…" + Skip(s, Width(s)-(w-n-1))
}

// Names cuts every word of a cleaned sentence that takes more than w cells in its middle:
// only names are that long, and what is said of them is to be read. Lists of numbers stay,
// for one that is cut is another one.
func Names(s string, w int) string {
	words := strings.Split(s, " ")
	for i, word := range words {
		if strings.Trim(word, digits+"():;") != "" {
			words[i] = Middle(word, w)
		}
	}
	return strings.Join(words, " ")
}

// digits are what numbers, ratios and ranges of partitions consist of.
const digits = "0123456789,./-"

// Sentence cuts a cleaned sentence to w cells, as [Short] does, but leaves a number out that
// reaches the cut: nobody could tell whether it is all there.
func Sentence(s string, w int) string {
	if Width(s) <= w || w <= 0 {
		return Short(s, w)
	}
	head, _ := Cut(s, w-1)
	head = strings.TrimRight(head, " ")
	if cut := strings.TrimRight(head, digits+"+~≤"); cut == "" || strings.ContainsAny(cut[len(cut)-1:], " (") {
		head = cut
	}
	return strings.TrimRight(head, " (…") + "…"
}
