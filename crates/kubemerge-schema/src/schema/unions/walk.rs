//! Unions of whole objects: a walk over an object, and the one that guides it, beside their type.
//!
//! Objects have several forms (nodes of a text, trees that are changed); each of them is a [`UnionTree`]. The walk
//! decides and changes nothing: a caller carries out the [`UnionEdit`]s on its own form. It keeps a list of what is to
//! be visited in place of recursion, so that documents may be of any depth.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use kubemerge_value::part::item_at;

use super::{FieldUnion, UnionFault, UnionState, UnionValue, UnionViolation};
use crate::schema::Type;

/// A value of an object, in whatever form.
pub trait UnionTree<'v>: Copy {
    /// What sort of value it is.
    fn kind(self) -> UnionTreeKind;

    /// The string, if it is one.
    fn text(self) -> Option<Cow<'v, str>>;

    /// The JSON text of a scalar, by which items of lists are distinguished.
    fn scalar(self) -> Option<String>;

    /// The members of a map, each name once; none for any other value.
    fn members(self) -> Vec<(Cow<'v, str>, Self)>;

    /// The items of a list; none for any other value.
    fn items(self) -> Vec<Self>;
}

/// The sorts of values that unions tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionTreeKind {
    /// A map.
    Map,
    /// A list.
    List,
    /// `null`.
    Null,
    /// Any other value.
    Scalar,
}

/// A step from a value to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnionStep {
    /// To a member of a map.
    Field(String),
    /// To an item of a list.
    Item(usize),
}

/// The place of a map with unions, from the root of the object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct UnionPath(pub Vec<UnionStep>);

/// A union that is not as it must be, and where.
#[derive(Clone, Debug)]
pub struct UnionFinding<'s> {
    /// The map that has the union.
    pub path: UnionPath,
    /// What is wrong.
    pub violation: UnionViolation<'s>,
}

/// A write that contradicts itself, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionWriteError<'s> {
    /// The map that has the union.
    pub path: UnionPath,
    /// What is wrong.
    pub fault: UnionFault<'s>,
}

/// A change that normalises a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnionEdit<'s> {
    /// The map to change.
    pub path: UnionPath,
    /// What to do.
    pub change: UnionChange<'s>,
}

/// What normalises a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionChange<'s> {
    /// The member is removed.
    Clear(&'s str),
    /// The discriminator gets the value that selects the member which is set.
    Select {
        /// The discriminator.
        field: &'s str,
        /// Its value.
        value: &'s str,
    },
}

/// Whether a write that sets a member also sets the discriminator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discriminator {
    /// It stays as the writer left it.
    Keep,
    /// It follows the member that is set.
    Deduce,
}

/// The unions of an object that are not valid, in the order of the object.
pub fn check_unions<'s, 'v, T: UnionTree<'v>>(ty: Type<'s>, value: T) -> Vec<UnionFinding<'s>> {
    let visits = Visits::of(ty, None, value);
    let findings = visits.unions().filter_map(|(at, visit, union)| {
        let violation = state(union, Some(visit.value)).violation()?;
        Some(UnionFinding { path: visits.path(at), violation })
    });
    findings.collect()
}

/// What normalises the object of an update: a discriminator that changed clears the members that it does not select.
///
/// # Errors
/// Each union whose discriminator and member changed and do not match, or of which several members are set without a
/// change of the discriminator.
pub fn normalize_update<'s, 'v, T: UnionTree<'v>>(
    ty: Type<'s>,
    old: Option<T>,
    new: T,
    mode: Discriminator,
) -> Result<Vec<UnionEdit<'s>>, Vec<UnionWriteError<'s>>> {
    Visits::of(ty, old, new).edits(|union, old, new| {
        let (before, said) = (state(union, old), state(union, Some(new)));
        let mut changes = clears(said.cleared_by_update(&before)?.fields(), &said);
        // A client that does not know the discriminator set the field alone.
        if mode == Discriminator::Deduce && !said.changes_discriminator(&before) {
            changes.extend(selection(&said, &said));
        }
        Ok(changes)
    })
}

/// What normalises a merged object: the member that the configuration sets clears the others.
///
/// # Errors
/// Each union of which the configuration sets several members, or one that its discriminator does not select.
pub fn normalize_apply<'s, 'v, T: UnionTree<'v>>(
    ty: Type<'s>,
    config: T,
    merged: T,
    mode: Discriminator,
) -> Result<Vec<UnionEdit<'s>>, Vec<UnionWriteError<'s>>> {
    Visits::of(ty, Some(config), merged).edits(|union, config, merged| {
        let (said, merged) = (state(union, config), state(union, Some(merged)));
        let mut changes = clears(said.cleared_by_configuration()?.fields(), &merged);
        if mode == Discriminator::Deduce {
            changes.extend(selection(&said, &merged));
        }
        Ok(changes)
    })
}

/// Only members that are there need to be cleared; of an unset one the null goes.
fn clears<'s>(fields: impl Iterator<Item = &'s str>, present: &UnionState<'s, '_>) -> Vec<UnionChange<'s>> {
    let set: Vec<&str> = present.set().collect();
    fields.filter(|field| set.contains(field)).map(UnionChange::Clear).collect()
}

fn selection<'s>(said: &UnionState<'s, '_>, present: &UnionState<'_, '_>) -> Option<UnionChange<'s>> {
    let (field, value) = said.deduced()?;
    (present.selected() != value).then_some(UnionChange::Select { field, value })
}

fn state<'s, 'v, T: UnionTree<'v>>(union: FieldUnion<'s>, map: Option<T>) -> UnionState<'s, 'v> {
    let members = map.map_or(Vec::new(), UnionTree::members);
    union.state(members.into_iter().map(|(name, value)| (name, union_value(value))))
}

fn union_value<'v, T: UnionTree<'v>>(value: T) -> UnionValue<'v> {
    match (value.text(), value.kind()) {
        (Some(text), _) => UnionValue::Text(text),
        (None, UnionTreeKind::Null) => UnionValue::Unset,
        (None, _) => UnionValue::Other,
    }
}

/// A map or list to visit.
struct Visit<'s, T> {
    ty: Type<'s>,
    /// What guides it: the object before, or the configuration.
    guide: Option<T>,
    value: T,
    /// Whether the patch strategy `retainKeys` takes the place of unions.
    retains_keys: bool,
    /// The value around it, and the step from there.
    from: Option<(usize, UnionStep)>,
}

/// All maps and lists of an object, outer ones first.
struct Visits<'s, T> {
    all: Vec<Visit<'s, T>>,
}

impl<'s, 'v, T: UnionTree<'v>> Visits<'s, T> {
    fn of(ty: Type<'s>, guide: Option<T>, value: T) -> Self {
        let mut waiting = vec![Visit { ty, guide, value, retains_keys: false, from: None }];
        let mut all = Vec::new();
        while let Some(visit) = waiting.pop() {
            let start = waiting.len();
            match visit.value.kind() {
                UnionTreeKind::Map => below_map(&visit, all.len(), &mut waiting),
                UnionTreeKind::List => below_list(&visit, all.len(), &mut waiting),
                UnionTreeKind::Null | UnionTreeKind::Scalar => {}
            }
            // The last one is visited first.
            waiting.split_at_mut(start).1.reverse();
            all.push(visit);
        }
        Visits { all }
    }

    /// Every union, with the map that has it.
    fn unions(&self) -> impl Iterator<Item = (usize, &Visit<'s, T>, FieldUnion<'s>)> {
        let maps = self.all.iter().enumerate().filter(|(_, visit)| visit.value.kind() == UnionTreeKind::Map);
        maps.flat_map(|(at, visit)| visit.ty.unions().iter().map(move |union| (at, visit, union)))
    }

    fn edits(
        &self,
        rule: impl Fn(FieldUnion<'s>, Option<T>, T) -> Result<Vec<UnionChange<'s>>, UnionFault<'s>>,
    ) -> Result<Vec<UnionEdit<'s>>, Vec<UnionWriteError<'s>>> {
        let (mut edits, mut errors) = (Vec::new(), Vec::new());
        for (at, visit, union) in self.unions() {
            if visit.retains_keys {
                continue;
            }
            match rule(union, visit.guide, visit.value) {
                Ok(changes) => {
                    edits.extend(changes.into_iter().map(|change| UnionEdit { path: self.path(at), change }));
                }
                Err(fault) => errors.push(UnionWriteError { path: self.path(at), fault }),
            }
        }
        // Inner ones first: an outer one may clear the map that has them.
        edits.reverse();
        if errors.is_empty() { Ok(edits) } else { Err(errors) }
    }

    fn path(&self, mut at: usize) -> UnionPath {
        let mut steps = Vec::new();
        while let Some((around, step)) = &item_at(&self.all, at).from {
            steps.push(step.clone());
            at = *around;
        }
        steps.reverse();
        UnionPath(steps)
    }
}

fn below_map<'s, 'v, T: UnionTree<'v>>(visit: &Visit<'s, T>, at: usize, waiting: &mut Vec<Visit<'s, T>>) {
    let mut guides: HashMap<Cow<'v, str>, T> = HashMap::new();
    if let Some(guide) = visit.guide {
        guides.extend(guide.members());
    }
    for (name, value) in visit.value.members() {
        if !matches!(value.kind(), UnionTreeKind::Map | UnionTreeKind::List) {
            continue;
        }
        let declared = visit.ty.field(&name).map(|field| field.ty);
        let Some(ty) = declared.or_else(|| visit.ty.additional_properties()) else { continue };
        let guide = guides.get(&name).copied();
        let from = Some((at, UnionStep::Field(name.into_owned())));
        waiting.push(Visit { ty, guide, value, retains_keys: retains_keys(ty), from });
    }
}

fn below_list<'s, 'v, T: UnionTree<'v>>(visit: &Visit<'s, T>, at: usize, waiting: &mut Vec<Visit<'s, T>>) {
    let Some(ty) = visit.ty.items() else { return };
    let keys = ItemKeys::of(visit.ty, ty);
    // Items can be paired by keys only; the first of repeated ones counts.
    let mut guides: HashMap<Vec<Option<String>>, T> = HashMap::new();
    for item in visit.guide.map_or(Vec::new(), UnionTree::items) {
        if let Some(key) = keys.read(item) {
            guides.entry(key).or_insert(item);
        }
    }
    for (place, value) in visit.value.items().into_iter().enumerate() {
        if matches!(value.kind(), UnionTreeKind::Map | UnionTreeKind::List) {
            let guide = keys.read(value).and_then(|key| guides.get(&key).copied());
            let from = Some((at, UnionStep::Item(place)));
            waiting.push(Visit { ty, guide, value, retains_keys: retains_keys(visit.ty), from });
        }
    }
}

fn retains_keys(property: Type<'_>) -> bool {
    let words = property.patch_strategy().unwrap_or_default();
    words.split([',', '|']).any(|word| word == "retainKeys")
}

/// The keys of the items of a list, and their defaults.
struct ItemKeys<'s> {
    keys: Vec<(&'s str, Option<String>)>,
}

impl<'s> ItemKeys<'s> {
    fn of(list: Type<'s>, item: Type<'s>) -> Self {
        let mut names: Vec<&str> = list.list_map_keys().collect();
        if names.is_empty() {
            names.extend(list.patch_merge_key().into_iter().flat_map(crate::model::merge_key_names));
        }
        let default = |name: &str| item.field(name)?.ty.default().map(|value| value.to_string());
        ItemKeys { keys: names.into_iter().map(|name| (name, default(name))).collect() }
    }

    /// The values of the keys; nothing if the list has no keys.
    fn read<'v, T: UnionTree<'v>>(&self, item: T) -> Option<Vec<Option<String>>> {
        if self.keys.is_empty() {
            return None;
        }
        let members = item.members();
        let value = |key: &(&str, Option<String>)| {
            let given = members.iter().find(|(name, _)| name == key.0);
            given.and_then(|(_, value)| value.scalar()).or_else(|| key.1.clone())
        };
        Some(self.keys.iter().map(value).collect())
    }
}

impl UnionPath {
    /// The path of a field of the map at this path.
    pub fn field(&self, name: &str) -> UnionPath {
        let mut steps = self.0.clone();
        steps.push(UnionStep::Field(name.to_owned()));
        UnionPath(steps)
    }
}

/// As Kubernetes writes field paths.
impl fmt::Display for UnionPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                UnionStep::Item(place) => write!(f, "[{place}]")?,
                UnionStep::Field(name) if is_plain(name) && at == 0 => f.write_str(name)?,
                UnionStep::Field(name) if is_plain(name) => write!(f, ".{name}")?,
                UnionStep::Field(name) => write!(f, "[{name}]")?,
            }
        }
        Ok(())
    }
}

fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '-' | '_'))
}
