package main

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// celAnswer says what an expression came to: one of a compile error, a program error, an error and a value.
type celAnswer struct {
	Compile string `json:"compile,omitempty"`
	Program string `json:"program,omitempty"`
	Error   string `json:"error,omitempty"`
	Value   string `json:"value,omitempty"`
	// Crash is what cel-go panicked with.
	Crash string `json:"crash,omitempty"`
	Cost  uint64 `json:"cost"`
}

// celEnvironment is that of new expressions in 1.37, with a variable of any type.
var celEnvironment = sync.OnceValues(func() (*cel.Env, error) {
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("object", cel.DynType), library.JSONPatch()},
	})
	if err != nil {
		return nil, err
	}
	return set.NewExpressionsEnv(), nil
})

// evaluateCEL compiles and evaluates an expression as the API server does for admission policies.
func evaluateCEL(text string, object json.RawMessage) (json.RawMessage, error) {
	env, err := celEnvironment()
	if err != nil {
		return nil, err
	}
	var value any
	if len(object) > 0 {
		decoder := json.NewDecoder(strings.NewReader(string(object)))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			return nil, badRequest("the object cannot be read: %v", err)
		}
	}
	return json.Marshal(celOutcome(env, text, celObject(value)))
}

func celOutcome(env *cel.Env, text string, object any) (answer celAnswer) {
	defer func() {
		if crash := recover(); crash != nil {
			answer = celAnswer{Crash: fmt.Sprint(crash)}
		}
	}()
	ast, issues := env.Compile(text)
	if issues != nil {
		return celAnswer{Compile: issues.String()}
	}
	program, err := env.Program(ast)
	if err != nil {
		return celAnswer{Program: err.Error()}
	}
	value, details, err := program.Eval(map[string]any{"object": object})
	if err != nil {
		answer.Error = err.Error()
	} else {
		answer.Value = celLiteral(value)
	}
	if details != nil && details.ActualCost() != nil {
		answer.Cost = *details.ActualCost()
	}
	return answer
}

// celObject has int64 and float64 as decoding an object of the API gives them.
func celObject(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			value[name] = celObject(member)
		}
	case []any:
		for at, item := range value {
			value[at] = celObject(item)
		}
	case json.Number:
		if number, err := strconv.ParseInt(string(value), 10, 64); err == nil {
			return number
		}
		number, _ := value.Float64()
		return number
	}
	return value
}

// celLiteral is a value as a text that tells its type, with the members of maps sorted.
func celLiteral(value ref.Val) string {
	switch value := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(value))
	case types.Int:
		return strconv.FormatInt(int64(value), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(value), 10) + "u"
	case types.Double:
		return "d" + strconv.FormatFloat(float64(value), 'g', -1, 64)
	case types.String:
		return strconv.Quote(string(value))
	case types.Bytes:
		return fmt.Sprintf("b%x", []byte(value))
	case types.Timestamp:
		return "t" + value.Time.Format(time.RFC3339Nano)
	case types.Duration:
		return fmt.Sprintf("%dns", value.Duration.Nanoseconds())
	case *types.Optional:
		if !value.HasValue() {
			return "none"
		}
		return "some(" + celLiteral(value.GetValue()) + ")"
	case *types.Type:
		return "type " + value.TypeName()
	case apiservercel.Quantity:
		return "quantity " + value.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity " + value.Quantity.String()
	case apiservercel.IP:
		return "ip " + value.Addr.String()
	case apiservercel.CIDR:
		return "cidr " + value.Prefix.String()
	case apiservercel.URL:
		return "url " + value.URL.String()
	case apiservercel.Semver:
		return "semver " + value.Version.String()
	case apiservercel.Format:
		return "format " + value.Name
	case traits.Lister:
		var items []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			items = append(items, celLiteral(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case traits.Mapper:
		var members []string
		for it := value.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			members = append(members, celLiteral(key)+": "+celLiteral(value.Get(key)))
		}
		sort.Strings(members)
		return "{" + strings.Join(members, ", ") + "}"
	}
	return fmt.Sprintf("other %T", value)
}
