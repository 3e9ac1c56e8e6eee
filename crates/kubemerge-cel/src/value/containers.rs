//! Lists and maps: those of an object, as an expression sees them, and those that an expression makes.

use crate::error::CelError;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use super::{CelText, CelValue, Key};

/// A list of an object.
pub trait CelListView<'v>: fmt::Debug {
    /// How many items it has.
    fn len(&self) -> usize;

    /// Whether it has no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An item.
    fn get(&self, index: usize) -> Option<CelValue<'v>>;

    /// How its items are distinguished.
    fn kind(&self) -> ListKind<'v>;

    /// How values of other types are taken.
    fn strictness(&self) -> Strictness {
        Strictness::Strict
    }
}

/// What tells an item of a list from the others: its keys, as far as it has them.
type Identity = Option<Vec<Option<Key>>>;

/// How the items of a list are distinguished: what `==` and `+` mean for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind<'v> {
    /// By their position.
    Atomic,
    /// By their value, in any order.
    Set,
    /// By these fields of them, in any order.
    Map(Rc<[&'v str]>),
}

/// How a list or a map takes values of other types, in comparisons and as keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Such a value is an error: the object has a schema.
    Strict,
    /// Such a value is another one.
    Lenient,
}

/// A map of an object.
pub trait CelMapView<'v>: fmt::Debug {
    /// How many members it has, undeclared ones included.
    fn len(&self) -> usize;

    /// Whether it has no members.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A member that its schema declares, by the name that expressions write.
    fn get(&self, name: &str) -> Option<CelValue<'v>>;

    /// The names of declared members, as expressions write them.
    fn names(&self) -> Vec<CelText<'v>>;

    /// The members that its schema does not declare: expressions do not see them, `==` compares them.
    fn undeclared(&self) -> Vec<(&'v str, CelValue<'v>)>;

    /// How values of other types are taken.
    fn strictness(&self) -> Strictness {
        Strictness::Strict
    }
}

/// A list: of an object, or made by an expression.
#[derive(Clone, Debug)]
pub struct CelList<'v>(Items<'v>);

#[derive(Clone, Debug)]
enum Items<'v> {
    Own(Rc<Vec<CelValue<'v>>>),
    /// Sums of lists of an object keep how their items are distinguished.
    Sum(Rc<Vec<CelValue<'v>>>, ListKind<'v>),
    View(Rc<dyn CelListView<'v> + 'v>),
}

impl<'v> CelList<'v> {
    /// A list of values.
    #[must_use]
    pub fn of(items: Vec<CelValue<'v>>) -> CelList<'v> {
        CelList(Items::Own(Rc::new(items)))
    }

    /// A list of an object.
    pub fn view(view: impl CelListView<'v> + 'v) -> CelList<'v> {
        CelList(Items::View(Rc::new(view)))
    }

    /// How many items it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Items::Own(items) | Items::Sum(items, _) => items.len(),
            Items::View(view) => view.len(),
        }
    }

    /// Whether it has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An item.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<CelValue<'v>> {
        match &self.0 {
            Items::Own(items) | Items::Sum(items, _) => items.get(index).cloned(),
            Items::View(view) => view.get(index),
        }
    }

    /// The items, one after the other.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = CelValue<'v>> + '_ {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Whether values of other types are errors to it.
    pub(crate) fn is_strict(&self) -> bool {
        matches!(&self.0, Items::View(view) if view.strictness() == Strictness::Strict)
    }

    pub(super) fn kind(&self) -> ListKind<'v> {
        match &self.0 {
            Items::Own(_) => ListKind::Atomic,
            Items::Sum(_, kind) => kind.clone(),
            Items::View(view) => view.kind(),
        }
    }

    /// Adds an item without a copy, if no other value shares the list.
    pub(crate) fn push(&mut self, item: CelValue<'v>) {
        if let Items::Own(items) = &mut self.0 {
            Rc::make_mut(items).push(item);
            return;
        }
        let items = self.iter().chain([item]).collect();
        *self = CelList::of(items);
    }

    /// The sum of two lists, as the first one adds.
    pub(crate) fn plus(self, other: CelList<'v>) -> Result<CelList<'v>, CelError> {
        let kind = self.kind();
        match &kind {
            ListKind::Set => self.union(&other, kind, &|item| set_key(item).map(Some)),
            ListKind::Map(names) => Ok(self.merged(&other, kind.clone(), names)),
            ListKind::Atomic if other.is_empty() && !self.is_strict() => Ok(self),
            ListKind::Atomic if self.is_empty() && !self.is_strict() => Ok(other),
            ListKind::Atomic => {
                let mut sum = self;
                other.iter().for_each(|item| sum.push(item));
                Ok(sum)
            }
        }
    }

    fn union(
        &self,
        other: &CelList<'v>,
        kind: ListKind<'v>,
        identity: &dyn Fn(&CelValue<'v>) -> Result<Identity, CelError>,
    ) -> Result<CelList<'v>, CelError> {
        let mut seen = BTreeSet::new();
        let mut items: Vec<CelValue<'v>> = self.iter().collect();
        for item in &items {
            seen.insert(identity(item)?);
        }
        for item in other.iter() {
            if seen.insert(identity(&item)?) {
                items.push(item);
            }
        }
        Ok(CelList(Items::Sum(Rc::new(items), kind)))
    }

    /// Items of the other list take the places of those with the same keys.
    fn merged(&self, other: &CelList<'v>, kind: ListKind<'v>, names: &[&str]) -> CelList<'v> {
        let mut items: Vec<CelValue<'v>> = self.iter().collect();
        let mut places = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            places.insert(map_key(item, names), at);
        }
        for item in other.iter() {
            let key = map_key(&item, names);
            if let Some(place) = places.get(&key).and_then(|at| items.get_mut(*at)) {
                *place = item;
            } else {
                places.insert(key, items.len());
                items.push(item);
            }
        }
        CelList(Items::Sum(Rc::new(items), kind))
    }
}

/// What distinguishes an item of a set.
pub(super) fn set_key(item: &CelValue<'_>) -> Result<Vec<Option<Key>>, CelError> {
    if matches!(item, CelValue::List(_) | CelValue::Map(_)) {
        return Err("listSet operations are only supported on lists of scalar values".into());
    }
    Ok(vec![Key::of(item)])
}

/// What distinguishes an item of a list with keys.
pub(super) fn map_key(item: &CelValue<'_>, names: &[&str]) -> Vec<Option<Key>> {
    let CelValue::Map(map) = item else { return Vec::new() };
    names.iter().map(|name| map.get_name(name).and_then(|value| Key::of(&value))).collect()
}

/// A map: of an object, or made by an expression.
#[derive(Clone, Debug)]
pub struct CelMap<'v>(Members<'v>);

#[derive(Clone, Debug)]
enum Members<'v> {
    Own(Rc<BTreeMap<Key, CelValue<'v>>>),
    View(Rc<dyn CelMapView<'v> + 'v>),
}

impl<'v> CelMap<'v> {
    pub(crate) fn of(members: BTreeMap<Key, CelValue<'v>>) -> CelMap<'v> {
        CelMap(Members::Own(Rc::new(members)))
    }

    /// A map of an object.
    pub fn view(view: impl CelMapView<'v> + 'v) -> CelMap<'v> {
        CelMap(Members::View(Rc::new(view)))
    }

    /// How many members it has.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Members::Own(members) => members.len(),
            Members::View(view) => view.len(),
        }
    }

    /// Whether it has no members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A member by its name.
    #[must_use]
    pub fn get_name(&self, name: &str) -> Option<CelValue<'v>> {
        match &self.0 {
            Members::Own(members) => members.get(&Key::String(name.into())).cloned(),
            Members::View(view) => view.get(name),
        }
    }

    /// A member. Numbers of different types are one key; maps of objects have names only.
    pub(crate) fn find(&self, key: &CelValue<'_>) -> Result<Option<CelValue<'v>>, CelError> {
        match (&self.0, key) {
            (_, CelValue::String(name)) => Ok(self.get_name(name)),
            (Members::View(_), _) if self.is_strict() => Err("no such overload".into()),
            (Members::View(_), _) => Ok(None),
            (Members::Own(members), _) => {
                Ok(Key::candidates(key).into_iter().find_map(|key| members.get(&key).cloned()))
            }
        }
    }

    /// The keys, in an order of their own.
    pub(crate) fn keys(&self) -> Vec<CelValue<'v>> {
        match &self.0 {
            Members::Own(members) => members.keys().map(Key::value).collect(),
            Members::View(view) => view.names().into_iter().map(CelValue::String).collect(),
        }
    }

    /// The members.
    pub(crate) fn members(&self) -> Vec<(CelValue<'v>, CelValue<'v>)> {
        match &self.0 {
            Members::Own(members) => {
                members.iter().map(|(key, value)| (key.value(), value.clone())).collect()
            }
            Members::View(view) => {
                let member = |name: CelText<'v>| Some((view.get(&name)?, name));
                view.names()
                    .into_iter()
                    .filter_map(member)
                    .map(|(value, name)| (CelValue::String(name), value))
                    .collect()
            }
        }
    }

    /// Whether values of other types are errors to it.
    pub(crate) fn is_strict(&self) -> bool {
        matches!(&self.0, Members::View(view) if view.strictness() == Strictness::Strict)
    }

    pub(super) fn as_view(&self) -> Option<&(dyn CelMapView<'v> + 'v)> {
        match &self.0 {
            Members::Own(_) => None,
            Members::View(view) => Some(&**view),
        }
    }

    /// Adds a member without a copy, if no other value shares the map; false if the key is there already.
    pub(crate) fn insert(&mut self, key: Key, value: CelValue<'v>) -> bool {
        if let Members::View(view) = &self.0 {
            let member = |name: CelText<'v>| Some((Key::String((*name).into()), view.get(&name)?));
            self.0 = Members::Own(Rc::new(view.names().into_iter().filter_map(member).collect()));
        }
        let Members::Own(members) = &mut self.0 else { return false };
        if Key::candidates(&key.value()).iter().any(|key| members.contains_key(key)) {
            return false;
        }
        Rc::make_mut(members).insert(key, value);
        true
    }
}
