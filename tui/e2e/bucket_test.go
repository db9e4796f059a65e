package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// mutated is a config with some bytes of it changed, doubled or left out.
func mutated(r *rand.Rand, config string) string {
	b := []byte(config)
	for range 1 + r.IntN(4) {
		i := r.IntN(len(b))
		switch r.IntN(3) {
		case 0:
			b[i] = byte(r.IntN(256))
		case 1:
			b = append(b[:i], b[i+1:]...)
		case 2:
			b = append(b[:i:i], append([]byte(config[:r.IntN(len(config))]), b[i:]...)...)
		}
	}
	return string(b)
}

// crowd is a config with so many members, of the number of partitions given.
func crowd(members, partitions int) string {
	names := make([]string, members)
	for i := range names {
		names[i] = fmt.Sprintf(`"m%05d"`, i)
	}
	return strings.Replace(elasticConfig("E00", strings.Join(names, ",")), fmt.Sprint(`"max_members":`, partitionsEach), fmt.Sprint(`"max_members":`, partitions), 1)
}

// mapped is a config with so many mappings of a partition each, of the number given.
func mapped(mappings, partitions int) string {
	list := make([]string, mappings)
	for i := range list {
		list[i] = fmt.Sprintf(`{"member":"m%05d","partitions":[%d]}`, i, i)
	}
	return strings.Replace(crowd(0, partitions), `"members":[]`, `"member_mappings":[`+strings.Join(list, ",")+`]`, 1)
}

// TestBucketFullOfRubbish: ten thousand damaged configs, the largest that a server takes
// by itself, and one with a hundred thousand mappings, for which it has to be told to take
// more, lie beside healthy groups, which are shown and judged as if they were alone, and
// keys are answered.
func TestBucketFullOfRubbish(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	a := build(t, shape{origins: 1, each: 3, run: 3})
	r := rand.New(rand.NewPCG(8, 7))
	healthy := elasticConfig("E00", `"m1","m2"`)
	for n := range 10_000 {
		if err := a.store("elastic", fmt.Sprintf("BAD.g%05d", n), mutated(r, healthy)); err != nil {
			t.Fatal(err)
		}
	}
	const most = 1<<20 - 1000 // the limit for a message of a server that nobody told otherwise, less its headers
	for key, config := range map[string]string{
		"BIG.blank":   healthy + strings.Repeat(" ", most-len(healthy)),
		"BIG.zeros":   strings.Repeat("\x00", most),
		"BIG.nested":  strings.Repeat("[", most),
		"BIG.surplus": crowd(100_000, 16),
		"BIG.crowded": crowd(100_000, 1<<16),
		"BIG.split":   crowd(2, 1<<16),
		"BIG.beyond":  crowd(2, 1<<17),
		"BIG.mapped":  mapped(1<<16, 1<<16),
		"BIG.overmap": mapped(100_000, 1<<16),
		"BIG.hollow":  strings.Replace(mapped(1, 1<<16), `mappings":[`, `mappings":[`+strings.Repeat("{},", 100_000), 1),
	} {
		if err := a.store("elastic", key, config); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case <-a.js.PublishAsyncComplete():
	case <-time.After(patience):
		t.Fatal("the configs are not stored")
	}
	began := time.Now()
	term := open(t, 160, 40, "-s", a.url)
	term.see("10,013 groups", "live")
	t.Logf("live after %v, %.0f MB", time.Since(began), term.memory("VmHWM"))
	filter := func(text string) {
		term.press("/", text, enter)
		term.see("/ "+text, "shown")
	}
	filter("E00/")
	term.see("3 of 10,013 shown", "E00/group000", "0/2")
	term.gone("unreadable") // a healthy group is read
	unfilter := func() {
		term.press(esc)
		term.gone("shown")
	}
	unfilter()
	filter("BIG/")
	term.see("10 of 10,013 shown", "max_members is 131072, more than 65536 partitions", "bad JSON: ")
	for group, want := range map[string]string{
		"surplus": "16 partitions", "crowded": "65,536 partitions", "split": "65,536 partitions", "blank": "10 partitions", "nested": "bad JSON: ",
		"mapped": "65,536 partitions of E00.* by token 1 · mapped", "overmap": "the number of member mappings must be between 1 and the max",
		"hollow": "the number of member mappings must be between 1 and the max",
	} {
		unfilter()
		filter("BIG/" + group)
		term.press(enter)
		term.see("▸ BIG/"+group, want)
		term.press("j", "j", "G", "g", esc)
		term.gone("▸ BIG/")
	}
	unfilter()
	term.press("q")
	if code := term.exit(patience); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
