package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// protobufTables answers with what a reader of protobuf bodies needs, and with bodies to test it.
func protobufTables() (json.RawMessage, error) {
	messages := messageTable{}
	for gvk, ty := range builtin.AllKnownTypes() {
		if gvk.Version == runtime.APIVersionInternal || !isMessage(ty) {
			continue
		}
		if err := messages.add(ty); err != nil {
			return nil, fmt.Errorf("%v: %w", gvk, err)
		}
	}
	bodies, err := protobufBodies()
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"messages": messages.text(), "bodies": bodies})
}

// ownJSON has the types whose JSON is not that of their fields. Readers know them by name.
var ownJSON = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():                            "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                           "IntOrString",
	reflect.TypeFor[metav1.Time]():                                  "Time",
	reflect.TypeFor[metav1.MicroTime]():                             "MicroTime",
	reflect.TypeFor[metav1.Duration]():                              "Duration",
	reflect.TypeFor[metav1.FieldsV1]():                              "FieldsV1",
	reflect.TypeFor[runtime.RawExtension]():                         "RawExtension",
	reflect.TypeFor[apiextensionsv1.JSON]():                         "JSON",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():        "SchemaOrBool",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray]():       "SchemaOrArray",
	reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrStringArray](): "SchemaOrStringArray",
}

// messageTable has the lines of the fields of each message, by the name of the message.
type messageTable map[string][]string

// text has a line for each message, and one that begins with a space for each of its fields.
func (m messageTable) text() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintln(&text, name)
		for _, line := range m[name] {
			fmt.Fprintln(&text, line)
		}
	}
	return text.String()
}

// add writes down a message and all that it contains.
func (m messageTable) add(ty reflect.Type) error {
	name := messageName(ty)
	if _, known := m[name]; known {
		return nil
	}
	m[name] = nil
	if ty.Kind() == reflect.Slice {
		// A list that is a message: its items are the only field.
		item, err := m.typeOf(ty.Elem())
		m[name] = []string{" 1 [] *" + item}
		return err
	}
	for index := range ty.NumField() {
		line, err := m.field(ty.Field(index))
		if err != nil {
			return fmt.Errorf("%v: %w", ty, err)
		}
		if line != "" {
			m[name] = append(m[name], line)
		}
	}
	return nil
}

// field gives number, JSON name, type and, unless it is left out when empty, the presence of a field.
func (m messageTable) field(field reflect.StructField) (string, error) {
	tag := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return "", untagged(field)
	}
	kind, err := m.fieldType(field.Type)
	if err != nil {
		return "", fmt.Errorf("%s: %w", field.Name, err)
	}
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if field.Anonymous && name == "" {
		// Embedded: its fields are beside the others in JSON.
		if field.Type.Kind() != reflect.Struct {
			return "", fmt.Errorf("%s is embedded and no struct", field.Name)
		}
		return fmt.Sprintf(" %s - %s", tag[1], kind), nil
	}
	if name == "" || name == "-" {
		return "", fmt.Errorf("%s has no JSON name", field.Name)
	}
	line := fmt.Sprintf(" %s %s %s", tag[1], name, kind)
	if presence := presence(field.Type, strings.Split(options, ",")); presence != "" {
		line += " " + presence
	}
	return line, nil
}

// untagged refuses fields of JSON that protobuf has not, but for the type of the object, which is in the envelope.
func untagged(field reflect.StructField) error {
	if field.Type == reflect.TypeFor[metav1.TypeMeta]() || field.Tag.Get("json") == "-" {
		return nil
	}
	return fmt.Errorf("%s has no number", field.Name)
}

// presence tells when JSON has a field; nothing if it has it unless it is empty.
func presence(ty reflect.Type, options []string) string {
	omitEmpty, omitZero := slices.Contains(options, "omitempty"), slices.Contains(options, "omitzero")
	switch ty.Kind() {
	case reflect.Pointer:
		if omitEmpty || omitZero {
			return "pointer"
		}
		return "nullable"
	case reflect.Struct:
		if omitZero {
			return "nonzero"
		}
		// A struct is never empty.
		return "always"
	}
	if omitEmpty || omitZero {
		return ""
	}
	return "always"
}

// fieldType marks lists with * and maps with %.
func (m messageTable) fieldType(ty reflect.Type) (string, error) {
	switch {
	case ty.Kind() == reflect.Pointer:
		return m.typeOf(ty.Elem())
	case isMessage(ty) || isBytes(ty):
		return m.typeOf(ty)
	case ty.Kind() == reflect.Slice:
		item, err := m.typeOf(ty.Elem())
		return "*" + item, err
	case ty.Kind() == reflect.Map && ty.Key().Kind() == reflect.String:
		value, err := m.typeOf(ty.Elem())
		return "%" + value, err
	}
	return m.typeOf(ty)
}

func (m messageTable) typeOf(ty reflect.Type) (string, error) {
	if name, known := ownJSON[ty]; known {
		// Schemas are in these only.
		if strings.HasPrefix(name, "Schema") {
			return name, m.add(reflect.TypeFor[apiextensionsv1.JSONSchemaProps]())
		}
		return name, nil
	}
	if ty.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(ty).Implements(reflect.TypeFor[json.Marshaler]()) {
		return "", fmt.Errorf("%v has JSON of its own, which no reader knows", ty)
	}
	if isMessage(ty) {
		return messageName(ty), m.add(ty)
	}
	if isBytes(ty) {
		return "bytes", nil
	}
	switch ty.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Uint32, reflect.Uint64:
		return ty.Kind().String(), nil
	case reflect.Float64:
		return "double", nil
	}
	return "", fmt.Errorf("no protobuf type for %v", ty)
}

func isBytes(ty reflect.Type) bool {
	return ty.Kind() == reflect.Slice && ty.Elem().Kind() == reflect.Uint8
}

// isMessage is true for structs and lists that encode themselves.
func isMessage(ty reflect.Type) bool {
	return reflect.PointerTo(ty).Implements(reflect.TypeFor[interface{ Marshal() ([]byte, error) }]())
}

// messageName is spelled as the package in the .proto file.
func messageName(ty reflect.Type) string {
	return strings.NewReplacer("/", ".", "-", "_").Replace(ty.PkgPath()) + "." + ty.Name()
}
