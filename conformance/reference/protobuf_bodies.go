package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// protobufBody is an object in both encodings.
type protobufBody struct {
	Name     string          `json:"name"`
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// fillings are the objects that each kind is recorded with.
var fillings = []struct {
	name   string
	filler filler
}{
	{"full", filler{}},
	// Pointers to zeros and lists of zeros: what JSON leaves out, and what not.
	{"zeros", filler{zeros: true}},
	{"empty", filler{empty: true}},
}

// protobufBodies encodes every kind, with a distinct value in each field.
func protobufBodies() ([]protobufBody, error) {
	var bodies []protobufBody
	for _, gvk := range bodyKinds() {
		variants := fillings
		if gvk.Kind == "CustomResourceDefinition" {
			variants = slices.Clone(fillings)
			for choice := 1; choice < 3; choice++ {
				name := fmt.Sprintf("choice-%d", choice)
				variants = append(variants, fillings[0])
				variants[len(variants)-1].name = name
				variants[len(variants)-1].filler.choice = choice
			}
		}
		for _, variant := range variants {
			body, err := encodeBody(gvk, variant.filler)
			if err != nil {
				return nil, fmt.Errorf("%v: %w", gvk, err)
			}
			body.Name = fmt.Sprintf("%s %s %s", gvk.GroupVersion(), gvk.Kind, variant.name)
			bodies = append(bodies, body)
		}
	}
	return bodies, nil
}

// bodyKinds are the kinds that requests send: objects, and the options of deletions.
func bodyKinds() []schema.GroupVersionKind {
	kinds := []schema.GroupVersionKind{{Version: "v1", Kind: "DeleteOptions"}}
	for gvk, ty := range builtin.AllKnownTypes() {
		_, isObject := ty.FieldByName("ObjectMeta")
		if isObject && gvk.Version != runtime.APIVersionInternal && isMessage(ty) {
			kinds = append(kinds, gvk)
		}
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

// encodeBody gives the JSON of what Kubernetes reads from its own protobuf.
func encodeBody(gvk schema.GroupVersionKind, filler filler) (protobufBody, error) {
	object, err := builtin.New(gvk)
	if err != nil {
		return protobufBody{}, err
	}
	filler.brief = gvk != corev1.SchemeGroupVersion.WithKind("Pod")
	filler.fill(reflect.ValueOf(object).Elem())
	object.GetObjectKind().SetGroupVersionKind(gvk)
	serializer := protobuf.NewSerializer(builtin, builtin)
	var encoded bytes.Buffer
	if err := serializer.Encode(object, &encoded); err != nil {
		return protobufBody{}, err
	}
	decoded, _, err := serializer.Decode(encoded.Bytes(), nil, nil)
	if err != nil {
		return protobufBody{}, err
	}
	decoded.GetObjectKind().SetGroupVersionKind(gvk)
	text, err := json.Marshal(decoded)
	return protobufBody{Protobuf: encoded.Bytes(), JSON: text}, err
}

// filler sets the fields of an object, each to another value.
type filler struct {
	// zeros sets pointers and items, but to zeros.
	zeros bool
	// empty sets nothing.
	empty bool
	// brief sets a part of metadata and pod specs, which are most of the size of all bodies. Pods have them in full.
	brief bool
	// choice selects the alternative of schemas that may be something else.
	choice int

	count int64
	open  []reflect.Type
}

func (f *filler) fill(value reflect.Value) {
	ty := value.Type()
	// Types that contain themselves are filled twice, one in the other.
	if f.empty || ty == reflect.TypeFor[metav1.TypeMeta]() || nestings(f.open, ty) > 1 {
		return
	}
	f.open = append(f.open, ty)
	defer func() { f.open = f.open[:len(f.open)-1] }()
	if own, known := f.own(ty); known {
		if !f.zeros {
			value.Set(reflect.ValueOf(own))
		}
		return
	}
	switch value.Kind() {
	case reflect.Pointer:
		if nestings(f.open, ty.Elem()) < 2 {
			value.Set(reflect.New(ty.Elem()))
			f.fill(value.Elem())
		}
	case reflect.Struct:
		f.fillStruct(value)
	case reflect.Slice:
		f.fillSlice(value)
	case reflect.Map:
		if nestings(f.open, ty.Elem()) < 2 {
			key, item := reflect.New(ty.Key()).Elem(), reflect.New(ty.Elem()).Elem()
			key.SetString(f.word())
			f.fill(item)
			value.Set(reflect.MakeMap(ty))
			value.SetMapIndex(key, item)
		}
	default:
		f.fillScalar(value)
	}
}

func nestings(open []reflect.Type, ty reflect.Type) int {
	count := 0
	for _, one := range open {
		if one == ty {
			count++
		}
	}
	return count
}

func (f *filler) fillStruct(value reflect.Value) {
	switch value.Interface().(type) {
	case apiextensionsv1.JSONSchemaPropsOrBool:
		value.Field(0).SetBool(f.choice > 0 && !f.zeros)
		f.fillChoice(value, 1, 1)
		return
	case apiextensionsv1.JSONSchemaPropsOrArray, apiextensionsv1.JSONSchemaPropsOrStringArray:
		f.fillChoice(value, 0, 1)
		return
	}
	for index := range value.NumField() {
		field := value.Type().Field(index)
		if _, tagged := field.Tag.Lookup("protobuf"); tagged && !f.leavesOut(value.Type(), field) {
			f.fill(value.Field(index))
		}
	}
}

// leavesOut tells what brief does not set. Metadata has a name only, so that servers accept the object.
func (f *filler) leavesOut(ty reflect.Type, field reflect.StructField) bool {
	switch {
	case !f.brief:
		return false
	case ty == reflect.TypeFor[metav1.ObjectMeta]():
		return field.Name != "Name"
	case ty == reflect.TypeFor[corev1.PodSpec]():
		return field.Type.Kind() >= reflect.Array && field.Type.Kind() != reflect.String
	}
	return false
}

// fillChoice sets a schema, its alternative, or neither.
func (f *filler) fillChoice(value reflect.Value, schema, alternative int) {
	switch f.choice {
	case 0:
		f.fill(value.Field(schema))
	case 1:
		if alternative != schema {
			f.fill(value.Field(alternative))
		}
	}
}

func (f *filler) fillSlice(value reflect.Value) {
	if isBytes(value.Type()) {
		value.SetBytes([]byte{})
		if !f.zeros {
			value.SetBytes([]byte(f.word()))
		}
		return
	}
	if nestings(f.open, value.Type().Elem()) > 1 {
		return
	}
	items := reflect.MakeSlice(value.Type(), 1, 2)
	f.fill(items.Index(0))
	if items.Index(0).Kind() != reflect.Struct {
		items = items.Slice(0, 2)
		f.fill(items.Index(1))
	}
	value.Set(items)
}

func (f *filler) fillScalar(value reflect.Value) {
	if f.zeros {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(f.word())
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int32, reflect.Int64:
		number := f.next()
		if number%2 == 1 {
			number = -number
		}
		value.SetInt(number)
	case reflect.Uint32, reflect.Uint64:
		value.SetUint(uint64(f.next()))
	case reflect.Float64:
		value.SetFloat(float64(f.next()) / 4)
	default:
		panic(fmt.Sprintf("no value for a %v", value.Type()))
	}
}

func (f *filler) next() int64 {
	f.count++
	return f.count
}

func (f *filler) word() string {
	if f.zeros {
		return ""
	}
	return fmt.Sprintf("s%d", f.next())
}

// own has values for the types with JSON of their own.
func (f *filler) own(ty reflect.Type) (any, bool) {
	switch ty {
	case reflect.TypeFor[resource.Quantity]():
		return resource.MustParse(fmt.Sprintf("%dm", f.next())), true
	case reflect.TypeFor[intstr.IntOrString]():
		if f.next()%2 == 0 {
			return intstr.FromInt32(int32(f.next())), true
		}
		return intstr.FromString(f.word()), true
	case reflect.TypeFor[metav1.Time]():
		return metav1.Unix(f.next()*100_000, 0), true
	case reflect.TypeFor[metav1.MicroTime]():
		return metav1.NewMicroTime(time.Unix(f.next(), f.next()*1000)), true
	case reflect.TypeFor[metav1.Duration]():
		return metav1.Duration{Duration: time.Duration(f.next()) * 1234567 * time.Microsecond}, true
	case reflect.TypeFor[metav1.FieldsV1]():
		return *metav1.NewFieldsV1(fmt.Sprintf(`{"f:s%d":{}}`, f.next())), true
	case reflect.TypeFor[runtime.RawExtension]():
		return runtime.RawExtension{Raw: fmt.Appendf(nil, `{"s%d":[1,null,"a"]}`, f.next())}, true
	case reflect.TypeFor[apiextensionsv1.JSON]():
		return apiextensionsv1.JSON{Raw: fmt.Appendf(nil, `{"s%d":[1.5]}`, f.next())}, true
	}
	return nil, false
}
