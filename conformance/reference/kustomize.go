package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	"sigs.k8s.io/yaml"
)

// kustomizer runs `patches:` as kustomize does. Its schema is a global of kyaml, so it is set again
// only when another document is asked for.
type kustomizer struct {
	schema string
}

// patchedObject is the object under test with the names that kustomize insists on.
type patchedObject struct {
	apiVersion, kind string
	live, patch      map[string]any
	// added has the fields that the live object did not have; they are taken out of the result.
	added []string
}

const kustomization = `resources: [live.yaml]
patches:
- path: patch.yaml
`

// apply builds a kustomization with one resource and one patch in an in-memory file system.
func (k *kustomizer) apply(request Request) (json.RawMessage, error) {
	object, err := newPatchedObject(request)
	if err != nil {
		return nil, err
	}
	schema, err := k.newSchema(request, object)
	if err != nil {
		return nil, err
	}
	files := filesys.MakeFsInMemory()
	text := kustomization
	if schema != nil {
		text += "openapi: {path: schema.json}\n"
		if err := files.WriteFile("schema.json", schema); err != nil {
			return nil, err
		}
	}
	if err := files.WriteFile("kustomization.yaml", []byte(text)); err != nil {
		return nil, err
	}
	for name, document := range map[string]map[string]any{"live.yaml": object.live, "patch.yaml": object.patch} {
		written, err := yaml.Marshal(document)
		if err != nil {
			return nil, err
		}
		if err := files.WriteFile(name, written); err != nil {
			return nil, err
		}
	}
	result, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, ".")
	if err != nil {
		return nil, kustomizeFault(err)
	}
	if result.Size() == 0 {
		return json.RawMessage("null"), nil
	}
	written, err := result.Resources()[0].MarshalJSON()
	if err != nil {
		return nil, kustomizeFault(err)
	}
	return object.withoutAdded(written)
}

// newSchema answers with the document for `openapi:`, if the request names another one than the request
// before: kyaml keeps the last one, and reading it again takes longer than the merge.
func (k *kustomizer) newSchema(request Request, object *patchedObject) ([]byte, error) {
	if len(request.Schema) == 0 {
		k.isNew("")
		return nil, nil
	}
	text, err := schemaText(request.Schema)
	if err != nil {
		return nil, err
	}
	if !k.isNew(request.Type + "\x00" + string(text)) {
		return nil, nil
	}
	return withKind(request, text, object)
}

// isNew drops what kyaml remembers of another schema.
func (k *kustomizer) isNew(schema string) bool {
	isNew := k.schema != schema
	if isNew {
		openapi.ResetOpenAPI()
		k.schema = schema
	}
	return isNew
}

// withKind gives the definition of the type the kind by which kustomize finds it.
func withKind(request Request, text []byte, object *patchedObject) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, badRequest("the schema is not a JSON object: %v", err)
	}
	definitions, _ := document["definitions"].(map[string]any)
	if definition, known := definitions[request.Type].(map[string]any); known {
		group, version := "", object.apiVersion
		if before, after, found := strings.Cut(version, "/"); found {
			group, version = before, after
		}
		definition[groupVersionKindExtension] = []any{
			map[string]any{"group": group, "version": version, "kind": object.kind},
		}
	}
	return json.Marshal(document)
}

// newPatchedObject completes live object and patch: kustomize takes neither without kind and name.
func newPatchedObject(request Request) (*patchedObject, error) {
	object := &patchedObject{apiVersion: "kubemerge.example/v1", kind: "Subject"}
	if kind, readable := splitKind(request.Type); readable {
		object.apiVersion, object.kind = kind.GroupVersion().String(), kind.Kind
	}
	for _, part := range []struct {
		text json.RawMessage
		into *map[string]any
	}{{request.Original, &object.live}, {request.Patch, &object.patch}} {
		decoder := json.NewDecoder(bytes.NewReader(orEmpty(part.text)))
		decoder.UseNumber()
		if err := decoder.Decode(part.into); err != nil {
			return nil, &Fault{Kind: "invalid-document", Message: err.Error()}
		}
	}
	object.complete()
	return object, nil
}

// complete gives the live object what is missing, and the patch the names of the live object: it is
// found by them.
func (o *patchedObject) complete() {
	for field, value := range map[string]string{"apiVersion": o.apiVersion, "kind": o.kind} {
		if _, has := o.live[field]; !has {
			o.live[field] = value
			o.added = append(o.added, field)
		}
		o.patch[field] = o.live[field]
	}
	metadata, isMap := o.live["metadata"].(map[string]any)
	if !isMap {
		metadata = map[string]any{}
		o.live["metadata"] = metadata
		o.added = append(o.added, "metadata")
	}
	if _, has := metadata["name"]; !has {
		metadata["name"] = "subject"
		o.added = append(o.added, "name")
	}
	patched, isMap := o.patch["metadata"].(map[string]any)
	if !isMap {
		patched = map[string]any{}
		o.patch["metadata"] = patched
	}
	for _, field := range []string{"name", "namespace"} {
		delete(patched, field)
		if value, has := metadata[field]; has {
			patched[field] = value
		}
	}
}

// withoutAdded takes the completed fields out of the result.
func (o *patchedObject) withoutAdded(written []byte) (json.RawMessage, error) {
	document := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(written))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return nil, err
	}
	for _, field := range o.added {
		metadata, _ := document["metadata"].(map[string]any)
		switch field {
		case "name":
			delete(metadata, "name")
		case "metadata":
			if len(metadata) <= 1 {
				delete(document, "metadata")
			}
		default:
			delete(document, field)
		}
	}
	return json.Marshal(document)
}

// kustomizeFault names the errors of kustomize.
func kustomizeFault(err error) *Fault {
	text := err.Error()
	kinds := []struct{ part, kind string }{
		// Its words repeat those of other errors, so it is looked for first.
		{"updating name reference", "name-references"},
		{"expected MappingNode but got", "expected-map"},
		{"expected SequenceNode but got", "expected-list"},
		{"expected ScalarNode but got", "expected-scalar"},
		{"unknown patch strategy", "invalid-patch-directive"},
	}
	for _, known := range kinds {
		if strings.Contains(text, known.part) {
			// What follows is the whole node.
			message, _, _ := strings.Cut(text, ": node contents:")
			return &Fault{Kind: known.kind, Message: message}
		}
	}
	return &Fault{Kind: "unknown-upstream-kustomize", Message: fmt.Sprint(text)}
}
