// Server-side apply as operators do it: controller-runtime's client, and what client-go extracts.
package main

import (
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	appsv1ac "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"
)

func configuration(image string, replicas int32) *appsv1ac.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	container := corev1ac.Container().WithName("c").WithImage(image)
	template := corev1ac.PodTemplateSpec().WithLabels(labels).WithSpec(corev1ac.PodSpec().WithContainers(container))
	spec := appsv1ac.DeploymentSpec().WithReplicas(replicas).WithTemplate(template)
	spec = spec.WithSelector(metav1ac.LabelSelector().WithMatchLabels(labels))
	return appsv1ac.Deployment("applied", "default").WithSpec(spec)
}

func apply(config *rest.Config) {
	client, err := ctrl.New(config, ctrl.Options{})
	must(err, "make a client of controller-runtime")
	read := func() *appsv1.Deployment {
		live := &appsv1.Deployment{}
		must(client.Get(ctx, ctrl.ObjectKey{Namespace: "default", Name: "applied"}, live), "get")
		return live
	}
	operator, other := ctrl.FieldOwner("operator"), ctrl.FieldOwner("autoscaler")
	must(client.Apply(ctx, configuration("i:1", 1), operator), "apply a new object")
	created := read()
	must(client.Apply(ctx, configuration("i:1", 1), operator), "apply again")
	check(read().ResourceVersion == created.ResourceVersion, "an apply without changes writes nothing")

	err = client.Apply(ctx, configuration("i:1", 3), other)
	check(apierrors.IsConflict(err), "another manager has to force: %v", err)
	must(client.Apply(ctx, configuration("i:1", 3), other, ctrl.ForceOwnership), "force")
	check(*read().Spec.Replicas == 3, "the forced value")

	// A controller applies the status of an object that it has read.
	status := appsv1ac.DeploymentStatus().WithReplicas(3).WithReadyReplicas(2)
	applied := appsv1ac.Deployment("applied", "default").WithStatus(status)
	must(client.Status().Apply(ctx, applied, operator), "apply the status")
	live := read()
	check(live.Status.ReadyReplicas == 2 && *live.Spec.Replicas == 3, "only the status: %v", live)
	extracted, err := appsv1ac.ExtractDeploymentStatus(live, "operator")
	must(err, "extract the status")
	check(*extracted.Status.ReadyReplicas == 2 && extracted.Spec == nil, "extracted: %v", extracted)

	// What the operator no longer names goes, unless another manager has it.
	smaller := configuration("i:2", 3)
	smaller.Spec.Replicas = nil
	must(client.Apply(ctx, smaller, operator, ctrl.ForceOwnership), "apply less")
	live = read()
	check(*live.Spec.Replicas == 3 && live.Spec.Template.Spec.Containers[0].Image == "i:2", "%v", live.Spec)

	// Operators written before typed configurations patch.
	patch := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"name": "applied", "namespace": "default", "labels": map[string]any{"a": "b"}},
	}}
	must(client.Patch(ctx, patch, ctrl.Apply, ctrl.FieldOwner("labeller")), "patch of type apply")
	live = read()
	check(live.Labels["a"] == "b" && len(live.ManagedFields) == 4, "entries: %v", live.ManagedFields)

	// A migration edits the entries themselves.
	live.ManagedFields = []metav1.ManagedFieldsEntry{{}}
	must(client.Update(ctx, live), "reset the entries")
	check(len(read().ManagedFields) == 0, "entries after a reset: %v", read().ManagedFields)
}
