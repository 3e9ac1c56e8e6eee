//! The rules of the kinds that a schema declares, each compiled when it is first wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kubemerge_schema::{Declared, Resource, Schema};

use super::DeclaredRules;
use crate::registry::Scope;

/// The rules that were compiled so far, by version and kind.
#[derive(Debug, Default)]
struct CompiledRules(Mutex<HashMap<[String; 2], Option<Arc<DeclaredRules>>>>);

/// What a schema declares about a kind; `None` for built-in kinds, and for kinds that it does not have.
pub fn rules_of(schema: &Schema, api_version: &str, kind: &str) -> Option<Arc<DeclaredRules>> {
    let compiled: Arc<CompiledRules> = schema.attached();
    let mut compiled = compiled.0.lock().unwrap_or_else(PoisonError::into_inner);
    let key = [api_version, kind].map(str::to_owned);
    compiled.entry(key).or_insert_with(|| compile(schema, api_version, kind).map(Arc::new)).clone()
}

fn compile(schema: &Schema, api_version: &str, kind: &str) -> Option<DeclaredRules> {
    match schema.declared(api_version, kind)? {
        Declared::Definition { definition, version, ty } => {
            Some(DeclaredRules::of_version(ty, definition, version))
        }
        Declared::Document(ty) => {
            let resource = resource_of(schema, api_version, kind);
            let scope = resource
                .map(|resource| if resource.is_namespaced() { Scope::Namespaced } else { Scope::Cluster });
            let has_status =
                resource.is_some_and(|resource| resource.subresources().any(|part| part.name() == "status"));
            Some(DeclaredRules::of_document(ty, scope, has_status))
        }
    }
}

fn resource_of<'s>(schema: &'s Schema, api_version: &str, kind: &str) -> Option<Resource<'s>> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let is_it = |one: &Resource<'_>| (one.group(), one.version(), one.kind()) == (group, version, kind);
    schema.resources().rev().find(is_it)
}
