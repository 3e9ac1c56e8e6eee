package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// typeConverter builds the types of a scenario from the OpenAPI v3 document of the request, once per document.
func (j *judge) typeConverter(request Request) (managedfields.TypeConverter, error) {
	if request.Scenario.Form == "deduced" {
		return managedfields.NewDeducedTypeConverter(), nil
	}
	key := string(request.Schema)
	if converter, known := j.converters[key]; known {
		return converter, nil
	}
	var document struct {
		Components struct {
			Schemas map[string]*spec.Schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(request.Schema, &document); err != nil {
		return nil, err
	}
	converter, err := managedfields.NewTypeConverter(document.Components.Schemas, false)
	if err != nil {
		return nil, err
	}
	j.converters[key] = converter
	return converter, nil
}
