package pcgroups

import (
	"context"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// These fail to compile when a function is called in another way than the
// reference's: each pair has one signature, but for the types of the package.
var (
	_ = []func(context.Context, jetstream.JetStream, string, string) error{
		DeleteStatic, orbit.DeleteStatic, DeleteElastic, orbit.DeleteElastic, DeleteMemberMappings, orbit.DeleteMemberMappings,
	}
	_ = []func(context.Context, jetstream.JetStream, string, string, string) error{
		StaticMemberStepDown, orbit.StaticMemberStepDown, ElasticMemberStepDown, orbit.ElasticMemberStepDown,
	}
	_ = []func(context.Context, jetstream.JetStream, string) ([]string, error){
		ListStaticConsumerGroups, orbit.ListStaticConsumerGroups, ListElasticConsumerGroups, orbit.ListElasticConsumerGroups,
	}
	_ = []func(context.Context, jetstream.JetStream, string, string) ([]string, error){
		ListStaticActiveMembers, orbit.ListStaticActiveMembers, ListElasticActiveMembers, orbit.ListElasticActiveMembers,
	}
	_ = []func(context.Context, jetstream.JetStream, string, string, []string) ([]string, error){
		AddMembers, orbit.AddMembers, DeleteMembers, orbit.DeleteMembers,
	}
	_ = []func(context.Context, jetstream.JetStream, string, string, string) (bool, bool, error){
		ElasticIsInMembershipAndActive, orbit.ElasticIsInMembershipAndActive,
	}
	_ setMappings[MemberMapping]                                                = SetMemberMappings
	_ setMappings[orbit.MemberMapping]                                          = orbit.SetMemberMappings
	_ filters[MemberMapping]                                                    = GeneratePartitionFilters
	_ filters[orbit.MemberMapping]                                              = orbit.GeneratePartitionFilters
	_ allFilters[ElasticConsumerGroupConfig]                                    = ElasticGetPartitionFilters
	_ allFilters[orbit.ElasticConsumerGroupConfig]                              = orbit.ElasticGetPartitionFilters
	_ get[StaticConsumerGroupConfig]                                            = GetStaticConsumerGroupConfig
	_ get[orbit.StaticConsumerGroupConfig]                                      = orbit.GetStaticConsumerGroupConfig
	_ get[ElasticConsumerGroupConfig]                                           = GetElasticConsumerGroupConfig
	_ get[orbit.ElasticConsumerGroupConfig]                                     = orbit.GetElasticConsumerGroupConfig
	_ createStatic[MemberMapping, StaticConsumerGroupConfig]                    = CreateStatic
	_ createStatic[orbit.MemberMapping, orbit.StaticConsumerGroupConfig]        = orbit.CreateStatic
	_ createElastic[PartitioningFilter, ElasticConsumerGroupConfig]             = CreateElastic
	_ createElastic[orbit.PartitioningFilter, orbit.ElasticConsumerGroupConfig] = orbit.CreateElastic
	_ consume[orbit.ConsumerGroupConsumeContext]                                = orbit.StaticConsume
	_ consume[orbit.ConsumerGroupConsumeContext]                                = orbit.ElasticConsume
	_ consume[ConsumerGroupConsumeContext]                                      = consumeAsBefore(StaticConsume)
	_ consume[ConsumerGroupConsumeContext]                                      = consumeAsBefore(ElasticConsume)
	_ orbit.ConsumerGroupConsumeContext                                         = (ConsumerGroupConsumeContext)(nil)
	_ ConsumerGroupConsumeContext                                               = (orbit.ConsumerGroupConsumeContext)(nil)
	_                                                                           = MemberMapping(orbit.MemberMapping{})
	_                                                                           = PartitioningFilter(orbit.PartitioningFilter{})
)

type (
	setMappings[M any]      func(context.Context, jetstream.JetStream, string, string, []M) error
	filters[M any]          func([]string, uint, []M, string, string) []string
	allFilters[C any]       func(C, string) []string
	get[C any]              func(context.Context, jetstream.JetStream, string, string) (*C, error)
	createStatic[M, C any]  func(context.Context, jetstream.JetStream, string, string, uint, []string, []string, []M) (*C, error)
	createElastic[F, C any] func(context.Context, jetstream.JetStream, string, string, uint, []F, int64, int64) (*C, error)
	consume[X any]          func(context.Context, jetstream.JetStream, string, string, string, func(jetstream.Msg), jetstream.ConsumerConfig) (X, error)
)

// Consuming takes options after what the reference takes, so that its type is another;
// calls written for the reference, in every form that has been seen, compile as they are.
func consumeAsBefore(f func(context.Context, jetstream.JetStream, string, string, string, func(jetstream.Msg), jetstream.ConsumerConfig, ...Option) (ConsumerGroupConsumeContext, error)) consume[ConsumerGroupConsumeContext] {
	return func(ctx context.Context, js jetstream.JetStream, stream, group, member string, handler func(jetstream.Msg), config jetstream.ConsumerConfig) (ConsumerGroupConsumeContext, error) {
		var running ConsumerGroupConsumeContext
		running, err := f(ctx, js, stream, group, member, handler, config)
		if err != nil {
			return f(ctx, js, stream, group, member, handler, config)
		}
		_ = append([]ConsumerGroupConsumeContext{}, running)
		return running, nil
	}
}

// Every exported name of the reference is here, so that a program changes nothing
// but its import path.
func TestExportsWhatTheReferenceExports(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/synadia-io/orbit.go/pcgroups").Output()
	if err != nil {
		t.Skipf("the reference's source is not to be found: %v", err)
	}
	theirs, ours := exported(t, strings.TrimSpace(string(dir))), exported(t, ".")
	if len(theirs) < 40 {
		t.Fatalf("only %d names found: %v", len(theirs), theirs)
	}
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			t.Errorf("missing: %s", name)
		}
	}
}

// exported lists a package's functions, types, their methods and fields.
func exported(t *testing.T, dir string) (names []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		p, err := parser.ParseFile(set, f, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, p)
	}
	pkg, err := doc.NewFromFiles(set, parsed, "pcgroups")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range pkg.Funcs {
		names = append(names, f.Name)
	}
	for _, typ := range pkg.Types {
		names = append(names, typ.Name)
		for _, f := range typ.Funcs {
			names = append(names, f.Name)
		}
		for _, f := range typ.Methods {
			names = append(names, typ.Name+"."+f.Name)
		}
		// Methods that come by embedding are listed by reflection below.
		if typ.Name == "StaticConsumerGroupConsumerInstance" || typ.Name == "ElasticConsumerGroupConsumerInstance" {
			names = append(names, typ.Name+".Stop", typ.Name+".Done")
		}
	}
	return names
}

// The types have the reference's fields, in their order, with their tags and methods.
func TestTypesHaveTheReferencesFields(t *testing.T) {
	for _, pair := range [][2]any{
		{StaticConsumerGroupConfig{}, orbit.StaticConsumerGroupConfig{}},
		{ElasticConsumerGroupConfig{}, orbit.ElasticConsumerGroupConfig{}},
		{PartitioningFilter{}, orbit.PartitioningFilter{}},
		{MemberMapping{}, orbit.MemberMapping{}},
		{ConsumerGroupMsg{}, orbit.ConsumerGroupMsg{}},
		{StaticConsumerGroupConsumerInstance{}, orbit.StaticConsumerGroupConsumerInstance{}},
		{ElasticConsumerGroupConsumerInstance{}, orbit.ElasticConsumerGroupConsumerInstance{}},
	} {
		ours, theirs := reflect.TypeOf(pair[0]), reflect.TypeOf(pair[1])
		var want, got []string
		for i := range theirs.NumField() {
			if f := theirs.Field(i); f.IsExported() {
				want = append(want, f.Name+" "+string(f.Tag))
			}
		}
		for i := range ours.NumField() {
			if f := ours.Field(i); f.IsExported() {
				got = append(got, f.Name+" "+string(f.Tag))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got the fields %q, want %q", ours.Name(), got, want)
		}
		pointer := reflect.PointerTo(theirs)
		for i := range pointer.NumMethod() {
			if name := pointer.Method(i).Name; !hasMethod(reflect.PointerTo(ours), name) {
				t.Errorf("%s: no method %s", ours.Name(), name)
			}
		}
	}
}

func hasMethod(t reflect.Type, name string) bool {
	_, ok := t.MethodByName(name)
	return ok
}

// Groups made and run by one library are administered by the other.
func TestInteropAdministration(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	var got inbox
	// Made by the reference, run and removed by us.
	f.must(orbit.CreateStatic(f.ctx, f.js, "ST", "theirs", 2, nil, []string{"m1"}, nil))
	f.must(orbit.CreateElastic(f.ctx, f.js, "ST", "theirs", 2, nil, -1, -1))
	f.must(orbit.AddMembers(f.ctx, f.js, "ST", "theirs", []string{"m1"}))
	s, err := StaticConsume(f.ctx, f.js, "ST", "theirs", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	e, err := ElasticConsume(f.ctx, f.js, "ST", "theirs", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	// Made by us, run and removed by the reference.
	f.must(CreateStatic(f.ctx, f.js, "ST", "ours", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "ours", 2, nil, -1, -1))
	f.must(AddMembers(f.ctx, f.js, "ST", "ours", []string{"m1"}))
	os, err := orbit.StaticConsume(f.ctx, f.js, "ST", "ours", "m1", got.handler("os"), wait2s)
	f.must(os, err)
	oe, err := orbit.ElasticConsume(f.ctx, f.js, "ST", "ours", "m1", got.handler("oe"), wait2s)
	f.must(oe, err)
	f.publish("st.a")
	eventually(t, 5*time.Second, "all four have the message", func() bool { return got.count() == 4 })

	f.must(nil, orbit.StaticMemberStepDown(f.ctx, f.js, "ST", "theirs", "m1"))
	f.must(nil, orbit.ElasticMemberStepDown(f.ctx, f.js, "ST", "theirs", "m1"))
	f.must(nil, StaticMemberStepDown(f.ctx, f.js, "ST", "ours", "m1"))
	f.must(nil, ElasticMemberStepDown(f.ctx, f.js, "ST", "ours", "m1"))
	f.publish("st.a")
	eventually(t, 5*time.Second, "and the next, after all stepped down", func() bool { return got.count() == 8 })

	f.must(nil, orbit.DeleteStatic(f.ctx, f.js, "ST", "theirs"))
	f.must(nil, orbit.DeleteElastic(f.ctx, f.js, "ST", "theirs"))
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "ours"))
	f.must(nil, DeleteElastic(f.ctx, f.js, "ST", "ours"))
	for name, m := range map[string]interface{ Done() <-chan error }{"s": s, "e": e, "os": os, "oe": oe} {
		if err := ended(t, 3*time.Second, m); err != nil {
			t.Errorf("%s ended with %v", name, err)
		}
	}
	eventually(t, 3*time.Second, "nothing is left", func() bool { return len(f.consumers("ST")) == 0 })
	if f.consumers("ST-ours") != nil || f.consumers("ST-theirs") != nil {
		t.Error("a work stream is left")
	}
}
