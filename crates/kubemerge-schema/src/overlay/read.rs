//! Reads an overlay from its document form.

use serde_json::{Map, Value};

use super::rule::{Overlay, OverlayRule};
use crate::document::DocumentPath;
use crate::error::{LoadError, LoadErrorKind};

const MEMBERS: [&str; 7] = ["definition", "field", "kind", "path", "keys", "strategy", "defaults"];

impl Overlay {
    /// Reads an overlay from a document in the format of [the module](crate::overlay).
    pub fn read(document: &Value) -> Result<Overlay, LoadError> {
        read(document)
    }
}

fn read(document: &Value) -> Result<Overlay, LoadError> {
    let Some(rules) = document.get("rules").and_then(Value::as_array) else {
        return Err(LoadError::new(LoadErrorKind::BadOverlay, "rules", "expected a list of rules"));
    };
    let place = DocumentPath::root("rules");
    let mut overlay = Overlay::new();
    for (index, rule) in rules.iter().enumerate() {
        overlay = overlay.rule(read_rule(rule, &place.index(index))?);
    }
    Ok(overlay)
}

fn bad(place: &DocumentPath<'_>, message: impl Into<String>) -> LoadError {
    LoadError::new(LoadErrorKind::BadOverlay, place.to_string(), message)
}

fn read_rule(rule: &Value, place: &DocumentPath<'_>) -> Result<OverlayRule, LoadError> {
    let Value::Object(rule) = rule else { return Err(bad(place, "expected a rule")) };
    // A misspelt member would silently change nothing.
    if let Some(unknown) = rule.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(bad(&place.keyword(unknown), format!("unknown; a rule has {}", MEMBERS.join(", "))));
    }
    let texts = ["definition", "field", "kind", "path"].map(|name| text(rule, name, place));
    let target = match texts {
        [Ok(Some(definition)), Ok(Some(field)), Ok(None), Ok(None)] => {
            OverlayRule::definition(definition, field)
        }
        [Ok(None), Ok(None), Ok(Some(kind)), Ok(Some(path))] => OverlayRule::kind(kind, path),
        texts => {
            // A wrong type is the better message, if there is one.
            texts.into_iter().collect::<Result<Vec<_>, _>>()?;
            return Err(bad(place, "a rule names a definition and a field, or a kind and a path"));
        }
    };
    let strategy = text(rule, "strategy", place)?.map(str::to_owned);
    Ok(OverlayRule {
        keys: read_keys(rule, place)?,
        strategy,
        defaults: read_defaults(rule, place)?,
        ..target
    })
}

fn text<'v>(
    rule: &'v Map<String, Value>,
    name: &str,
    place: &DocumentPath<'_>,
) -> Result<Option<&'v str>, LoadError> {
    match rule.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(bad(&place.keyword(name), "expected a string")),
    }
}

fn read_keys(rule: &Map<String, Value>, place: &DocumentPath<'_>) -> Result<Option<Vec<String>>, LoadError> {
    let words: Option<Vec<String>> = match rule.get("keys") {
        None => return Ok(None),
        // As x-kubernetes-patch-merge-key is written.
        Some(Value::String(keys)) => Some(keys.split(',').map(|key| key.trim().to_owned()).collect()),
        Some(Value::Array(keys)) => keys.iter().map(|key| key.as_str().map(str::to_owned)).collect(),
        Some(_) => None,
    };
    words.map(Some).ok_or_else(|| bad(&place.keyword("keys"), "expected a list of field names"))
}

fn read_defaults(
    rule: &Map<String, Value>,
    place: &DocumentPath<'_>,
) -> Result<std::collections::BTreeMap<String, Value>, LoadError> {
    match rule.get("defaults") {
        None => Ok(Default::default()),
        Some(Value::Object(defaults)) => Ok(defaults.clone().into_iter().collect()),
        Some(_) => Err(bad(&place.keyword("defaults"), "expected a map from keys to values")),
    }
}
