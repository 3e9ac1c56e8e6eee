// Command kustomization writes the fields of kustomizations as definitions of an OpenAPI document, from
// kustomize's own types:
//
//	go run ./kustomization > ../../crates/kubemerge-inspect/src/lint/kustomization.json
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	"sigs.k8s.io/kustomize/api/types"
)

type object = map[string]any

// definitions by name.
var definitions = object{}

func main() {
	define(reflect.TypeFor[types.Kustomization]())
	writer := json.NewEncoder(os.Stdout)
	writer.SetIndent("", " ")
	if err := writer.Encode(object{"definitions": definitions}); err != nil {
		panic(err)
	}
}

// define adds the definition of a struct and of all that it refers to.
func define(t reflect.Type) {
	if _, known := definitions[t.Name()]; known {
		return
	}
	properties := object{}
	// Before its fields, which may refer to it.
	definitions[t.Name()] = object{"type": "object", "properties": properties}
	addFields(t, properties)
}

func addFields(t reflect.Type, properties object) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case !field.IsExported() || name == "-":
		case name == "" && field.Anonymous:
			addFields(pointedTo(field.Type), properties)
		default:
			properties[name] = schemaOf(field.Type)
		}
	}
}

func schemaOf(t reflect.Type) object {
	switch t := pointedTo(t); t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": schemaOf(t.Elem())}
	case reflect.Struct:
		define(t)
		return object{"$ref": "#/definitions/" + t.Name()}
	default:
		// Values of any type.
		return object{}
	}
}

func pointedTo(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
