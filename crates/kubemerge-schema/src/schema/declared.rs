//! What documents declare about values of kinds that are not built in.

use std::sync::Arc;

use serde_json::Value;

use super::{DeclaredType, Schema};
use crate::document::crd_versions;
use crate::model::{Model, split_api_version};

/// What a document declares about a kind that is not built in.
#[derive(Clone, Debug)]
pub enum Declared<'s> {
    /// A custom resource definition, and the version in it.
    Definition {
        /// The whole definition.
        definition: &'s Value,
        /// One of `spec.versions`.
        version: &'s Value,
        /// The type of its objects; none for a version that is not served.
        ty: Option<DeclaredType>,
    },
    /// A schema of an OpenAPI document.
    Document(DeclaredType),
}

impl Schema {
    /// What a document declares about a kind; `None` for built-in kinds, which have rules of their own. A custom resource
    /// definition counts before an OpenAPI document, of equals the one that was loaded last.
    #[doc(hidden)]
    pub fn declared(&self, api_version: &str, kind: &str) -> Option<Declared<'_>> {
        let (group, version) = split_api_version(api_version);
        let wanted = [kind, group, version];
        if self.built_in_definition(wanted).is_some() {
            return None;
        }
        let model = self.shared_model();
        let node = self.definition_of_kind(wanted).map(|id| model.definition(id).node);
        match definition(model, wanted) {
            Some((definition, version)) => {
                let ty = node.map(|node| DeclaredType::of_definition(model, node));
                Some(Declared::Definition { definition, version, ty })
            }
            None => Some(Declared::Document(DeclaredType::of_document(model, node?))),
        }
    }

    /// Whether a kind is in the built-in tables, whatever documents say about it.
    #[doc(hidden)]
    pub fn is_built_in(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = split_api_version(api_version);
        self.built_in_definition([kind, group, version]).is_some()
    }
}

fn definition<'s>(
    model: &'s Arc<Model>,
    [kind, group, version]: [&str; 3],
) -> Option<(&'s Value, &'s Value)> {
    model.declared.iter().rev().find_map(|definition| {
        let is_of =
            |path: &str, wanted: &str| definition.pointer(path).and_then(Value::as_str) == Some(wanted);
        if !is_of("/spec/group", group) || !is_of("/spec/names/kind", kind) {
            return None;
        }
        let is_it = |one: &&Value| one.get("name").and_then(Value::as_str) == Some(version);
        let version = crd_versions(definition).iter().find(is_it)?;
        Some((&**definition, version))
    })
}
