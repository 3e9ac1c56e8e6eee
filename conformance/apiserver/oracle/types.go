package main

import (
	"encoding/json"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// goType is a Go type as encoding/json sees it.
type goType struct {
	// Kind is struct, map, slice, string, bool, int32, …
	Kind string `json:"kind"`
	// Element is the type of the values of a map or the items of a slice.
	Element string `json:"element,omitempty"`
	// ElementPointer tells that the values or items are pointers.
	ElementPointer bool `json:"elementPointer,omitempty"`
	// Marshals and Unmarshals tell that the type has its own JSON methods.
	Marshals   bool      `json:"marshals,omitempty"`
	Unmarshals bool      `json:"unmarshals,omitempty"`
	Fields     []goField `json:"fields,omitempty"`
}

type goField struct {
	JSON      string `json:"json"`
	Go        string `json:"go"`
	Type      string `json:"type"`
	Pointer   bool   `json:"pointer,omitempty"`
	OmitEmpty bool   `json:"omitempty,omitempty"`
	OmitZero  bool   `json:"omitzero,omitempty"`
	// Inline fields have no name: their members belong to the struct.
	Inline bool `json:"inline,omitempty"`
	// Quoted numbers are written as strings.
	Quoted bool `json:"quoted,omitempty"`
}

// typeTable has every registered kind and every type that kinds are made of.
type typeTable struct {
	Kinds map[string]string  `json:"kinds"`
	Types map[string]*goType `json:"types"`
}

func (reg *registry) types() typeTable {
	table := typeTable{Kinds: map[string]string{}, Types: map[string]*goType{}}
	schemes := map[*runtime.Scheme]bool{}
	for _, r := range reg.sorted() {
		schemes[r.scheme] = true
	}
	for scheme := range schemes {
		for gvk, typ := range scheme.AllKnownTypes() {
			if gvk.Version != runtime.APIVersionInternal {
				table.Kinds[gvk.GroupVersion().String()+" "+gvk.Kind] = table.add(typ)
			}
		}
	}
	return table
}

var (
	marshaler   = reflect.TypeFor[json.Marshaler]()
	unmarshaler = reflect.TypeFor[json.Unmarshaler]()
)

// add describes a type and all that it is made of, and returns its name.
func (table typeTable) add(typ reflect.Type) string {
	name := typeName(typ)
	if _, known := table.Types[name]; known {
		return name
	}
	described := &goType{Kind: typ.Kind().String()}
	table.Types[name] = described
	pointer := reflect.PointerTo(typ)
	described.Marshals = pointer.Implements(marshaler)
	described.Unmarshals = pointer.Implements(unmarshaler)
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			if field := typ.Field(i); field.IsExported() && field.Tag.Get("json") != "-" {
				described.Fields = append(described.Fields, table.field(field))
			}
		}
	case reflect.Map, reflect.Slice, reflect.Array:
		element, isPointer := dereference(typ.Elem())
		described.Element, described.ElementPointer = table.add(element), isPointer
	}
	return name
}

func (table typeTable) field(field reflect.StructField) goField {
	typ, pointer := dereference(field.Type)
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	described := goField{JSON: name, Go: field.Name, Type: table.add(typ), Pointer: pointer}
	for _, option := range strings.Split(options, ",") {
		switch option {
		case "omitempty":
			described.OmitEmpty = true
		case "omitzero":
			described.OmitZero = true
		case "string":
			described.Quoted = true
		}
	}
	described.Inline = name == "" && field.Anonymous
	if name == "" && !described.Inline {
		described.JSON = field.Name
	}
	return described
}

func dereference(typ reflect.Type) (reflect.Type, bool) {
	if typ.Kind() == reflect.Pointer {
		return typ.Elem(), true
	}
	return typ, false
}

// typeName is unique: unnamed types are spelled with the paths of their parts.
func typeName(typ reflect.Type) string {
	switch {
	case typ.Name() != "" && typ.PkgPath() != "":
		return typ.PkgPath() + "." + typ.Name()
	case typ.Name() != "":
		return typ.Name()
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return "*" + typeName(typ.Elem())
	case reflect.Slice, reflect.Array:
		return "[]" + typeName(typ.Elem())
	case reflect.Map:
		return "map[" + typeName(typ.Key()) + "]" + typeName(typ.Elem())
	}
	return typ.String()
}
