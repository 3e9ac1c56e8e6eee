//! From a type and its defaults to a pattern.

use std::collections::HashMap;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::deep;

use super::{Check, Default, Kinds, MapWant, Member, Place, Want};
use crate::{
    store::beginning::start_of,
    write::{
        defaults::{Tree, Wanted},
        fields::is_free,
    },
};

/// Compiles the types that a kind is made of.
#[derive(Default)]
pub(super) struct Compiler {
    pub(super) wants: Vec<Want>,
    /// Where the types are that have no defaults below them, by their description.
    known: HashMap<usize, Place>,
}

impl Compiler {
    /// The members of a map, sorted by name.
    pub(super) fn members(&mut self, ty: Type<'_>, defaults: Option<&Tree>) -> Vec<Member> {
        let fields = ty.fields().map(|field| {
            let wanted = defaults.and_then(|tree| tree.get(field.name));
            let default = Default::of(wanted);
            let want = match default {
                // A null would be kept here, and yet the default is missing.
                Default::Value if is_free(field.ty) => self.add(Want::Unsure),
                Default::Value => self.want(field.ty, None),
                Default::Below | Default::None => self.want(field.ty, wanted),
            };
            Member { start: start_of(field.name.as_bytes()), name: field.name.into(), default, want }
        });
        fields.collect()
    }

    fn add(&mut self, want: Want) -> Place {
        self.wants.push(want);
        self.wants.len() - 1
    }

    fn want(&mut self, ty: Type<'_>, below: Option<&Wanted>) -> Place {
        if is_free(ty) {
            return self.add(free(ty, below));
        }
        let description = ty.description().filter(|_| below.is_none());
        if let Some(place) = description.and_then(|description| self.known.get(&description)) {
            return *place;
        }
        // A type may hold itself, so that it has its place before it is compiled.
        let place = self.add(Want::Unsure);
        self.known.extend(description.map(|description| (description, place)));
        self.wants[place] = deep(|| self.compiled(ty, below));
        place
    }

    fn compiled(&mut self, ty: Type<'_>, below: Option<&Wanted>) -> Want {
        match (ty.shape(), below) {
            (Shape::Object, None) => self.map(ty, None),
            (Shape::Object, Some(Wanted::InMap(tree))) => self.map(ty, Some(tree)),
            (Shape::List, None) => self.list(ty, None),
            (Shape::List, Some(Wanted::InItems(tree))) => self.list(ty, Some(tree)),
            (_, Some(_)) => Want::Unsure,
            (_, None) => Want::Scalar(Kinds::that_fit(ty), Check::of(ty)),
        }
    }

    fn map(&mut self, ty: Type<'_>, defaults: Option<&Tree>) -> Want {
        let members = self.members(ty, defaults);
        let others = ty.additional_properties().map(|ty| self.want(ty, None));
        let all_declared = defaults.is_none_or(|tree| tree.names().all(|name| ty.field(name).is_some()));
        if all_declared { Want::Map(MapWant { members, others }) } else { Want::Unsure }
    }

    fn list(&mut self, ty: Type<'_>, defaults: Option<&Tree>) -> Want {
        let Some(items) = ty.items() else { return Want::Unsure };
        match defaults {
            None => Want::List(self.want(items, None)),
            Some(_) if is_free(items) || items.shape() != Shape::Object => Want::Unsure,
            Some(tree) => {
                let map = deep(|| self.map(items, Some(tree)));
                Want::List(self.add(map))
            }
        }
    }
}

/// A value about which nothing is known.
fn free(ty: Type<'_>, below: Option<&Wanted>) -> Want {
    match Check::of(ty) {
        Check::Nothing if below.is_none() => Want::Free,
        _ => Want::Unsure,
    }
}
