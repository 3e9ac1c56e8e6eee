//! The identity of an item in a keyed list: the values of its merge keys.

use crate::directive::PATCH;
use crate::error::{MergeError, MergeErrorKind};
use crate::strategy::Strategy;
use kubemerge_schema::MergeKey;
use kubemerge_value::part::item_at;
use kubemerge_value::{
    Arena, Node, Path, Scalar,
    walk::{ItemFields, ItemKey},
};
use std::hash::{Hash, Hasher};

/// The identity of an item.
///
/// In dialect `upstream` there is one key and null is a value; in `spec` null counts as absent and missing
/// members are completed by the defaults of the rule.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity<'a> {
    /// The value of the only key.
    One(Scalar<'a>),
    /// The values of a key set, one per key; `None` where the item has none.
    Set(&'a [Option<Scalar<'a>>]),
}

impl Hash for Identity<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match self {
            // No tag: one list has keys of one kind only.
            Identity::One(value) => value.hash(state),
            Identity::Set(values) => values.hash(state),
        }
    }
}

impl Identity<'_> {
    /// One bit for each key that the identity has.
    pub(crate) fn mask(self) -> u32 {
        match self {
            Identity::One(_) => 1,
            Identity::Set(values) => {
                let present = values.iter().enumerate().filter(|(_, value)| value.is_some());
                present.fold(0, |mask, (at, _)| mask | 1 << at)
            }
        }
    }
}

/// What an item says about its merge keys.
#[derive(Clone, Copy)]
pub(crate) enum Keyed<'a> {
    /// It has an identity.
    As {
        identity: Identity<'a>,
        /// One bit for each key that the item itself holds.
        written: u32,
    },
    /// It has none of the keys.
    Missing,
    /// The value of the key at this position is a map or list.
    Compound(usize),
}

/// The keys of a list, ready to read identities.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'s, 'a> {
    keys: &'s [MergeKey],
    defaults: &'a [Option<Scalar<'a>>],
    strategy: Strategy,
}

/// Key sets have at most this many members.
// Sets of keys are bits of a u32; no list of Kubernetes has more than three keys.
pub(crate) const MAX_MERGE_KEYS: usize = 32;

impl<'s, 'a> Keys<'s, 'a> {
    pub(crate) fn new(keys: &'s [MergeKey], strategy: Strategy, arena: &'a Arena) -> Self {
        let keys = keys.get(..MAX_MERGE_KEYS).unwrap_or(keys);
        let defaults = arena.alloc_slice_fill_iter(keys.iter().map(|key| default_of(key, arena)));
        Keys { keys, defaults, strategy }
    }

    /// The name of the key, if there is but one.
    pub(crate) fn single(&self) -> Option<&'s str> {
        match self.keys {
            [key] => Some(&key.name),
            _ => None,
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'s str> {
        self.keys.iter().map(|key| key.name.as_str())
    }

    pub(crate) fn name(&self, at: usize) -> &'s str {
        &item_at(self.keys, at).name
    }

    /// The mask of a delete item or order entry that holds every key.
    pub(crate) fn all(&self) -> u32 {
        u32::MAX >> (32 - self.keys.len().max(1) as u32)
    }

    pub(crate) fn read(&self, item: Node<'a>, arena: &'a Arena) -> Keyed<'a> {
        if let [key] = self.keys {
            return self.of_value(item.get(&key.name).into());
        }
        let mut written = 0;
        let mut compound = None;
        let known = self.keys.iter().zip(self.defaults).enumerate();
        let values = arena.alloc_slice_fill_iter(known.map(|(at, (key, default))| {
            let value = item.get(&key.name).filter(|value| !value.is_null());
            // An absent key has its default, which still says nothing about what was written.
            let Some(value) = value else { return *default };
            written |= 1 << at;
            if value.scalar().is_none() {
                compound = Some(at);
            }
            value.scalar()
        }));
        match compound {
            Some(at) => Keyed::Compound(at),
            // Defaults alone would give every such item the same identity.
            None if written == 0 => Keyed::Missing,
            None => Keyed::As { identity: Identity::Set(values), written },
        }
    }

    /// The same, and whether the item has a `$patch`.
    pub(crate) fn read_marked(&self, item: Node<'a>, arena: &'a Arena) -> (Keyed<'a>, bool) {
        match self.single() {
            Some(key) => {
                let (value, is_marked) = ItemFields { key, mark: PATCH }.read(item);
                (self.of_value(value), is_marked)
            }
            None => (self.read(item, arena), item.get(PATCH).is_some()),
        }
    }

    /// What an item says that has this value for the only key.
    #[inline]
    pub(crate) fn of_value(&self, value: ItemKey<'a>) -> Keyed<'a> {
        match value {
            // Upstream compares null as a value.
            ItemKey::Scalar(Scalar::Null) if !self.strategy.null_is_a_key() => Keyed::Missing,
            ItemKey::Scalar(scalar) => Keyed::As { identity: Identity::One(scalar), written: 1 },
            ItemKey::Missing => Keyed::Missing,
            ItemKey::Compound => Keyed::Compound(0),
        }
    }

    /// The identity of an item, or the fault at its path.
    pub(crate) fn require(
        &self,
        item: Node<'a>,
        path: &Path<'_>,
        arena: &'a Arena,
    ) -> Result<(Identity<'a>, u32), MergeError> {
        self.identity_of(self.read(item, arena), item, path)
    }

    /// The identity of an item that was read, or the fault at its path.
    pub(crate) fn identity_of(
        &self,
        keyed: Keyed<'a>,
        item: Node<'a>,
        path: &Path<'_>,
    ) -> Result<(Identity<'a>, u32), MergeError> {
        match keyed {
            Keyed::As { identity, written } => Ok((identity, written)),
            Keyed::Missing => Err(self.missing(item, path)),
            Keyed::Compound(at) => Err(self.compound(at, path)),
        }
    }

    pub(crate) fn missing(&self, item: Node<'_>, path: &Path<'_>) -> MergeError {
        let names = self.names().collect::<Vec<_>>().join(",");
        let message = self.strategy.missing_key_message(item, &names);
        let first = self.names().next().unwrap_or_default();
        MergeError::new(MergeErrorKind::MissingMergeKey, path, message)
            .about_keys(self.names())
            .with_hint(format!("add `{first}`"))
    }

    pub(crate) fn compound(&self, at: usize, path: &Path<'_>) -> MergeError {
        let name = self.name(at);
        let message = format!("the merge key {name} is a map or list");
        MergeError::new(MergeErrorKind::InvalidMergeKeyValue, &path.field(name.into()), message)
            .about_keys([name])
            .with_hint("a merge key must be a string, a number or a boolean")
    }

    /// Names and values of the keys that an item has, for observers.
    pub(crate) fn pairs_of(&self, item: Node<'a>, arena: &'a Arena) -> Vec<(&'s str, Scalar<'a>)> {
        match self.read(item, arena) {
            Keyed::As { identity, .. } => self.pairs(identity),
            Keyed::Missing | Keyed::Compound(_) => Vec::new(),
        }
    }

    /// Names and values of the keys that an identity has, for observers.
    pub(crate) fn pairs(&self, identity: Identity<'a>) -> Vec<(&'s str, Scalar<'a>)> {
        match identity {
            Identity::One(value) => self.names().map(|name| (name, value)).collect(),
            Identity::Set(values) => self
                .names()
                .zip(values)
                .filter_map(|(name, value)| value.map(|value| (name, value)))
                .collect(),
        }
    }
}

fn default_of<'a>(key: &MergeKey, arena: &'a Arena) -> Option<Scalar<'a>> {
    use serde_json::Value;
    Some(match key.default.as_ref()? {
        Value::Bool(value) => Scalar::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(int) => Scalar::Int(int),
            None => Scalar::Float(number.as_f64()?),
        },
        Value::String(text) => Scalar::String(kubemerge_value::Str::plain(arena.alloc_str(text))),
        Value::Null | Value::Array(_) | Value::Object(_) => return None,
    })
}
