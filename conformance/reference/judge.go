package main

import (
	"bytes"
	"encoding/json"
	"runtime"
	"time"

	"k8s.io/apimachinery/pkg/util/managedfields"
)

// judge answers requests and keeps the schemas that it has compiled.
type judge struct {
	schemas    *schemaCache
	converters map[string]managedfields.TypeConverter
	kustomize  kustomizer
}

func newJudge() *judge {
	return &judge{schemas: newSchemaCache(), converters: map[string]managedfields.TypeConverter{}}
}

// operation is a request made ready: every call starts from the bytes of the documents again.
type operation func() (json.RawMessage, error)

func (j *judge) answer(line []byte) Reply {
	request, fault := readRequest(line)
	if fault != nil {
		return Reply{ID: request.ID, Error: fault}
	}
	var reply Reply
	if request.Op == "time" {
		reply = j.timed(request)
	} else {
		reply = j.repeated(request)
	}
	reply.ID = request.ID
	return reply
}

// repeated asks as often as the request wants and lists the answers where they differ.
func (j *judge) repeated(request Request) Reply {
	watch := &lookupWatch{}
	ask, err := j.prepare(request, watch)
	if err != nil {
		return Reply{Error: classify(err)}
	}
	reply := attempt(ask, watch)
	variants := []Reply{reply}
	for range request.Repeat - 1 {
		if again := attempt(ask, watch); !contains(variants, again) {
			variants = append(variants, again)
		}
	}
	if len(variants) > 1 {
		reply.Variants = variants
	}
	return reply
}

// attempt turns an error into the reply of its kind, and a panic too.
func attempt(ask operation, watch *lookupWatch) (reply Reply) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = Reply{Error: classifyPanic(cause, watch)}
		}
	}()
	result, err := ask()
	if err != nil {
		return Reply{Error: classify(err)}
	}
	return Reply{Result: result}
}

// contains compares errors by kind, since messages print maps in any order.
func contains(replies []Reply, wanted Reply) bool {
	for _, reply := range replies {
		sameError := reply.Error != nil && wanted.Error != nil && reply.Error.Kind == wanted.Error.Kind
		sameResult := reply.Error == nil && wanted.Error == nil && bytes.Equal(reply.Result, wanted.Result)
		if sameError || sameResult {
			return true
		}
	}
	return false
}

// timed runs an operation without the watch on look-ups and reports the cost of one run.
func (j *judge) timed(request Request) Reply {
	ask, err := j.prepare(*request.Of, nil)
	if err != nil {
		return Reply{Error: classify(err)}
	}
	if reply := attempt(ask, nil); reply.Error != nil {
		return reply
	}
	rounds := max(request.Repeat, 1)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range rounds {
		_, _ = ask()
	}
	elapsed := time.Since(start)
	runtime.ReadMemStats(&after)
	result, err := json.Marshal(map[string]any{
		"ns":          float64(elapsed.Nanoseconds()) / float64(rounds),
		"allocations": float64(after.Mallocs-before.Mallocs) / float64(rounds),
	})
	if err != nil {
		return Reply{Error: classify(err)}
	}
	return Reply{Result: result}
}

// prepare finds the code and the schema that answer a request.
func (j *judge) prepare(request Request, watch *lookupWatch) (operation, error) {
	switch request.Op {
	case "merge-patch":
		return func() (json.RawMessage, error) { return mergePatch(request.Original, request.Patch) }, nil
	case "json-patch":
		return func() (json.RawMessage, error) { return jsonPatch(request.Original, request.Patch) }, nil
	case "json-three-way":
		return func() (json.RawMessage, error) { return jsonThreeWay(request) }, nil
	case "ssa":
		return func() (json.RawMessage, error) { return j.ssa(request) }, nil
	case "ssa-bench":
		return j.ssaBench(request)
	case "protobuf":
		return protobufTables, nil
	case "pattern":
		return func() (json.RawMessage, error) { return matchPattern(*request.Text, request.Samples) }, nil
	case "cel":
		return func() (json.RawMessage, error) { return evaluateCEL(*request.Text, request.Original) }, nil
	case "cel-spec":
		return celSpecTests, nil
	case "yaml":
		return func() (json.RawMessage, error) { return yamlToJSON(*request.Text) }, nil
	case "yaml-write":
		return func() (json.RawMessage, error) { return yamlOfJSON(*request.Text) }, nil
	case "yaml-stream":
		return func() (json.RawMessage, error) { return yamlDocuments(*request.Text) }, nil
	}
	if request.Dialect == "kustomize" {
		return func() (json.RawMessage, error) { return j.kustomize.apply(request) }, nil
	}
	strategic, known := strategicOperations[request.Op]
	if !known {
		return nil, badRequest("there is no operation %q", request.Op)
	}
	metadata, err := j.schemas.find(request)
	if err != nil {
		return nil, err
	}
	if watch != nil {
		metadata = watched{inner: metadata, watch: watch}
	}
	return func() (json.RawMessage, error) { return strategic(request, metadata) }, nil
}
