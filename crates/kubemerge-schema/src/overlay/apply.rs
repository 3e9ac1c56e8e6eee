//! Writes the rules of an overlay into a model, before it is compiled.

use std::collections::HashSet;

use kubemerge_value::part::item_at_mut;

use super::rule::{Overlay, OverlayRule, OverlayTarget, Presence};
use crate::check::{SchemaFinding, Severity};
use crate::error::{LoadError, LoadErrorKind};
use crate::model::field_path::{self, NoSuchField};
use crate::model::{
    DefinitionId, Flags, KindEntry, Model, Name, Node, NodeId, Shape, item_of, merge_key_names,
    parse_strategy, split_api_version, target, with_commas,
};

/// Applies every rule in order; answers what the caller should know.
pub(crate) fn apply(model: &mut Model, overlay: &Overlay) -> Result<Vec<SchemaFinding>, LoadError> {
    let mut warnings = Vec::new();
    for rule in overlay.rules() {
        if let Some(entry) = locate(model, rule)? {
            warnings.extend(apply_rule(model, rule, entry)?);
        }
    }
    Ok(warnings)
}

/// Whether the model has the type that a rule is about.
pub(crate) fn has_type(model: &Model, rule: &OverlayRule) -> bool {
    root(model, rule).is_some()
}

fn root(model: &Model, rule: &OverlayRule) -> Option<DefinitionId> {
    match &rule.target {
        OverlayTarget::Definition { name, .. } => model.find_definition(name),
        OverlayTarget::Kind { kind, .. } => find_kind(model, kind),
    }
}

fn bad(rule: &OverlayRule, message: impl Into<String>) -> LoadError {
    LoadError::new(LoadErrorKind::BadOverlay, rule.target.to_string(), message)
}

/// The place of the rule's field in the model; none if it is absent and may be.
fn locate(model: &Model, rule: &OverlayRule) -> Result<Option<usize>, LoadError> {
    let (OverlayTarget::Definition { field: path, .. } | OverlayTarget::Kind { path, .. }) = &rule.target;
    let Some(root) = root(model, rule) else {
        return absent(rule, "there is no such type in the schema".to_owned());
    };
    match field_path::follow(model, model.definition(root).node, path) {
        // Only declared fields have an entry of their own to change; items and map values share theirs.
        Ok(Some(place)) if place.entry.is_some() => Ok(place.entry),
        Ok(_) => Err(bad(rule, "the path does not name a declared field")),
        Err(missing @ NoSuchField { .. }) => absent(rule, missing.to_string()),
    }
}

fn absent(rule: &OverlayRule, message: String) -> Result<Option<usize>, LoadError> {
    // Ready-made overlays are for all versions; a field that a user names should be there.
    if rule.presence == Presence::Optional { Ok(None) } else { Err(bad(rule, message)) }
}

fn find_kind(model: &Model, name: &str) -> Option<DefinitionId> {
    let (api_version, kind) = name.rsplit_once('/')?;
    let (group, version) = split_api_version(api_version);
    let wanted = [group, version, kind];
    let is_it =
        |entry: &&KindEntry| [entry.group, entry.version, entry.kind].map(|part| model.text(part)) == wanted;
    // Of two with one rank the later one, as everywhere.
    model.kinds.iter().filter(is_it).max_by_key(|entry| model.rank(entry)).map(|entry| entry.definition)
}

fn apply_rule(
    model: &mut Model,
    rule: &OverlayRule,
    entry: usize,
) -> Result<Option<SchemaFinding>, LoadError> {
    let published = model.field(entry).node;
    let strategy = strategy(model, rule, published)?;
    let mut node = *model.node(published);
    let mut warning = None;
    if let Some(keys) = &rule.keys {
        // A wrong key would match no item, and every patch would add items instead of merging.
        refuse_bad_keys(model, rule, keys, published)?;
        warning = forgotten_key(model, rule, keys, published);
        node.merge_key = model.intern(&keys.join(","));
        node.flags.set(Flags::OVERLAID);
    }
    if !rule.defaults.is_empty() {
        node.items = with_defaults(model, rule, published)?;
    }
    node.strategy = model.intern(&strategy);
    // Other fields may share the published node, so the rule gets its own.
    let node = model.add_node(node);
    item_at_mut(&mut model.fields, entry).node = node;
    Ok(warning)
}

/// The strategy in force: the rule's, else the published one if it fits the keys, else `merge`.
fn strategy(model: &Model, rule: &OverlayRule, published: NodeId) -> Result<String, LoadError> {
    let published = model.text(model.node(published).strategy);
    let merges = |text: &str| parse_strategy(text).is_some_and(|strategy| strategy.word == "merge");
    let text = match (&rule.strategy, &rule.keys) {
        (Some(given), _) => given.as_str(),
        // Keys alone keep the published words, such as retainKeys.
        (None, Some(_)) if merges(published) => published,
        (None, Some(_)) => "merge",
        (None, None) => return Err(bad(rule, "a rule needs keys, a strategy, or both")),
    };
    let text = &with_commas(text);
    let known = parse_strategy(text).filter(|strategy| matches!(strategy.word, "" | "merge" | "replace"));
    match known {
        None => Err(bad(rule, format!("{text:?} is no strategy; there are merge, replace and retainKeys"))),
        Some(strategy) if rule.keys.is_some() && strategy.word != "merge" => {
            Err(bad(rule, format!("keys have no effect with the strategy {text:?}")))
        }
        Some(_) => Ok(text.clone()),
    }
}

fn refuse_bad_keys(
    model: &Model,
    rule: &OverlayRule,
    keys: &[String],
    published: NodeId,
) -> Result<(), LoadError> {
    let distinct: HashSet<&String> = keys.iter().collect();
    let list = model.node(model.resolve(published));
    let item = item_of(model, list).map(|item| target(model, item));
    let unknown =
        // Items without declared fields may have any.
        |key: &&String| item.is_some_and(|item| item.fields.len > 0 && model.find_field(item, key).is_none());
    if keys.is_empty() {
        Err(bad(rule, "the key set is empty"))
    } else if let Some(key) = keys.iter().find(|key| key.is_empty() || key.contains(',')) {
        Err(bad(rule, format!("{key:?} is no field name")))
    } else if distinct.len() < keys.len() {
        Err(bad(rule, "a key occurs twice"))
    } else if list.shape != Shape::List {
        Err(bad(rule, "the field is not a list, so it cannot have keys"))
    } else if let Some(key) = keys.iter().find(unknown) {
        Err(bad(rule, format!("the items have no field {key:?}")))
    } else {
        Ok(())
    }
}

/// An older client addresses items by the published key; without it in the set it cannot.
fn forgotten_key(
    model: &Model,
    rule: &OverlayRule,
    keys: &[String],
    published: NodeId,
) -> Option<SchemaFinding> {
    let known = merge_key_names(model.text(model.node(published).merge_key));
    let forgotten: Vec<&str> = known.filter(|key| !keys.iter().any(|given| given == key)).collect();
    if forgotten.is_empty() {
        return None;
    }
    let message = format!(
        "the key set {} lacks the published key {}: clients that know only that one cannot address the items",
        keys.join(","),
        forgotten.join(",")
    );
    let path = rule.target.to_string();
    Some(SchemaFinding::new(Severity::Warning, path, "overlay-forgets-key", message))
}

/// A copy of the item type, for this list only, in which keys have the rule's defaults.
fn with_defaults(model: &mut Model, rule: &OverlayRule, published: NodeId) -> Result<NodeId, LoadError> {
    let list = *model.node(model.resolve(published));
    let Some(item) = item_of(model, &list).map(|item| *target(model, item)) else {
        return Err(bad(rule, "the field is not a list of objects, so its keys have no defaults"));
    };
    // A copy of the item type: other lists may share the published one.
    let mut fields = model.fields(&item).to_vec();
    for (key, value) in &rule.defaults {
        let name: Name = model.intern(key);
        let default = model.intern(&value.to_string());
        let Some(field) = fields.iter_mut().find(|field| field.name == name) else {
            return Err(bad(rule, format!("the items have no field {key:?}")));
        };
        let node = Node { default, ..*model.node(field.node) };
        field.node = model.add_node(node);
    }
    let fields = model.add_fields(fields);
    Ok(model.add_node(Node { fields, ..item }))
}
