package pcgroups

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
)

func transformed(source, destination string) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.>"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: source, Destination: destination}}
}

func TestCompareTransform(t *testing.T) {
	sourced := func(destinations ...string) jetstream.StreamConfig {
		c := jetstream.StreamConfig{Name: "ST", Sources: []*jetstream.StreamSource{{Name: "X"}}}
		for _, d := range destinations {
			c.Sources[0].SubjectTransforms = append(c.Sources[0].SubjectTransforms, jetstream.SubjectTransformConfig{Source: ">", Destination: d})
		}
		return c
	}
	for _, c := range []struct {
		config  jetstream.StreamConfig
		stamped uint
		why     string // empty: it fits
	}{
		{transformed("st.*", "{{partition(4,1)}}.st.{{wildcard(1)}}"), 4, ""},
		{transformed(">", "{{ Partition( 4 ) }}.>"), 4, ""},
		{transformed("st.*", "{{partition(10,1)}}.st.{{wildcard(1)}}"), 10, "stream makes 10 partitions, group covers 0-3"},
		{transformed("st.*", "{{partition(3,1)}}.st.{{wildcard(1)}}"), 3, "stream makes 3 partitions, group covers 0-3"},
		{transformed("st.*", "st.{{wildcard(1)}}.{{partition(4,1)}}"), 0, "elsewhere than in front"},
		{transformed("st.*", "{{partition(4,1)}}x.st"), 0, "elsewhere than in front"},
		{transformed("st.*", "other.{{wildcard(1)}}"), 0, "stamps no partitions"},
		{transformed("st.*", "{{partition(99999999999999999999,1)}}.x"), 0, "stamps no partitions"},
		{jetstream.StreamConfig{Name: "ST"}, 0, "has no subject transform"},
		{sourced("{{partition(4,1)}}.x.{{wildcard(1)}}", "{{partition(4)}}.>"), 4, ""},
		{sourced("{{partition(4,1)}}.x.{{wildcard(1)}}", "{{partition(8)}}.>"), 8, "stream makes 8 partitions"},
		{jetstream.StreamConfig{Name: "ST", Mirror: sourced("{{partition(4)}}.>").Sources[0]}, 4, ""},
	} {
		r := CompareTransform(c.config, 4)
		if r.Stamped != c.stamped || (r.Why == "") != (c.why == "") || !strings.Contains(r.Why, c.why) || r.Fits() != (c.why == "") {
			t.Errorf("%+v: got %+v", c.config.SubjectTransform, r)
		}
	}
}

// ENG-11: a stream that stamps otherwise than the group expects is told of, with how
// much of it no member will ever see.
func TestMessagesOutOfReach(t *testing.T) {
	beyond := uint64(0) // of 100 subjects in ten partitions
	for i := range 100 {
		if partitionOf(fmt.Sprint(i), 10) > 3 {
			beyond++
		}
	}
	stamped := jetstream.StreamConfig{Name: "ST", Subjects: []string{"0.st.*", "1.st.*", "2.st.*", "3.st.*"}}
	for _, c := range []struct {
		name    string
		config  jetstream.StreamConfig
		filters []string
		publish string
		out, of uint64
		text    string // what is told, without the count
		warns   bool
	}{
		{"ten partitions, four covered", transformed("st.*", "{{partition(10,1)}}.st.{{wildcard(1)}}"), nil, "st.%d", beyond, 100, "stream makes 10 partitions, group covers 0-3", true},
		{"no transform", jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.>"}}, nil, "st.%d", 100, 100, "stream ST stamps no partitions: it has no subject transform", true},
		{"number last", transformed("st.*", "st.{{wildcard(1)}}.{{partition(4,1)}}"), nil, "st.%d", 100, 100, `stream ST stamps the partition elsewhere than in front: its transform makes "st.{{wildcard(1)}}.{{partition(4,1)}}"`, true},
		{"as it should be", transformed("st.*", "{{partition(4,1)}}.st.{{wildcard(1)}}"), nil, "st.%d", 0, 100, "", false},
		{"stamped by its publishers", stamped, []string{"st.*"}, "3.st.%d", 0, 100, "", true},
		{"other subjects do not count", transformed("st.*", "{{partition(4,1)}}.st.{{wildcard(1)}}"), []string{"other.*"}, "st.%d", 0, 0, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.must(f.js.CreateStream(f.ctx, c.config))
			f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 4, c.filters, []string{"m1"}, nil))
			for i := range 100 {
				f.publish(fmt.Sprintf(c.publish, i))
			}
			want := "every partition is covered"
			if c.out > 0 {
				want = fmt.Sprintf("%s; %d of %d messages out of reach", c.text, c.out, c.of)
			}
			r, err := CheckReach(f.ctx, f.js, "ST", "cg")
			f.must(r, err)
			if r.String() != want || r.OutOfReach != c.out || r.Messages != c.of || r.Fits() != (c.out == 0) {
				t.Errorf("got %+v: %s\nwant %s", r, r, want)
			}
			var log journal
			f.joinStatic("cg", "m1", new(inbox).handler(""), oneByOne(wait2s.AckWait), WithLogger(log.logger()))
			if warned := strings.Contains(log.String(), "does not stamp the group's partitions"); warned != c.warns {
				t.Errorf("joining warned: %v\n%s", warned, log.String())
			}
		})
	}
}
