//! The schema of a request: built-in, a document, or a file; compiled once for each dialect.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use kubemerge_schema::{
    Dialect, LoadError, LoadErrorKind, Overlay, OverlayRule, Schema, SchemaBuilder, Type, builtin::NEWEST,
};
use serde_json::Value;

use super::{refusal::Refusal, request::Request};

/// Bounds the memory of a long run that sends ever new documents.
const MAX_KEPT_SCHEMAS: usize = 256;

/// Schemas that were compiled for earlier requests.
#[derive(Default)]
pub(crate) struct Schemas {
    kept: HashMap<Key, Arc<Schema>>,
}

/// What a compiled schema depends on.
#[derive(Clone, Eq, Hash, PartialEq)]
struct Key {
    dialect: Dialect,
    version: String,
    document: Option<String>,
    overlay: Option<String>,
}

impl Schemas {
    /// The schema of a request; none for operations that need none.
    pub(super) fn find(&mut self, request: &Request<'_>) -> Result<Option<Arc<Schema>>, Refusal> {
        if !matches!(request.op, "apply" | "diff" | "three-way" | "compose" | "conflicts") {
            return Ok(None);
        }
        let key = Key {
            dialect: request.dialect(),
            version: request.kubernetes.as_deref().unwrap_or(NEWEST).to_string(),
            document: request.schema.map(|schema| schema.get().to_string()),
            overlay: request.overlay.map(|overlay| overlay.get().to_string()),
        };
        if let Some(schema) = self.kept.get(&key) {
            return Ok(Some(Arc::clone(schema)));
        }
        if self.kept.len() >= MAX_KEPT_SCHEMAS {
            // All at once: which one is needed next is unknown, and compiling takes milliseconds.
            self.kept.clear();
        }
        let schema = Arc::new(compile(&key)?);
        self.kept.insert(key, Arc::clone(&schema));
        Ok(Some(schema))
    }
}

fn compile(key: &Key) -> Result<Schema, Refusal> {
    let complain = |error: LoadError| match error.kind() {
        LoadErrorKind::UnresolvedReference => Refusal::new("unsupported-type", error.to_string()),
        _ => Refusal::bad_request(format!("schema: {error}")),
    };
    let builder = match &key.document {
        // kustomize has tables of its own, of one version.
        None if key.dialect == Dialect::Kustomize => SchemaBuilder::kustomize(),
        None => SchemaBuilder::builtin(&key.version).map_err(complain)?,
        Some(text) => SchemaBuilder::new().document(&document(text)?).map_err(complain)?,
    };
    let builder = match &key.overlay {
        None => builder,
        Some(text) => builder.overlay(overlay(text)?),
    };
    builder.compile(key.dialect).map_err(complain)
}

/// Reads an object from `Type.field` to a list of keys, or to keys and strategy.
fn overlay(text: &str) -> Result<Overlay, Refusal> {
    let complain = |what: &str| Refusal::bad_request(format!("overlay: {what}"));
    let fields: BTreeMap<String, Value> =
        serde_json::from_str(text).map_err(|error| complain(&error.to_string()))?;
    let mut overlay = Overlay::default();
    for (target, wanted) in fields {
        let (name, field) = target.rsplit_once('.').ok_or_else(|| complain("a rule is for `Type.field`"))?;
        let keys = if wanted.is_array() { Some(&wanted) } else { wanted.get("keys") };
        let mut rule = OverlayRule::definition(name, field);
        rule.keys = keys.and_then(|keys| serde_json::from_value(keys.clone()).ok());
        rule.strategy = wanted.get("strategy").and_then(Value::as_str).map(str::to_string);
        if rule.keys.is_none() && rule.strategy.is_none() {
            return Err(complain(&format!("{target} needs keys or a strategy")));
        }
        overlay = overlay.rule(rule);
    }
    Ok(overlay)
}

/// Reads a path, or takes the document itself.
fn document(text: &str) -> Result<Value, Refusal> {
    let complain = |error: String| Refusal::bad_request(format!("the schema cannot be read: {error}"));
    match serde_json::from_str(text).map_err(|error| complain(error.to_string()))? {
        Value::String(path) => {
            let bytes = std::fs::read(&path).map_err(|error| complain(format!("{path}: {error}")))?;
            serde_json::from_slice(&bytes).map_err(|error| complain(format!("{path}: {error}")))
        }
        document => Ok(document),
    }
}

/// The type of a request: by apiVersion/Kind, or by the name of its definition.
pub(super) fn type_of<'s>(schema: &'s Schema, request: &Request<'_>) -> Result<Type<'s>, Refusal> {
    let name = request
        .type_name
        .as_deref()
        .ok_or_else(|| Refusal::bad_request(format!("{} needs a type", request.op)))?;
    let by_kind = name.rsplit_once('/').and_then(|(version, kind)| schema.type_of(version, kind));
    match by_kind.or_else(|| schema.definition(name)) {
        // As the API server, which patches custom resources by JSON patch and merge patch only.
        Some(ty) if ty.is_custom_resource() && schema.dialect() == Dialect::Upstream => {
            Err(Refusal::new("unsupported-type", "strategic merge patch format is not supported"))
        }
        Some(ty) => Ok(ty),
        // kustomize merges objects of any kind.
        None if schema.dialect() == Dialect::Kustomize => Ok(schema.untyped()),
        None => Err(Refusal::new("unsupported-type", format!("no schema for the type {name:?}"))),
    }
}
