// The official Go client: discovery, create, three patches, errors, informers, leases, custom resources; controller-runtime's apply.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/retry"
)

var ctx, cancel = context.WithTimeout(context.Background(), 90*time.Second)

// must ends the program with an error that says what was being done.
func must(err error, doing string) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", doing, err)
		os.Exit(1)
	}
}

func check(holds bool, format string, values ...any) {
	if !holds {
		must(fmt.Errorf(format, values...), "check")
	}
}

// next waits for something that happens soon.
func next[T any](events <-chan T, what string) T {
	select {
	case event := <-events:
		return event
	case <-ctx.Done():
		must(ctx.Err(), "waiting for "+what)
		panic("not reached")
	}
}

func deployment() *appsv1.Deployment {
	labels := map[string]string{"app": "web"}
	containers := []corev1.Container{{Name: "nginx", Image: "nginx:1.14"}, {Name: "sidecar", Image: "s:1"}}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: labels},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: containers},
			},
		},
	}
}

func workloads(client kubernetes.Interface) {
	deployments := client.AppsV1().Deployments("default")
	created, err := deployments.Create(ctx, deployment(), metav1.CreateOptions{})
	must(err, "create")
	check(created.UID != "" && created.Generation == 1, "the server owns uid and generation: %v", created)

	change := `{"spec":{"template":{"spec":{"containers":[{"name":"nginx","image":"nginx:1.21"}]}}}}`
	patched, err := deployments.Patch(ctx, "web", types.StrategicMergePatchType, []byte(change), metav1.PatchOptions{})
	must(err, "strategic merge patch")
	check(len(patched.Spec.Template.Spec.Containers) == 2, "the sidecar stays: %v", patched.Spec)
	operation := `[{"op":"replace","path":"/spec/replicas","value":3}]`
	_, err = deployments.Patch(ctx, "web", types.JSONPatchType, []byte(operation), metav1.PatchOptions{})
	must(err, "JSON patch")
	_, err = deployments.Patch(ctx, "web", types.MergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{})
	must(err, "merge patch")

	must(retry.RetryOnConflict(retry.DefaultRetry, func() error {
		current, err := deployments.Get(ctx, "web", metav1.GetOptions{})
		must(err, "get")
		current.Status.Replicas, current.Status.ReadyReplicas = 3, 3
		_, err = deployments.UpdateStatus(ctx, current, metav1.UpdateOptions{})
		return err
	}), "update status")
	scale := &autoscalingv1.Scale{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}}
	scale.Spec.Replicas = 5
	_, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	must(err, "update scale")
	final, err := deployments.Get(ctx, "web", metav1.GetOptions{})
	must(err, "get")
	check(*final.Spec.Replicas == 5 && final.Status.ReadyReplicas == 3, "scaled, status kept: %v", final)

	_, err = deployments.Create(ctx, deployment(), metav1.CreateOptions{})
	check(apierrors.IsAlreadyExists(err), "created twice: %v", err)
	_, err = deployments.Get(ctx, "none", metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "not found: %v", err)
	_, err = deployments.Update(ctx, created, metav1.UpdateOptions{})
	check(apierrors.IsConflict(err), "an old version: %v", err)
	wrong := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Wrong_Name"}}
	_, err = client.CoreV1().ConfigMaps("default").Create(ctx, wrong, metav1.CreateOptions{})
	check(apierrors.IsInvalid(err), "a wrong name: %v", err)
}

func eviction(client kubernetes.Interface) {
	pods := client.CoreV1().Pods("default")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"}}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Image: "i"}}
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	must(err, "create a pod")
	must(pods.EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}}), "evict")
	_, err = pods.Get(ctx, pod.Name, metav1.GetOptions{})
	check(apierrors.IsNotFound(err), "evicted: %v", err)
}

// registrations have fields that .proto files and JSON spell in different ways.
func registrations(client kubernetes.Interface) {
	url, none, group := "https://example.com", admissionregistrationv1.SideEffectClassNone, "example.com"
	webhooks, err := client.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "a.example.com", ClientConfig: admissionregistrationv1.WebhookClientConfig{URL: &url},
			SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	must(err, "create webhooks")
	check(len(webhooks.Webhooks) == 1 && *webhooks.Webhooks[0].ClientConfig.URL == url, "webhooks are %v", webhooks.Webhooks)
	class, err := client.NetworkingV1().IngressClasses().Create(ctx, &networkingv1.IngressClass{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: networkingv1.IngressClassSpec{
			Controller: "example.com/web",
			Parameters: &networkingv1.IngressClassParametersReference{APIGroup: &group, Kind: "Web", Name: "web"},
		},
	}, metav1.CreateOptions{})
	must(err, "create an ingress class")
	check(class.Spec.Parameters.APIGroup != nil && *class.Spec.Parameters.APIGroup == group, "parameters are %v", class.Spec.Parameters)
}

func informer(client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps("default")
	events := make(chan string, 100)
	name := func(object any) string { return object.(*corev1.ConfigMap).Name }
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default"))
	shared := factory.Core().V1().ConfigMaps().Informer()
	_, err := shared.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { events <- "add " + name(object) },
		UpdateFunc: func(_, object any) { events <- "update " + name(object) },
		DeleteFunc: func(object any) { events <- "delete " + name(object) },
	})
	must(err, "add a handler")
	_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "first"}}, metav1.CreateOptions{})
	must(err, "create before the informer")
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	check(next(events, "the first map") == "add first", "the informer begins with what is there")
	second := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "second"}}
	second, err = maps.Create(ctx, second, metav1.CreateOptions{})
	must(err, "create")
	check(next(events, "a new map") == "add second", "an object is added")
	second.Data = map[string]string{"k": "v"}
	_, err = maps.Update(ctx, second, metav1.UpdateOptions{})
	must(err, "update")
	check(next(events, "a changed map") == "update second", "an object changes")
	must(maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=second"}), "delete collection")
	check(next(events, "a deleted map") == "delete second", "an object goes")
}

func leader(client kubernetes.Interface) {
	lock, err := resourcelock.New(resourcelock.LeasesResourceLock, "default", "leader", client.CoreV1(),
		client.CoordinationV1(), resourcelock.ResourceLockConfig{Identity: "me"})
	must(err, "make a lock")
	leading := make(chan struct{}, 1)
	running, stop := context.WithCancel(ctx)
	go leaderelection.RunOrDie(running, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { leading <- struct{}{} },
			OnStoppedLeading: func() {},
		},
	})
	next(leading, "leadership")
	stop()
}

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"things.x.io"},
"spec":{"group":"x.io","scope":"Namespaced","names":{"plural":"things","kind":"Thing"},"versions":[{"name":"v1","served":true,
"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":
{"type":"integer","default":3}}}}}}}]}}`

func custom(config *rest.Config) {
	objects, err := dynamic.NewForConfig(config)
	must(err, "make a dynamic client")
	crd := &unstructured.Unstructured{}
	must(crd.UnmarshalJSON([]byte(definition)), "read the definition")
	definitions := schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	_, err = objects.Resource(definitions).Create(ctx, crd, metav1.CreateOptions{})
	must(err, "create the definition")

	found, err := discovery.NewDiscoveryClientForConfig(config)
	must(err, "make a discovery client")
	groups, err := restmapper.GetAPIGroupResources(found)
	must(err, "discover")
	mapping, err := restmapper.NewDiscoveryRESTMapper(groups).RESTMapping(schema.GroupKind{Group: "x.io", Kind: "Thing"})
	must(err, "map the kind")
	things := objects.Resource(mapping.Resource).Namespace("default")
	thing := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x.io/v1", "kind": "Thing",
		"metadata": map[string]any{"name": "t"}, "spec": map[string]any{}}}
	thing, err = things.Create(ctx, thing, metav1.CreateOptions{})
	must(err, "create a custom object")
	size, _, _ := unstructured.NestedInt64(thing.Object, "spec", "size")
	check(size == 3, "the default is filled in: %v", thing)
	_, err = things.Patch(ctx, "t", types.StrategicMergePatchType, []byte(`{}`), metav1.PatchOptions{})
	check(apierrors.IsUnsupportedMediaType(err), "no strategic merge patch for custom resources: %v", err)

	parts, err := metadata.NewForConfig(config)
	must(err, "make a metadata client")
	list, err := parts.Resource(mapping.Resource).List(ctx, metav1.ListOptions{})
	must(err, "list metadata")
	check(len(list.Items) == 1 && list.Items[0].Name == "t", "metadata alone: %v", list)
}

func main() {
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err, "read the kubeconfig")
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	must(err, "make a client")
	workloads(client)
	informer(client)
	leader(client)
	custom(config)
	apply(config)

	// Bodies in protobuf, as kubectl sends them.
	binary := rest.CopyConfig(config)
	binary.ContentType = "application/vnd.kubernetes.protobuf"
	binary.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	client, err = kubernetes.NewForConfig(binary)
	must(err, "make a client that writes protobuf")
	must(client.AppsV1().Deployments("default").Delete(ctx, "web", metav1.DeleteOptions{}), "delete")
	workloads(client)
	eviction(client)
	registrations(client)
	fmt.Println("done")
}
