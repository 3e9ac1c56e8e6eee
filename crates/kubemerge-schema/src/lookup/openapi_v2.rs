//! Look-ups as clients do them in an OpenAPI v2 document.

use super::found::{Asked, FoundField, go_quoted, mismatch, unknown_field};
use crate::error::LookupError;
use crate::model::{Flags, Model, Node, NodeId, Shape, Step, UNTYPED};
use crate::schema::Type;

/// What Kubernetes' model of a v2 document makes of a schema.
enum Form {
    Kind,
    Map,
    Slice,
    Primitive,
    Arbitrary,
}

fn form(node: &Node) -> Form {
    match node.shape {
        // kube-openapi calls an object with properties a kind, and one without a map.
        Shape::Any | Shape::Object if node.flags.has(Flags::HAS_PROPERTIES) => Form::Kind,
        Shape::Object => Form::Map,
        Shape::Any => Form::Arbitrary,
        Shape::List => Form::Slice,
        _ => Form::Primitive,
    }
}

pub(super) fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<FoundField, LookupError> {
    let model = ty.model();
    let id = model.resolve(ty.node);
    let wanted = match asked {
        Asked::Map => "kind",
        Asked::List => "slice",
    };
    match (form(model.node(id)), asked) {
        (Form::Kind, Asked::Map) => {
            let property = kind_field(model, id, name)?;
            Ok(FoundField { property, value: property })
        }
        (Form::Kind, Asked::List) => list_of_kind(model, id, name),
        // Nothing is declared, so nothing can be unknown.
        (Form::Arbitrary, _) => Ok(FoundField::UNTYPED),
        (Form::Map, _) => Err(mismatch(format!("expected {wanted}, but got map"))),
        (Form::Primitive, _) => Err(mismatch(format!("expected {wanted}, but got primitive"))),
        (Form::Slice, Asked::Map) => Err(mismatch("expected kind, but got slice".to_owned())),
        (Form::Slice, Asked::List) => Err(mismatch("expected visit kind first, then visit array".to_owned())),
    }
}

fn kind_field(model: &Model, id: NodeId, name: &str) -> Result<NodeId, LookupError> {
    let found = model.find_field(model.node(id), name);
    found.map(|index| model.field(index).node).ok_or_else(|| {
        let path = path_of(model, id);
        unknown_field(format!("unable to find api field {} in {path}", go_quoted(name)))
    })
}

fn list_of_kind(model: &Model, id: NodeId, name: &str) -> Result<FoundField, LookupError> {
    let mut property = kind_field(model, id, name)?;
    loop {
        let node = model.node(property);
        if node.refers_to != UNTYPED {
            // Upstream: a reference is taken as the type of the items, even if it leads to no list.
            return Ok(FoundField { property, value: model.definition(node.refers_to).node });
        }
        match form(node) {
            Form::Slice => return Ok(FoundField { property, value: node.items }),
            Form::Arbitrary => return Ok(FoundField { property, value: UNTYPED }),
            Form::Map => return Err(mismatch("expected slice, but got map".to_owned())),
            Form::Primitive => return Err(mismatch("expected slice, but got primitive".to_owned())),
            // Upstream: an inline object is searched for a field of the same name.
            Form::Kind => property = kind_field(model, property, name)?,
        }
    }
}

/// The definition and the fields that lead to an inline object, as messages name it.
fn path_of(model: &Model, id: NodeId) -> String {
    let mut path = model.owner_name(model.node(id)).to_owned();
    for step in model.steps_to(id) {
        if let Step::Field(name) = step {
            path.extend([".", name]);
        }
    }
    path
}

/// What messages call the type: its form, spelled out.
pub(super) fn name(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    if let Some(definition) = model.definitions.get(node.refers_to as usize) {
        return format!("Reference to {}", go_quoted(model.text(definition.name)));
    }
    match form(node) {
        Form::Kind => {
            let fields: Vec<&str> = model.fields(node).iter().map(|field| model.text(field.name)).collect();
            format!("Kind([{}])", fields.join(" "))
        }
        Form::Map => format!("Map of {}", child_name(model, node.additional)),
        Form::Slice => format!("Array of {}", child_name(model, node.items)),
        Form::Primitive if node.format.is_given() => {
            format!("{} ({})", node.shape.word(), model.text(node.format))
        }
        Form::Primitive => node.shape.word().to_owned(),
        Form::Arbitrary => ARBITRARY.to_owned(),
    }
}

const ARBITRARY: &str = "Arbitrary value (primitive, object or array)";

fn child_name(model: &Model, id: NodeId) -> String {
    if id == UNTYPED { ARBITRARY.to_owned() } else { name(model, id) }
}
