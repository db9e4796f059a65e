package parti

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// oddities are what a value holds that this code does not know, which is no error.
type oddities struct {
	fields []string // in order
	newer  int      // a schema version beyond schemaKnown; 0: none
}

func (o *oddities) schema(version int) {
	if version > schemaKnown {
		o.newer = version
	}
}

// unknownFields are the top-level fields of a JSON object that the struct has none for.
func unknownFields[T any](object []byte, _ *T) []string {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return nil
	}
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		delete(all, name)
	}
	return slices.Sorted(maps.Keys(all))
}
