//! Objects of a server as the types of a client: of k8s-openapi, or derived by kube.
//!
//! What they are called comes from the type, so that there is nothing to misspell.

use std::{fmt, future::Future, marker::PhantomData, panic::Location, time::Duration};

use kube::Resource;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    object_handle::ObjectHandle, protocol::json::Members, server::ApiServer, testing::owners::FieldOwners,
};

/// An object of a type, whether it exists or not; [`ApiServer::object_of`] returns one.
pub struct TypedObjectHandle<K> {
    object: ObjectHandle,
    of: PhantomData<fn() -> K>,
}

impl<K> Clone for TypedObjectHandle<K> {
    fn clone(&self) -> Self {
        TypedObjectHandle { object: self.object.clone(), of: PhantomData }
    }
}

impl<K> fmt::Display for TypedObjectHandle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.object.fmt(f)
    }
}

impl ApiServer {
    /// An object of a type, whether it exists or not; the namespace is ignored for cluster-scoped kinds.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use k8s_openapi::api::core::v1::ConfigMap;
    /// use kubemerge_server::ApiServer;
    ///
    /// let server = ApiServer::builder().yaml("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}").build()?;
    /// let map = server.object_of::<ConfigMap>("default", "a");
    /// assert_eq!(map.value().and_then(|map| map.data).unwrap()["k"], "v");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the kind is not served and no definition can add it.
    #[track_caller]
    pub fn object_of<K: Resource<DynamicType = ()>>(
        &self,
        namespace: &str,
        name: &str,
    ) -> TypedObjectHandle<K> {
        let object = self.object(&K::api_version(&()), &K::kind(&()), namespace, name);
        TypedObjectHandle { object, of: PhantomData }
    }

    /// The objects of a type in a namespace, or in all of them if it is empty, in the order of their keys.
    ///
    /// # Panics
    /// If the kind is not served, or an object is not of the type.
    #[track_caller]
    pub fn list_of<K: Resource<DynamicType = ()> + DeserializeOwned>(&self, namespace: &str) -> Vec<K> {
        let mut objects = Vec::new();
        for value in self.list(&K::api_version(&()), &K::kind(&()), namespace) {
            let name = value.member("metadata").member("name").as_str().unwrap_or_default().to_string();
            match serde_json::from_value(value) {
                Ok(object) => objects.push(object),
                Err(error) => panic!("{} {name} is not of the type: {error}", K::kind(&())),
            }
        }
        objects
    }
}

impl<K: DeserializeOwned> TypedObjectHandle<K> {
    /// The object as it is now, if it exists.
    ///
    /// # Panics
    /// If the kind is not served, or the object is not of the type.
    #[track_caller]
    pub fn value(&self) -> Option<K> {
        self.object.value().map(|value| match serde_json::from_value(value) {
            Ok(object) => object,
            Err(error) => panic!("{self} is not of the type: {error}"),
        })
    }

    /// Waits until the condition holds, which sees none while there is no object, and answers the object. It is not
    /// asked before the kind is served.
    ///
    /// # Panics
    /// If it does not hold in time, as [`ObjectHandle::wait_for`], or if the object is not of the type.
    #[track_caller]
    pub fn wait_for<C: Fn(Option<&K>) -> bool + Send>(
        &self,
        condition: C,
        timeout: Duration,
    ) -> impl Future<Output = Option<K>> + Send + use<C, K> {
        let place = Location::caller();
        let typed = move |value: &Value| -> Option<K> {
            if value.is_null() {
                return None;
            }
            K::deserialize(value)
                .map_err(|error| panic!("{place}: the object is not of the type: {error}"))
                .ok()
        };
        let waited = self.object.wait_for(move |value| condition(typed(value).as_ref()), timeout);
        async move { typed(&waited.await) }
    }
}

impl<K> TypedObjectHandle<K> {
    /// Who owns its fields.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn owners(&self) -> FieldOwners {
        self.object.owners()
    }

    /// Removes it at once, as [`ApiServer::remove`] does.
    ///
    /// # Panics
    /// If the kind is not served.
    #[track_caller]
    pub fn remove(&self) -> bool {
        self.object.remove()
    }

    /// Asserts that the object has these fields with these values, as [`ObjectHandle::assert_has`] does.
    ///
    /// # Panics
    /// If it has not, with what differs, or if the kind is not served.
    #[track_caller]
    pub fn assert_has(&self, wanted: &Value) {
        self.object.assert_has(wanted);
    }
}
