//! Who is who in a list: the path element of an item.

use std::fmt::{self, Display, Formatter};

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::{ListForm, ListItems, ListKey};
use serde_json::Value as Json;

use crate::fieldpath::{Element, KeyField};
use crate::value::{Arena, Items, ParsedValue, go_quoted};

/// Why an item has no identity.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoIdentity<'a> {
    NullElement,
    NotMap,
    OmitsKeys(&'a [ListKey]),
    MapInSet,
    ListInSet,
    NullInSet,
    AtomicList,
}

/// The path element of an item.
pub(super) fn identity<'a>(
    list: ListForm<'a>,
    item: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<Element<'a>, NoIdentity<'a>> {
    match list.items {
        ListItems::Keyed(keys) => key_of(keys, item, arena),
        ListItems::Set => set_item(item),
        ListItems::Atomic => Err(NoIdentity::AtomicList),
    }
}

/// Whether an item has an identity, without making it.
pub(super) fn has_identity(list: ListForm<'_>, item: ParsedValue<'_>) -> bool {
    match list.items {
        ListItems::Keyed(keys) => {
            item.members().is_some()
                && keys.iter().any(|key| key.default.is_some() || item.get(&key.name).is_some())
        }
        ListItems::Set => item.is_scalar(),
        ListItems::Atomic => false,
    }
}

/// The path element of an item in a set of claims. An item without an identity has a key without fields.
///
/// Upstream: such an item still counts as something in its list, so that pruning leaves the list null
/// instead of removing it (case `ssa/pruning.yaml`, `an item without a field in a list that another owns`).
pub(super) fn claimed_element<'a>(
    list: ListForm<'a>,
    item: ParsedValue<'a>,
    arena: &'a Arena,
) -> Element<'a> {
    identity(list, item, arena).unwrap_or(Element::Key(&[]))
}

/// The key fields that are present or have a default. A missing key without default is left out.
fn key_of<'a>(
    keys: &'a [ListKey],
    item: ParsedValue<'a>,
    arena: &'a Arena,
) -> Result<Element<'a>, NoIdentity<'a>> {
    match item {
        ParsedValue::Null => return Err(NoIdentity::NullElement),
        ParsedValue::Map(_) => {}
        _ => return Err(NoIdentity::NotMap),
    }
    let mut fields = ArenaVec::with_capacity_in(keys.len(), arena);
    fields.extend(key_fields(keys, item, arena));
    // Some keys may be absent; an item without any has no identity.
    if fields.is_empty() {
        return Err(NoIdentity::OmitsKeys(keys));
    }
    if fields.len() > 1 {
        fields.sort_by(|one, two| one.name.cmp(two.name));
    }
    Ok(Element::Key(fields.into_bump_slice()))
}

fn key_fields<'a>(
    keys: &'a [ListKey],
    item: ParsedValue<'a>,
    arena: &'a Arena,
) -> impl Iterator<Item = KeyField<'a>> {
    keys.iter().filter_map(move |key| {
        // An absent key has its default: protocol is TCP unless it is given.
        let default = || key.default.as_ref().map(|default| default_value(default, arena));
        let value = item.get(&key.name).or_else(default)?;
        Some(KeyField { name: &key.name, value })
    })
}

/// The identity of one item after the other, each in the place of the one before: it takes no memory that stays.
struct PassingIdentity<'a> {
    fields: Vec<KeyField<'a>>,
    /// The item of a set.
    scalar: ParsedValue<'a>,
}

impl<'a> PassingIdentity<'a> {
    fn new() -> Self {
        PassingIdentity { fields: Vec::new(), scalar: ParsedValue::Null }
    }

    /// Goes on to an item; false if it has no identity.
    fn read(&mut self, list: ListForm<'a>, item: ParsedValue<'a>, arena: &'a Arena) -> bool {
        let ListItems::Keyed(keys) = list.items else {
            self.scalar = item;
            return matches!(list.items, ListItems::Set) && item.is_scalar();
        };
        self.fields.clear();
        self.fields.extend(key_fields(keys, item, arena));
        if self.fields.len() > 1 {
            self.fields.sort_by(|one, two| one.name.cmp(two.name));
        }
        item.members().is_some() && !self.fields.is_empty()
    }

    fn element(&self) -> Element<'_> {
        if self.fields.is_empty() { Element::Value(self.scalar) } else { Element::Key(&self.fields) }
    }
}

/// Whether every item has a greater identity than the item before, so that all are different.
pub(super) fn is_rising<'a>(list: ListForm<'a>, items: Items<'a>, arena: &'a Arena) -> bool {
    let (mut before, mut next) = (PassingIdentity::new(), PassingIdentity::new());
    items.iter().enumerate().all(|(place, item)| {
        std::mem::swap(&mut before, &mut next);
        next.read(list, item, arena) && (place == 0 || before.element().order(next.element()).is_lt())
    })
}

/// Whether both lists have items of the same identities at the same places.
pub(super) fn have_same_identities<'a>(
    list: ListForm<'a>,
    left: Items<'a>,
    right: Items<'a>,
    arena: &'a Arena,
) -> bool {
    let (mut one, mut two) = (PassingIdentity::new(), PassingIdentity::new());
    let is_same = |(left, right): (ParsedValue<'a>, ParsedValue<'a>)| {
        one.read(list, left, arena) && two.read(list, right, arena) && one.element() == two.element()
    };
    left.len() == right.len() && left.iter().zip(right.iter()).all(is_same)
}

/// A default of the schema, whose numbers are floats in Go.
fn default_value<'a>(default: &'a Json, arena: &'a Arena) -> ParsedValue<'a> {
    match default {
        Json::String(text) => ParsedValue::String(text),
        Json::Bool(value) => ParsedValue::Bool(*value),
        // Upstream: schemas are decoded with floats only.
        Json::Number(number) => ParsedValue::Float(number.as_f64().unwrap_or_default()),
        other => ParsedValue::from_json(other, arena).unwrap_or(ParsedValue::Null),
    }
}

fn set_item(item: ParsedValue<'_>) -> Result<Element<'_>, NoIdentity<'_>> {
    match item {
        ParsedValue::Map(_) => Err(NoIdentity::MapInSet),
        ParsedValue::List(_) => Err(NoIdentity::ListInSet),
        ParsedValue::Null => Err(NoIdentity::NullInSet),
        scalar => Ok(Element::Value(scalar)),
    }
}

impl Display for NoIdentity<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NoIdentity::NullElement => "associative list with keys may not have a null element",
            NoIdentity::NotMap => "associative list with keys may not have non-map elements",
            NoIdentity::OmitsKeys(keys) => {
                let names: Vec<String> = keys.iter().map(|key| go_quoted(&key.name)).collect();
                return write!(
                    f,
                    "associative list with keys has an element that omits all key fields [{}] \
                     (and doesn't have default values for any key fields)",
                    names.join(" ")
                );
            }
            NoIdentity::MapInSet => "associative list without keys has an element that's a map type",
            NoIdentity::ListInSet => "not supported: associative list with lists as elements",
            NoIdentity::NullInSet => "associative list without keys has an element that's an explicit null",
            NoIdentity::AtomicList => "invalid indexing of non-associative list",
        })
    }
}
