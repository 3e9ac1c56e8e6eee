package main

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"k8s.io/apimachinery/pkg/util/mergepatch"
)

// typedKinds are the errors that Kubernetes exports as values.
var typedKinds = []struct {
	err  error
	kind string
}{
	{mergepatch.ErrBadJSONDoc, "invalid-document"},
	{mergepatch.ErrNoListOfLists, "list-of-lists"},
	{mergepatch.ErrBadPatchFormatForPrimitiveList, "invalid-delete-list"},
	{mergepatch.ErrBadPatchFormatForRetainKeys, "invalid-retain-keys"},
	{mergepatch.ErrBadPatchFormatForSetElementOrderList, "invalid-element-order"},
	{mergepatch.ErrUnsupportedStrategicMergePatchFormat, "unsupported-type"},
}

// textKinds are the errors that are text only, by how the text begins. The first match counts.
var textKinds = []struct{ prefix, kind string }{
	{"unknown patch type: ", "invalid-patch-directive"},
	{"merging lists cannot yet be specified", "merge-directive-unsupported"},
	{"invalid value for special key: ", "invalid-patch-value"},
	{"cannot find merge key ", "missing-merge-key"},
	{"cannot merge lists without merge key ", "no-merge-key-declared"},
	{"The order in patch list:", "element-order-mismatch"},
	{"expected a []interface {}, but received a ", "expected-list"},
	{"expected a map[string]interface {}, but received a ", "expected-map"},
	{"value for key ", "expected-map"},
	{"invalid element type in merging list:", "expected-map"},
	{"list element types are not identical: ", "mixed-element-types"},
	{"no elements in any of the given slices", "empty-lists"},
	{"unable to find api field ", "unknown-field"},
	{"merging an object in json but data type is not struct", "schema-mismatch"},
	{"expected slice or array type, but got: ", "schema-mismatch"},
	{"unexpected slice of slice", "schema-mismatch"},
	{"expected kind, but got ", "schema-mismatch"},
	{"expected slice, but got ", "schema-mismatch"},
	{"unexpected patch strategy: ", "invalid-patch-strategy"},
	{"expected a string, but received a ", "invalid-patch-strategy"},
	{"unable to resolve ", "unsupported-type"},
	{"precondition failed for: ", "precondition-failed"},
	{"Invalid JSON ", "invalid-document"},
	{"Mismatched JSON Documents", "invalid-document"},
	{"json: cannot unmarshal ", "invalid-document"},
}

// classify gives an error of Kubernetes the name it has in the catalogue.
func classify(err error) *Fault {
	var fault *Fault
	if errors.As(err, &fault) {
		return fault
	}
	return &Fault{Kind: kindOf(err), Message: err.Error()}
}

func kindOf(err error) string {
	for _, typed := range typedKinds {
		if errors.Is(err, typed.err) {
			return typed.kind
		}
	}
	text := err.Error()
	switch {
	case mergepatch.IsConflict(err):
		return "conflict"
	case mergepatch.IsPreconditionFailed(err):
		return "precondition-failed"
	case strings.HasPrefix(text, "map: ") && strings.Contains(text, " does not contain declared merge key: "):
		return "missing-merge-key"
	case strings.Contains(text, " are not deep equal: this may happen when calculating the 3-way diff patch"):
		return "retain-keys-differ"
	}
	for _, known := range textKinds {
		if strings.HasPrefix(text, known.prefix) {
			return known.kind
		}
	}
	return "unknown-upstream-error"
}

// classifyPanic names a crash by what was asked of the runtime and by the function that asked.
// It must be called while the panic is being recovered, for the stack still shows where it began.
func classifyPanic(cause any, watch *lookupWatch) *Fault {
	message, stack := fmt.Sprint(cause), string(debug.Stack())
	return &Fault{Kind: panicKind(message, stack, watch), Message: message, Upstream: "panic"}
}

func panicKind(message, stack string, watch *lookupWatch) string {
	within := func(function string) bool {
		return strings.Contains(stack, "strategicpatch."+function+"(")
	}
	switch {
	case strings.Contains(stack, "evanphx/json-patch"):
		return "json-patch-failed"
	case strings.Contains(message, "hash of unhashable type"):
		return "uncomparable-element"
	case strings.Contains(message, "comparing uncomparable type"):
		if within("validatePatchWithSetOrderList") && watch != nil && watch.lastMergeKey == "" {
			return "uncomparable-element"
		}
		return "invalid-merge-key-value"
	case strings.Contains(message, "index out of range") && within("slicesHaveConflicts"):
		return "conflict-check-failed"
	case strings.Contains(message, "nil pointer dereference") && within("sliceElementType"):
		return "null-element"
	case strings.Contains(message, "nil pointer dereference"):
		return "unsupported-type"
	}
	return "unknown-upstream-panic"
}
