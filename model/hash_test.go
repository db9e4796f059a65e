package model

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestPartitionHash: the vectors are what nats-server made of each subject.
func TestPartitionHash(t *testing.T) {
	raw, err := os.ReadFile("../testdata/pcgroups-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Hashes []struct{ Src, Dest, Subject, Result string } `json:"partition_hash"`
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Hashes) < 60 {
		t.Fatalf("only %d vectors", len(vectors.Hashes))
	}
	for _, v := range vectors.Hashes {
		tr := Transform{From: v.Src, To: v.Dest}
		p, ok := tr.Partition(v.Subject)
		s, _ := tr.Stamp()
		if got := strings.Split(v.Result, ".")[s.Place]; !ok || strconv.Itoa(p) != got {
			t.Errorf("%s by %s ▸ %s: partition %d (%v), the server says %s", v.Subject, v.Src, v.Dest, p, ok, got)
		}
	}
}

func TestStamp(t *testing.T) {
	for to, want := range map[string]string{
		"{{partition(4,1)}}.a.{{wildcard(1)}}":        "{4 [1] 0}",
		"{{ Partition( 10 , 1, 2 ) }}.a":              "{10 [1 2] 0}",
		"a.{{wildcard(1)}}.{{partition(3,1)}}":        "{3 [1] 2}",
		"{{partition(5)}}.>":                          "{5 [] 0}",
		"a.b":                                         "no",
		"{{partition(0,1)}}.a":                        "no",
		"{{partition(x)}}.a":                          "no",
		"{{partition(4,1}}.a":                         "no",
		"{{split(1,-)}}.a":                            "no",
		"x{{partition(4,1)}}.a.{{wildcard(1)}}suffix": "no",
	} {
		got := "no"
		if s, ok := (Transform{From: "a.*", To: to}).Stamp(); ok {
			got = strings.Join(strings.Fields(sprint(s)), " ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", to, got, want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		pattern, subject string
		want             bool
	}{
		{">", "a", true}, {">", "a.b", true}, {"a.>", "a", false}, {"a.>", "a.b.c", true}, {"a.*", "a.b", true}, {"a.*", "a.b.c", false},
		{"a.*", "a.>", false}, {"a.>", "a.>", true}, {"a.>", "a.*", true}, {"a.*", "a.*", true}, {"a.b", "a.*", false}, {"a", "a", true}, {"a.b", "a", false},
	} {
		if got := Covers(c.pattern, c.subject); got != c.want {
			t.Errorf("%s covers %s: %v", c.pattern, c.subject, got)
		}
	}
}

func TestPlace(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: &Config{Partitions: 4, Filters: []Filter{{Subject: "foo.*", Wildcards: []int{1}}}, Members: []string{"a", "b"}}},
		ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{consumer("a", "pin", epoch(), 0, 1)}})
	g := s.Group(k)
	p, why := g.Place("foo.1")
	if want, _ := (Transform{From: "foo.*", To: "{{partition(4,1)}}.x"}).Partition("foo.1"); why != "" || p.Partition != want || p.Owner == "" {
		t.Errorf("%+v, %q", p, why)
	}
	if p, why := g.Place("1.foo.x"); why != "" || p.Partition != 1 || p.Owner != "a" || p.PinID != "pin" || p.State != StatePinned {
		t.Errorf("a stored subject: %+v, %q", p, why)
	}
	for subject, want := range map[string]string{
		"bar.1": "no filter of the group takes it", "foo.*": "it is no subject that can be published to", "": "it is no subject that can be published to",
		"9.foo.x": "no filter of the group takes it", "foo": "no filter of the group takes it",
	} {
		if _, why := g.Place(subject); why != want {
			t.Errorf("%q: %q, want %q", subject, why, want)
		}
	}
}

// FuzzStamp: whatever a transform holds, reading it does not panic.
func FuzzStamp(f *testing.F) {
	f.Add("a.*", "{{partition(4,1)}}.a.{{wildcard(1)}}", "a.b")
	f.Add(">", "{{Partition(3)}}.>", "x.y.z")
	f.Add("*.*", "{{partition(2,9)}}", "a")
	f.Add("*", "{{partition(4294967296,1)}}", "a")
	f.Fuzz(func(t *testing.T, from, to, subject string) {
		tr := Transform{From: from, To: to}
		if p, ok := tr.Partition(subject); ok && p < 0 {
			t.Errorf("partition %d", p)
		}
	})
}
