//! Two values side by side: kustomize walks the whole live object, whatever the patch mentions.
//!
//! A value of the patch that finds nothing to merge with is merged with itself, which removes its nulls and
//! carries out the directives inside.

use super::text::in_place_of;
use crate::{
    directive::{PATCH, PatchWord, without_patch},
    error::{MergeError, MergeErrorKind},
    observe::{MaybeObserver, MergeEvent, Removal, Replacement},
};
use kubemerge_schema::Type;
use kubemerge_value::{Arena, Entry, Kind, MapEdit, Node, Path, Str, deep};
use std::{cmp::Ordering, iter::Peekable, vec::IntoIter};

/// The values at one place.
#[derive(Clone, Copy)]
pub(super) enum Sides<'a> {
    /// What the live object and the patch have there.
    Two { live: Option<Node<'a>>, patch: Option<Node<'a>> },
    /// A value of the patch that was taken over.
    Taken(Node<'a>),
}

impl<'a> Sides<'a> {
    pub(super) fn live(self) -> Option<Node<'a>> {
        match self {
            Sides::Two { live, .. } => live,
            Sides::Taken(value) => Some(value),
        }
    }

    pub(super) fn patch(self) -> Option<Node<'a>> {
        match self {
            Sides::Two { patch, .. } => patch,
            Sides::Taken(value) => Some(value),
        }
    }

    /// The value of the first side that has one other than null.
    fn first(self) -> Option<Node<'a>> {
        [self.live(), self.patch()].into_iter().flatten().find(|value| !value.is_null())
    }
}

/// What came of a value. Which side it is from matters in lists, where kustomize goes on with the live items.
#[derive(Clone, Copy)]
pub(super) enum Walked<'a> {
    /// The live value, or the value that was taken over, as it was.
    Kept,
    /// The live value with changes.
    Live(Node<'a>),
    /// The value of the patch, with changes if it was taken over before.
    Patch(Node<'a>),
    Gone,
}

/// Form of a value: kustomize knows three; null is another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Map,
    List,
    Scalar,
}

impl Form {
    pub(super) fn of(value: Node<'_>) -> Form {
        match value.kind() {
            Kind::Map => Form::Map,
            Kind::List => Form::List,
            _ => Form::Scalar,
        }
    }

    /// kyaml's name of it.
    fn name(self) -> &'static str {
        match self {
            Form::Map => "MappingNode",
            Form::List => "SequenceNode",
            Form::Scalar => "ScalarNode",
        }
    }
}

/// Walks a live object and a patch.
pub(super) struct Walker<'a, 'o, O> {
    pub(super) arena: &'a Arena,
    pub(super) observer: &'o mut O,
}

impl<'a, O: MaybeObserver> Walker<'a, '_, O> {
    /// The values of a field of a map of this type.
    fn field(
        &mut self,
        parent: Type<'_>,
        name: Str<'a>,
        sides: Sides<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        // The form of the first side that has a value decides; kyaml knows no types.
        if sides.first().is_some_and(|value| value.kind() == Kind::List) {
            check_forms(Form::List, sides, path)?;
            let rule =
                parent.list_field(&name.text()).map_err(|error| MergeError::from_lookup(error, path))?;
            return deep(|| self.list(&rule, sides, path));
        }
        let rule = parent.map_field(&name.text()).map_err(|error| MergeError::from_lookup(error, path))?;
        self.value(rule.value, sides, path)
    }

    /// Values of this type; lists among them have no rule.
    pub(super) fn value(
        &mut self,
        ty: Type<'_>,
        sides: Sides<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        let Some(first) = sides.first() else { return Ok(self.nulls(sides, path)) };
        let form = Form::of(first);
        check_forms(form, sides, path)?;
        match form {
            Form::Map => deep(|| self.map(described(ty, sides), sides, path)),
            Form::List => Ok(self.replace_list(sides, path)),
            Form::Scalar => Ok(self.scalar(sides, path)),
        }
    }

    /// A null of the live object stays where the patch is silent.
    fn nulls(&mut self, sides: Sides<'a>, path: &Path<'_>) -> Walked<'a> {
        // Not in the patch: nothing is said about the null.
        if sides.patch().is_none() {
            return Walked::Kept;
        }
        self.note_null(sides, path);
        Walked::Gone
    }

    fn scalar(&mut self, sides: Sides<'a>, path: &Path<'_>) -> Walked<'a> {
        // Not in the patch.
        let Some(value) = sides.patch() else { return Walked::Kept };
        if value.is_null() {
            self.note_null(sides, path);
            return Walked::Gone;
        }
        let Sides::Two { live, .. } = sides else { return Walked::Kept };
        self.note_set(live, value, path);
        Walked::Patch(value)
    }

    /// A list that is no merge list.
    pub(super) fn replace_list(&mut self, sides: Sides<'a>, path: &Path<'_>) -> Walked<'a> {
        match sides.patch() {
            None => Walked::Kept,
            Some(patch) if patch.is_null() => {
                self.note_null(sides, path);
                Walked::Gone
            }
            Some(patch) => {
                let Sides::Two { live, .. } = sides else { return Walked::Kept };
                match live {
                    None => self.note_set(None, patch, path),
                    from => {
                        let cause = Replacement::Rule;
                        self.observer.note(path, MergeEvent::ListReplaced { from, cause });
                    }
                }
                Walked::Patch(patch)
            }
        }
    }

    fn map(&mut self, ty: Type<'_>, sides: Sides<'a>, path: &Path<'_>) -> Result<Walked<'a>, MergeError> {
        let Some(patch) = sides.patch() else { return self.merge_members(ty, sides, path) };
        if patch.is_null() {
            self.note_null(sides, path);
            return Ok(Walked::Gone);
        }
        let word = PatchWord::in_map(patch);
        match (word, sides) {
            // Removed by the directive, whether it was there or not.
            (Some(PatchWord::Delete), _) => {
                self.note_deleted(sides, path);
                Ok(Walked::Gone)
            }
            (_, Sides::Two { live, .. }) if live.is_none_or(Node::is_null) => {
                // An unknown word stays in a map that is new as a whole.
                let bare = if word == Some(PatchWord::Unknown) { patch } else { self.without_word(patch) };
                self.note_set(None, bare, path);
                self.take(ty, bare, path)
            }
            // A map that is merged must say how in a known word.
            (Some(PatchWord::Unknown), _) => Err(unknown_strategy(patch, path)),
            // Nothing is there to replace or merge with; the word goes.
            (Some(PatchWord::Replace | PatchWord::Merge), Sides::Taken(_)) => {
                self.take(ty, self.without_word(patch), path)
            }
            // The live map is gone, and the patch takes its place.
            (Some(PatchWord::Replace), Sides::Two { live, .. }) => {
                let cause = Replacement::PatchDirective;
                self.observer.note(path, MergeEvent::MapReplaced { from: live, cause });
                self.take(ty, self.without_word(patch), path)
            }
            // Taken over: its own nulls and directives are still carried out.
            (None, Sides::Taken(_)) => self.merge_members(ty, sides, path),
            // The ordinary case: member by member.
            (Some(PatchWord::Merge) | None, Sides::Two { live, .. }) => {
                self.observer.note(path, MergeEvent::MapMerged);
                let sides = Sides::Two { live, patch: Some(self.without_word(patch)) };
                self.merge_members(ty, sides, path)
            }
        }
    }

    /// A map of the patch that takes its place as a whole, after its own nulls and directives.
    fn take(&mut self, ty: Type<'_>, value: Node<'a>, path: &Path<'_>) -> Result<Walked<'a>, MergeError> {
        Ok(match self.merge_members(ty, Sides::Taken(value), path)? {
            Walked::Kept => Walked::Patch(value),
            changed => changed,
        })
    }

    /// Goes through the members of both maps by name, as kustomize does, so that faults come in its order.
    fn merge_members(
        &mut self,
        ty: Type<'_>,
        sides: Sides<'a>,
        path: &Path<'_>,
    ) -> Result<Walked<'a>, MergeError> {
        let base = sides.live().unwrap_or(Node::NULL);
        let mut changes = Vec::new();
        for (name, member) in members(sides) {
            let path = &path.field(name);
            let walked = self.field(ty, name, member, path)?;
            // kyaml cannot write a member without a name, and says so in this way.
            if name.is("") {
                return Err(wrong_form(Form::Scalar, base, path));
            }
            changes.extend(self.change(member, walked).map(|change| (name, change)));
        }
        let result = self.edited(base, changes);
        Ok(match (sides, result) {
            (_, None) => Walked::Kept,
            (Sides::Taken(_), Some(result)) => Walked::Patch(result),
            (Sides::Two { .. }, Some(result)) => Walked::Live(result),
        })
    }

    /// What is done to a member: nothing, another value, or none (`Some(None)`).
    fn change(&self, member: Sides<'a>, walked: Walked<'a>) -> Option<Option<Node<'a>>> {
        match (walked, member) {
            (Walked::Kept, _) => None,
            (Walked::Gone, _) => Some(None),
            (Walked::Live(value), _) | (Walked::Patch(value), Sides::Taken(_)) => Some(Some(value)),
            // The notation of the live value stays: 7 in the place of a quoted string is a string.
            (Walked::Patch(value), Sides::Two { live, .. }) => {
                Some(Some(in_place_of(live, value, self.arena)))
            }
        }
    }

    fn edited(&self, base: Node<'a>, changes: Vec<(Str<'a>, Option<Node<'a>>)>) -> Option<Node<'a>> {
        if changes.is_empty() {
            return None;
        }
        let mut edit = MapEdit::new(base, self.arena);
        for (name, value) in changes {
            match (edit.seek(name), value) {
                (Some(_), Some(value)) => edit.replace(value),
                (None, Some(value)) => edit.insert(name, value),
                (Some(_), None) => edit.remove(),
                (None, None) => {}
            }
        }
        Some(edit.finish())
    }

    /// A map without its `$patch`.
    pub(super) fn without_word(&self, map: Node<'a>) -> Node<'a> {
        if map.get(PATCH).is_none() { map } else { without_patch(map, self.arena) }
    }

    fn note_null(&mut self, sides: Sides<'a>, path: &Path<'_>) {
        if let Sides::Two { live: Some(value), .. } = sides {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::Null });
        }
    }

    pub(super) fn note_deleted(&mut self, sides: Sides<'a>, path: &Path<'_>) {
        if let Sides::Two { live: Some(value), .. } = sides {
            self.observer.note(path, MergeEvent::Removed { value, cause: Removal::PatchDirective });
        }
    }

    fn note_set(&mut self, live: Option<Node<'a>>, value: Node<'a>, path: &Path<'_>) {
        let event = match live {
            Some(from) => MergeEvent::Set { from, to: value },
            None => MergeEvent::Added { value },
        };
        self.observer.note(path, event);
    }
}

/// The type of a map: where none is known, that of the apiVersion and kind which the map itself names.
fn described<'s>(ty: Type<'s>, sides: Sides<'_>) -> Type<'s> {
    // A type that is known is not asked again.
    if !ty.is_untyped() {
        return ty;
    }
    let named = |map: Node<'_>| {
        let (version, kind) = (map.get("apiVersion")?.as_str()?, map.get("kind")?.as_str()?);
        ty.schema().type_of(&version.text(), &kind.text())
    };
    [sides.live(), sides.patch()].into_iter().flatten().find_map(named).unwrap_or(ty)
}

/// The members of both sides, sorted by name.
fn members<'a>(sides: Sides<'a>) -> Vec<(Str<'a>, Sides<'a>)> {
    let sorted = |map: Option<Node<'a>>| map.map(Node::sorted_entries).unwrap_or_default();
    match sides {
        Sides::Taken(map) => {
            map.sorted_entries().into_iter().map(|entry| (entry.key, Sides::Taken(entry.value))).collect()
        }
        Sides::Two { live, patch } => joined(sorted(live), sorted(patch)),
    }
}

fn joined<'a>(live: Vec<Entry<'a>>, patch: Vec<Entry<'a>>) -> Vec<(Str<'a>, Sides<'a>)> {
    let mut found = Vec::with_capacity(live.len().max(patch.len()));
    let (mut live, mut patch) = (live.into_iter().peekable(), patch.into_iter().peekable());
    while let Some(name) = next_name(&mut live, &mut patch) {
        let at_name =
            |entries: &mut Peekable<IntoIter<Entry<'a>>>| entries.next_if(|entry| entry.key == name);
        let (live, patch) = (at_name(&mut live), at_name(&mut patch));
        let value = |entry: Option<Entry<'a>>| entry.map(|entry| entry.value);
        found.push((name, Sides::Two { live: value(live), patch: value(patch) }));
    }
    found
}

fn next_name<'a>(
    live: &mut Peekable<IntoIter<Entry<'a>>>,
    patch: &mut Peekable<IntoIter<Entry<'a>>>,
) -> Option<Str<'a>> {
    match (live.peek(), patch.peek()) {
        (Some(live), Some(patch)) if patch.key.cmp(&live.key) == Ordering::Less => Some(patch.key),
        (Some(live), _) => Some(live.key),
        (None, patch) => patch.map(|entry| entry.key),
    }
}

/// Both sides must have the form of the first; nulls go with any.
fn check_forms(form: Form, sides: Sides<'_>, path: &Path<'_>) -> Result<(), MergeError> {
    let others = [sides.live(), sides.patch()].into_iter().flatten().filter(|value| !value.is_null());
    match others.into_iter().find(|value| Form::of(*value) != form) {
        Some(value) => Err(wrong_form(form, value, path)),
        None => Ok(()),
    }
}

/// A value of another form than the one that is needed.
pub(super) fn wrong_form(wanted: Form, value: Node<'_>, path: &Path<'_>) -> MergeError {
    let kind = match wanted {
        Form::Map => MergeErrorKind::ExpectedMap,
        Form::List => MergeErrorKind::ExpectedList,
        Form::Scalar => MergeErrorKind::ExpectedScalar,
    };
    let given = Form::of(value).name();
    let message = format!("wrong node kind: expected {} but got {given}", wanted.name());
    MergeError::new(kind, path, message)
}

/// A `$patch` with an unknown word.
pub(super) fn unknown_strategy(map: Node<'_>, path: &Path<'_>) -> MergeError {
    let word = map.get(PATCH).map(super::text::text).unwrap_or_default();
    MergeError::new(MergeErrorKind::InvalidPatchDirective, path, format!("unknown patch strategy '{word}'"))
        .with_hint("use delete, replace or merge")
}
