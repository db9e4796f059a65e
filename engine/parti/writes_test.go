package parti

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"pcgtop/model"
)

// In the whole package there are two calls that write: one updates the source, one deletes a
// stable id. Nothing else can be written, for there is nothing that would write it.
func TestWritesAreTwo(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	writes := []string{"Put", "PutString", "Create", "Update", "Delete", "Purge", "PurgeDeletes", "Publish", "PublishMsg", "PublishAsync", "PublishRequest", "Request", "RequestMsg",
		"CreateKeyValue", "UpdateKeyValue", "CreateOrUpdateKeyValue", "DeleteKeyValue", "CreateStream", "UpdateStream", "DeleteStream", "CreateConsumer", "DeleteConsumer", "DeleteMsg"}
	var found []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, is := d.(*ast.FuncDecl)
			if !is {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is && slices.Contains(writes, s.Sel.Name) {
					found = append(found, fmt.Sprintf("%s %s", f.Name.Name, s.Sel.Name))
				}
				return true
			})
		}
	}
	if want := []string{"editSource Update", "removeID Delete"}; !slices.Equal(found, want) {
		t.Errorf("%q, want %q", found, want)
	}
}

// What lies under one of Parti's own keys is no partition source, whatever its bucket says.
func TestOwnKeysAreNoSource(t *testing.T) {
	for key, own := range map[string]bool{
		"partitions": false, "jobs": false, "leader": true, "heartbeat.worker-0": true, "assignment._commit": true, "assignment.worker-0": true, "claims/a-b": true,
	} {
		d := newDeployment()
		at := sourceAt{"fleet-source", key}
		d.buckets[at.bucket] = bucket{place: place{bucket: at.bucket, role: roleSource, sure: true}, exists: true}
		d.state.sources[at] = record[[]Partition]{value: []Partition{{Keys: []string{"a"}}}, revision: 3}
		d.state.sourceRaw[at] = []byte(`[{"keys":["a"]}]`)
		kind, k := New(""), group("fleet", "x")
		kind.open[k] = d
		_, err := kind.Source(k)
		if (err != nil) != own {
			t.Errorf("%s: %v", key, err)
		}
		told := d.Tell(&model.Stream{}, d.state.sources[at].at)
		if slices.Contains(told.Actions, model.ActionEditSource) == own {
			t.Errorf("%s: %q", key, told.Actions)
		}
	}
}
