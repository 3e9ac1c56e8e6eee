//! The contract of a kind: what the way of an object through the server asks of it.
//!
//! There are three sorts of kinds: built into Kubernetes, served by a definition, and described by an OpenAPI document.
//! [`Kind::of`] is the only place that tells them apart; all else asks the contract.

mod built_in;
mod built_in_versions;
mod by_parts;
mod contract;
mod custom;
mod document;
mod metadata;
pub(crate) mod shown;
mod times;
mod untyped;

pub(crate) use built_in::decode_complete;
pub(crate) use contract::{
    Contract, DecodeError, Given, OwnershipFacts, Reading, Source, Storing, TypeCheck,
};
pub(crate) use untyped::read_object;

use std::ops::Deref;

use crate::catalog::{Resource, cluster::Cluster};

/// The kind of a resource.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'c> {
    BuiltIn(built_in::BuiltIn<'c>),
    Custom(custom::Custom<'c>),
    Document(document::Document<'c>),
}

impl<'c> Kind<'c> {
    /// The kind of a resource.
    pub(crate) fn of(cluster: &'c Cluster, resource: &'c Resource) -> Kind<'c> {
        match (resource.custom(), resource.built_in(&cluster.schema)) {
            (Some(version), _) => Kind::Custom(custom::Custom { cluster, resource, version }),
            (None, Some(kind)) => Kind::BuiltIn(built_in::BuiltIn { cluster, resource, kind }),
            (None, None) => Kind::Document(document::Document { cluster, resource }),
        }
    }
}

impl<'c> Deref for Kind<'c> {
    type Target = dyn Contract<'c> + 'c;

    fn deref(&self) -> &Self::Target {
        match self {
            Kind::BuiltIn(kind) => kind,
            Kind::Custom(kind) => kind,
            Kind::Document(kind) => kind,
        }
    }
}
