package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/user"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/apiserver/pkg/warning"
)

// fixedUID replaces the random uid of a new object wherever it was copied to
// (the labels of Jobs), and is the uid of stored objects that have none.
const fixedUID = "00000000-0000-0000-0000-000000000001"

// suffixLength is the length of the random part of a generated name.
const suffixLength = 5

// warnings collects what the registry wants to tell the client.
type warnings struct{ texts []string }

func (w *warnings) AddWarning(_, text string) { w.texts = append(w.texts, text) }

// context is that of an administrator's request for the resource.
func (r *resource) context(verb, namespace, name string, recorder warning.Recorder) context.Context {
	if !r.namespaced() {
		namespace = ""
		if r.gvr.Resource == "namespaces" {
			namespace = name
		}
	}
	ctx := genericapirequest.WithNamespace(context.Background(), namespace)
	ctx = genericapirequest.WithUser(ctx, &user.DefaultInfo{Name: "admin", Groups: []string{"system:masters", "system:authenticated"}})
	ctx = genericapirequest.WithRequestInfo(ctx, &genericapirequest.RequestInfo{
		IsResourceRequest: true, Verb: verb, Namespace: namespace, Name: name,
		APIGroup: r.gvr.Group, APIVersion: r.gvr.Version, Resource: r.gvr.Resource, Subresource: r.subresource,
	})
	return warning.WithWarningRecorder(ctx, recorder)
}

func (r *resource) requestNamespace(req *request) string {
	if !r.namespaced() {
		return ""
	}
	if req.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return req.Namespace
}

func (r *resource) create(req *request) response {
	body, err := r.decode(req.body(), req.FieldValidation)
	if err != nil {
		return refused(err, nil)
	}
	recorder := &warnings{body.warnings}
	name := req.Name
	accessor, _ := meta.Accessor(body.object)
	if accessor != nil {
		if name == "" {
			name = accessor.GetName()
		}
		preserver, ok := r.storage.(rest.SubresourceObjectMetaPreserver)
		if !ok || r.subresource == "" || !preserver.PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate() {
			rest.WipeObjectMetaSystemFields(accessor)
		}
		if err := r.fitNamespace(req, name, accessor); err != nil {
			return refused(err, recorder.texts)
		}
	}
	ctx := r.context("create", r.requestNamespace(req), name, recorder)
	if ctx, err = r.withOld(ctx, req); err != nil {
		return refused(err, recorder.texts)
	}
	result, err := r.callCreate(ctx, name, body.object)
	if err != nil {
		return refused(err, recorder.texts)
	}
	return r.normalised(http.StatusCreated, result, recorder)
}

func (r *resource) callCreate(ctx context.Context, name string, object runtime.Object) (runtime.Object, error) {
	options := &metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	switch storage := r.storage.(type) {
	case rest.NamedCreater:
		return storage.Create(ctx, name, object, rest.ValidateAllObjectFunc, options)
	case rest.Creater:
		return storage.Create(ctx, object, rest.ValidateAllObjectFunc, options)
	}
	return nil, apierrors.NewMethodNotSupported(r.gvr.GroupResource(), "create")
}

func (r *resource) update(req *request) response {
	body, err := r.decode(req.body(), req.FieldValidation)
	if err != nil {
		return refused(err, nil)
	}
	recorder := &warnings{body.warnings}
	name := req.Name
	if name == "" {
		name = r.storedName(req)
	}
	if accessor, err := meta.Accessor(body.object); err == nil {
		if err := r.fitNamespace(req, name, accessor); err != nil {
			return refused(err, recorder.texts)
		}
		if err := checkName(name, accessor); err != nil {
			return refused(err, recorder.texts)
		}
	}
	ctx := r.context("update", r.requestNamespace(req), name, recorder)
	if ctx, err = r.withOld(ctx, req); err != nil {
		return refused(err, recorder.texts)
	}
	updater, ok := r.storage.(rest.Updater)
	if !ok {
		return refused(apierrors.NewMethodNotSupported(r.gvr.GroupResource(), "update"), recorder.texts)
	}
	result, created, err := updater.Update(ctx, name, rest.DefaultUpdatedObjectInfo(body.object),
		rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, &metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return refused(err, recorder.texts)
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return r.normalised(code, result, recorder)
}

func (r *resource) fitNamespace(req *request, name string, accessor metav1.Object) error {
	namespace := r.requestNamespace(req)
	if r.gvr.Resource == "namespaces" && r.gvr.Group == "" {
		namespace = name
	}
	return rest.EnsureObjectNamespaceMatchesRequestNamespace(rest.ExpectedNamespaceForResource(namespace, r.gvr), accessor)
}

func checkName(name string, accessor metav1.Object) error {
	switch accessor.GetName() {
	case "":
		return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s based on URL) was undeterminable: name must be provided", name))
	case name:
		return nil
	}
	return apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", accessor.GetName(), name))
}

// main is the resource whose objects are stored: the parent of a subresource.
func (r *resource) main() *resource {
	if r.parent != nil {
		return r.parent
	}
	return r
}

func (r *resource) storedName(req *request) string {
	if len(req.Old) == 0 {
		return ""
	}
	old, err := r.main().decode(req.Old, metav1.FieldValidationIgnore)
	if err != nil {
		return ""
	}
	accessor, err := meta.Accessor(old.object)
	if err != nil {
		return ""
	}
	return accessor.GetName()
}

// withOld puts the stored object of the request into its context, complete
// with the fields that every stored object has.
func (r *resource) withOld(ctx context.Context, req *request) (context.Context, error) {
	if len(req.Old) == 0 {
		return ctx, nil
	}
	old, err := r.main().decode(req.Old, metav1.FieldValidationIgnore)
	if err != nil {
		return ctx, fmt.Errorf("oracle: old: %w", err)
	}
	accessor, err := meta.Accessor(old.object)
	if err != nil {
		return ctx, fmt.Errorf("oracle: old: %w", err)
	}
	if accessor.GetUID() == "" {
		accessor.SetUID(types.UID(fixedUID))
	}
	if accessor.GetResourceVersion() == "" {
		accessor.SetResourceVersion("1")
	}
	if accessor.GetNamespace() == "" {
		accessor.SetNamespace(r.requestNamespace(req))
	}
	return withStored(ctx, old.object), nil
}

// normalised encodes a result without what differs from run to run: uid,
// times of creation, resource version, random suffix.
func (r *resource) normalised(code int, object runtime.Object, recorder *warnings) response {
	uid := ""
	if accessor, err := meta.Accessor(object); err == nil {
		uid = string(accessor.GetUID())
		accessor.SetUID("")
		accessor.SetResourceVersion("")
		accessor.SetCreationTimestamp(metav1.Time{})
		prefix := accessor.GetGenerateName()
		if prefix != "" && strings.HasPrefix(accessor.GetName(), prefix) && len(accessor.GetName()) == len(prefix)+suffixLength {
			accessor.SetName(prefix + strings.Repeat("x", suffixLength))
		}
	}
	answer := r.accepted(code, object, recorder.texts)
	if len(uid) == len(fixedUID) {
		answer.Object = bytes.ReplaceAll(answer.Object, []byte(uid), []byte(fixedUID))
	}
	return answer
}
