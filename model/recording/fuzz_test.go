package recording

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// FuzzRead: whatever stands in a file, it is refused in a line, or its pictures are read
// or refused in any order, each alike whenever it is asked for.
func FuzzRead(f *testing.F) {
	for _, o := range []Options{{}, {Compress: true}} {
		b, err := os.ReadFile(record(f, "s", o, session(12)...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := Read("x", bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than a line: %q", err)
			}
			return
		}
		const most = 20
		n := min(r.Len(), most)
		shown := make([]string, n)
		for i := range n {
			if s, err := r.Snapshot(i); err == nil {
				shown[i] = jsonOf(t, s)
			}
			if r.Find(r.Time(i)) < i {
				t.Errorf("picture %d is not found by its time", i)
			}
			if next := r.Resume(i); next <= i || next > r.Len() {
				t.Errorf("after %d comes %d", i, next)
			}
		}
		for i := n - 1; i >= 0; i-- {
			again := ""
			if s, err := r.Snapshot(i); err == nil {
				again = jsonOf(t, s)
			}
			if again != shown[i] {
				t.Errorf("picture %d is\n%s\nand then\n%s", i, shown[i], again)
			}
		}
	})
}
