package main

import (
	"encoding/json"
	"strings"
	_ "unsafe" // for go:linkname

	kubejson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

type strategicOperation func(Request, strategicpatch.LookupPatchMeta) (json.RawMessage, error)

var strategicOperations = map[string]strategicOperation{
	"apply":     apply,
	"diff":      diff,
	"three-way": threeWay,
	"compose":   compose,
	"conflicts": conflicts,
}

func apply(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(
		request.Original, request.Patch, metadata)
}

func diff(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	if request.Options != nil {
		return diffWithSwitches(request, metadata)
	}
	return strategicpatch.CreateTwoWayMergePatchUsingLookupPatchMeta(
		request.Original, request.Modified, metadata, preconditions(request)...)
}

func threeWay(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	return strategicpatch.CreateThreeWayMergePatch(request.Original, request.Modified,
		request.Current, metadata, request.Overwrite, preconditions(request)...)
}

func compose(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	patches, err := decodeAll(request.Patches)
	if err != nil {
		return nil, err
	}
	result, err := strategicpatch.MergeStrategicMergeMapPatchUsingLookupPatchMeta(metadata, patches...)
	if err != nil {
		return nil, err
	}
	return kubejson.Marshal(result)
}

func conflicts(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	patches, err := decodeAll(request.Patches)
	if err != nil {
		return nil, err
	}
	found, err := strategicpatch.MergingMapsHaveConflicts(patches[0], patches[1], metadata)
	if err != nil {
		return nil, err
	}
	return kubejson.Marshal(found)
}

// diffMaps is the walk behind two-way and three-way diffs. Kubernetes does not export it, and only
// it takes the switches, so the linker is asked for it by name.
//
//go:linkname diffMaps k8s.io/apimachinery/pkg/util/strategicpatch.diffMaps
func diffMaps(original, modified map[string]any, metadata strategicpatch.LookupPatchMeta,
	options strategicpatch.DiffOptions) (map[string]any, error)

func diffWithSwitches(request Request, metadata strategicpatch.LookupPatchMeta) (json.RawMessage, error) {
	documents, err := decodeAll([]json.RawMessage{request.Original, request.Modified})
	if err != nil {
		return nil, err
	}
	order := request.Options.SetElementOrder
	patch, err := diffMaps(documents[0], documents[1], metadata, strategicpatch.DiffOptions{
		SetElementOrder:           order == nil || *order,
		IgnoreChangesAndAdditions: request.Options.IgnoreChanges,
		IgnoreDeletions:           request.Options.IgnoreDeletions,
	})
	if err != nil {
		return nil, err
	}
	for _, met := range preconditions(request) {
		if !met(patch) {
			return nil, mergepatch.NewErrPreconditionFailed(patch)
		}
	}
	return kubejson.Marshal(patch)
}

func preconditions(request Request) []mergepatch.PreconditionFunc {
	var checks []mergepatch.PreconditionFunc
	for _, field := range request.Preconditions {
		if name, inMetadata := strings.CutPrefix(field, "metadata."); inMetadata {
			checks = append(checks, mergepatch.RequireMetadataKeyUnchanged(name))
		} else {
			checks = append(checks, mergepatch.RequireKeyUnchanged(field))
		}
	}
	return checks
}

// decodeAll reads documents as the byte functions of Kubernetes do: an absent one is empty.
func decodeAll(documents []json.RawMessage) ([]strategicpatch.JSONMap, error) {
	maps := make([]strategicpatch.JSONMap, len(documents))
	for i, document := range documents {
		decoded := map[string]any{}
		if len(document) > 0 {
			if err := kubejson.Unmarshal(document, &decoded); err != nil {
				return nil, mergepatch.ErrBadJSONDoc
			}
		}
		maps[i] = decoded
	}
	return maps, nil
}
