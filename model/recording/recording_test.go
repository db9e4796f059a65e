package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// TestEveryPictureComesBack: forwards, backwards and by leaps, compressed or not, and
// an unchanged group is the same value as before.
func TestEveryPictureComesBack(t *testing.T) {
	list := session(700)
	for _, o := range []Options{{Addresses: true}, {Addresses: true, Compress: true}} {
		r := open(t, record(t, "s", o, list...))
		if r.Len() != len(list) || r.Problem() != "" || len(r.fulls) < 4 {
			t.Fatalf("%d pictures of %d, %d full, problem %q", r.Len(), len(list), len(r.fulls), r.Problem())
		}
		same := func(i int) *model.Snapshot {
			t.Helper()
			s, err := r.Snapshot(i)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := plain(t, s), plain(t, list[i]); got != want {
				t.Fatalf("picture %d of %+v:\n%s\nnot\n%s", i, o, got, want)
			}
			return s
		}
		shared := 0
		var before *model.Snapshot
		for i := range list {
			s := same(i)
			if i > 0 && len(s.Groups) > 1 && len(before.Groups) > 1 && (s.Groups[0] == before.Groups[0] || s.Groups[1] == before.Groups[1]) {
				shared++
			}
			before = s
		}
		if shared < len(list)/3 {
			t.Errorf("only %d pictures share a group with the one before", shared)
		}
		for i := len(list) - 1; i > 0; i -= 37 {
			same(i)
		}
		for i := range 40 {
			same(i * 7919 % len(list))
		}
	}
}

// plain leaves out what JSON does not tell apart: no list, and an empty one.
func plain(t *testing.T, s *model.Snapshot) string {
	return strings.NewReplacer(`:null`, `:[]`).Replace(jsonOf(t, s))
}

// TestLines: the first line is a snapshot as `report -o json` prints it, and a change
// holds only what changed.
func TestLines(t *testing.T) {
	list := session(60)
	path := record(t, "s", Options{Addresses: true}, list...)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != len(list) || lines[0] != jsonOf(t, list[0]) {
		t.Errorf("%d lines, the first is\n%s", len(lines), lines[0])
	}
	for i, l := range lines[1:] {
		if !strings.Contains(l, `"schema":"pcgtop/1"`) || strings.Contains(l, `"after"`) && strings.Contains(l, `"version"`) {
			t.Errorf("line %d: %s", i+1, l)
		}
	}
}

// TestNoAddresses: neither of servers nor of instances, in whatever field; the rest of
// the text stays.
func TestNoAddresses(t *testing.T) {
	list := session(400)
	with, without := record(t, "a", Options{Addresses: true}, list...), record(t, "b", Options{}, list...)
	a, err := os.ReadFile(with)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(without)
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"10.1.2.3", "10.1.4.7", "53211", "fe80", "4011", "4222"} {
		if !bytes.Contains(a, []byte(address)) || bytes.Contains(b, []byte(address)) {
			t.Errorf("%s: with addresses %v, without %v", address, bytes.Contains(a, []byte(address)), bytes.Contains(b, []byte(address)))
		}
	}
	if !bytes.Contains(b, []byte(`"instance seen: roll-5c9d"`)) {
		t.Error("the event lost more than its address")
	}
	r := open(t, without)
	for i := range list {
		if _, err := r.Snapshot(i); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatCanBeReadIsRead: whatever happened to the file.
func TestWhatCanBeReadIsRead(t *testing.T) {
	list := session(300)
	content := func(o Options) []byte {
		b, err := os.ReadFile(record(t, "s", o, list...))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	text, zipped := content(Options{}), content(Options{Compress: true})
	lines := bytes.SplitAfter(text, []byte("\n"))
	damaged := func(i int, line string) []byte {
		next := append([][]byte{}, lines...)
		next[i] = []byte(line + "\n")
		return bytes.Join(next, nil)
	}
	for name, c := range map[string]struct {
		content []byte
		least   int
		problem string
	}{
		"cut off":          {text[:len(text)-20], 299, "its end is missing"},
		"no last line end": {bytes.TrimSpace(text), 300, ""},
		"killed":           {zipped[:len(zipped)/2], 100, "its end is missing"},
		"killed at once":   {zipped[:len(zipped)-8], 299, "its end is missing"},
		"garbage":          {damaged(150, "{garbage"), 150, "line 151: no JSON"},
		"missing":          {damaged(150, ""), 150, "line 152: it follows a snapshot that is missing"},
		"foreign":          {damaged(150, `{"a":1}`), 150, `line 151: its schema is ""`},
		"blank lines":      {bytes.ReplaceAll(text, []byte("\n"), []byte("\n\n")), 300, ""},
		"junk behind":      {append(bytes.Clone(zipped), "junk"...), 300, "after line 300: unexpected EOF"},
		"zipped twice":     {rezipped(t, text), 300, ""},
	} {
		r := open(t, file(t, "x", c.content))
		if !strings.Contains(r.Problem(), c.problem) || c.problem == "" && r.Problem() != "" || strings.Contains(r.Problem(), "\n") {
			t.Errorf("%s: %q, not %q", name, r.Problem(), c.problem)
		}
		if r.Len() < c.least {
			t.Errorf("%s: %d pictures, not %d", name, r.Len(), c.least)
		}
		for i := range r.Len() {
			if _, err := r.Snapshot(i); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
}

// rezipped is as gzip makes it: one member for all.
func rezipped(t *testing.T, text []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestNoRecording: in one line, what it is instead.
func TestNoRecording(t *testing.T) {
	first := jsonOf(t, session(1)[0])
	for name, c := range map[string]struct{ content, says string }{
		"newer":  {strings.Replace(first, "pcgtop/1", "pcgtop/2", 1), `line 1: its schema is "pcgtop/2", and this pcgtop reads pcgtop/1`},
		"empty":  {"", "it is empty"},
		"text":   {"hello\nworld\n", "line 1: no JSON"},
		"binary": {"\x00\x01\x02", "its end is missing"},
		"zip":    {"\x1f\x8bjunk", "decompressing"},
		"change": {`{"schema":"pcgtop/1","after":1,"seq":2,"taken":"2026-03-04T14:03:22Z"}`, "follows a snapshot that is missing"},
		"parts":  {`{"schema":"pcgtop/1","seq":2,"taken":"2026-03-04T14:03:22Z","groups":[` + strings.Repeat("{},", 1000) + "{}]}", "more parts than a snapshot has"},
	} {
		_, err := Open(file(t, "x", []byte(c.content)))
		if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, not %q", name, err, c.says)
		}
	}
	if _, err := Open(t.TempDir()); !errors.Is(err, ErrNone) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := Open("/no/such/file"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestLineTooLong: it is not read into memory whole.
func TestLineTooLong(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, io.LimitReader(zeros{}, maxLine+1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file(t, "x", b.Bytes())); err == nil || !strings.Contains(err.Error(), "line 1 is longer than 96 MB") {
		t.Errorf("%v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}

// TestImpossible: what no snapshot holds is refused where it is read, and the rest is
// shown.
func TestImpossible(t *testing.T) {
	list := session(300)
	b, err := os.ReadFile(record(t, "s", Options{}, list...))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	for i, bad := range []string{
		`"groups":[{"key":{"kind":"static","stream":"X","group":"y"},"members":[null]}]`,
		`"groups":[{"key":{"kind":"static","stream":"X","group":"y"},"partitions":[{"partition":0,"member":7}]}]`,
		`"groups":[{"key":{"kind":"static","stream":"X","group":"y"},"partitions":[{"partition":3,"member":-1}]}]`,
		`"groups":[{"key":{"kind":"static","stream":"X","group":"y"},"config":{"partitions":99999999}}]`,
		`"groups":[{"key":{"kind":"static","stream":"X","group":"y"},"members":[{"partitions":[4]}]}]`,
		`"groups":[7]`, `"groups":[{}]`, `"groups":"x"`, `"events":{"0":1}`, `"gone":[1]`, `"server":7`,
	} {
		next := append([][]byte{}, lines...)
		s := list[100]
		next[100] = fmt.Appendf(nil, `{"schema":"pcgtop/1","after":%d,"seq":%d,"taken":%q,%s}`+"\n", s.Seq-1, s.Seq, s.Taken.Format(time.RFC3339Nano), bad)
		r := open(t, file(t, "x", bytes.Join(next, nil)))
		if _, err := r.Snapshot(100); err == nil {
			if bad != `"groups":"x"` { // says nothing about groups
				t.Errorf("%d: %s was taken", i, bad)
			}
			continue
		}
		if _, err := r.Snapshot(99); err != nil {
			t.Errorf("%d: the picture before: %v", i, err)
		}
		if _, err := r.Snapshot(r.Resume(100)); err != nil {
			t.Errorf("%d: the next full picture: %v", i, err)
		}
	}
}

func TestFind(t *testing.T) {
	list := session(50)
	r := open(t, record(t, "s", Options{}, list...))
	for i, s := range list {
		if got := r.Find(s.Taken); got != i {
			t.Errorf("at %v: %d, not %d", s.Taken, got, i)
		}
		if got := r.Find(s.Taken.Add(time.Millisecond)); got != i {
			t.Errorf("just after %v: %d, not %d", s.Taken, got, i)
		}
	}
	if r.Find(list[0].Taken.Add(-time.Hour)) != 0 || r.Find(list[49].Taken.Add(time.Hour)) != 49 {
		t.Error("beyond the ends")
	}
}

// TestHeads: reading the beginning of a line alone tells what reading it whole does.
func TestHeads(t *testing.T) {
	b, err := os.ReadFile(record(t, "s", Options{}, session(50)...))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.SplitAfter(bytes.TrimSpace(b), []byte("\n")) {
		quick, ok := quickly(line)
		var whole head
		if err := json.Unmarshal(line, &whole); err != nil || !ok || quick != whole {
			t.Errorf("line %d: %+v %v, not %+v, %v", i+1, quick, ok, whole, err)
		}
		if _, ok := quickly(line[:len(line)/2]); ok && len(line) > 200 && line[len(line)/2-1] != '}' {
			t.Errorf("half of line %d is taken", i+1)
		}
	}
}

// TestTheLastPictureThatCanBeRead: where a picture is damaged, the one before it counts,
// and why is said.
func TestTheLastPictureThatCanBeRead(t *testing.T) {
	list := session(200)
	name := record(t, "s", Options{}, list...)
	whole := open(t, name)
	at := whole.fulls[1].picture - 1 // a change, the last one before a full line
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(raw, []byte("\n"))
	damaged := bytes.Replace(lines[at], []byte(`"ts":"20`), []byte(`"ts":"x0`), -1)
	if bytes.Equal(damaged, lines[at]) {
		t.Fatalf("no time in %s", lines[at])
	}
	lines[at] = damaged
	r := open(t, file(t, "damaged", bytes.Join(lines, nil)))
	if r.Len() != len(list) {
		t.Fatalf("%d pictures: the line was to count, and to break when it is read", r.Len())
	}
	if s, problem, err := r.Last(at); err != nil || problem == "" || s.Seq != list[at-1].Seq {
		t.Errorf("%v, problem %q", err, problem)
	}
	for _, fine := range []int{5, at + 1, len(list) - 1} {
		if s, problem, err := r.Last(fine); err != nil || problem != "" || s.Seq != list[fine].Seq {
			t.Errorf("picture %d: %v %q", fine, err, problem)
		}
	}
}
