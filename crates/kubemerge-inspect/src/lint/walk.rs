//! Compares a document with its schema and finds what needs no merge.

use std::collections::HashMap;

use kubemerge_schema::{ListStrategy, MergeKey, Shape, Type};
use kubemerge_strategic::directive::{
    DELETE, DELETE_FROM_PRIMITIVE_LIST, MERGE, PATCH, REPLACE, RETAIN_KEYS, SET_ELEMENT_ORDER,
};
use kubemerge_value::part::item_at;
use kubemerge_value::{Arena, Kind, Node, Path, deep};
use kubemerge_yaml as yaml;

use super::collect::{Draft, Findings};
use super::rule::{
    DUPLICATE_ITEM, MISPLACED_DIRECTIVE, REPLACED_LIST, Rule, SHARED_MERGE_KEY, UNKNOWN_DIRECTIVE,
    UNKNOWN_FIELD, WRONG_TYPE,
};
use crate::difference::identity;
use crate::finding::Location;
use crate::nearest::nearest;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An object, or a configuration of one.
    Manifest,
    /// A strategic merge patch.
    Patch,
    /// A merge patch, which has no directives.
    MergePatch,
}

/// A place in the schema, in both dialects.
#[derive(Clone, Copy)]
pub(super) struct Types<'s> {
    pub(super) upstream: Type<'s>,
    pub(super) spec: Type<'s>,
}

impl<'s> Types<'s> {
    fn map_field(self, name: &str) -> Types<'s> {
        let value = |ty: Type<'s>| ty.map_field(name).map_or(ty.schema().untyped(), |rule| rule.value);
        Types { upstream: value(self.upstream), spec: value(self.spec) }
    }

    fn items(self, name: &str) -> Types<'s> {
        let item = |ty: Type<'s>| ty.list_field(name).map_or(ty.schema().untyped(), |rule| rule.item);
        Types { upstream: item(self.upstream), spec: item(self.spec) }
    }
}

/// A walk through one document.
pub(super) struct LintWalk<'w> {
    pub(super) document: &'w yaml::YamlDocument<'w>,
    pub(super) role: Role,
    pub(super) arena: &'w Arena,
    pub(super) findings: &'w mut Findings,
}

impl<'w> LintWalk<'w> {
    fn find(&mut self, draft: Draft, path: &Path<'_>) {
        let document = self.document;
        self.findings.add(draft, || Location::of(document, &path.to_string()));
    }

    pub(super) fn map(&mut self, types: Types<'_>, node: Node<'w>, path: &Path<'_>) {
        for entry in node.entries(self.arena) {
            let name = entry.key.text();
            let path = path.field(entry.key);
            // Kubernetes has no field that starts with a dollar sign.
            if name.starts_with('$') && self.role != Role::MergePatch {
                self.directive(types, &name, entry.value, &path);
            // The dialects differ in how lists merge, not in which fields exist.
            } else if !is_known(types.spec, &name) {
                self.unknown_field(types.spec, &name, &path);
            } else {
                self.check_type(types.spec, &name, entry.value, &path);
                match entry.value.kind() {
                    Kind::Map => deep(|| self.map(types.map_field(&name), entry.value, &path)),
                    Kind::List => deep(|| self.list(types, &name, entry.value, &path)),
                    _ => {}
                }
            }
        }
    }

    /// The type of a field; one that the schema does not have is a finding at the given place.
    pub(super) fn field<'s>(&mut self, ty: Type<'s>, name: &str, place: &Path<'_>) -> Option<Type<'s>> {
        if !is_known(ty, name) {
            self.unknown_field(ty, name, place);
            return None;
        }
        let field = ty.field(name).map(|field| field.ty).or_else(|| ty.additional_properties());
        Some(field.unwrap_or(ty.schema().untyped()))
    }

    fn unknown_field(&mut self, ty: Type<'_>, name: &str, path: &Path<'_>) {
        let fields: Vec<&str> = ty.fields().map(|field| field.name).collect();
        let meant = nearest(name, &fields);
        let draft = Draft::new(UNKNOWN_FIELD, format!("the schema has no field {name} here"));
        let draft = match meant {
            Some(meant) => draft.help(format!("did you mean {meant}?")),
            None => draft,
        };
        self.find(draft, path);
    }

    fn list(&mut self, types: Types<'_>, name: &str, list: Node<'w>, path: &Path<'_>) {
        let strategy = |ty: Type<'_>| ty.list_field(name).ok().map(|rule| owned_keys(rule.strategy));
        let (upstream, spec) = (strategy(types.upstream).flatten(), strategy(types.spec).flatten());
        let items = list.elements(self.arena);
        // An empty list replaces nothing that the reader would miss.
        if self.role == Role::Patch && upstream.is_none() && merges(types.spec, name) && !items.is_empty() {
            let title = format!("upstream replaces {name} as a whole, though its type says that it merges");
            self.find(Draft::new(REPLACED_LIST, title), path);
        }
        // Upstream's keys decide what collides in a cluster.
        if let Some(keys) = upstream.as_ref().or(spec.as_ref()) {
            self.shared_keys(keys, spec.as_deref(), items, path);
        }
        if self.role == Role::Patch && upstream.is_none() && !merges(types.upstream, name) {
            self.directives_of_items(name, items, path);
        }
        let inside = types.items(name);
        let item_type = item_type(types.spec, name);
        for (at, item) in items.iter().enumerate() {
            if let Some(ty) = item_type {
                self.check_value(ty, *item, &path.index(at));
            }
        }
        for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind() == Kind::Map) {
            deep(|| self.map(inside, *item, &path.index(at)));
        }
    }

    /// Items of a list that is replaced cannot be deleted or replaced one by one.
    fn directives_of_items(&mut self, name: &str, items: &[Node<'w>], path: &Path<'_>) {
        for (at, _) in items.iter().enumerate().filter(|(_, item)| item.get(PATCH).is_some()) {
            let title = format!("{name} is replaced as a whole: $patch has no effect on its items");
            let help = "repeat every entry that should stay, or use a JSON patch";
            self.find(Draft::new(MISPLACED_DIRECTIVE, title).help(help), &path.index(at).field(PATCH.into()));
        }
    }

    /// A value that the typed decoder of the API server refuses.
    fn check_type(&mut self, ty: Type<'_>, name: &str, value: Node<'w>, path: &Path<'_>) {
        let field = ty.field(name).map(|field| field.ty).or_else(|| ty.additional_properties());
        if let Some(field) = field {
            self.check_value(field, value, path);
        }
    }

    pub(super) fn check_value(&mut self, ty: Type<'_>, value: Node<'w>, path: &Path<'_>) {
        let Some(wanted) = mismatch(ty, value) else { return };
        // A scalar that YAML reads in a surprising way has a finding of its own.
        let start = self.document.locate_nearest(&path.to_string()).value.range().start;
        if self.document.traps().iter().any(|trap| trap.range.start == start) {
            return;
        }
        let title = format!("{} is not {wanted}", crate::short::short(value));
        let is_text = wanted == "a string" && matches!(value.kind(), Kind::Int | Kind::Float | Kind::Bool);
        let help = match value.kind() {
            _ if is_text => Some("put it in quotes".to_owned()),
            Kind::String if wanted != "a list" && wanted != "a map" => Some("remove the quotes".to_owned()),
            Kind::String if wanted == "a list" => Some("write a list: [...]".to_owned()),
            _ => None,
        };
        self.find(Draft { help, ..Draft::new(WRONG_TYPE, title) }, path);
    }

    /// Two entries with the same merge keys are one for Kubernetes.
    fn shared_keys(
        &mut self,
        keys: &[MergeKey],
        wider: Option<&[MergeKey]>,
        items: &[Node<'w>],
        path: &Path<'_>,
    ) {
        let mut first: HashMap<String, usize> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            let own = identity(*item, keys);
            // An item without keys has its own error, and a deletion may name several.
            if own.is_empty() || self.is_deletion(*item) {
                continue;
            }
            let Some(before) = first.get(&own).copied() else {
                first.insert(own, at);
                continue;
            };
            // Ports: upstream's key is the number alone, the type's own keys have the protocol as well.
            let told_apart =
                wider.is_some_and(|wider| identity(*item, wider) != identity(*item_at(items, before), wider));
            let (rule, title) = if told_apart {
                (SHARED_MERGE_KEY, format!("two entries share the merge key {own}"))
            } else {
                (DUPLICATE_ITEM, format!("two entries have the key {own}"))
            };
            self.find_pair(rule, path, [before, at], title);
        }
    }

    fn find_pair(&mut self, rule: Rule, path: &Path<'_>, [before, at]: [usize; 2], message: String) {
        let document = self.document;
        let other = document.locate_nearest(&path.index(before).to_string()).value.range();
        let related = vec![Location { range: other, label: "the other entry".to_owned() }];
        let draft = Draft { related, ..Draft::new(rule, message) };
        self.findings.add(draft, || Location::of(document, &path.index(at).to_string()));
    }

    fn is_deletion(&self, item: Node<'_>) -> bool {
        self.role == Role::Patch && item.get(PATCH).and_then(Node::as_str).is_some_and(|word| word.is(DELETE))
    }

    fn directive(&mut self, types: Types<'_>, name: &str, value: Node<'w>, path: &Path<'_>) {
        let (word, field) = name.split_once('/').map_or((name, None), |(word, field)| (word, Some(field)));
        match (word, field) {
            // Only well-spelled ones: a misspelled one is an unknown field in either role.
            (PATCH | RETAIN_KEYS, None) | (SET_ELEMENT_ORDER | DELETE_FROM_PRIMITIVE_LIST, Some(_))
                if self.role == Role::Manifest =>
            {
                let title = format!("{name} is a directive of patches; in an object it is an unknown field");
                self.find(Draft::new(MISPLACED_DIRECTIVE, title), path);
            }
            (PATCH, None) => self.patch_word(value, path),
            (RETAIN_KEYS, None) => {}
            (SET_ELEMENT_ORDER, Some(field)) if !is_known(types.spec, field) => {
                self.unknown_field(types.spec, field, path);
            }
            (SET_ELEMENT_ORDER, Some(_)) => {}
            (DELETE_FROM_PRIMITIVE_LIST, Some(field)) => self.delete_list(types, field, path),
            _ => self.unknown_directive(name, path),
        }
    }

    fn patch_word(&mut self, value: Node<'_>, path: &Path<'_>) {
        let words = [DELETE, REPLACE, MERGE];
        let given = value.as_str().map(|word| word.text().into_owned()).unwrap_or_default();
        if !words.contains(&given.as_str()) {
            let title = format!("$patch is delete, replace or merge, not {given:?}");
            // JSON patch has that word, so it is not a matter of spelling.
            let meant = nearest(&given, &words).or((given == "remove").then_some(DELETE));
            let help = meant.map(|word| format!("did you mean {word}?"));
            self.find(Draft { help, ..Draft::new(UNKNOWN_DIRECTIVE, title) }, path);
        }
    }

    fn delete_list(&mut self, types: Types<'_>, field: &str, path: &Path<'_>) {
        let keyed = types
            .upstream
            .list_field(field)
            .is_ok_and(|rule| matches!(rule.strategy, ListStrategy::Keyed(_)));
        if keyed {
            let title = format!("{field} is a list of maps: its items are not removed by value");
            let help = "remove an item with `$patch: delete` and its merge key";
            self.find(Draft::new(MISPLACED_DIRECTIVE, title).help(help), path);
        }
    }

    fn unknown_directive(&mut self, name: &str, path: &Path<'_>) {
        let word = name.split('/').next().unwrap_or(name);
        let known = [PATCH, RETAIN_KEYS, SET_ELEMENT_ORDER, DELETE_FROM_PRIMITIVE_LIST];
        let title = match self.role {
            Role::Patch => format!("there is no directive {name}: it becomes a field of the object"),
            Role::Manifest | Role::MergePatch => format!("no field starts with a dollar sign: {name}"),
        };
        let help = match nearest(word, &known) {
            Some(meant @ (SET_ELEMENT_ORDER | DELETE_FROM_PRIMITIVE_LIST)) => {
                Some(format!("write {meant}/ and the name of the list"))
            }
            Some(meant) => Some(format!("did you mean {meant}?")),
            None => None,
        };
        self.find(Draft { help, ..Draft::new(UNKNOWN_DIRECTIVE, title) }, path);
    }
}

/// The keys of a keyed list.
fn owned_keys(strategy: ListStrategy<'_>) -> Option<Vec<MergeKey>> {
    match strategy {
        ListStrategy::Keyed(keys) => Some(keys.to_vec()),
        ListStrategy::Atomic | ListStrategy::Scalars | ListStrategy::Set => None,
    }
}

/// Whether a list merges in any way.
fn merges(ty: Type<'_>, name: &str) -> bool {
    ty.list_field(name).is_ok_and(|rule| rule.strategy != ListStrategy::Atomic)
}

/// Whether the schema has such a field, or allows any.
fn is_known(ty: Type<'_>, name: &str) -> bool {
    ty.is_untyped()
        || ty.field(name).is_some()
        || ty.additional_properties().is_some()
        || ty.preserves_unknown_fields()
        // A type that declares nothing may hold anything.
        || ty.fields().next().is_none()
}

/// The type of the items of a list field.
fn item_type<'s>(ty: Type<'s>, name: &str) -> Option<Type<'s>> {
    ty.field(name).map(|field| field.ty).or_else(|| ty.additional_properties())?.items()
}

/// What a value should be, if its type is another one. Null means a missing field, and a quantity may be
/// written as a number.
fn mismatch(ty: Type<'_>, value: Node<'_>) -> Option<&'static str> {
    if ty.is_int_or_string() || ty.is_untyped() || value.kind() == Kind::Null || is_quantity(ty) {
        return None;
    }
    let (fits, wanted) = match (ty.shape(), value.kind()) {
        (Shape::String, kind) => (kind == Kind::String, "a string"),
        (Shape::Boolean, kind) => (kind == Kind::Bool, "a boolean"),
        (Shape::Integer, kind) => (kind == Kind::Int, "an integer"),
        (Shape::Number, kind) => (matches!(kind, Kind::Int | Kind::Float), "a number"),
        (Shape::List, kind) => (kind == Kind::List, "a list"),
        (Shape::Object, kind) => (kind == Kind::Map, "a map"),
        _ => (true, ""),
    };
    (!fits).then_some(wanted)
}

/// Quantities, times and other types with a text form of their own have rules of their own.
fn is_quantity(ty: Type<'_>) -> bool {
    ty.definition_name().is_some_and(|name| name.starts_with("io.k8s.apimachinery.pkg.api.resource."))
}
