package main

import (
	"context"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
)

// storedKey finds the stored object of a request in its context.
type storedKey struct{}

// withStored makes obj the only object that the request finds in storage.
// The object travels in the context, so requests can run side by side.
func withStored(ctx context.Context, obj runtime.Object) context.Context {
	return context.WithValue(ctx, storedKey{}, obj)
}

// requestStorage is a store that holds the one object of the request. Every
// request is a dry run: the registry reads through Get, encodes the result
// with the codec of etcd and decodes it again, and writes nothing.
type requestStorage struct{}

func (requestStorage) Versioner() storage.Versioner { return storage.APIObjectVersioner{} }

func (requestStorage) Get(ctx context.Context, key string, opts storage.GetOptions, out runtime.Object) error {
	stored, _ := ctx.Value(storedKey{}).(runtime.Object)
	if stored == nil || reflect.TypeOf(stored) != reflect.TypeOf(out) {
		if opts.IgnoreNotFound {
			return runtime.SetZeroValue(out)
		}
		return storage.NewKeyNotFoundError(key, 0)
	}
	copied := reflect.ValueOf(stored.DeepCopyObject()).Elem()
	reflect.ValueOf(out).Elem().Set(copied)
	return nil
}

func (requestStorage) GetList(context.Context, string, storage.ListOptions, runtime.Object) error {
	return nil
}

func (requestStorage) Create(context.Context, string, runtime.Object, runtime.Object, uint64) error {
	return errNotDryRun
}

func (requestStorage) Delete(context.Context, string, runtime.Object, *storage.Preconditions,
	storage.ValidateObjectFunc, runtime.Object, storage.DeleteOptions) error {
	return errNotDryRun
}

func (s requestStorage) GuaranteedUpdate(ctx context.Context, key string, destination runtime.Object, ignoreNotFound bool,
	_ *storage.Preconditions, tryUpdate storage.UpdateFunc, _ runtime.Object) error {
	current := reflect.New(reflect.TypeOf(destination).Elem()).Interface().(runtime.Object)
	if err := s.Get(ctx, key, storage.GetOptions{IgnoreNotFound: ignoreNotFound}, current); err != nil {
		return err
	}
	updated, _, err := tryUpdate(current, storage.ResponseMeta{ResourceVersion: 1})
	if err == nil {
		reflect.ValueOf(destination).Elem().Set(reflect.ValueOf(updated).Elem())
	}
	return err
}

func (requestStorage) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	return nil, errNotDryRun
}
func (requestStorage) Stats(context.Context) (storage.Stats, error) { return storage.Stats{}, nil }
func (requestStorage) ReadinessCheck() error                        { return nil }
func (requestStorage) RequestWatchProgress(context.Context) error   { return nil }
func (requestStorage) GetCurrentResourceVersion(context.Context) (uint64, error) {
	return 1, nil
}
func (requestStorage) EnableResourceSizeEstimation(storage.KeysFunc) error { return nil }
func (requestStorage) CompactRevision() int64                              { return 0 }

// storageConfig tells how a resource is encoded in etcd.
type storageConfig func(schema.GroupResource, runtime.Object) (*storagebackend.ConfigForResource, error)

// GetRESTOptions implements generic.RESTOptionsGetter.
func (config storageConfig) GetRESTOptions(resource schema.GroupResource, example runtime.Object) (generic.RESTOptions, error) {
	backend, err := config(resource, example)
	return generic.RESTOptions{
		StorageConfig:  backend,
		Decorator:      newRequestStorage,
		ResourcePrefix: resource.Group + "/" + resource.Resource,
	}, err
}

func newRequestStorage(*storagebackend.ConfigForResource, string, func(runtime.Object) (string, error),
	func() runtime.Object, func() runtime.Object, storage.AttrFunc, storage.IndexerFuncs,
	*cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	return requestStorage{}, func() {}, nil
}
