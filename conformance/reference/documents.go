package main

import (
	"bytes"
	"encoding/json"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	kubejson "sigs.k8s.io/json"

	"kubemerge.example/conformance/reference/handlers"
)

// The API server's limits of JSON patch.
const (
	maxOperations = 10_000
	maxCopyBytes  = 3 << 20
)

func init() { jsonpatch.AccumulatedCopySizeLimit = maxCopyBytes }

// mergePatch follows the API server: the patch must decode as an object, then RFC 7386.
func mergePatch(original, patch json.RawMessage) (json.RawMessage, error) {
	decoded := map[string]any{}
	if _, err := kubejson.UnmarshalStrict(orEmpty(patch), &decoded); err != nil {
		return nil, &Fault{Kind: "invalid-document", Message: "error decoding patch: " + err.Error()}
	}
	result, err := jsonpatch.MergePatch(orEmpty(original), orEmpty(patch))
	if err != nil {
		return nil, &Fault{Kind: "invalid-document", Message: err.Error()}
	}
	return printed(result)
}

// jsonPatch follows the API server: decode, count, apply.
func jsonPatch(original, patch json.RawMessage) (json.RawMessage, error) {
	if err := handlers.CheckOperations(patch); err != nil {
		// The API server's type stands in another package.
		text := strings.ReplaceAll(err.Error(), "main.jsonPatchOp", "handlers.jsonPatchOp")
		return nil, &Fault{Kind: "invalid-json-patch", Message: "error decoding patch: " + text}
	}
	decoded, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, &Fault{Kind: "invalid-json-patch", Message: err.Error()}
	}
	if len(decoded) > maxOperations {
		return nil, &Fault{Kind: "too-many-operations",
			Message: "The allowed maximum operations in a JSON patch is 10000"}
	}
	result, err := decoded.Apply(orEmpty(original))
	if err != nil {
		return nil, &Fault{Kind: "json-patch-failed", Message: err.Error()}
	}
	return printed(result)
}

// printed writes a document as the server's encoder does: the library keeps numbers as they were given.
func printed(document json.RawMessage) (json.RawMessage, error) {
	var value any
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(document, &value); err != nil {
		return nil, &Fault{Kind: "invalid-document", Message: err.Error()}
	}
	return json.Marshal(value)
}

func jsonThreeWay(request Request) (json.RawMessage, error) {
	return jsonmergepatch.CreateThreeWayJSONMergePatch(
		orEmpty(request.Original), orEmpty(request.Modified), orEmpty(request.Current),
		preconditions(request)...)
}

// orEmpty reads an absent document and a null as the empty object.
func orEmpty(document json.RawMessage) json.RawMessage {
	if len(document) == 0 || bytes.Equal(document, []byte("null")) {
		return json.RawMessage("{}")
	}
	return document
}
