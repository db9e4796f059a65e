package e2e

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// TestResizeStorm: a window that gets another size a thousand times within seconds, with
// keys pressed all the while, shows then what a fresh one of that size shows, and rests.
func TestResizeStorm(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	s, js := ownServer(t)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}}); err != nil {
		t.Fatal(err)
	}
	for _, group := range []string{"one", "two"} {
		if _, err := orbit.CreateElastic(t.Context(), js, "ORD", group, 64, []orbit.PartitioningFilter{{Filter: "ord.*"}}, -1, -1); err != nil {
			t.Fatal(err)
		}
		if _, err := orbit.AddMembers(t.Context(), js, "ORD", group, []string{"a", "b", "c"}); err != nil {
			t.Fatal(err)
		}
	}
	numbers := regexp.MustCompile(`\d+(\.\d+)?`)
	shown := func(term *terminal) string { // but for the header, and what is measured over time
		term.see("● live", "ORD/one", "ORD/two")
		_, body, _ := strings.Cut(term.text(), "\n")
		body, _, _ = strings.Cut(body, "EVENTS") // which only the older one has
		return numbers.ReplaceAllString(body, "#")
	}
	storm := open(t, 220, 70, "-s", s.ClientURL()) // no window of the storm is larger
	storm.see("● live", "ORD/one", "ORD/two")
	keys := []string{"j", "k", enter, esc, "m", esc, "/", esc, "?", esc, "e", esc, tab}
	r := rand.New(rand.NewPCG(3, 5))
	for n := range 1000 {
		storm.size(1+r.IntN(220), 1+r.IntN(70)) // the emulator does not stand what is drawn for the size before
		if time.Sleep(3 * time.Millisecond); n%10 == 0 {
			storm.press(keys[n/10%len(keys)])
		}
	}
	storm.resize(100, 30)
	for range 8 { // one by one: a key that follows at once would be glued to it
		storm.press(esc)
		time.Sleep(100 * time.Millisecond)
	}
	fresh := open(t, 100, 30, "-s", s.ClientURL())
	for _, term := range []*terminal{storm, fresh} { // a group that was open was counted
		term.see("● live", "ORD/one", "ORD/two", "VERDICT▼", "enter open")
		term.press("g", enter)
		term.see("nothing waits there")
		term.press(esc)
	}
	storm.waitFor("what a fresh window shows", func(string) bool { return shown(storm) == shown(fresh) })
	before := storm.written()
	time.Sleep(time.Second)
	if n := storm.written() - before; n > 4096 {
		t.Errorf("it goes on drawing: %d bytes in a second", n)
	}
	for _, term := range []*terminal{storm, fresh} {
		term.press("q")
		if code := term.exit(patience); code != 0 {
			t.Errorf("exit code %d", code)
		}
		<-term.done
		restored(t, term.output())
	}
}
