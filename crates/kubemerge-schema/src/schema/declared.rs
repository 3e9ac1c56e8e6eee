//! What documents declare about values of kinds that are not built in.

use serde_json::{Map, Value};

use super::Schema;
use crate::document::crd_versions;
use crate::model::{DeclaredDocument, Model, kinds_of, split_api_version};

/// What a document declares about values of a kind that is not built in.
#[derive(Clone, Copy, Debug)]
pub enum Declared<'s> {
    /// A custom resource definition, and the version in it.
    Definition {
        /// The whole definition.
        definition: &'s Value,
        /// One of `spec.versions`.
        version: &'s Value,
    },
    /// A schema of an OpenAPI document.
    Document {
        /// The named schemas that it may refer to.
        schemas: &'s Map<String, Value>,
        /// The schema of the kind.
        schema: &'s Value,
    },
}

impl Schema {
    /// What a document declares about a kind; `None` for built-in kinds, which have rules of their own. A custom resource
    /// definition counts before an OpenAPI document, of equals the one that was loaded last.
    pub fn declared(&self, api_version: &str, kind: &str) -> Option<Declared<'_>> {
        let (group, version) = split_api_version(api_version);
        let wanted = [kind, group, version];
        if self.built_in_definition(wanted).is_some() {
            return None;
        }
        let model = self.model();
        definition(model, wanted).or_else(|| document(model, wanted))
    }

    /// Whether a kind is in the built-in tables, whatever documents say about it.
    pub fn is_built_in(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = split_api_version(api_version);
        self.built_in_definition([kind, group, version]).is_some()
    }
}

fn definition<'s>(model: &'s Model, [kind, group, version]: [&str; 3]) -> Option<Declared<'s>> {
    let text = |value: &Value, path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    model.declared.iter().rev().find_map(|one| {
        let DeclaredDocument::Definition(definition) = one else { return None };
        let is_of = |path: &str, wanted: &str| text(definition, path).as_deref() == Some(wanted);
        if !is_of("/spec/group", group) || !is_of("/spec/names/kind", kind) {
            return None;
        }
        let is_it = |one: &&Value| one.get("name").and_then(Value::as_str) == Some(version);
        let version = crd_versions(definition).iter().find(is_it)?;
        Some(Declared::Definition { definition, version })
    })
}

fn document<'s>(model: &'s Model, wanted: [&str; 3]) -> Option<Declared<'s>> {
    model.declared.iter().rev().find_map(|one| {
        let DeclaredDocument::Schemas(schemas) = one else { return None };
        let schema = schemas.values().find(|schema| kinds_of(schema).any(|kind| kind == wanted))?;
        Some(Declared::Document { schemas, schema })
    })
}
