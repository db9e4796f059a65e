package recording

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"pcgtop/model"
)

// head is what the order of lines is told by. It stands first in each.
type head struct {
	Schema string    `json:"schema"`
	After  uint64    `json:"after,omitempty"` // 0: a full line
	Seq    uint64    `json:"seq"`
	Taken  time.Time `json:"taken"`
}

// line is a JSON object that begins with the head.
func (h head) line(rest map[string]any) ([]byte, error) {
	for _, own := range []string{"schema", "after", "seq", "taken"} {
		delete(rest, own)
	}
	first, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	more, err := json.Marshal(rest)
	if err != nil || len(rest) == 0 {
		return first, err
	}
	first[len(first)-1] = ','
	return append(first, more[1:]...), nil
}

// headOf reads the head of a line. Where it stands as it is written here, the rest of
// the line is not looked at: an hour is opened in a moment then, and what is wrong with
// the rest is found when the picture is asked for.
func headOf(line []byte) (head, error) {
	if h, ok := quickly(line); ok {
		return h, nil
	}
	var h head
	err := json.Unmarshal(line, &h)
	return h, err
}

func quickly(line []byte) (head, bool) {
	h := head{Schema: model.Schema}
	// No head is longer than this: a schema, two numbers, and a time.
	const most = 160
	if !bytes.HasSuffix(bytes.TrimRight(line, "\r\n"), []byte("}")) {
		return h, false
	}
	text := string(line[:min(len(line), most)])
	text, ok := strings.CutPrefix(text, `{"schema":"`+model.Schema+`",`)
	if !ok {
		return h, false
	}
	if rest, has := strings.CutPrefix(text, `"after":`); has {
		digits, rest, _ := strings.Cut(rest, ",")
		n, err := strconv.ParseUint(digits, 10, 64)
		if err != nil || n == 0 {
			return h, false
		}
		h.After, text = n, rest
	}
	text, ok = strings.CutPrefix(text, `"seq":`)
	digits, text, _ := strings.Cut(text, ",")
	seq, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil {
		return h, false
	}
	text, ok = strings.CutPrefix(text, `"taken":"`)
	at, _, closed := strings.Cut(text, `"`)
	taken, err := time.Parse(time.RFC3339, at)
	if !ok || !closed || err != nil {
		return h, false
	}
	h.Seq, h.Taken = seq, taken
	return h, true
}
