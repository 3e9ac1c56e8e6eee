//! One understood request: what it names, how it asks, and what it has to say besides its answer.

use std::cell::RefCell;

use bytes::Bytes;
use http::HeaderMap;

use crate::{
    api::app::App,
    catalog::Resource,
    protocol::{
        media::{self, Form},
        query::Query,
        status::Outcome,
        target::Named,
    },
    write::ledger::Ledger,
};

/// A request for objects.
pub(crate) struct Call<'r> {
    pub(crate) ledger: &'r Ledger<'r>,
    pub(crate) resource: &'r Resource,
    pub(crate) address: &'r Named<'r>,
    pub(crate) query: &'r Query,
    pub(crate) headers: &'r HeaderMap,
    pub(crate) body: &'r Bytes,
    pub(crate) form: Form,
    pub(crate) warnings: RefCell<Vec<String>>,
}

impl<'r> Call<'r> {
    pub(crate) fn app(&self) -> &'r App {
        self.ledger.app
    }

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

    pub(crate) fn warn(&self, warning: impl Into<String>) {
        self.warnings.borrow_mut().push(warning.into());
    }

    /// 404 for the object in the path.
    pub(crate) fn not_found(&self) -> crate::Failure {
        crate::protocol::status::not_found(self.resource.qualified(), self.name())
    }
}

/// The form in which the answer is wanted.
pub(crate) fn form(headers: &HeaderMap, query: &Query) -> Outcome<Form> {
    media::form(headers, query.get("includeObject"))
}
