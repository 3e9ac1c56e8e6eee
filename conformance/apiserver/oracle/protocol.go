package main

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// request is one line of input. README.md of this module documents it.
type request struct {
	ID json.RawMessage `json:"id,omitempty"`
	// Op is typed, decode, create, update, table, reset, resources or schema.
	Op string `json:"op"`
	// Resource is "v1/pods", "apps/v1/deployments/status". Without it the
	// apiVersion and kind of the object tell.
	Resource string `json:"resource,omitempty"`
	// Subresource is added to the resource that the object's kind tells.
	Subresource string `json:"subresource,omitempty"`
	// Namespace of the request; "default" if empty.
	Namespace string `json:"namespace,omitempty"`
	// Name in the path; the name of the stored object if empty.
	Name string `json:"name,omitempty"`
	// Object is the body as JSON; Body is the body as text, for anything that
	// is not JSON or that has duplicate keys.
	Object json.RawMessage `json:"object,omitempty"`
	Body   *string         `json:"body,omitempty"`
	// Old is the stored object, in the version of the resource.
	Old json.RawMessage `json:"old,omitempty"`
	// FieldValidation is Ignore, Warn or Strict; Warn if empty, as over HTTP.
	FieldValidation string `json:"fieldValidation,omitempty"`
}

func (r *request) body() []byte {
	if r.Body != nil {
		return []byte(*r.Body)
	}
	return r.Object
}

// response is one line of output.
type response struct {
	ID json.RawMessage `json:"id,omitempty"`
	// Code is the HTTP status that kube-apiserver would answer.
	Code int `json:"code"`
	// Object is the result in the version of the request.
	Object json.RawMessage `json:"object,omitempty"`
	// Status is the whole Status of a refused request.
	Status   *metav1.Status `json:"status,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
	// Panic is what made Kubernetes panic, with its stack.
	Panic string `json:"panic,omitempty"`
	// Result is the answer of the operations that describe.
	Result any `json:"result,omitempty"`
}

// find returns the resource that a request is about.
func (reg *registry) find(req *request) (*resource, error) {
	path := req.Resource
	if path == "" {
		var typeMeta metav1.TypeMeta
		for _, object := range []json.RawMessage{req.Object, req.Old} {
			// Wrong types of apiVersion and kind leave both empty: not found.
			if json.Unmarshal(object, &typeMeta) == nil && typeMeta.Kind != "" {
				break
			}
		}
		parent := reg.byKind[typeMeta.GroupVersionKind()]
		if parent == nil {
			return nil, fmt.Errorf("no resource serves %s %s", typeMeta.APIVersion, typeMeta.Kind)
		}
		path = parent.path()
		if req.Subresource != "" {
			path += "/" + req.Subresource
		}
	}
	if r := reg.byPath[path]; r != nil {
		return r, nil
	}
	return nil, fmt.Errorf("no resource %q", path)
}
