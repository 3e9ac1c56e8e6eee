package main

import (
	"net/http"
	"sort"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/registry/rest"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// description is what `resources` tells about one path.
type description struct {
	Resource    string              `json:"resource"`
	Kind        string              `json:"kind"`
	APIVersion  string              `json:"apiVersion"`
	Namespaced  bool                `json:"namespaced"`
	Verbs       []string            `json:"verbs"`
	ShortNames  []string            `json:"shortNames,omitempty"`
	Categories  []string            `json:"categories,omitempty"`
	Singular    string              `json:"singular,omitempty"`
	ResetFields map[string][]string `json:"resetFields,omitempty"`
}

func (reg *registry) describe() []description {
	var all []description
	for _, r := range reg.sorted() {
		all = append(all, r.describe())
	}
	return all
}

func (r *resource) describe() description {
	d := description{Resource: r.path(), Kind: r.kind.Kind, APIVersion: r.kind.GroupVersion().String(),
		Namespaced: r.namespaced(), Verbs: r.verbs(), ResetFields: r.resetFields()}
	if names, ok := r.storage.(rest.ShortNamesProvider); ok {
		d.ShortNames = names.ShortNames()
	}
	if categories, ok := r.storage.(rest.CategoriesProvider); ok {
		d.Categories = categories.Categories()
	}
	if singular, ok := r.storage.(rest.SingularNameProvider); ok && r.subresource == "" {
		d.Singular = singular.GetSingularName()
	}
	return d
}

func (r *resource) verbs() []string {
	var verbs []string
	add := func(verb string, has bool) {
		if has {
			verbs = append(verbs, verb)
		}
	}
	_, creater := r.storage.(rest.Creater)
	_, namedCreater := r.storage.(rest.NamedCreater)
	_, collection := r.storage.(rest.CollectionDeleter)
	_, deleter := r.storage.(rest.GracefulDeleter)
	_, getter := r.storage.(rest.Getter)
	_, lister := r.storage.(rest.Lister)
	_, updater := r.storage.(rest.Updater)
	_, patcher := r.storage.(rest.Patcher)
	_, watcher := r.storage.(rest.Watcher)
	add("create", creater || namedCreater)
	add("delete", deleter)
	add("deletecollection", collection)
	add("get", getter)
	add("list", lister)
	add("patch", patcher)
	add("update", updater)
	add("watch", watcher)
	return verbs
}

// resetFields lists the paths that the strategy resets, by API version.
func (r *resource) resetFields() map[string][]string {
	strategy, ok := r.storage.(rest.ResetFieldsStrategy)
	if !ok {
		return nil
	}
	fields := map[string][]string{}
	for version, set := range strategy.GetResetFields() {
		paths := []string{}
		set.Iterate(func(path fieldpath.Path) { paths = append(paths, path.String()) })
		sort.Strings(paths)
		fields[string(version)] = paths
	}
	return fields
}

// table prints the object as `kubectl get` would.
func (r *resource) table(req *request) response {
	body, err := r.decode(req.body(), metav1.FieldValidationIgnore)
	if err != nil {
		return refused(err, nil)
	}
	convertor, ok := r.storage.(rest.TableConvertor)
	if !ok {
		return response{Code: http.StatusNotAcceptable}
	}
	ctx := r.context("get", r.requestNamespace(req), req.Name, &warnings{})
	table, err := convertor.ConvertToTable(ctx, body.object, &metav1.TableOptions{IncludeObject: metav1.IncludeNone})
	if err != nil {
		return refused(err, nil)
	}
	for i := range table.Rows {
		table.Rows[i].Object.Object = nil
	}
	return response{Code: http.StatusOK, Result: table}
}
