package main

import (
	"fmt"
	"sort"
	"strings"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serveroptions "k8s.io/apiserver/pkg/server/options"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	aggregatorv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	apiservicerest "k8s.io/kube-aggregator/pkg/registry/apiservice/rest"
	"k8s.io/kubernetes/pkg/controlplane"
	controlplaneapiserver "k8s.io/kubernetes/pkg/controlplane/apiserver"
	"k8s.io/kubernetes/pkg/kubeapiserver"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	apiserverinternalrest "k8s.io/kubernetes/pkg/registry/apiserverinternal/rest"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	authenticationrest "k8s.io/kubernetes/pkg/registry/authentication/rest"
	authorizationrest "k8s.io/kubernetes/pkg/registry/authorization/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	certificatesrest "k8s.io/kubernetes/pkg/registry/certificates/rest"
	coordinationrest "k8s.io/kubernetes/pkg/registry/coordination/rest"
	discoveryrest "k8s.io/kubernetes/pkg/registry/discovery/rest"
	eventsrest "k8s.io/kubernetes/pkg/registry/events/rest"
	flowcontrolrest "k8s.io/kubernetes/pkg/registry/flowcontrol/rest"
	lifecyclerest "k8s.io/kubernetes/pkg/registry/lifecycle/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	noderest "k8s.io/kubernetes/pkg/registry/node/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	resourcerest "k8s.io/kubernetes/pkg/registry/resource/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagerest "k8s.io/kubernetes/pkg/registry/storage/rest"
	svmrest "k8s.io/kubernetes/pkg/registry/storagemigration/rest"
)

// resource is one served path: a resource or a subresource of one version.
type resource struct {
	gvr         schema.GroupVersionResource
	subresource string
	kind        schema.GroupVersionKind
	storage     rest.Storage
	scheme      *runtime.Scheme
	serializer  runtime.NegotiatedSerializer
	// parent is the resource that a subresource belongs to.
	parent *resource
}

// path is how requests name a resource: "apps/v1/deployments/status".
func (r *resource) path() string {
	path := r.gvr.GroupVersion().String() + "/" + r.gvr.Resource
	if r.subresource != "" {
		path += "/" + r.subresource
	}
	return path
}

func (r *resource) namespaced() bool {
	if r.parent != nil {
		return r.parent.namespaced()
	}
	scoper, ok := r.storage.(rest.Scoper)
	return ok && scoper.NamespaceScoped()
}

// registry holds all resources that kube-apiserver serves by default.
type registry struct {
	byPath map[string]*resource
	byKind map[schema.GroupVersionKind]*resource
}

func newRegistry() (*registry, error) {
	groups, err := apiGroups()
	if err != nil {
		return nil, err
	}
	reg := &registry{byPath: map[string]*resource{}, byKind: map[schema.GroupVersionKind]*resource{}}
	for _, group := range groups {
		if err := reg.add(group); err != nil {
			return nil, err
		}
	}
	for _, r := range reg.byPath {
		if r.subresource != "" {
			r.parent = reg.byPath[r.gvr.GroupVersion().String()+"/"+r.gvr.Resource]
		}
	}
	return reg, nil
}

func (reg *registry) add(group genericapiserver.APIGroupInfo) error {
	for version, storages := range group.VersionedResourcesStorageMap {
		gv := schema.GroupVersion{Group: group.PrioritizedVersions[0].Group, Version: version}
		for name, storage := range storages {
			kind, err := endpoints.GetResourceKind(gv, storage, group.Scheme)
			if err != nil {
				return fmt.Errorf("%s of %s: %w", name, gv, err)
			}
			name, subresource, _ := strings.Cut(name, "/")
			r := &resource{gvr: gv.WithResource(name), subresource: subresource, kind: kind,
				storage: storage, scheme: group.Scheme, serializer: group.NegotiatedSerializer}
			reg.byPath[r.path()] = r
			if subresource == "" {
				reg.byKind[kind] = r
			}
		}
	}
	return nil
}

// sorted lists the resources by path.
func (reg *registry) sorted() []*resource {
	all := make([]*resource, 0, len(reg.byPath))
	for _, r := range reg.byPath {
		all = append(all, r)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].path() < all[j].path() })
	return all
}

// apiGroups asks Kubernetes' own storage providers for their resources.
func apiGroups() ([]genericapiserver.APIGroupInfo, error) {
	served := controlplane.DefaultAPIResourceConfigSource()
	etcd := serveroptions.NewEtcdOptions(storagebackend.NewDefaultConfig("/registry", nil))
	etcd.DefaultStorageMediaType = runtime.ContentTypeProtobuf
	config := kubeapiserver.NewStorageFactoryConfig()
	config.APIResourceConfig = served
	factory, err := config.Complete(etcd).New()
	if err != nil {
		return nil, err
	}
	options := storageConfig(factory.NewConfig)

	core, err := coreGroup(options)
	if err != nil {
		return nil, err
	}
	groups := []genericapiserver.APIGroupInfo{core}
	providers, err := storageProviders()
	if err != nil {
		return nil, err
	}
	for _, provider := range providers {
		group, err := provider.NewRESTStorage(served, options)
		if err != nil {
			return nil, err
		}
		if len(group.PrioritizedVersions) > 0 {
			groups = append(groups, group)
		}
	}
	definitions, err := definitionGroup()
	return append(groups, definitions, apiServiceGroup()), err
}

// storageProviders lists the providers of all groups but core. Nothing that
// needs another object of the cluster can be looked up: the client has no server.
func storageProviders() ([]controlplaneapiserver.RESTStorageProvider, error) {
	client, err := kubernetes.NewForConfig(&restclient.Config{Host: "http://127.0.0.1:0"})
	if err != nil {
		return nil, err
	}
	allow := authorizerfactory.NewAlwaysAllowAuthorizer()
	return []controlplaneapiserver.RESTStorageProvider{
		apiserverinternalrest.StorageProvider{},
		authenticationrest.RESTStorageProvider{Authenticator: authenticator.RequestFunc(nobody)},
		authorizationrest.RESTStorageProvider{Authorizer: allow, RuleResolver: authorizerfactory.NewAlwaysAllowAuthorizer()},
		autoscalingrest.RESTStorageProvider{},
		batchrest.RESTStorageProvider{},
		certificatesrest.RESTStorageProvider{Authorizer: allow},
		coordinationrest.RESTStorageProvider{},
		discoveryrest.StorageProvider{},
		lifecyclerest.RESTStorageProvider{},
		networkingrest.RESTStorageProvider{},
		noderest.RESTStorageProvider{},
		policyrest.RESTStorageProvider{},
		rbacrest.RESTStorageProvider{Authorizer: allow},
		schedulingrest.RESTStorageProvider{},
		storagerest.RESTStorageProvider{},
		svmrest.RESTStorageProvider{},
		flowcontrolrest.RESTStorageProvider{InformerFactory: informers.NewSharedInformerFactory(client, 0)},
		appsrest.StorageProvider{},
		admissionregistrationrest.RESTStorageProvider{Authorizer: allow, DiscoveryClient: client.Discovery()},
		eventsrest.RESTStorageProvider{TTL: time.Hour},
		resourcerest.RESTStorageProvider{NamespaceClient: client.CoreV1().Namespaces(), Authorizer: allow},
	}, nil
}

// fixedCodec encodes every resource as JSON of the given versions, as the
// servers of definitions and API services do.
func fixedCodec(codec runtime.Codec) storageConfig {
	return func(resource schema.GroupResource, _ runtime.Object) (*storagebackend.ConfigForResource, error) {
		config := storagebackend.NewDefaultConfig("/registry", codec)
		return config.ForResource(resource), nil
	}
}

func definitionGroup() (genericapiserver.APIGroupInfo, error) {
	scheme := apiextensionsserver.Scheme
	group := genericapiserver.NewDefaultAPIGroupInfo(apiextensions.GroupName, scheme, runtime.NewParameterCodec(scheme), apiextensionsserver.Codecs)
	definitions, err := customresourcedefinition.NewREST(scheme, fixedCodec(apiextensionsserver.Codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion)))
	if err != nil {
		return group, err
	}
	group.VersionedResourcesStorageMap["v1"] = map[string]rest.Storage{
		"customresourcedefinitions":        definitions,
		"customresourcedefinitions/status": customresourcedefinition.NewStatusREST(scheme, definitions),
	}
	return group, nil
}

func apiServiceGroup() genericapiserver.APIGroupInfo {
	served := serverstorage.NewResourceConfig()
	served.EnableVersions(aggregatorv1.SchemeGroupVersion)
	codec := aggregatorscheme.Codecs.LegacyCodec(aggregatorv1.SchemeGroupVersion)
	return apiservicerest.NewRESTStorage(served, fixedCodec(codec), false)
}
