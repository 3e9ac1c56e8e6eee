//! Unions: fields of an object of which at most one is set (`x-kubernetes-unions`), and all rules about them.
//!
//! Clients that merge or check objects say what an object, a configuration or a patch has at the fields of a union
//! (`FieldUnion::state`); the answers come from here. `rules` has them, `walk` asks them for whole objects.

mod of_node;
mod of_tree;
mod rules;
mod walk;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Type;
use crate::model::{Model, Node, UnionEntry, UnionMemberEntry};
use crate::{Dialect, Origin};

pub use of_node::UnionNode;
pub use rules::{Excluded, UnionFault, UnionState, UnionViolation};
pub use walk::{
    Discriminator, UnionChange, UnionEdit, UnionFinding, UnionPath, UnionStep, UnionTree, UnionTreeKind,
    UnionWriteError, check_unions, normalize_apply, normalize_update,
};

/// The unions of an object, in the order of the document.
///
/// Malformed parts are left out; [`crate::check`] reports them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unions<'s> {
    of: Option<Type<'s>>,
}

/// A union of an object: at most one of its fields is set.
#[derive(Clone, Copy, Debug)]
pub struct FieldUnion<'s> {
    model: &'s Model,
    entry: &'s UnionEntry,
    /// The field whose value the document has wrong, and its value.
    named: Option<(&'static str, &'static str)>,
}

/// The documents of Kubernetes write the Go name of a field where the values of some discriminators have other names:
/// `LocalhostProfile` for the profile of type `Localhost`.
fn named_value(definition: Option<&str>) -> Option<(&'static str, &'static str)> {
    let name = definition?.strip_prefix("io.k8s.api.")?;
    match name.rsplit('.').next()? {
        "AppArmorProfile" | "SeccompProfile" => Some(("localhostProfile", "Localhost")),
        "LimitResponse" => Some(("queuing", "Queue")),
        _ => None,
    }
}

/// A field of a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnionMember<'s> {
    /// The name of the field.
    pub field: &'s str,
    /// The value of the discriminator that selects the field.
    pub discriminator_value: &'s str,
}

/// The value of a field, as far as unions ask for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnionValue<'v> {
    /// The field is not set: its value is null, or a patch removes it.
    Unset,
    /// A string.
    Text(Cow<'v, str>),
    /// Any other value.
    Other,
}

impl<'s> Unions<'s> {
    /// No unions.
    pub const NONE: Unions<'static> = Unions { of: None };

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.iter().next().is_none()
    }

    /// The unions one by one.
    pub fn iter(self) -> impl Iterator<Item = FieldUnion<'s>> {
        self.of.into_iter().flat_map(|ty| {
            let model = ty.model();
            let described = ty.resolved();
            // A property may declare unions beside those of the type that it refers to.
            let own = ty.given().filter(|own| described.is_none_or(|node| !std::ptr::eq(node, *own)));
            let named = named_value(ty.definition_name());
            let unions = own.into_iter().chain(described).flat_map(|node| FieldUnion::of(model, node));
            unions.map(move |union| FieldUnion { named, ..union })
        })
    }
}

impl<'s> FieldUnion<'s> {
    /// The unions that a node itself declares.
    pub(crate) fn of(model: &'s Model, node: &'s Node) -> impl Iterator<Item = FieldUnion<'s>> {
        model.unions(node).iter().map(move |entry| FieldUnion { model, entry, named: None })
    }

    /// The union as documents write it, an entry of `x-kubernetes-unions`.
    pub fn to_value(self) -> Value {
        let text = |name| self.model.text(name);
        let given = self.entry.members.iter().map(|one| (text(one.field).to_owned(), text(one.value).into()));
        let members: Map<String, Value> = given.collect();
        let mut written = Map::from_iter([("fields-to-discriminateBy".to_owned(), members.into())]);
        if let Some(discriminator) = self.discriminator() {
            written.insert("discriminator".to_owned(), discriminator.into());
        }
        written.into()
    }

    /// The field that says which of the members is set, where the union has one.
    pub fn discriminator(self) -> Option<&'s str> {
        self.model.given(self.entry.discriminator)
    }

    /// The fields of the union, sorted by name.
    pub fn members(self) -> impl Iterator<Item = UnionMember<'s>> {
        self.entry.members.iter().map(move |one| self.member_of(one))
    }

    /// The member of this name.
    pub fn member(self, field: &str) -> Option<UnionMember<'s>> {
        let members = &self.entry.members;
        let at = members.binary_search_by(|one| self.model.text(one.field).cmp(field)).ok()?;
        members.get(at).map(|one| self.member_of(one))
    }

    /// The member that a value of the discriminator selects.
    pub fn selected_by(self, value: &str) -> Option<UnionMember<'s>> {
        self.members().find(|member| member.discriminator_value == value)
    }

    /// What an object, a configuration or a patch with these fields says about the union.
    pub fn state<'v, N: AsRef<str>>(
        self,
        fields: impl IntoIterator<Item = (N, UnionValue<'v>)>,
    ) -> UnionState<'s, 'v> {
        let mut state = UnionState::new(self);
        for (name, value) in fields {
            state.see(name.as_ref(), value);
        }
        state.finish()
    }

    fn member_of(self, one: &UnionMemberEntry) -> UnionMember<'s> {
        let field = self.model.text(one.field);
        let named = self.named.filter(|(name, _)| *name == field).map(|(_, value)| value);
        UnionMember { field, discriminator_value: named.unwrap_or(self.model.text(one.value)) }
    }
}

impl<'s> Type<'s> {
    /// The unions of the object. Merges in dialect `spec` clear what they exclude.
    pub fn unions(self) -> Unions<'s> {
        Unions { of: Some(self) }
    }

    /// Whether writes of the object clear and are refused by its unions: in dialect `spec`, except for types of
    /// Kubernetes, which has rules of its own for them.
    pub fn enforces_unions(self) -> bool {
        self.schema().dialect() == Dialect::Spec && self.origin() != Some(Origin::BuiltIn)
    }
}
