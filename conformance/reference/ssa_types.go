package main

import (
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const objectMeta = "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// typeConverter builds the types of a scenario. The first request of a batch carries the schema, others name it.
func (j *judge) typeConverter(request Request) (managedfields.TypeConverter, error) {
	if request.Scenario.Form == "deduced" {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	if len(request.Schema) == 0 {
		converter, known := j.converters[request.Metadata]
		if !known {
			return nil, badRequest("no request had the schema %q", request.Metadata)
		}
		return converter, nil
	}
	var document struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
		Definition *apiextensionsv1.CustomResourceDefinition `json:"definition"`
	}
	if err := json.Unmarshal(request.Schema, &document); err != nil {
		return nil, err
	}
	schemas := document.Components.Schemas
	if document.Definition != nil {
		if err := addCustomResource(schemas, document.Definition); err != nil {
			return nil, err
		}
	}
	converter, err := managedfields.NewTypeConverter(schemas, false)
	if err != nil {
		return nil, err
	}
	j.converters[request.Metadata] = converter
	return converter, nil
}

// addCustomResource adds the types of a definition as the API server publishes them: structural schemas, with
// apiVersion, kind and metadata at the root and at every embedded resource.
func addCustomResource(schemas map[string]*spec.Schema, definition *apiextensionsv1.CustomResourceDefinition) error {
	for _, version := range definition.Spec.Versions {
		internal := &apiextensions.JSONSchemaProps{}
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
			version.Schema.OpenAPIV3Schema, internal, nil); err != nil {
			return err
		}
		structural, err := structuralschema.NewStructural(internal)
		if err != nil {
			return err
		}
		schema := structural.ToKubeOpenAPI()
		addEmbedded(schema)
		addMembers(schema)
		schema.AddExtension("x-kubernetes-group-version-kind", []any{map[string]any{
			"group": definition.Spec.Group, "version": version.Name, "kind": definition.Spec.Names.Kind,
		}})
		schemas[definition.Spec.Group+"."+version.Name+"."+definition.Spec.Names.Kind] = schema
	}
	return nil
}

func addEmbedded(schema *spec.Schema) {
	for name, property := range schema.Properties {
		addEmbedded(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		addEmbedded(schema.Items.Schema)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		addEmbedded(schema.AdditionalProperties.Schema)
	}
	if embedded, _ := schema.Extensions.GetBool("x-kubernetes-embedded-resource"); embedded {
		addMembers(schema)
	}
}

func addMembers(schema *spec.Schema) {
	if schema.Properties == nil {
		schema.Properties = map[string]spec.Schema{}
	}
	schema.SetProperty("apiVersion", *spec.StringProperty())
	schema.SetProperty("kind", *spec.StringProperty())
	schema.SetProperty("metadata", *spec.RefSchema(objectMeta))
}
