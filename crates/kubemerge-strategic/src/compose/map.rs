//! Composing maps, field by field.

use super::{keyed, values};
use crate::{
    MergeError, MergeErrorKind, apply,
    conflict::spec::{list_rule, map_rule},
    diff::spec,
    directive::{
        DELETE_FROM_PRIMITIVE_LIST, FieldPatch, MapPatch, PATCH, PatchWord, REPLACE, RETAIN_KEYS,
        SET_ELEMENT_ORDER,
    },
    patch_map::PatchMap,
    repeats::Repeats,
    unions::{fault_of, patch_with_unions},
};
use hashbrown::{HashMap, HashSet};
use kubemerge_schema::{ListRule, ListStrategy, MapStrategy, Type, Unions};
use kubemerge_value::part::{item_at, item_at_mut};
use kubemerge_value::{Arena, Kind, Node, Path, Str, deep, deep_equal, list, map};

pub(super) struct Composer<'a> {
    pub(super) arena: &'a Arena,
    pub(super) repeats: Repeats,
}

/// What the schema says about maps that are composed.
#[derive(Clone, Copy)]
pub(super) struct Maps<'s> {
    pub(super) ty: Type<'s>,
    /// The unions that clear what a patch excludes.
    pub(super) unions: Unions<'s>,
}

/// What a patch does to a field.
enum Act<'a> {
    /// Nothing.
    Absent,
    /// It removes the field.
    Removes,
    /// It sets a value, whatever was there.
    Whole(FieldPatch<'a>),
    /// It merges a map.
    Map(Node<'a>),
    /// It merges a list, or only orders it or deletes from it.
    List(FieldPatch<'a>),
}

impl Act<'_> {
    /// Whether the field is there afterwards, whatever was there. An order list or delete list alone makes none.
    fn sets(&self) -> bool {
        match self {
            Act::Absent | Act::Removes => false,
            Act::Whole(_) | Act::Map(_) => true,
            Act::List(said) => said.value.is_some(),
        }
    }
}

/// The fields that a patch map retains: all of them, if it names none.
#[derive(Default)]
struct Retained<'a> {
    names: Option<Vec<Str<'a>>>,
    index: HashSet<Str<'a>>,
}

impl<'a> Retained<'a> {
    fn has(&self, field: Str<'a>) -> bool {
        self.names.is_none() || self.index.contains(&field)
    }
}

/// A field: its name, the type around it and its place.
struct ComposedField<'f, 's, 'a> {
    key: Str<'a>,
    ty: Type<'s>,
    path: &'f Path<'f>,
}

impl<'a> Composer<'a> {
    pub(super) fn maps(
        &self,
        first: Node<'a>,
        second: Node<'a>,
        of: Maps<'_>,
        path: &Path<'_>,
    ) -> Result<Node<'a>, MergeError> {
        let Maps { ty, unions } = of;
        deep(|| {
            let first = patch_with_unions(first, unions, path, self.arena)?;
            let second = patch_with_unions(second, unions, path, self.arena)?;
            let (kept_first, kept_second) = (self.retained(&first), self.retained(&second));
            let mut patch = PatchMap::new(self.arena);
            let mut set = Vec::new();
            for (key, one, other) in pairs(&first, &second) {
                let path = path.field(key);
                let field = ComposedField { key, ty, path: &path };
                let mut one = self.act(one, &field)?;
                let other = self.act(other, &field)?;
                // A field that the first patch does not retain is gone when the second one comes to it.
                if !kept_first.has(key) && !matches!(other, Act::Absent) {
                    one = Act::Removes;
                }
                // The composed names must retain what the second patch brings back.
                if other.sets() {
                    set.push(key);
                }
                if kept_second.has(key) {
                    self.field(one, other, &field, &mut patch)?;
                }
            }
            if let Some(names) = composed_names(kept_first, kept_second, set) {
                let names =
                    names.into_iter().map(|name| Node::scalar_node(kubemerge_value::Scalar::String(name)));
                patch.set(Str::plain(RETAIN_KEYS), list(names, self.arena));
            }
            let patch = patch.finish();
            self.check_unions(patch, unions, path)?;
            Ok(patch)
        })
    }

    /// A discriminator of one patch may be followed by a member of the other that it does not select.
    fn check_unions(&self, patch: Node<'a>, unions: Unions<'_>, path: &Path<'_>) -> Result<(), MergeError> {
        if unions.is_empty() {
            return Ok(());
        }
        match fault_of(&MapPatch::parse(patch, self.arena), unions) {
            None => Ok(()),
            Some(fault) => Err(not_composable(path, &fault.to_string())),
        }
    }

    /// The fields that a patch map retains.
    fn retained(&self, patch: &MapPatch<'a>) -> Retained<'a> {
        let Some(names) = patch.retain_keys else { return Retained::default() };
        let names: Vec<Str<'a>> =
            names.elements(self.arena).iter().filter_map(|name| name.as_str()).collect();
        Retained { index: names.iter().copied().collect(), names: Some(names) }
    }

    fn act(
        &self,
        said: Option<FieldPatch<'a>>,
        field: &ComposedField<'_, '_, 'a>,
    ) -> Result<Act<'a>, MergeError> {
        let Some(said) = said else { return Ok(Act::Absent) };
        Ok(match said.value.map(|value| (value, value.kind())) {
            // Only directives: the list is ordered or deleted from.
            None => Act::List(said),
            Some((_, Kind::Null)) => Act::Removes,
            Some((value, Kind::Map)) => match PatchWord::in_map(value) {
                Some(PatchWord::Delete) => Act::Removes,
                Some(PatchWord::Replace) => Act::Whole(said),
                // What replaces does not depend on what was there.
                _ if field.map_strategy()? == MapStrategy::Replace => Act::Whole(said),
                _ => Act::Map(value),
            },
            Some((value, Kind::List)) => match field.list_rule()?.strategy {
                ListStrategy::Atomic => Act::Whole(said),
                ListStrategy::Keyed(_) if self.has_marker(value) => Act::Whole(said),
                _ => Act::List(said),
            },
            Some(_) => Act::Whole(said),
        })
    }

    fn has_marker(&self, items: Node<'a>) -> bool {
        items.elements(self.arena).iter().any(|item| PatchWord::in_map(*item) == Some(PatchWord::Replace))
    }

    fn field(
        &self,
        first: Act<'a>,
        second: Act<'a>,
        field: &ComposedField<'_, '_, 'a>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        match (first, second) {
            (only, Act::Absent) | (Act::Absent, only) => self.keep(only, field, patch),
            // The last word, whatever the first patch did.
            (_, Act::Removes) => patch.set(field.key, Node::NULL),
            (_, whole @ Act::Whole(_)) => self.keep(whole, field, patch),
            (Act::Map(first), Act::Map(second)) => {
                patch.set(field.key, self.maps(first, second, field.map_type()?, field.path)?);
            }
            (Act::List(first), Act::List(second)) => {
                let rule = field.list_rule()?;
                if rule.strategy == ListStrategy::Set {
                    self.require_plain(&first, field)?;
                    self.require_plain(&second, field)?;
                }
                self.write(field.key, self.lists(&first, &second, &rule, field.path)?, patch);
            }
            (first, second) => {
                // What the second patch finds is known, so its result is.
                let start = self.start(first, field)?;
                let result = self.evaluate(start, &second, field)?;
                self.set_whole(result, field, patch)?;
            }
        }
        Ok(())
    }

    /// Elements of a set are compared as they will be stored.
    fn require_plain(
        &self,
        said: &FieldPatch<'a>,
        field: &ComposedField<'_, '_, 'a>,
    ) -> Result<(), MergeError> {
        let Some(value) = said.value else { return Ok(()) };
        let alone = Act::List(FieldPatch { order: None, delete: None, ..*said });
        match self.evaluate(None, &alone, field)? {
            Some(stored) if deep_equal(stored, value) => Ok(()),
            _ => Err(not_composable(
                field.path,
                "elements of the set hold directives, nulls or repeated items",
            )),
        }
    }

    /// What the first patch leaves at a field that the second one merges as another kind of value.
    fn start(
        &self,
        first: Act<'a>,
        field: &ComposedField<'_, '_, 'a>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        match first {
            Act::Absent | Act::Removes => Ok(None),
            Act::Whole(_) => self.evaluate(None, &first, field),
            // The first patch leaves at least an empty map there.
            Act::Map(_) => Ok(Some(map([], self.arena))),
            Act::List(_) => Ok(Some(list([], self.arena))),
        }
    }

    /// What a patch makes of a field.
    fn evaluate(
        &self,
        start: Option<Node<'a>>,
        act: &Act<'a>,
        field: &ComposedField<'_, '_, 'a>,
    ) -> Result<Option<Node<'a>>, MergeError> {
        let mut patch = PatchMap::new(self.arena);
        match act {
            Act::Absent | Act::Removes => {}
            Act::Map(value) => patch.set(field.key, *value),
            Act::Whole(said) | Act::List(said) => self.write(field.key, *said, &mut patch),
        }
        // An object of this field alone is enough: fields merge independently.
        let live = map(start.map(|value| (field.key, value)), self.arena);
        let result =
            apply(field.ty, live, patch.finish(), self.arena).map_err(|error| error.beside(field.path))?;
        Ok(result.get(&field.key.text()))
    }

    /// The form of a value that sets it whatever was there.
    fn set_whole(
        &self,
        value: Option<Node<'a>>,
        field: &ComposedField<'_, '_, 'a>,
        patch: &mut PatchMap<'a>,
    ) -> Result<(), MergeError> {
        let Some(value) = value else {
            patch.set(field.key, Node::NULL);
            return Ok(());
        };
        let value = spec::whole_value(field.key, value, field.ty, field.path, self.arena)?;
        let form = match value.kind() {
            // Without the directive it would merge into what the object has.
            Kind::Map if field.map_strategy()? == MapStrategy::Merge => self.replacing(value),
            Kind::List => match field.list_rule()?.strategy {
                ListStrategy::Atomic => value,
                ListStrategy::Keyed(_) if self.has_marker(value) => value,
                ListStrategy::Keyed(_) => {
                    let items = value.elements(self.arena).iter().copied();
                    list([self.marker()].into_iter().chain(items), self.arena)
                }
                ListStrategy::Scalars | ListStrategy::Set => {
                    let reason = "a list that merges by value cannot be set whatever was there";
                    return Err(not_composable(field.path, reason));
                }
            },
            _ => value,
        };
        patch.set(field.key, form);
        Ok(())
    }

    /// A map that takes the place of what is there.
    pub(super) fn replacing(&self, value: Node<'a>) -> Node<'a> {
        let members = value.entries(self.arena).iter().map(|entry| (entry.key, entry.value));
        map([(Str::plain(PATCH), Node::string(REPLACE))].into_iter().chain(members), self.arena)
    }

    fn marker(&self) -> Node<'a> {
        map([(Str::plain(PATCH), Node::string(REPLACE))], self.arena)
    }

    /// What one patch alone says, as it says it.
    fn keep(&self, act: Act<'a>, field: &ComposedField<'_, '_, 'a>, patch: &mut PatchMap<'a>) {
        match act {
            Act::Absent => {}
            Act::Removes => patch.set(field.key, Node::NULL),
            Act::Map(value) => patch.set(field.key, value),
            Act::Whole(said) | Act::List(said) => self.write(field.key, said, patch),
        }
    }

    fn write(&self, key: Str<'a>, said: FieldPatch<'a>, patch: &mut PatchMap<'a>) {
        patch.extend(key, said.value);
        for (directive, entry) in [(DELETE_FROM_PRIMITIVE_LIST, said.delete), (SET_ELEMENT_ORDER, said.order)]
        {
            if let Some(entry) = entry {
                patch.set_beside(directive, key, entry.value);
            }
        }
    }

    fn lists(
        &self,
        first: &FieldPatch<'a>,
        second: &FieldPatch<'a>,
        rule: &ListRule<'_>,
        path: &Path<'_>,
    ) -> Result<FieldPatch<'a>, MergeError> {
        match rule.strategy {
            ListStrategy::Keyed(keys) => keyed::compose(self, first, second, rule, keys, path),
            ListStrategy::Scalars | ListStrategy::Set => values::compose(self, first, second, rule, path),
            ListStrategy::Atomic => Err(not_composable(path, "both only order the list or delete from it")),
        }
    }
}

impl<'s> ComposedField<'_, 's, '_> {
    fn map_strategy(&self) -> Result<MapStrategy, MergeError> {
        let rule =
            map_rule(self.ty, &self.key.text()).map_err(|error| MergeError::from_lookup(error, self.path))?;
        Ok(rule.strategy)
    }

    fn map_type(&self) -> Result<Maps<'s>, MergeError> {
        let rule =
            map_rule(self.ty, &self.key.text()).map_err(|error| MergeError::from_lookup(error, self.path))?;
        Ok(Maps { ty: rule.value, unions: rule.unions() })
    }

    fn list_rule(&self) -> Result<ListRule<'s>, MergeError> {
        list_rule(self.ty, &self.key.text()).map_err(|error| MergeError::from_lookup(error, self.path))
    }
}

type Pair<'a> = (Str<'a>, Option<FieldPatch<'a>>, Option<FieldPatch<'a>>);

/// The fields of both patches: those of the first, then what only the second has.
fn pairs<'a>(first: &MapPatch<'a>, second: &MapPatch<'a>) -> Vec<Pair<'a>> {
    let mut only_second: Vec<bool> = vec![true; second.fields.len()];
    let find = positions(second);
    let mut pairs = Vec::with_capacity(first.fields.len() + second.fields.len());
    for said in &first.fields {
        let at = find(said.field);
        at.into_iter().for_each(|at| *item_at_mut(&mut only_second, at) = false);
        pairs.push((said.field, Some(*said), at.map(|at| *item_at(&second.fields, at))));
    }
    let rest = second.fields.iter().zip(only_second).filter(|(_, is_only)| *is_only);
    pairs.extend(rest.map(|(said, _)| (said.field, None, Some(*said))));
    pairs
}

/// Above this many fields they are found through an index.
// Most patches have fewer fields, and a scan is faster than an index.
const MAX_UNINDEXED_FIELDS: usize = 16;

/// Finds the positions of fields.
fn positions<'p, 'a>(patch: &'p MapPatch<'a>) -> impl Fn(Str<'a>) -> Option<usize> + 'p {
    let fields = &patch.fields;
    let index: Option<HashMap<Str<'a>, usize>> = (fields.len() > MAX_UNINDEXED_FIELDS)
        .then(|| fields.iter().enumerate().map(|(at, said)| (said.field, at)).collect());
    move |field| match &index {
        Some(index) => index.get(&field).copied(),
        None => fields.iter().position(|said| said.field == field),
    }
}

/// The fields that survive both patches: what both name, and what the second one sets.
fn composed_names<'a>(first: Retained<'a>, second: Retained<'a>, set: Vec<Str<'a>>) -> Option<Vec<Str<'a>>> {
    let Some(mut names) = first.names else { return second.names };
    names.retain(|name| second.has(*name));
    // What the second patch sets must be retained, or the composed patch would drop it.
    names.extend(set.into_iter().filter(|name| !(first.index.contains(name) && second.has(*name))));
    Some(names)
}

pub(super) fn not_composable(path: &Path<'_>, reason: &str) -> MergeError {
    let message = format!("no single patch does what the two do one after the other: {reason}");
    MergeError::new(MergeErrorKind::NotComposable, path, message).with_hint("apply the patches in turn")
}
