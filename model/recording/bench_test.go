package recording

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"pcgtop/model"
)

const demoRecording = "../../testdata/recordings/demo.jsonl.gz"

// hour is a recording of so long, made of the demo's own, which was recorded with a
// group open, again and again.
func hour(t testing.TB, long time.Duration) string {
	t.Helper()
	demo, err := Open(demoRecording)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = demo.Close() }()
	name := filepath.Join(t.TempDir(), "hour.gz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(f, Options{Addresses: true, Compress: true})
	start := demo.Time(0)
	var shift, flushed time.Duration
	for seq := uint64(1); shift < long; {
		for i := range demo.Len() {
			s, err := demo.Snapshot(i)
			if err != nil {
				t.Fatal(err)
			}
			next := *s
			next.Seq, next.Taken = seq, s.Taken.Add(shift)
			seq++
			at := next.Taken.Sub(start)
			if at > long {
				break
			}
			if err := w.Write(&next); err != nil {
				t.Fatal(err)
			}
			if at-flushed >= flushEvery {
				flushed = at
				if err := w.Flush(); err != nil {
					t.Fatal(err)
				}
			}
		}
		shift += demo.Time(demo.Len()-1).Sub(start) + 100*time.Millisecond
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// BenchmarkAnHour measures an hour of the demo: its size, how long it takes to open it
// and show its first picture, to go anywhere in it, and to show the next picture.
func BenchmarkAnHour(b *testing.B) {
	name := hour(b, time.Hour)
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			r := open(b, name)
			if _, err := r.Snapshot(0); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(r.Len()), "pictures")
		}
		b.ReportMetric(float64(info.Size())/1e6, "MB")
	})
	r := open(b, name)
	b.Run("seek", func(b *testing.B) {
		at := 0
		for b.Loop() {
			at = (at + 7919) % r.Len()
			if _, err := r.Snapshot(at); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("next", func(b *testing.B) {
		at := 0
		for b.Loop() {
			at = (at + 1) % r.Len()
			if _, err := r.Snapshot(at); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkWrite measures what recording costs for each snapshot of the demo.
func BenchmarkWrite(b *testing.B) {
	demo := open(b, demoRecording)
	var list []*model.Snapshot
	for i := range demo.Len() {
		s, err := demo.Snapshot(i)
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, s)
	}
	w, seq := NewWriter(&count{w: discard{}}, Options{Compress: true}), uint64(0)
	for b.Loop() {
		next := *list[int(seq)%len(list)]
		seq++
		next.Seq = seq
		if err := w.Write(&next); err != nil {
			b.Fatal(err)
		}
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// TestSize: five minutes of the demo take no more than their part of 5 MB an hour.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("writes thousands of pictures")
	}
	const long = 5 * time.Minute
	info, err := os.Stat(hour(t, long))
	if err != nil {
		t.Fatal(err)
	}
	if most := int64(5e6 * long / time.Hour); info.Size() > most {
		t.Errorf("%s take %d bytes, more than %d", long, info.Size(), most)
	}
}
