//! Compares a document with its schema and finds what needs no merge.

use std::collections::HashMap;

use kubemerge_schema::{ListStrategy, MergeKey, Type};
use kubemerge_strategic::directive::{
    DELETE, DELETE_FROM_PRIMITIVE_LIST, MERGE, PATCH, REPLACE, RETAIN_KEYS, SET_ELEMENT_ORDER,
};
use kubemerge_value::{Arena, Kind, Node, Path, deep};
use kubemerge_yaml as yaml;

use super::findings::Findings;
use super::rule::Rule;
use crate::compare::identity;
use crate::input::Source;
use crate::nearest::nearest;
use crate::report::Notice;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An object, or a configuration of one.
    Manifest,
    /// A strategic merge patch.
    Patch,
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
pub(super) struct Walk<'w> {
    pub(super) source: &'w Source,
    pub(super) document: &'w yaml::Document<'w>,
    pub(super) role: Role,
    pub(super) arena: &'w Arena,
    pub(super) findings: &'w mut Findings,
}

impl<'w> Walk<'w> {
    fn find(&mut self, notice: Notice, path: &Path<'_>) {
        let (source, document) = (self.source, self.document);
        self.findings.add(notice, || {
            let path = path.to_string();
            source.excerpt(document, &path, path.as_str())
        });
    }

    pub(super) fn map(&mut self, types: Types<'_>, node: Node<'w>, path: &Path<'_>) {
        for entry in node.entries(self.arena) {
            let name = entry.key.text();
            let path = path.field(entry.key);
            if name.starts_with('$') {
                self.directive(types, &name, entry.value, &path);
            } else if !is_known(types.spec, &name) {
                self.unknown_field(types.spec, &name, &path);
            } else {
                match entry.value.kind() {
                    Kind::Map => deep(|| self.map(types.map_field(&name), entry.value, &path)),
                    Kind::List => deep(|| self.list(types, &name, entry.value, &path)),
                    _ => {}
                }
            }
        }
    }

    fn unknown_field(&mut self, ty: Type<'_>, name: &str, path: &Path<'_>) {
        let fields: Vec<&str> = ty.fields().map(|field| field.name).collect();
        let meant = nearest(name, &fields);
        let notice = Rule::UnknownField.notice(format!("the schema has no field {name} here"));
        let notice = match meant {
            Some(meant) => notice.help(format!("did you mean {meant}?")),
            None => notice,
        };
        self.find(notice, path);
    }

    fn list(&mut self, types: Types<'_>, name: &str, list: Node<'w>, path: &Path<'_>) {
        let strategy = |ty: Type<'_>| ty.list_field(name).ok().map(|rule| owned_keys(rule.strategy));
        let (upstream, spec) = (strategy(types.upstream).flatten(), strategy(types.spec).flatten());
        let items = list.elements(self.arena);
        if self.role == Role::Patch && upstream.is_none() && merges(types.spec, name) && !items.is_empty() {
            let title = format!("upstream replaces {name} as a whole, though its type says that it merges");
            self.find(Rule::ReplacedList.notice(title), path);
        }
        if let Some(keys) = upstream.as_ref().or(spec.as_ref()) {
            self.shared_keys(keys, spec.as_deref(), items, path);
        }
        let inside = types.items(name);
        for (at, item) in items.iter().enumerate().filter(|(_, item)| item.kind() == Kind::Map) {
            deep(|| self.map(inside, *item, &path.index(at)));
        }
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
            if own.is_empty() || self.is_deletion(*item) {
                continue;
            }
            let Some(before) = first.get(&own).copied() else {
                first.insert(own, at);
                continue;
            };
            let told_apart =
                wider.is_some_and(|wider| identity(*item, wider) != identity(items[before], wider));
            let (rule, title) = match told_apart {
                true => (Rule::SharedMergeKey, format!("two entries share the merge key {own}")),
                false => (Rule::DuplicateItem, format!("two entries have the key {own}")),
            };
            self.find_pair(rule, path, [before, at], title);
        }
    }

    fn find_pair(&mut self, rule: Rule, path: &Path<'_>, [before, at]: [usize; 2], title: String) {
        let (source, document) = (self.source, self.document);
        self.findings.add(rule.notice(title), || {
            let other = document.locate_nearest(&path.index(before).to_string()).value.range();
            let path = path.index(at).to_string();
            let excerpt = source.excerpt(document, &path, path.as_str());
            excerpt.with(source.text(), other, "the other entry")
        });
    }

    fn is_deletion(&self, item: Node<'_>) -> bool {
        self.role == Role::Patch && item.get(PATCH).and_then(Node::as_str).is_some_and(|word| word.is(DELETE))
    }

    fn directive(&mut self, types: Types<'_>, name: &str, value: Node<'w>, path: &Path<'_>) {
        let (word, field) = name.split_once('/').map_or((name, None), |(word, field)| (word, Some(field)));
        match (word, field) {
            (PATCH | RETAIN_KEYS, None) | (SET_ELEMENT_ORDER | DELETE_FROM_PRIMITIVE_LIST, Some(_))
                if self.role == Role::Manifest =>
            {
                let title = format!("{name} is a directive of patches; in an object it is an unknown field");
                self.find(Rule::MisplacedDirective.notice(title), path);
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
            let meant = nearest(&given, &words).or((given == "remove").then_some(DELETE));
            let help = meant.map(|word| format!("did you mean {word}?"));
            self.find(Notice { help, ..Rule::UnknownDirective.notice(title) }, path);
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
            self.find(Rule::MisplacedDirective.notice(title).help(help), path);
        }
    }

    fn unknown_directive(&mut self, name: &str, path: &Path<'_>) {
        let word = name.split('/').next().unwrap_or(name);
        let known = [PATCH, RETAIN_KEYS, SET_ELEMENT_ORDER, DELETE_FROM_PRIMITIVE_LIST];
        let title = match self.role {
            Role::Patch => format!("there is no directive {name}: it becomes a field of the object"),
            Role::Manifest => format!("no field starts with a dollar sign: {name}"),
        };
        let help = match nearest(word, &known) {
            Some(meant @ (SET_ELEMENT_ORDER | DELETE_FROM_PRIMITIVE_LIST)) => {
                Some(format!("write {meant}/ and the name of the list"))
            }
            Some(meant) => Some(format!("did you mean {meant}?")),
            None => None,
        };
        self.find(Notice { help, ..Rule::UnknownDirective.notice(title) }, path);
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
        || ty.fields().next().is_none()
}
