//! What the two OpenAPI loaders share: from a map of named schemas to definitions and kinds.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::LoadError;
use crate::model::{DefinitionEntry, DefinitionId, KindEntry, Model, NOWHERE, Name, Origin};
use crate::read::{Place, Reader, Syntax, object};

/// The named schemas of a document.
pub(crate) struct Definitions<'v> {
    /// Where the document has them, for messages.
    pub(crate) at: &'static str,
    /// The map, if the document has one.
    pub(crate) schemas: Option<&'v Value>,
}

/// Adds every definition, then resolves the references among them.
pub(crate) fn load(model: &mut Model, syntax: Syntax, definitions: Definitions<'_>) -> Result<(), LoadError> {
    let place = Place::root(definitions.at);
    let Some(schemas) = definitions.schemas else {
        return Err(LoadError::malformed("", format!("the document has no {}", definitions.at)));
    };
    let schemas = object(schemas, &place)?;
    if schemas.is_empty() {
        return Err(LoadError::malformed(definitions.at, "the document defines nothing"));
    }
    let local = declare(model, schemas);
    let mut reader = Reader::new(model, syntax);
    for ((_, schema), (_, id)) in schemas.iter().zip(&local) {
        let name = reader.model.definitions[*id as usize].name;
        let name = reader.model.text(name).to_owned();
        let node = reader.definition(*id, schema, place.step(&name))?;
        reader.model.definitions[*id as usize].node = node;
    }
    let by_name: HashMap<Name, DefinitionId> = local.into_iter().collect();
    reader.finish(&by_name)?;
    Ok(())
}

/// Gives every definition its number, so that references may point forward.
fn declare(model: &mut Model, schemas: &Map<String, Value>) -> Vec<(Name, DefinitionId)> {
    let mut local = Vec::with_capacity(schemas.len());
    for (name, schema) in schemas {
        let name = model.intern(name);
        let id = model.add_definition(DefinitionEntry { name, node: NOWHERE, origin: Origin::OpenApi });
        add_kinds(model, id, schema.get("x-kubernetes-group-version-kind"));
        local.push((name, id));
    }
    local
}

/// Reads `x-kubernetes-group-version-kind`: a list of maps, or one map.
fn add_kinds(model: &mut Model, definition: DefinitionId, kinds: Option<&Value>) {
    let listed = match kinds {
        Some(Value::Array(list)) => list.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    for kind in listed {
        let mut part = |name: &str| {
            let text = kind.get(name).and_then(Value::as_str);
            text.map(|text| model.intern(text))
        };
        let (group, version, kind) = (part("group"), part("version"), part("kind"));
        if let (Some(version), Some(kind)) = (version, kind) {
            let group = group.unwrap_or_else(|| model.intern(""));
            model.kinds.push(KindEntry { group, version, kind, definition });
        }
    }
}
