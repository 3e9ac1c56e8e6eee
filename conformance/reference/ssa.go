package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	kubejson "sigs.k8s.io/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Scenario is a sequence of writes to one object.
type Scenario struct {
	// Form is how the object is held: map, typed, custom-resource, deduced.
	Form string `json:"form"`
	// Kind and Versions name the object; versions differ in apiVersion only.
	Kind     string   `json:"kind"`
	Versions []string `json:"versions"`
	// Live is the object at the start; absent for none.
	Live  json.RawMessage `json:"live"`
	Steps []ScenarioStep  `json:"steps"`
}

// ScenarioStep is one write.
type ScenarioStep struct {
	Op          string          `json:"op"`
	Manager     string          `json:"manager"`
	Force       bool            `json:"force"`
	Version     string          `json:"version"`
	Subresource string          `json:"subresource"`
	Reset       [][]string      `json:"reset"`
	Object      json.RawMessage `json:"object"`
	Managers    []string        `json:"managers"`
	Replicas    []string        `json:"replicas"`
}

// StepAnswer is the object after a step, or the error that left it as it was.
type StepAnswer struct {
	Object json.RawMessage `json:"object,omitempty"`
	Error  *StepError      `json:"error,omitempty"`
}

// StepError is an error with its HTTP code and, for conflicts, its causes.
type StepError struct {
	Code    int32                `json:"code"`
	Message string               `json:"message"`
	Causes  []metav1.StatusCause `json:"causes,omitempty"`
}

// ssa runs a scenario. New times become the number of the step, so that order and capping can be compared.
func (j *judge) ssa(request Request) (json.RawMessage, error) {
	run, err := j.newScenarioRun(request)
	if err != nil {
		return nil, err
	}
	answers := []StepAnswer{}
	for number, step := range request.Scenario.Steps {
		answers = append(answers, run.step(int64(number+1), step))
	}
	return json.Marshal(answers)
}

type scenarioRun struct {
	scenario  *Scenario
	converter managedfields.TypeConverter
	objects   objectForms
	live      runtime.Object
}

func (j *judge) newScenarioRun(request Request) (*scenarioRun, error) {
	if request.Scenario == nil {
		return nil, badRequest("ssa needs a scenario")
	}
	converter, err := j.typeConverter(request)
	if err != nil {
		return nil, err
	}
	scenario := request.Scenario
	run := &scenarioRun{scenario: scenario, converter: converter, objects: formsOf(scenario)}
	if len(scenario.Live) > 0 {
		run.live, err = run.objects.read(scenario.Live)
	}
	return run, err
}

func (r *scenarioRun) step(number int64, step ScenarioStep) StepAnswer {
	result, err := r.attempt(step)
	if err != nil {
		return StepAnswer{Error: stepError(err)}
	}
	stampSteps(result, number)
	r.live = result
	text, err := json.Marshal(result)
	if err != nil {
		return StepAnswer{Error: stepError(err)}
	}
	return StepAnswer{Object: text}
}

// attempt works on copies, since upstream changes its arguments.
func (r *scenarioRun) attempt(step ScenarioStep) (runtime.Object, error) {
	switch step.Op {
	case "apply", "update":
		return r.write(step)
	case "migrate":
		object := r.live.DeepCopyObject()
		err := csaupgrade.UpgradeManagedFields(
			object, sets.New(step.Managers...), step.Manager, csaupgrade.Subresource(step.Subresource))
		return object, err
	case "scale":
		return r.scale(step)
	}
	return nil, badRequest("there is no step %q", step.Op)
}

func (r *scenarioRun) write(step ScenarioStep) (runtime.Object, error) {
	kind := schema.FromAPIVersionAndKind(step.Version, r.scenario.Kind)
	manager, err := r.fieldManager(kind, step)
	if err != nil {
		return nil, err
	}
	live := r.live
	if live == nil {
		if live, err = r.objects.New(kind); err != nil {
			return nil, err
		}
	}
	live, err = r.objects.ConvertToVersion(live.DeepCopyObject(), kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	if step.Op == "apply" {
		config := map[string]any{}
		if err := kubejson.UnmarshalCaseSensitivePreserveInts(step.Object, &config); err != nil {
			return nil, err
		}
		return manager.Apply(live, &unstructured.Unstructured{Object: config}, step.Manager, step.Force)
	}
	object, err := r.objects.read(step.Object)
	if err != nil {
		return nil, err
	}
	return manager.UpdateNoErrors(live, object, step.Manager), nil
}

func (r *scenarioRun) fieldManager(kind schema.GroupVersionKind, step ScenarioStep) (*managedfields.FieldManager, error) {
	reset := map[fieldpath.APIVersion]fieldpath.Filter{}
	if len(step.Reset) > 0 {
		set := fieldpath.NewSet()
		for _, names := range step.Reset {
			path := fieldpath.Path{}
			for _, name := range names {
				path = append(path, fieldpath.FieldNameElement(name))
			}
			set.Insert(path)
		}
		for _, version := range r.scenario.Versions {
			reset[fieldpath.APIVersion(version)] = fieldpath.NewExcludeSetFilter(set)
		}
	}
	create := managedfields.NewDefaultFieldManager
	if r.scenario.Form == "custom-resource" || r.scenario.Form == "deduced" {
		create = managedfields.NewDefaultCRDFieldManager
	}
	return create(r.converter, r.objects, noDefaults{}, r.objects, kind, kind.GroupVersion(), step.Subresource, reset)
}

// scale writes the entries of an object as its scale subresource would: the manager comes to own replicas.
func (r *scenarioRun) scale(step ScenarioStep) (runtime.Object, error) {
	object := r.live.DeepCopyObject()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	path := fieldpath.Path{}
	for _, name := range step.Replicas {
		path = append(path, fieldpath.FieldNameElement(name))
	}
	mappings := managedfields.ResourcePathMappings{}
	for _, version := range r.scenario.Versions {
		mappings[version] = path
	}
	version, err := schema.ParseGroupVersion(step.Version)
	if err != nil {
		return nil, err
	}
	handler := managedfields.NewScaleHandler(accessor.GetManagedFields(), version, mappings)
	entries, err := handler.ToSubresource()
	if err != nil {
		return nil, err
	}
	if step.Manager != "" {
		entries = scaled(entries, step)
	}
	parent, err := handler.ToParent(entries)
	if err != nil {
		return nil, err
	}
	accessor.SetManagedFields(parent)
	return object, nil
}

// scaled is what an update of the scale subresource leaves: its manager owns replicas alone.
func scaled(entries []metav1.ManagedFieldsEntry, step ScenarioStep) []metav1.ManagedFieldsEntry {
	fields := metav1.FieldsV1{}
	fields.SetRawBytes([]byte(`{"f:spec":{"f:replicas":{}}}`))
	return []metav1.ManagedFieldsEntry{{
		Manager: step.Manager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "autoscaling/v1",
		Subresource: "scale", FieldsType: "FieldsV1", FieldsV1: &fields,
	}}
}

// stampSteps turns times of this run into the number of the step.
func stampSteps(object runtime.Object, number int64) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return
	}
	entries := accessor.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil && entries[i].Time.Year() > 2000 {
			entries[i].Time = &metav1.Time{Time: time.Unix(number, 0).UTC()}
		}
	}
	accessor.SetManagedFields(entries)
}

func stepError(err error) *StepError {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return &StepError{Code: 500, Message: err.Error()}
	}
	answer := &StepError{Code: status.Status().Code, Message: status.Status().Message}
	if details := status.Status().Details; details != nil {
		answer.Causes = details.Causes
	}
	return answer
}

type noDefaults struct{}

func (noDefaults) Default(runtime.Object) {}

// objectForms converts and creates objects as the API server holds them.
type objectForms interface {
	runtime.ObjectConvertor
	runtime.ObjectCreater
	read(json.RawMessage) (runtime.Object, error)
}

func formsOf(scenario *Scenario) objectForms {
	if scenario.Form == "typed" {
		return typedForms{builtin}
	}
	return mapForms{scenario}
}

// typedForms are Go structs.
type typedForms struct{ *runtime.Scheme }

func (f typedForms) read(text json.RawMessage) (runtime.Object, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(text, &kind); err != nil {
		return nil, err
	}
	object, err := f.New(kind.GroupVersionKind())
	if err != nil {
		return nil, err
	}
	if err := kubejson.UnmarshalCaseSensitivePreserveInts(text, object); err != nil {
		return nil, err
	}
	return object, nil
}

// ConvertToVersion keeps the version: types of several versions are converted by code that no module exports.
func (f typedForms) ConvertToVersion(object runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	return f.Scheme.ConvertToVersion(object, target)
}

// mapForms are maps whose versions differ in apiVersion only.
type mapForms struct{ scenario *Scenario }

func (f mapForms) read(text json.RawMessage) (runtime.Object, error) {
	object := map[string]any{}
	err := kubejson.UnmarshalCaseSensitivePreserveInts(text, &object)
	return &unstructured.Unstructured{Object: object}, err
}

func (f mapForms) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(kind)
	return object, nil
}

func (f mapForms) Convert(in, out, context any) error { return errors.New("not used") }

func (f mapForms) ConvertToVersion(object runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	from := object.GetObjectKind().GroupVersionKind()
	to, _ := target.KindForGroupVersionKinds([]schema.GroupVersionKind{from})
	version, isVersion := target.(schema.GroupVersion)
	if isVersion {
		to = version.WithKind(from.Kind)
	}
	if !f.has(to.GroupVersion().String()) {
		if f.scenario.Form == "custom-resource" {
			return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", to.GroupVersion())
		}
		if f.scenario.Form != "deduced" {
			return nil, runtime.NewNotRegisteredErrForKind("scenario", to)
		}
	}
	converted := object.DeepCopyObject()
	converted.GetObjectKind().SetGroupVersionKind(to)
	return converted, nil
}

func (f mapForms) ConvertFieldLabel(schema.GroupVersionKind, string, string) (string, string, error) {
	return "", "", errors.New("not used")
}

func (f mapForms) has(version string) bool {
	for _, known := range f.scenario.Versions {
		if known == version {
			return true
		}
	}
	return false
}
