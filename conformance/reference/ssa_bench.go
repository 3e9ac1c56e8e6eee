package main

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "sigs.k8s.io/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// sameVersion is a converter for objects of one version.
type sameVersion struct{}

func (sameVersion) Convert(object *typed.TypedValue, _ fieldpath.APIVersion) (*typed.TypedValue, error) {
	return object, nil
}

func (sameVersion) IsMissingVersionError(error) bool { return false }

// ssaBench prepares an operation to be timed: what can be done before is done before.
func (j *judge) ssaBench(request Request) (operation, error) {
	run, err := j.newScenarioRun(request)
	if err != nil {
		return nil, err
	}
	step := request.Scenario.Steps[0]
	switch *request.Text {
	case "apply", "apply-twice", "re-apply":
		return run.benchApply(*request.Text, step)
	case "update":
		return run.benchUpdate(step)
	}
	return benchSets(*request.Text, request.Original, request.Modified)
}

// benchApply times the updater alone on parsed objects: validation, merge, ownership.
func (r *scenarioRun) benchApply(what string, step ScenarioStep) (operation, error) {
	config := map[string]any{}
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(step.Object, &config); err != nil {
		return nil, err
	}
	object := &unstructured.Unstructured{Object: config}
	empty := &unstructured.Unstructured{Object: map[string]any{}}
	empty.SetGroupVersionKind(schema.FromAPIVersionAndKind(step.Version, r.scenario.Kind))
	updater := merge.Updater{Converter: sameVersion{}}
	version := fieldpath.APIVersion(step.Version)
	apply := func(live runtime.Object, managers fieldpath.ManagedFields, manager string) (*typed.TypedValue, fieldpath.ManagedFields, error) {
		liveTyped, err := r.converter.ObjectToTyped(live, typed.AllowDuplicates)
		if err != nil {
			return nil, nil, err
		}
		configTyped, err := r.converter.ObjectToTyped(object)
		if err != nil {
			return nil, nil, err
		}
		return updater.Apply(liveTyped, configTyped, version, managers, manager, false)
	}
	applied, managers, err := apply(empty, fieldpath.ManagedFields{}, "m1")
	if err != nil {
		return nil, err
	}
	live, err := r.converter.TypedToObject(applied)
	if err != nil {
		return nil, err
	}
	done := json.RawMessage(`{}`)
	switch what {
	case "re-apply":
		return func() (json.RawMessage, error) {
			_, _, err := apply(live, managers.Copy(), "m1")
			return done, err
		}, nil
	case "apply-twice":
		return func() (json.RawMessage, error) {
			_, first, err := apply(empty, fieldpath.ManagedFields{}, "m1")
			if err != nil {
				return nil, err
			}
			_, _, err = apply(live, first, "m2")
			return done, err
		}, nil
	}
	return func() (json.RawMessage, error) {
		_, _, err := apply(empty, fieldpath.ManagedFields{}, "m1")
		return done, err
	}, nil
}

// benchUpdate times the whole chain from bytes to bytes: decode both objects, update the entries, encode.
func (r *scenarioRun) benchUpdate(step ScenarioStep) (operation, error) {
	kind := schema.FromAPIVersionAndKind(step.Version, r.scenario.Kind)
	manager, err := r.fieldManager(kind, step)
	if err != nil {
		return nil, err
	}
	return func() (json.RawMessage, error) {
		live, err := r.objects.read(r.scenario.Live)
		if err != nil {
			return nil, err
		}
		object, err := r.objects.read(step.Object)
		if err != nil {
			return nil, err
		}
		return json.Marshal(manager.UpdateNoErrors(live, object, step.Manager))
	}, nil
}

func benchSets(what string, left, right json.RawMessage) (operation, error) {
	read := func(text json.RawMessage) (*fieldpath.Set, error) {
		set := &fieldpath.Set{}
		return set, set.FromJSON(bytes.NewReader(text))
	}
	one, err := read(left)
	if err != nil {
		return nil, err
	}
	two, err := read(orEmpty(right))
	if err != nil {
		return nil, err
	}
	done := json.RawMessage(`{}`)
	operations := map[string]func() error{
		"read":         func() error { _, err := read(left); return err },
		"write":        func() error { _, err := one.ToJSON(); return err },
		"union":        func() error { one.Union(two); return nil },
		"intersection": func() error { one.Intersection(two); return nil },
		"difference":   func() error { one.Difference(two); return nil },
	}
	run, known := operations[what]
	if !known {
		return nil, badRequest("there is nothing to time called %q", what)
	}
	return func() (json.RawMessage, error) { return done, run() }, nil
}
