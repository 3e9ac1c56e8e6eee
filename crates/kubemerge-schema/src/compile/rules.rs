//! Compiles the metadata of every node to a rule, in one dialect.

use std::collections::HashSet;
use std::sync::Arc;

use kubemerge_value::part::part_of;
use serde_json::Value;

use super::strategy::{Dialect, ItemStrategy, ListStrategy, MapStrategy, MergeKey};
use crate::model::{
    Flags, ListType, Model, Node, NodeId, Origin, Span, is_atomic, item_of, merge_key_names, parse_strategy,
    target, with_commas,
};

/// The rule of a node, in the form the cursor reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Rule {
    pub(crate) map: MapStrategy,
    pub(crate) list: ListForm,
    pub(crate) items: ItemStrategy,
    pub(crate) retain_keys: bool,
    /// The map, or an item of the list, has unions that clear. Never beside `retain_keys`.
    pub(crate) unions: bool,
    /// Stretch of [`Rules::keys`].
    pub(crate) keys: Span,
    /// The words of the strategy do not go together: every look-up fails.
    pub(crate) invalid: bool,
}

impl Rule {
    /// Whether the map merges and the list is replaced, as if there were no rule.
    pub(crate) fn is_plain(self) -> bool {
        self.map == MapStrategy::Merge && self.list == ListForm::Atomic && !self.invalid
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum ListForm {
    #[default]
    Atomic,
    Keyed,
    Scalars,
    Set,
}

/// The rules of all nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rules {
    /// One for every node of the model.
    of_node: Arc<[Rule]>,
    keys: Arc<[MergeKey]>,
}

impl Rules {
    /// The rule of a node; the plain one where there is none.
    pub(crate) fn of(&self, node: NodeId) -> Rule {
        self.of_node.get(node as usize).copied().unwrap_or_default()
    }

    /// What a rule does to a list.
    pub(crate) fn list_strategy(&self, rule: Rule) -> ListStrategy<'_> {
        match rule.list {
            ListForm::Atomic => ListStrategy::Atomic,
            ListForm::Keyed => ListStrategy::Keyed(self.keys_of(rule)),
            ListForm::Scalars => ListStrategy::Scalars,
            ListForm::Set => ListStrategy::Set,
        }
    }

    /// The keys of a rule; none unless the list is keyed.
    pub(crate) fn keys_of(&self, rule: Rule) -> &[MergeKey] {
        part_of(&self.keys, rule.keys.range())
    }
}

/// Compiles every node of the model.
pub(crate) fn compile(model: &Model, dialect: Dialect) -> Rules {
    let mut keys = Vec::new();
    let rule = |node| match dialect {
        Dialect::Upstream => upstream(model, node, &mut keys),
        Dialect::Spec => spec(model, node, &mut keys),
        Dialect::Kustomize => kustomize(model, node, &mut keys),
    };
    let of_node = model.nodes.iter().map(rule).collect();
    Rules { of_node, keys: keys.into() }
}

/// Only patch strategy and merge key count, and a comma is part of the key's name.
fn upstream(model: &Model, node: &Node, keys: &mut Vec<MergeKey>) -> Rule {
    // Upstream merges by patch strategies only; list types are for server-side apply.
    let Some(text) = model.given(node.strategy).filter(|_| !is_dropped(model, node)) else {
        return Rule::default();
    };
    let merge_key = model.given(node.merge_key).filter(|key| !key.is_empty());
    let key = merge_key.map(without_default);
    by_strategy(text, key.into_iter().collect(), keys)
}

/// Lists merge where `merge` is a word of the patch strategy, by all list-map-keys or else by the merge key.
/// Maps always merge: kustomize knows neither `replace` nor `retainKeys`.
fn kustomize(model: &Model, node: &Node, keys: &mut Vec<MergeKey>) -> Rule {
    if !model.text(node.strategy).split(',').any(|word| word == "merge") {
        return Rule::default();
    }
    let listed = model.list_map_keys(node).iter().map(|key| model.text(*key));
    let mut own: Vec<MergeKey> = listed.map(without_default).collect();
    if own.is_empty() {
        own.extend(model.given(node.merge_key).filter(|key| !key.is_empty()).map(without_default));
    }
    let list = if own.is_empty() { ListForm::Scalars } else { ListForm::Keyed };
    Rule { list, keys: add_keys(keys, own), ..Rule::default() }
}

fn without_default(name: &str) -> MergeKey {
    MergeKey { name: name.to_owned(), default: None }
}

/// What a patch strategy makes of a field with these keys.
fn by_strategy(text: &str, own: Vec<MergeKey>, keys: &mut Vec<MergeKey>) -> Rule {
    // Not an error now: Kubernetes fails only when a patch reaches the field.
    let Some(strategy) = parse_strategy(text) else { return Rule { invalid: true, ..Rule::default() } };
    let (list, keys) = match strategy.word {
        // Without a key Kubernetes treats the elements as scalars, and fails on maps.
        "merge" if own.is_empty() => (ListForm::Scalars, Span::default()),
        "merge" => (ListForm::Keyed, add_keys(keys, own)),
        _ => (ListForm::Atomic, Span::default()),
    };
    let map = if strategy.word == "replace" { MapStrategy::Replace } else { MapStrategy::Merge };
    Rule { map, list, retain_keys: strategy.retain_keys, keys, ..Rule::default() }
}

/// The API server does not keep patch metadata of custom resource definitions.
fn is_dropped(model: &Model, node: &Node) -> bool {
    let owner = model.definitions.get(node.owner as usize);
    owner.is_some_and(|definition| definition.origin == Origin::CustomResource)
}

fn spec(model: &Model, node: &Node, keys: &mut Vec<MergeKey>) -> Rule {
    let rule = spec_strategy(model, node, keys);
    // Both clear what a union excludes; the patch names what to keep where the strategy is retainKeys.
    Rule { unions: !rule.retain_keys && has_unions(model, node), ..rule }
}

/// Whether the value of a property, or an item of it, has unions.
fn has_unions(model: &Model, node: &Node) -> bool {
    let is_union = |node: &Node| node.unions.len > 0 || target(model, node).unions.len > 0;
    is_union(node) || item_of(model, node).is_some_and(is_union)
}

fn spec_strategy(model: &Model, node: &Node, keys: &mut Vec<MergeKey>) -> Rule {
    match model.given(node.strategy) {
        // A patch strategy wins over list-type and map-type, for the items of a list too.
        Some(text) => {
            by_strategy(&with_commas(text), with_defaults(model, node, &spec_keys(model, node)), keys)
        }
        None => spec_by_topology(model, node, keys),
    }
}

/// The key set: list-map-keys where they hold every merge key, or where there is none.
fn spec_keys<'m>(model: &'m Model, node: &Node) -> Vec<&'m str> {
    let published: Vec<&str> = merge_key_names(model.text(node.merge_key)).collect();
    let wider: Vec<&str> = model.list_map_keys(node).iter().map(|key| model.text(*key)).collect();
    let known: HashSet<&str> = wider.iter().copied().collect();
    // Merge keys that list-map-keys contain are narrower than the identity of an item; the wider set avoids
    // collisions.
    let widen = match published.is_empty() {
        // The user chose these keys.
        _ if node.flags.has(Flags::OVERLAID) => false,
        true => node.list_type == ListType::Map,
        false => published.iter().all(|key| known.contains(key)),
    };
    if widen { wider } else { published }
}

fn spec_by_topology(model: &Model, node: &Node, keys: &mut Vec<MergeKey>) -> Rule {
    let names: Vec<&str> = model.list_map_keys(node).iter().map(|key| model.text(*key)).collect();
    let (list, keys) = match node.list_type {
        // A list map without keys is a broken document: it is replaced as a whole.
        ListType::Map if !names.is_empty() => {
            (ListForm::Keyed, add_keys(keys, with_defaults(model, node, &names)))
        }
        ListType::Set => (ListForm::Set, Span::default()),
        _ => (ListForm::Atomic, Span::default()),
    };
    let map = if is_atomic(model, node) { MapStrategy::Replace } else { MapStrategy::Merge };
    Rule { map, list, items: item_strategy(model, node), keys, ..Rule::default() }
}

fn item_strategy(model: &Model, node: &Node) -> ItemStrategy {
    let item = item_of(model, node);
    if item.is_some_and(|item| is_atomic(model, item)) { ItemStrategy::Replace } else { ItemStrategy::Merge }
}

fn with_defaults(model: &Model, node: &Node, names: &[&str]) -> Vec<MergeKey> {
    let item = item_of(model, node).map(|item| target(model, item));
    let default = |name: &str| {
        let field = item.and_then(|item| model.find_field(item, name))?;
        let text = model.given(model.node(model.field(field).node).default)?;
        // A null default is none: the key would have no value to compare.
        serde_json::from_str(text).ok().filter(|value: &Value| !value.is_null())
    };
    names.iter().map(|name| MergeKey { name: (*name).to_owned(), default: default(name) }).collect()
}

fn add_keys(keys: &mut Vec<MergeKey>, new: impl IntoIterator<Item = MergeKey>) -> Span {
    let start = keys.len() as u32;
    keys.extend(new);
    Span { start, len: keys.len() as u32 - start }
}
