//! From a type and its defaults to a pattern.

use std::collections::HashMap;

use kubemerge_schema::{Shape, Type};
use kubemerge_value::deep;

use super::{Check, Default, FieldShape, Kinds, MapShape, Member, ShapeId, name_prefix::name_prefix_u64};
use crate::{
    defaults::{DefaultAt, DefaultTree},
    unknown_fields::is_free,
};

/// Compiles the types that a kind uses.
#[derive(Default)]
pub(super) struct Compiler {
    pub(super) shapes: Vec<FieldShape>,
    /// Where the types are that have no defaults below them, by their description.
    known: HashMap<usize, ShapeId>,
}

impl Compiler {
    /// The members of a map, sorted by name.
    pub(super) fn members(&mut self, ty: Type<'_>, defaults: Option<&DefaultTree>) -> Vec<Member> {
        let fields = ty.fields().map(|field| {
            let wanted = defaults.and_then(|tree| tree.get(field.name));
            let default = Default::of(wanted);
            let shape = match default {
                // A null would be kept here, and yet the default is missing.
                Default::Value if is_free(field.ty) => self.add(FieldShape::Unchecked),
                Default::Value => self.shape(field.ty, None),
                Default::Below | Default::None => self.shape(field.ty, wanted),
            };
            Member { prefix: name_prefix_u64(field.name.as_bytes()), name: field.name.into(), default, shape }
        });
        fields.collect()
    }

    fn add(&mut self, shape: FieldShape) -> ShapeId {
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    fn shape(&mut self, ty: Type<'_>, below: Option<&DefaultAt>) -> ShapeId {
        if is_free(ty) {
            return self.add(free(ty, below));
        }
        // A type is compiled once, unless defaults depend on where it is used.
        let description = ty.description().filter(|_| below.is_none());
        if let Some(place) = description.and_then(|description| self.known.get(&description)) {
            return *place;
        }
        // A type may hold itself, so that it has its place before it is compiled.
        let place = self.add(FieldShape::Unchecked);
        self.known.extend(description.map(|description| (description, place)));
        self.shapes[place] = deep(|| self.compiled(ty, below));
        place
    }

    fn compiled(&mut self, ty: Type<'_>, below: Option<&DefaultAt>) -> FieldShape {
        match (ty.shape(), below) {
            (Shape::Object, None) => self.map(ty, None),
            (Shape::Object, Some(DefaultAt::InMap(tree))) => self.map(ty, Some(tree)),
            (Shape::List, None) => self.list(ty, None),
            (Shape::List, Some(DefaultAt::InItems(tree))) => self.list(ty, Some(tree)),
            (_, Some(_)) => FieldShape::Unchecked,
            (_, None) => FieldShape::Scalar(Kinds::that_fit(ty), Check::of(ty)),
        }
    }

    fn map(&mut self, ty: Type<'_>, defaults: Option<&DefaultTree>) -> FieldShape {
        let members = self.members(ty, defaults);
        let others = ty.additional_properties().map(|ty| self.shape(ty, None));
        let all_declared = defaults.is_none_or(|tree| tree.names().all(|name| ty.field(name).is_some()));
        // A default for a field that the schema does not know could not be found missing by its members.
        if all_declared { FieldShape::Map(MapShape { members, others }) } else { FieldShape::Unchecked }
    }

    fn list(&mut self, ty: Type<'_>, defaults: Option<&DefaultTree>) -> FieldShape {
        let Some(items) = ty.items() else { return FieldShape::Unchecked };
        match defaults {
            None => FieldShape::List(self.shape(items, None)),
            Some(_) if is_free(items) || items.shape() != Shape::Object => FieldShape::Unchecked,
            Some(tree) => {
                let map = deep(|| self.map(items, Some(tree)));
                FieldShape::List(self.add(map))
            }
        }
    }
}

/// A value about which nothing is known.
fn free(ty: Type<'_>, below: Option<&DefaultAt>) -> FieldShape {
    match Check::of(ty) {
        Check::Nothing if below.is_none() => FieldShape::Free,
        _ => FieldShape::Unchecked,
    }
}
