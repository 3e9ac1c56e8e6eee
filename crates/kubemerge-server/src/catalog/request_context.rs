//! A request for objects of a served resource: what it names, how it asks, and the warnings for its reply.

use std::{borrow::Cow, cell::RefCell, sync::Arc};

use bytes::Bytes;
use http::HeaderMap;
use kubemerge_kinds::User;

use crate::{
    catalog::{Resource, cluster::Cluster},
    protocol::{
        manager,
        media::Form,
        query::Query,
        status::{Failure, not_found},
        target::Named,
    },
};

/// A request for objects.
pub(crate) struct RequestContext<'r> {
    pub(crate) cluster: &'r Arc<Cluster>,
    pub(crate) resource: &'r Arc<Resource>,
    pub(crate) address: &'r Named<'r>,
    pub(crate) query: &'r Query,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) body: &'r Bytes,
    pub(crate) user: &'r User,
    /// The form of the reply.
    pub(crate) form: Form,
    pub(crate) warnings: RefCell<Vec<String>>,
}

impl RequestContext<'_> {
    /// The namespace in the path; empty for cluster-scoped kinds and for all namespaces.
    pub(crate) fn namespace(&self) -> &str {
        self.address.namespace.as_deref().unwrap_or_default()
    }

    /// The object's name in the path; empty for collections.
    pub(crate) fn name(&self) -> &str {
        self.address.name.as_deref().unwrap_or_default()
    }

    pub(crate) fn subresource(&self) -> Option<&str> {
        self.address.subresource.as_deref()
    }

    /// The key of the object in the path.
    pub(crate) fn key(&self) -> String {
        self.resource.key(self.namespace(), self.name())
    }

    /// Who writes: the field manager that the request names, or its client.
    pub(crate) fn manager(&self) -> Cow<'_, str> {
        manager::of_request(self.query, self.headers)
    }

    /// Adds a warning to the reply, unless it is there already.
    pub(crate) fn warn(&self, warning: impl Into<String>) {
        let (warning, mut warnings) = (warning.into(), self.warnings.borrow_mut());
        // A write that is tried again finds the same again. Upstream: equal warnings are sent once.
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// 404 for the object in the path.
    pub(crate) fn not_found(&self) -> Failure {
        not_found(self.resource.qualified(), self.name())
    }
}
