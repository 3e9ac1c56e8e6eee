//! The rules of unions: what is valid, and what a write clears.

use std::borrow::Cow;
use std::fmt;

use super::{FieldUnion, UnionMember, UnionValue};

/// What an object, a configuration or a patch says about a union.
#[derive(Clone, Debug)]
pub struct UnionState<'s, 'v> {
    union: FieldUnion<'s>,
    /// The members that are set, sorted by name.
    set: Vec<UnionMember<'s>>,
    /// The value of the discriminator; empty if it is absent or no string.
    selected: Cow<'v, str>,
}

/// The members that a write clears.
#[derive(Clone, Debug)]
pub struct Excluded<'s, 'v> {
    union: FieldUnion<'s>,
    kept: Kept<'s, 'v>,
}

#[derive(Clone, Debug)]
enum Kept<'s, 'v> {
    All,
    Member(&'s str),
    /// The value of a discriminator that selects no member.
    Named(Cow<'v, str>),
}

impl<'s, 'v> UnionState<'s, 'v> {
    pub(super) fn new(union: FieldUnion<'s>) -> Self {
        UnionState { union, set: Vec::new(), selected: Cow::Borrowed("") }
    }

    pub(super) fn see(&mut self, name: &str, value: UnionValue<'v>) {
        if value != UnionValue::Unset {
            self.set.extend(self.union.member(name));
        }
        if let UnionValue::Text(text) = value
            && self.union.discriminator() == Some(name)
        {
            self.selected = text;
        }
    }

    pub(super) fn finish(mut self) -> Self {
        self.set.sort_unstable_by_key(|member| member.field);
        self
    }

    /// The members that are set, sorted by name.
    pub fn set(&self) -> impl Iterator<Item = &'s str> {
        self.set.iter().map(|member| member.field)
    }

    /// The value of the discriminator; empty if it is absent or no string.
    pub fn selected(&self) -> &str {
        &self.selected
    }

    /// Why an object that says this is not valid.
    ///
    /// A discriminator that selects a member requires it and forbids the others; without one, at most one member
    /// may be set; one that selects nothing forbids all members.
    pub fn violation(&self) -> Option<UnionViolation<'s>> {
        let wanted = self.union.selected_by(&self.selected).filter(|_| !self.selected.is_empty());
        let is_valid = match (&self.set[..], wanted) {
            (set, None) if self.selected.is_empty() => set.len() <= 1,
            (set, None) => set.is_empty(),
            (set, Some(wanted)) => set == [wanted],
        };
        (!is_valid).then(|| UnionViolation {
            union: self.union,
            selected: self.selected.to_string(),
            wanted: wanted.map(|member| member.field),
            set: self.set().collect(),
        })
    }

    /// What a patch that says this clears: all that its discriminator does not select, or all but the member that it
    /// sets. A patch that says nothing about the union clears nothing.
    ///
    /// The answer depends on the patch alone, so that patches compose. For valid objects it is what
    /// [`UnionState::cleared_by_update`] says about the object before and the merged one.
    ///
    /// # Errors
    /// If the patch sets several members, or one that its discriminator does not select.
    pub fn cleared_by_patch(&self) -> Result<Excluded<'s, 'v>, UnionFault<'s>> {
        match (self.cleared_by_configuration()?.kept, self.selected.is_empty()) {
            (Kept::All, false) => Ok(self.all_but_selected()),
            (kept, _) => Ok(Excluded { union: self.union, kept }),
        }
    }

    /// What the configuration of an apply that says this clears in the merged object: all but the member that it sets.
    ///
    /// # Errors
    /// If the configuration sets several members, or one that its discriminator does not select.
    pub fn cleared_by_configuration(&self) -> Result<Excluded<'s, 'v>, UnionFault<'s>> {
        let kept = match self.set[..] {
            [] => Kept::All,
            [one] if self.selected.is_empty() || self.selected == one.discriminator_value => {
                Kept::Member(one.field)
            }
            [one] => {
                let selected = self.selected.to_string();
                return Err(UnionFault::NotSelected { selected, field: one.field });
            }
            _ => return Err(UnionFault::SeveralSet { fields: self.set().collect() }),
        };
        Ok(Excluded { union: self.union, kept })
    }

    /// What an update from `old` to an object that says this clears: a discriminator that changed clears what it does
    /// not select.
    ///
    /// # Errors
    /// If discriminator and member changed and do not match, or several members are set without a change of the
    /// discriminator.
    pub fn cleared_by_update(&self, old: &UnionState<'_, '_>) -> Result<Excluded<'s, 'v>, UnionFault<'s>> {
        let before: Vec<&str> = old.set().collect();
        let added: Vec<UnionMember<'s>> =
            self.set.iter().copied().filter(|member| !before.contains(&member.field)).collect();
        if self.changes_discriminator(old) {
            return match added[..] {
                // Only the discriminator changed: members that it does not select are left over.
                [] => Ok(self.all_but_selected()),
                [one] if one.discriminator_value == self.selected => Ok(self.all_but_selected()),
                [one] => {
                    Err(UnionFault::ChangedApart { selected: self.selected.to_string(), field: one.field })
                }
                _ => Err(UnionFault::SeveralAdded { fields: added.iter().map(|one| one.field).collect() }),
            };
        }
        if self.set.len() > 1 {
            return Err(UnionFault::SeveralKept { fields: self.set().collect() });
        }
        Ok(Excluded { union: self.union, kept: Kept::All })
    }

    /// Whether the object has another discriminator than `old`, and not merely none.
    pub fn changes_discriminator(&self, old: &UnionState<'_, '_>) -> bool {
        self.selected != old.selected && !self.selected.is_empty()
    }

    /// The discriminator and the value that selects the one member that is set.
    pub fn deduced(&self) -> Option<(&'s str, &'s str)> {
        let [one] = self.set[..] else { return None };
        self.union.discriminator().map(|name| (name, one.discriminator_value))
    }

    fn all_but_selected(&self) -> Excluded<'s, 'v> {
        let kept = match self.union.selected_by(&self.selected) {
            Some(member) => Kept::Member(member.field),
            // A value that selects no member may still be the name of a field.
            None => Kept::Named(self.selected.clone()),
        };
        Excluded { union: self.union, kept }
    }
}

impl<'s> Excluded<'s, '_> {
    /// The members that may not be set any more.
    pub fn fields(&self) -> impl Iterator<Item = &'s str> {
        let kept: Option<&str> = match &self.kept {
            Kept::All => None,
            Kept::Member(field) => Some(field),
            Kept::Named(name) => Some(name),
        };
        let members = kept.is_some().then(|| self.union.members()).into_iter().flatten();
        members.map(|member| member.field).filter(move |field| kept != Some(*field))
    }
}

/// Why a write cannot be carried out: what it says about a union contradicts itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnionFault<'s> {
    /// A configuration or a patch sets several members.
    SeveralSet {
        /// The members.
        fields: Vec<&'s str>,
    },
    /// A configuration or a patch sets a member that its discriminator does not select.
    NotSelected {
        /// The value of the discriminator.
        selected: String,
        /// The member.
        field: &'s str,
    },
    /// An update changes the discriminator and sets a member that it does not select.
    ChangedApart {
        /// The value of the discriminator.
        selected: String,
        /// The member.
        field: &'s str,
    },
    /// An update changes the discriminator and sets several members.
    SeveralAdded {
        /// The members.
        fields: Vec<&'s str>,
    },
    /// An updated object has several members, and its discriminator is the one before.
    SeveralKept {
        /// The members.
        fields: Vec<&'s str>,
    },
}

impl UnionFault<'_> {
    /// The cure.
    pub fn hint(&self) -> &'static str {
        match self {
            UnionFault::SeveralSet { .. } | UnionFault::SeveralAdded { .. } => "set one of them",
            UnionFault::NotSelected { .. } | UnionFault::ChangedApart { .. } => {
                "set the member that the discriminator selects, or change the discriminator"
            }
            UnionFault::SeveralKept { .. } => "remove all but one, or change the discriminator",
        }
    }
}

impl fmt::Display for UnionFault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnionFault::SeveralSet { fields } => {
                write!(f, "more than one field of a union is set: {}", fields.join(", "))
            }
            UnionFault::NotSelected { selected, field } => {
                write!(f, "discriminator is {selected:?}, but {field} is set")
            }
            UnionFault::ChangedApart { selected, field } => {
                write!(f, "discriminator and field changed don't match: {selected:?}, {field}")
            }
            UnionFault::SeveralAdded { fields } => {
                write!(f, "multiple new fields added: {}", fields.join(", "))
            }
            UnionFault::SeveralKept { fields } => {
                write!(f, "multiple fields set without discriminator change: {}", fields.join(", "))
            }
        }
    }
}

impl std::error::Error for UnionFault<'_> {}

/// What is wrong with an object that has a union.
#[derive(Clone, Debug)]
pub struct UnionViolation<'s> {
    union: FieldUnion<'s>,
    selected: String,
    wanted: Option<&'s str>,
    set: Vec<&'s str>,
}

impl<'s> UnionViolation<'s> {
    /// The discriminator, where the union has one.
    pub fn discriminator(&self) -> Option<&'s str> {
        self.union.discriminator()
    }

    /// The value of the discriminator; empty if it is absent or no string.
    pub fn selected(&self) -> &str {
        &self.selected
    }

    /// The member that the discriminator selects.
    pub fn expected(&self) -> Option<&'s str> {
        self.wanted
    }

    /// The members that are set.
    pub fn found(&self) -> &[&'s str] {
        &self.set
    }

    /// Whether the discriminator has a value that selects no member.
    pub fn is_unknown_value(&self) -> bool {
        self.wanted.is_none() && !self.selected.is_empty()
    }

    /// The field to point at: the first member that must not be set, else the discriminator.
    pub fn field(&self) -> Option<&'s str> {
        let mut excess = self.set.iter().copied().filter(|field| Some(*field) != self.wanted);
        // Without a discriminator, the first of several may be the one to stay.
        let skipped = usize::from(self.selected.is_empty());
        excess.nth(skipped).or(self.discriminator())
    }
}

impl fmt::Display for UnionViolation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, selected) = (self.discriminator().unwrap_or_default(), &self.selected);
        let found = if self.set.is_empty() { "none".to_owned() } else { self.set.join(", ") };
        match self.wanted {
            Some(wanted) => write!(f, "{name} is {selected:?}: {wanted} must be set alone, found {found}"),
            None if selected.is_empty() => {
                write!(f, "at most one of the fields of a union may be set, found {found}")
            }
            None => write!(f, "{name} is {selected:?}: no field of the union may be set, found {found}"),
        }
    }
}
