package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sort"
	"strconv"
	"strings"

	expr "cel.dev/expr"
	test "cel.dev/expr/conformance/test"
	// The messages that tests have as values.
	_ "cel.dev/expr/conformance/proto2"
	_ "cel.dev/expr/conformance/proto3"
	"google.golang.org/protobuf/encoding/prototext"
)

// specTest is a test of cel-spec: an expression, and the value that it must have or "error".
type specTest struct {
	File    string `json:"file"`
	Section string `json:"section"`
	Name    string `json:"name"`
	Text    string `json:"text"`
	Wanted  string `json:"wanted,omitempty"`
	// Skipped says why the test cannot be asked.
	Skipped string `json:"skipped,omitempty"`
}

// celSpecTests reads the tests of cel-spec from the module cache.
func celSpecTests() (json.RawMessage, error) {
	folder, err := celSpecFolder()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(folder, "tests/simple/testdata/*.textproto"))
	if err != nil {
		return nil, err
	}
	sort.Strings(files)
	var found []specTest
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var tests test.SimpleTestFile
		if err := prototext.Unmarshal(text, &tests); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, section := range tests.Section {
			for _, one := range section.Test {
				found = append(found, specTestOf(tests.Name, section.Name, one))
			}
		}
	}
	return json.Marshal(found)
}

// celSpecFolder downloads the module in the version that this program is built with, unless it is there.
func celSpecFolder() (string, error) {
	const module = "cel.dev/expr"
	build, _ := debug.ReadBuildInfo()
	at := slices.IndexFunc(build.Deps, func(one *debug.Module) bool { return one.Path == module })
	if at < 0 {
		return "", fmt.Errorf("the program is built without %s", module)
	}
	text, err := exec.Command("go", "mod", "download", "-json", module+"@"+build.Deps[at].Version).Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	var found struct{ Dir string }
	err = json.Unmarshal(text, &found)
	return found.Dir, err
}

func specTestOf(file, section string, one *test.SimpleTest) specTest {
	found := specTest{File: file, Section: section, Name: one.Name, Text: one.Expr}
	switch {
	case one.Container != "":
		found.Skipped = "has a container, which Kubernetes' expressions have not"
	case len(one.TypeEnv) > 0 || len(one.Bindings) > 0:
		found.Skipped = "declares variables or functions of its own"
	case one.DisableCheck:
		found.Skipped = "is evaluated without its types"
	case one.DisableMacros:
		found.Skipped = "is read without macros"
	case strings.Contains(one.Expr, "google.protobuf."):
		found.Skipped = "names messages of google.protobuf, which we do not have"
	case strings.Contains(one.Expr, "TestAllTypes"):
		found.Skipped = "names messages of the tests"
	case strings.HasPrefix(file, "macros") && strings.Contains(one.Name, "map"):
		found.Skipped = "has a cost that depends on the order of a map"
	case one.CheckOnly:
		found.Skipped = "asks for the type alone"
	}
	switch result := one.ResultMatcher.(type) {
	case *test.SimpleTest_Value:
		found.Wanted = specLiteral(result.Value)
	case *test.SimpleTest_TypedResult:
		found.Wanted = specLiteral(result.TypedResult.GetResult())
	case *test.SimpleTest_EvalError, *test.SimpleTest_AnyEvalErrors:
		found.Wanted = "error"
	case nil:
		found.Wanted = "true"
	default:
		found.Skipped = "has an unknown as its result"
	}
	if found.Skipped == "" && found.Wanted == "" {
		found.Skipped = "has a message as its result"
	}
	return found
}

// specLiteral is a value as celLiteral writes it; nothing for messages.
func specLiteral(value *expr.Value) string {
	switch value := value.GetKind().(type) {
	case *expr.Value_NullValue:
		return "null"
	case *expr.Value_BoolValue:
		return strconv.FormatBool(value.BoolValue)
	case *expr.Value_Int64Value:
		return strconv.FormatInt(value.Int64Value, 10)
	case *expr.Value_Uint64Value:
		return strconv.FormatUint(value.Uint64Value, 10) + "u"
	case *expr.Value_DoubleValue:
		return "d" + strconv.FormatFloat(value.DoubleValue, 'g', -1, 64)
	case *expr.Value_StringValue:
		return strconv.Quote(value.StringValue)
	case *expr.Value_BytesValue:
		return fmt.Sprintf("b%x", value.BytesValue)
	case *expr.Value_TypeValue:
		return "type " + value.TypeValue
	case *expr.Value_ListValue:
		var items []string
		for _, item := range value.ListValue.Values {
			items = append(items, specLiteral(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *expr.Value_MapValue:
		var members []string
		for _, entry := range value.MapValue.Entries {
			members = append(members, specLiteral(entry.Key)+": "+specLiteral(entry.Value))
		}
		sort.Strings(members)
		return "{" + strings.Join(members, ", ") + "}"
	}
	return ""
}
