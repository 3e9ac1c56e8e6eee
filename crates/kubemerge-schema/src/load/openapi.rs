//! What the two OpenAPI loaders share: from a map of named schemas to definitions and kinds.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::{Map, Value};

use super::reader::{SchemaReader, Syntax};
use crate::document::{DocumentPath, object};
use crate::error::LoadError;
use crate::model::{DefinitionEntry, DefinitionId, KindEntry, Model, Name, Origin, UNTYPED};

/// The named schemas of a document.
pub(crate) struct Definitions<'v> {
    /// Where the document has them, for messages.
    pub(crate) at: &'static str,
    /// The map, if the document has one.
    pub(crate) schemas: Option<&'v Value>,
}

/// Adds every definition, then resolves the references among them.
pub(crate) fn load(model: &mut Model, syntax: Syntax, definitions: Definitions<'_>) -> Result<(), LoadError> {
    let place = DocumentPath::root(definitions.at);
    let Some(schemas) = definitions.schemas else {
        return Err(LoadError::malformed("", format!("the document has no {}", definitions.at)));
    };
    let schemas = object(schemas, &place)?;
    if schemas.is_empty() {
        return Err(LoadError::malformed(definitions.at, "the document defines nothing"));
    }
    // Every definition gets its number before the first is read: they refer to each other in any order.
    let declared = declare(model, schemas);
    let mut reader = SchemaReader::new(model, syntax);
    for (definition, (name, schema)) in declared.iter().zip(schemas) {
        // The same definition in several v3 documents is read once.
        if definition.is_new {
            let node = reader.definition(definition.id, schema, place.key(name))?;
            reader.model.definition_mut(definition.id).node = node;
        }
    }
    let by_name: HashMap<Name, DefinitionId> = declared.iter().map(|one| (one.name, one.id)).collect();
    reader.finish(definitions.at, &by_name)
}

struct Declared {
    name: Name,
    id: DefinitionId,
    /// Whether its schema has to be read; a shared definition was read with an earlier document.
    is_new: bool,
}

/// Gives every definition its number, so that references may point forward.
fn declare(model: &mut Model, schemas: &Map<String, Value>) -> Vec<Declared> {
    let prints: Vec<(Name, u64)> =
        schemas.iter().map(|(name, schema)| (model.intern(name), fingerprint(schema))).collect();
    // Definitions refer to each other, so a document shares with earlier ones only if it contradicts none.
    let shares =
        prints.iter().all(|(name, print)| model.fingerprints.get(name).is_none_or(|known| known == print));
    let mut declared = Vec::with_capacity(schemas.len());
    for ((name, print), schema) in prints.into_iter().zip(schemas.values()) {
        let known = model.definition_named(name).filter(|_| shares && model.fingerprints.contains_key(&name));
        let entry = DefinitionEntry { name, node: UNTYPED, origin: Origin::OpenApi };
        let id = known.unwrap_or_else(|| model.add_definition(entry));
        model.fingerprints.insert(name, print);
        add_kinds(model, id, schema.get("x-kubernetes-group-version-kind"));
        declared.push(Declared { name, id, is_new: known.is_none() });
    }
    declared
}

/// A hash of the text of a schema without the kinds: each document lists only its own.
fn fingerprint(schema: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match schema {
        Value::Object(members) => {
            // v3 documents list the kinds of their own group only, so this differs between equal definitions.
            let own = members.iter().filter(|(name, _)| *name != "x-kubernetes-group-version-kind");
            own.for_each(|member| member.hash(&mut hasher));
        }
        other => other.hash(&mut hasher),
    }
    hasher.finish()
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
            // The core group is empty and often left out.
            let group = group.unwrap_or_else(|| model.intern(""));
            model.kinds.push(KindEntry { group, version, kind, definition });
        }
    }
}
