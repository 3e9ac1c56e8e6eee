//! The schemas that cases name, compiled once for each dialect.

use super::Answer;
use kubemerge_schema::{Dialect, Overlay, OverlayRule, Schema, SchemaBuilder, Type};
use kubemerge_test_support::corpus::{Case, folder};
use serde_json::Value;
use std::{collections::HashMap, fs};

type Key = (Dialect, Option<String>, Option<String>);

#[derive(Default)]
pub(crate) struct Schemas(HashMap<Key, Option<Schema>>);

impl Schemas {
    /// Asks with the type of a case, unless the schema does not support it.
    pub(crate) fn type_for<R>(
        &mut self,
        case: &Case,
        dialect: Dialect,
        ask: impl FnOnce(Type<'_>) -> R,
    ) -> Result<R, Answer> {
        let spec_name = if dialect == Dialect::Spec { case.get("specType") } else { None };
        let name = spec_name.or(case.get("type")).unwrap();
        // A type with a slash is built in, unless the case names a document.
        let by_look = (!case.get("type").unwrap().contains('/')).then_some("schema.json");
        let document = case.get("schema").or(by_look).map(str::to_owned);
        let overlay = if dialect == Dialect::Spec { case.get("overlay").map(str::to_owned) } else { None };
        let key = (dialect, document, overlay);
        let schema = self.0.entry(key.clone()).or_insert_with(|| compile(&key));
        let schema = schema.as_ref().ok_or_else(|| unsupported("unresolved reference".to_owned()))?;
        let by_kind = name.rsplit_once('/').and_then(|(version, kind)| schema.type_of(version, kind));
        match by_kind.or_else(|| schema.definition(name)) {
            // Kubernetes has no strategic merge patch for custom resources.
            Some(ty) if ty.is_custom_resource() && dialect == Dialect::Upstream => {
                Err(unsupported("strategic merge patch format is not supported".to_owned()))
            }
            Some(ty) => Ok(ask(ty)),
            None => Err(unsupported(format!("no schema for the type {name:?}"))),
        }
    }
}

fn unsupported(message: String) -> Answer {
    Answer::Error { kind: "unsupported-type".to_owned(), path: String::new(), message }
}

/// The schema; `None` if its document refers to definitions that it lacks.
fn compile((dialect, document, overlay): &Key) -> Option<Schema> {
    let builder = match document {
        None => SchemaBuilder::builtin("1.37").unwrap(),
        Some(file) => {
            let document: Value = serde_json::from_slice(&fs::read(folder().join(file)).unwrap()).unwrap();
            SchemaBuilder::new().document(&document).ok()?
        }
    };
    let builder = match overlay {
        None => builder,
        Some(rules) => builder.overlay(overlay_of(rules)),
    };
    builder.compile(*dialect).ok()
}

/// An object from `Type.field` to a list of keys, or to keys and strategy.
fn overlay_of(rules: &str) -> Overlay {
    let rules: HashMap<String, Value> = serde_json::from_str(rules).unwrap();
    rules.into_iter().fold(Overlay::default(), |overlay, (target, wanted)| {
        let (name, field) = target.rsplit_once('.').unwrap();
        let keys = if wanted.is_array() { &wanted } else { &wanted["keys"] };
        let mut rule = OverlayRule::definition(name, field);
        rule.keys = serde_json::from_value(keys.clone()).ok();
        rule.strategy = wanted.get("strategy").and_then(Value::as_str).map(str::to_owned);
        overlay.rule(rule)
    })
}
