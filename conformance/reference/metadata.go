package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const groupVersionKindExtension = "x-kubernetes-group-version-kind"

// maxCachedSchemas bounds the memory of a long run that sends ever new documents.
const maxCachedSchemas = 256

// metadataSource finds the merge metadata of a type in one document.
type metadataSource interface {
	lookup(typeName string) (strategicpatch.LookupPatchMeta, error)
}

// schemaCache compiles each distinct document once.
type schemaCache struct {
	sources map[string]metadataSource
}

func newSchemaCache() *schemaCache { return &schemaCache{sources: map[string]metadataSource{}} }

// find answers with Go types where there is no schema, else with what the schema is.
func (c *schemaCache) find(request Request) (strategicpatch.LookupPatchMeta, error) {
	if request.Type == "" {
		return nil, badRequest("%s needs a type", request.Op)
	}
	if request.Metadata == "go" || len(request.Schema) == 0 {
		if request.Metadata != "" && request.Metadata != "go" {
			return nil, badRequest("metadata %q needs a schema", request.Metadata)
		}
		return goTypes{}.lookup(request.Type)
	}
	key := request.Metadata + "\x00" + string(request.Schema)
	source, known := c.sources[key]
	if !known {
		var err error
		if source, err = compile(request.Schema, request.Metadata); err != nil {
			return nil, err
		}
		if len(c.sources) >= maxCachedSchemas {
			clear(c.sources)
		}
		c.sources[key] = source
	}
	return source.lookup(request.Type)
}

func compile(document json.RawMessage, wanted string) (metadataSource, error) {
	text, err := schemaText(document)
	if err != nil {
		return nil, err
	}
	var marks struct {
		Swagger string `json:"swagger"`
		OpenAPI string `json:"openapi"`
		Kind    string `json:"kind"`
	}
	if err := json.Unmarshal(text, &marks); err != nil {
		return nil, badRequest("the schema is not a JSON object: %v", err)
	}
	is := map[bool]string{true: "v2", false: "v3"}[marks.Swagger != ""]
	switch {
	case marks.Kind == "CustomResourceDefinition":
		return customResource{}, nil
	case marks.Swagger == "" && marks.OpenAPI == "":
		return nil, badRequest("the schema is neither OpenAPI nor a CustomResourceDefinition")
	case wanted != "" && wanted != is:
		return nil, badRequest("metadata %s was asked for, but the schema is %s", wanted, is)
	case is == "v2":
		return compileV2(text)
	}
	return compileV3(text)
}

// schemaText reads a path, or takes the document itself.
func schemaText(document json.RawMessage) ([]byte, error) {
	var path string
	if json.Unmarshal(document, &path) != nil {
		return document, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, badRequest("the schema cannot be read: %v", err)
	}
	return text, nil
}

// customResource stands for a CRD: the API server refuses strategic merge patches of its objects.
type customResource struct{}

func (customResource) lookup(string) (strategicpatch.LookupPatchMeta, error) {
	return nil, mergepatch.ErrUnsupportedStrategicMergePatchFormat
}

// documentV3 looks types up as kubectl does in a published OpenAPI v3 document.
type documentV3 struct {
	schemas map[string]*spec.Schema
	byKind  map[string]*spec.Schema
}

func compileV3(text []byte) (metadataSource, error) {
	var document struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, badRequest("the OpenAPI v3 document cannot be read: %v", err)
	}
	compiled := documentV3{schemas: document.Components.Schemas, byKind: map[string]*spec.Schema{}}
	for _, definition := range compiled.schemas {
		for _, kind := range kindNames(definition.Extensions[groupVersionKindExtension]) {
			compiled.byKind[kind] = definition
		}
	}
	return compiled, nil
}

func (d documentV3) lookup(name string) (strategicpatch.LookupPatchMeta, error) {
	definition := d.schemas[name]
	if definition == nil {
		definition = d.byKind[name]
	}
	if definition == nil {
		return nil, unknownType(name)
	}
	return strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: d.schemas, Schema: definition}, nil
}

// documentV2 looks types up in a published OpenAPI v2 document.
type documentV2 struct {
	models proto.Models
	byKind map[string]string
}

func compileV2(text []byte) (metadataSource, error) {
	document, err := openapi_v2.ParseDocument(text)
	if err != nil {
		return nil, badRequest("the OpenAPI v2 document cannot be read: %v", err)
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, badRequest("the OpenAPI v2 document cannot be compiled: %v", err)
	}
	compiled := documentV2{models: models, byKind: map[string]string{}}
	for _, name := range models.ListModels() {
		for _, kind := range kindNames(models.LookupModel(name).GetExtensions()[groupVersionKindExtension]) {
			compiled.byKind[kind] = name
		}
	}
	return compiled, nil
}

func (d documentV2) lookup(name string) (strategicpatch.LookupPatchMeta, error) {
	model := d.models.LookupModel(name)
	if model == nil {
		model = d.models.LookupModel(d.byKind[name])
	}
	if model == nil {
		return nil, unknownType(name)
	}
	return strategicpatch.NewPatchMetaFromOpenAPI(model), nil
}

// kindNames reads the extension: a list of maps, or a single map, of any decoder's map type.
func kindNames(extension any) []string {
	text, err := json.Marshal(stringKeys(extension))
	if err != nil {
		return nil
	}
	var kinds []schema.GroupVersionKind
	if json.Unmarshal(text, &kinds) != nil {
		kinds = make([]schema.GroupVersionKind, 1)
		if json.Unmarshal(text, &kinds[0]) != nil {
			return nil
		}
	}
	var names []string
	for _, kind := range kinds {
		names = append(names, kind.GroupVersion().String()+"/"+kind.Kind)
	}
	return names
}

// stringKeys makes the maps of a YAML decoder fit for JSON.
func stringKeys(value any) any {
	switch value := value.(type) {
	case []any:
		converted := make([]any, len(value))
		for i, element := range value {
			converted[i] = stringKeys(element)
		}
		return converted
	case map[any]any:
		converted := map[string]any{}
		for key, element := range value {
			converted[fmt.Sprint(key)] = stringKeys(element)
		}
		return converted
	}
	return value
}

func unknownType(name string) *Fault {
	return &Fault{Kind: "unsupported-type", Message: fmt.Sprintf("no schema for the type %q", name)}
}

// splitKind takes apps/v1/Deployment or v1/Pod apart.
func splitKind(name string) (schema.GroupVersionKind, bool) {
	cut := strings.LastIndex(name, "/")
	if cut < 0 {
		return schema.GroupVersionKind{}, false
	}
	version, err := schema.ParseGroupVersion(name[:cut])
	return version.WithKind(name[cut+1:]), err == nil
}
