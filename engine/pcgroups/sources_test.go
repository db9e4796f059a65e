package pcgroups

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// A filter that matches nothing is refused only where that is certain.
func TestCheckSources(t *testing.T) {
	for name, c := range map[string]struct {
		stream jetstream.StreamConfig
		filter string
		fits   bool
	}{
		"matches":             {jetstream.StreamConfig{Subjects: []string{"a.*", "b.>"}}, "b.*.*", true},
		"a part":              {jetstream.StreamConfig{Subjects: []string{"a.x"}}, "a.*", true},
		"everything":          {jetstream.StreamConfig{Subjects: []string{"a.x"}}, ">", true},
		"another":             {jetstream.StreamConfig{Subjects: []string{"a.*", "b.>"}}, "c.*", false},
		"too long":            {jetstream.StreamConfig{Subjects: []string{"a.*"}}, "a.*.*", false},
		"fed by a stream":     {jetstream.StreamConfig{Subjects: []string{"a.*"}, Sources: []*jetstream.StreamSource{{Name: "X"}}}, "c.*", true},
		"a mirror":            {jetstream.StreamConfig{Mirror: &jetstream.StreamSource{Name: "X"}}, "c.*", true},
		"transforms subjects": {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "c.{{wildcard(1)}}"}}, "c.*", true},
		"as it was taken":     {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "c.{{wildcard(1)}}"}}, "a.*", false},
		"transforms a part":   {jetstream.StreamConfig{Subjects: []string{"a.>"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "c.{{wildcard(1)}}"}}, "a.*.*", true},
		"transforms all":      {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "", Destination: "c.>"}}, "a.*", false},
		"stamped in front":    {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "{{partition(4,1)}}.a.{{wildcard(1)}}"}}, "*.a.*", true},
		"the stamp forgotten": {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "{{partition(4,1)}}.a.{{wildcard(1)}}"}}, "a.*", false},
		"several tokens":      {jetstream.StreamConfig{Subjects: []string{"a.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "a.*", Destination: "b.{{split(1,-)}}"}}, "b.*.*.x", true},
	} {
		err := CheckSources(model.KindElastic, c.stream, []model.Filter{{Subject: ">"}, {Subject: c.filter}})
		if (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckSources(model.KindElastic, jetstream.StreamConfig{Subjects: []string{"a.*"}}, nil); err != nil {
		t.Error(err)
	}
}

// A static group's filters are those of the subjects behind the partition.
func TestCheckSourcesOfAStaticGroup(t *testing.T) {
	stamps := jetstream.StreamConfig{Name: "P", Subjects: []string{"payments.*"}, SubjectTransform: &jetstream.SubjectTransformConfig{Source: "payments.*", Destination: "{{partition(8,1)}}.payments.{{wildcard(1)}}"}}
	for filter, fits := range map[string]bool{"payments.*": true, "payments.x": true, ">": true, "nosuch.*": false, "*.payments.*": false} {
		if err := CheckSources(model.KindStatic, stamps, []model.Filter{{Subject: filter}}); (err == nil) != fits {
			t.Errorf("%s: %v", filter, err)
		}
	}
	err := CheckSources(model.KindStatic, stamps, []model.Filter{{Subject: "*.payments.*"}})
	if want := `filter "*.payments.*" matches no subject that stream P stores behind the partition in front, which a static group's filters leave out: give payments.*, or a part of it`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	bare := stamps
	bare.SubjectTransform = &jetstream.SubjectTransformConfig{Source: "payments.*", Destination: "paid.{{wildcard(1)}}"}
	if err := CheckSources(model.KindStatic, bare, []model.Filter{{Subject: "nosuch.*"}}); err == nil || !strings.HasSuffix(err.Error(), "stores, which are paid.*") {
		t.Errorf("no partition is in front: %v", err)
	}
	if err := CheckSources(model.KindStatic, jetstream.StreamConfig{Subjects: []string{"a.*"}}, []model.Filter{{Subject: "b.*"}}); err != nil {
		t.Errorf("whoever publishes may stamp: %v", err)
	}
	if why := StampedAlready(stamps); why == "" || StampedAlready(jetstream.StreamConfig{Subjects: []string{"a.*"}}) != "" {
		t.Errorf("stamped: %q", why)
	}
}
