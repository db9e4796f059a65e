package parti

import (
	"strconv"
	"strings"
)

// ParseEdit reads a change of a source as people write it, which may come to two edits:
//
//	+KEYS[:WEIGHT[:LABEL]]  a new partition; without a weight it has the strategy's default
//	-KEYS                   a partition goes
//	KEYS:[WEIGHT][:LABEL]   another weight, or label; an empty label takes it away
//
// KEYS are joined by dots, in double quotes if they hold a colon or begin with a sign.
func ParseEdit(text string) ([]Edit, error) {
	text = strings.TrimSpace(text)
	sign, rest := "", text
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
		sign, rest = text[:1], text[1:]
	}
	named, rest, err := cutKeys(rest, sign == "-")
	if err != nil {
		return nil, err
	}
	keys := strings.Split(named, ".")
	if sign == "-" {
		return []Edit{{Kind: EditRemove, Keys: keys}}, nil
	}
	weight, label, labelled := strings.Cut(rest, ":")
	n := int64(0)
	if weight = strings.TrimSpace(weight); weight != "" {
		if n, err = strconv.ParseInt(weight, 10, 64); err != nil || n < 0 {
			return nil, refuse("%q: the weight %q is no whole number of 0 or more", text, weight)
		}
	}
	label = strings.TrimSpace(label)
	if sign == "+" {
		return []Edit{{Kind: EditAdd, Keys: keys, Weight: n, Label: label}}, nil
	}
	var list []Edit
	if weight != "" {
		list = append(list, Edit{Kind: EditWeight, Keys: keys, Weight: n})
	}
	if labelled {
		list = append(list, Edit{Kind: EditLabel, Keys: keys, Label: label})
	}
	if len(list) == 0 {
		return nil, refuse("%q: want +KEYS[:WEIGHT[:LABEL]], -KEYS, or KEYS:WEIGHT[:LABEL]", text)
	}
	return list, nil
}

// cutKeys takes the keys that a text begins with off it, and the colon behind them. whole:
// there is nothing else.
func cutKeys(text string, whole bool) (keys, rest string, err error) {
	if quoted, bad := strconv.QuotedPrefix(text); bad == nil {
		keys, err = strconv.Unquote(quoted)
		if rest = text[len(quoted):]; err == nil && (rest == "" || rest[0] == ':' && !whole) {
			return keys, strings.TrimPrefix(rest, ":"), nil
		}
		return "", "", refuse("%q: there is something behind the quoted keys", text)
	}
	if keys = text; !whole {
		keys, rest, _ = strings.Cut(text, ":")
	}
	if keys == "" {
		return "", "", refuse("%q: there are no keys in it", text)
	}
	return keys, rest, nil
}

// parseEdits reads several, one partition each.
func parseEdits(texts []string) ([]Edit, error) {
	var list []Edit
	seen := map[string]bool{}
	for _, text := range texts {
		edits, err := ParseEdit(text)
		if err != nil {
			return nil, err
		}
		p := Partition{Keys: edits[0].Keys}
		if seen[p.identity()] {
			return nil, refuse("%s is named twice: say in one line what is to become of it", p.printed())
		}
		seen[p.identity()] = true
		list = append(list, edits...)
	}
	return list, nil
}

// argument is a change as the command line takes it.
func argument(text string) string {
	switch text = strings.TrimSpace(text); {
	case strings.HasPrefix(text, "+"):
		return "--add=" + text[1:]
	case strings.HasPrefix(text, "-"):
		return "--remove=" + text[1:]
	}
	return "--set=" + text
}
