package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	policyclient "k8s.io/client-go/kubernetes/typed/policy/v1"
	api "k8s.io/kubernetes/pkg/apis/core"
	kubeletclient "k8s.io/kubernetes/pkg/kubelet/client"
	endpointsstore "k8s.io/kubernetes/pkg/registry/core/endpoint/storage"
	limitrangestore "k8s.io/kubernetes/pkg/registry/core/limitrange/storage"
	nodestore "k8s.io/kubernetes/pkg/registry/core/node/storage"
	pvstore "k8s.io/kubernetes/pkg/registry/core/persistentvolume/storage"
	pvcstore "k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim/storage"
	podstore "k8s.io/kubernetes/pkg/registry/core/pod/storage"
	podtemplatestore "k8s.io/kubernetes/pkg/registry/core/podtemplate/storage"
	controllerstore "k8s.io/kubernetes/pkg/registry/core/replicationcontroller/storage"
	corerest "k8s.io/kubernetes/pkg/registry/core/rest"
	"k8s.io/kubernetes/pkg/registry/core/service/ipallocator"
	"k8s.io/kubernetes/pkg/registry/core/service/portallocator"
	servicestore "k8s.io/kubernetes/pkg/registry/core/service/storage"
)

var errNotDryRun = errors.New("the oracle stores nothing")

// nobody authenticates no request: TokenReviews find every token invalid.
func nobody(*http.Request) (*authenticator.Response, bool, error) { return nil, false, nil }

// noBudgets is a cluster without disruption budgets: every eviction is allowed.
type noBudgets struct {
	policyclient.PodDisruptionBudgetInterface
}

func (noBudgets) PodDisruptionBudgets(string) policyclient.PodDisruptionBudgetInterface {
	return noBudgets{}
}

func (noBudgets) List(context.Context, metav1.ListOptions) (*policyv1.PodDisruptionBudgetList, error) {
	return &policyv1.PodDisruptionBudgetList{}, nil
}

// coreGroup builds the resources of the core group. Kubernetes' provider needs
// etcd for the allocators of Services, so the rest is put together here.
func coreGroup(options generic.RESTOptionsGetter) (genericapiserver.APIGroupInfo, error) {
	served := serverstorage.NewResourceConfig()
	served.EnableVersions(corev1.SchemeGroupVersion)
	shared := corerest.GenericConfig{EventTTL: time.Hour}
	group, err := shared.NewRESTStorage(served, options)
	if err != nil {
		return group, err
	}
	resources := group.VersionedResourcesStorageMap["v1"]
	for _, add := range []func(generic.RESTOptionsGetter, map[string]rest.Storage) error{
		addPodsAndServices, addControllers, addVolumes, addRest,
	} {
		if err := add(options, resources); err != nil {
			return group, err
		}
	}
	return group, nil
}

func addPodsAndServices(options generic.RESTOptionsGetter, resources map[string]rest.Storage) error {
	nodes, err := nodestore.NewStorage(options, kubeletclient.KubeletClientConfig{}, nil)
	if err != nil {
		return err
	}
	pods, err := podstore.NewStorage(options, nodes.KubeletConnectionInfo, nil, noBudgets{}, authorizerfactory.NewAlwaysAllowAuthorizer())
	if err != nil {
		return err
	}
	resources["nodes"] = nodes.Node
	resources["nodes/status"] = nodes.Status
	resources["pods"] = pods.Pod
	resources["pods/status"] = pods.Status
	resources["pods/binding"] = pods.Binding
	resources["pods/eviction"] = pods.Eviction
	resources["pods/ephemeralcontainers"] = pods.EphemeralContainers
	resources["pods/resize"] = pods.Resize
	resources["bindings"] = pods.LegacyBinding
	return addServices(options, pods.Pod, resources)
}

func addServices(options generic.RESTOptionsGetter, pods servicestore.PodStorage, resources map[string]rest.Storage) error {
	_, network, err := net.ParseCIDR("10.0.0.0/16")
	if err != nil {
		return err
	}
	addresses, err := ipallocator.NewInMemory(network)
	if err != nil {
		return err
	}
	ports, err := portallocator.NewInMemory(utilnet.PortRange{Base: 30000, Size: 2768})
	if err != nil {
		return err
	}
	allocators := map[api.IPFamily]ipallocator.Interface{api.IPv4Protocol: addresses}
	services, status, _, err := servicestore.NewREST(options, api.IPv4Protocol, allocators, ports, nil, pods, nil)
	resources["services"] = services
	resources["services/status"] = status
	return err
}

func addControllers(options generic.RESTOptionsGetter, resources map[string]rest.Storage) error {
	controllers, err := controllerstore.NewStorage(options)
	resources["replicationcontrollers"] = controllers.Controller
	resources["replicationcontrollers/status"] = controllers.Status
	resources["replicationcontrollers/scale"] = controllers.Scale
	return err
}

func addVolumes(options generic.RESTOptionsGetter, resources map[string]rest.Storage) error {
	volumes, volumeStatus, err := pvstore.NewREST(options)
	if err != nil {
		return err
	}
	claims, claimStatus, err := pvcstore.NewREST(options)
	resources["persistentvolumes"] = volumes
	resources["persistentvolumes/status"] = volumeStatus
	resources["persistentvolumeclaims"] = claims
	resources["persistentvolumeclaims/status"] = claimStatus
	return err
}

func addRest(options generic.RESTOptionsGetter, resources map[string]rest.Storage) error {
	templates, err := podtemplatestore.NewREST(options)
	if err != nil {
		return err
	}
	limits, err := limitrangestore.NewREST(options)
	if err != nil {
		return err
	}
	endpoints, err := endpointsstore.NewREST(options)
	resources["podtemplates"] = templates
	resources["limitranges"] = limits
	resources["endpoints"] = endpoints
	return err
}
