package pcgroups

import (
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
	} {
		err := CheckSources(c.stream, []model.Filter{{Subject: ">"}, {Subject: c.filter}})
		if (err == nil) != c.fits {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckSources(jetstream.StreamConfig{Subjects: []string{"a.*"}}, nil); err != nil {
		t.Error(err)
	}
}
