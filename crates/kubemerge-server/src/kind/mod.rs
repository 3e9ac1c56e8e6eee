//! The contract of a kind: what the way of an object through the server asks of it.
//!
//! There are two sorts of kinds: built into Kubernetes, and declared, by a definition or by an OpenAPI document.
//! [`Kind::of`] is the only place that distinguishes them; all else asks the contract.

mod built_in;
mod built_in_versions;
mod contract;
mod declared;
pub(crate) mod shown;

pub(crate) use built_in::decode_complete;
pub(crate) use contract::{
    Contract, DecodeError, Given, OwnershipFacts, Reading, Source, Storing, TypeCheck,
};
pub(crate) use declared::read_object;

use std::{ops::Deref, sync::LazyLock};

use kubemerge::{Dialect, RuleSource};
use kubemerge_kinds::declared::DeclaredRules;
use kubemerge_schema::Type;

use crate::catalog::{Origin, Resource, cluster::Cluster};

/// Of a kind that the tables list without its type.
static UNKNOWN: LazyLock<DeclaredRules> = LazyLock::new(DeclaredRules::unknown);

/// The kind of a resource.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'c> {
    BuiltIn(built_in::BuiltIn<'c>),
    Declared(declared::Declared<'c>),
}

impl<'c> Kind<'c> {
    /// The kind of a resource.
    pub(crate) fn of(cluster: &'c Cluster, resource: &'c Resource) -> Kind<'c> {
        let declared =
            |rules, version| Kind::Declared(declared::Declared { cluster, resource, rules, version });
        match &resource.origin {
            Origin::Custom(version) => declared(&version.rules, Some(version)),
            Origin::Document(rules) => declared(rules, None),
            Origin::BuiltIn(_) => match resource.built_in(&cluster.schema) {
                Some(kind) => Kind::BuiltIn(built_in::BuiltIn { cluster, resource, kind }),
                None => declared(&UNKNOWN, None),
            },
        }
    }
}

/// The type whose unions count for writes of a kind.
pub(crate) fn union_type<'c>(cluster: &Cluster, kind: &(impl Contract<'c> + ?Sized)) -> Option<Type<'c>> {
    // First, so that nothing is looked up in the other dialect.
    if cluster.schema.dialect() != Dialect::Spec {
        return None;
    }
    let Ok(RuleSource::Type(ty)) = kind.merge_rules() else { return None };
    ty.enforces_unions().then_some(ty)
}

impl<'c> Deref for Kind<'c> {
    type Target = dyn Contract<'c> + 'c;

    fn deref(&self) -> &Self::Target {
        match self {
            Kind::BuiltIn(kind) => kind,
            Kind::Declared(kind) => kind,
        }
    }
}
