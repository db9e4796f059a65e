package recording

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRecorder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.gz")
	r, err := Create(name, false, false)
	if err != nil {
		t.Fatal(err)
	}
	list := session(30)
	for _, s := range list {
		r.Add(s)
	}
	r.Add(list[29]) // seen already
	// What was written can be read while it goes on, as it can when the program is killed.
	for until := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if half, err := Open(name); err == nil {
			n, problem := half.Len(), half.Problem()
			_ = half.Close()
			if n == len(list) {
				if problem != "its end is missing" {
					t.Errorf("half a recording: %q", problem)
				}
				break
			}
		}
		if time.Now().After(until) {
			t.Fatal("it is not to be read before it ends")
		}
	}
	text, err := r.Close()
	if err != nil || !strings.Contains(text, "recorded 30 pictures in ") || !strings.HasSuffix(text, " kB, to "+name) {
		t.Errorf("%q %v", text, err)
	}
	r.Add(session(31)[30])
	if _, err := r.Close(); err == nil {
		t.Error("it closes twice")
	}
	if got := open(t, name); got.Len() != len(list) || got.Problem() != "" {
		t.Errorf("%d pictures, %q", got.Len(), got.Problem())
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// TestNothingIsOverwritten unless that is asked for, and then nobody else can read it.
func TestNothingIsOverwritten(t *testing.T) {
	name := file(t, "s", []byte("precious"))
	if err := os.Chmod(name, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(name, false, false); !errors.Is(err, fs.ErrExist) || strings.Count(err.Error(), "exist") > 0 {
		t.Errorf("%v", err)
	}
	if b, _ := os.ReadFile(name); string(b) != "precious" {
		t.Errorf("%q", b)
	}
	r, err := Create(name, true, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Add(session(1)[0])
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 || open(t, name).Len() != 1 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := Create("/no/such/folder/x", false, false); err == nil || !strings.Contains(err.Error(), "/no/such/folder/x") {
		t.Errorf("%v", err)
	}
}

// TestAFullDisk ends the recording, once, with the reason.
func TestAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := start(f, true, Options{})
	for _, s := range session(5) {
		r.Add(s)
	}
	for until := time.Now().Add(20 * time.Second); r.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("nothing fails")
		}
	}
	if _, err := r.Close(); err == nil || !strings.Contains(err.Error(), "no space left") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// Two recordings to one file: the later one is whole, and the one before says that it is
// lost.
func TestTheFileIsReplacedMeanwhile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s")
	first, err := Create(name, false, false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Create(name, true, false)
	if err != nil {
		t.Fatal(err)
	}
	list := session(20)
	for _, s := range list {
		first.Add(s)
		second.Add(s)
	}
	if _, err := second.Close(); err != nil {
		t.Error(err)
	}
	if text, err := first.Close(); err == nil || !strings.Contains(err.Error(), "removed or replaced meanwhile") {
		t.Errorf("%q %v", text, err)
	}
	if r := open(t, name); r.Len() != len(list) || r.Problem() != "" {
		t.Errorf("%d pictures, %q", r.Len(), r.Problem())
	}
}
