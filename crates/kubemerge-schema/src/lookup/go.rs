//! Look-ups as the API server does them, in its Go types.
//!
//! The built-in tables come from published documents, which name every Go struct as a definition; what
//! they hide (pointers) is recorded in the tables where it is known.

use super::found::{Asked, FoundField, go_quoted, mismatch, unknown_field};
use crate::error::LookupError;
use crate::model::{FieldEntry, Flags, Model, Node, NodeId, Shape, UNTYPED, last_part};
use crate::schema::Type;

pub(super) fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<FoundField, LookupError> {
    let model = ty.model();
    let property = struct_field(model, ty.node, name)?.node;
    let value = match asked {
        Asked::Map => property,
        Asked::List => element(model, property).map_err(|error| error.describe(model, ty.node))?,
    };
    Ok(FoundField { property, value })
}

fn struct_field<'m>(model: &'m Model, id: NodeId, name: &str) -> Result<&'m FieldEntry, LookupError> {
    let kind = kind_of_value(model, id);
    if kind != "struct" {
        let message = format!("merging an object in json but data type is not struct, instead is: {kind}");
        return Err(mismatch(message));
    }
    let node = model.node(model.resolve(id));
    // Go's decoder prefers the exact name and then ignores case.
    let exact = model.find_field(node, name).map(|index| model.field(index));
    let folded = || model.fields(node).iter().find(|field| equal_fold(model.text(field.name), name));
    exact.or_else(folded).ok_or_else(|| {
        let owner = last_part(model.owner_name(node));
        unknown_field(format!(
            "unable to find api field in struct {owner} for the json field {}",
            go_quoted(name)
        ))
    })
}

/// Equality that ignores case as Go does: ASCII letters, and the two other letters that fold to `k` and `s`.
fn equal_fold(known: &str, asked: &str) -> bool {
    let fold = |c: char| match c {
        // Go folds all of Unicode; these two are the only other characters that fold to ASCII letters.
        '\u{212a}' => 'k',
        '\u{17f}' => 's',
        c => c.to_ascii_lowercase(),
    };
    known.chars().map(fold).eq(asked.chars().map(fold))
}

/// Why a field cannot be asked for as a list.
enum NotAList {
    SliceOfSlice,
    OtherKind,
}

impl NotAList {
    fn describe(self, model: &Model, parent: NodeId) -> LookupError {
        match self {
            NotAList::SliceOfSlice => mismatch("unexpected slice of slice".to_owned()),
            // Upstream: the message names the kind of the parent, not of the field.
            NotAList::OtherKind => {
                mismatch(format!("expected slice or array type, but got: {}", kind(model, parent)))
            }
        }
    }
}

/// The type of the elements of a list field. A pointer to anything is accepted.
fn element(model: &Model, property: NodeId) -> Result<NodeId, NotAList> {
    let node = model.node(property);
    let is_pointer = node.flags.has(Flags::POINTER);
    match kind_of_value(model, property) {
        "slice" => {
            let item = model.node(model.resolve(property)).items;
            let nested = item != UNTYPED && kind(model, item) == "slice";
            if nested && !is_pointer { Err(NotAList::SliceOfSlice) } else { Ok(item) }
        }
        // Upstream: a pointer to anything is dereferenced without a check of what it points to.
        _ if is_pointer => Ok(pointee(model, property)),
        _ => Err(NotAList::OtherKind),
    }
}

/// What a pointer points to.
fn pointee(model: &Model, property: NodeId) -> NodeId {
    let definition = model.definitions.get(model.node(property).refers_to as usize);
    definition.map_or(property, |definition| definition.node)
}

/// The name of the Go kind of a field, where a pointer is a kind of its own.
pub(super) fn kind(model: &Model, id: NodeId) -> &'static str {
    if model.node(id).flags.has(Flags::POINTER) { "ptr" } else { kind_of_value(model, id) }
}

/// The name of the Go kind that a pointer leads to.
fn kind_of_value(model: &Model, id: NodeId) -> &'static str {
    let id = model.resolve(id);
    let node = model.node(id);
    // Named types are structs in Go, whatever JSON they are written as.
    if model.definitions.get(node.owner as usize).is_some_and(|entry| entry.node == id) {
        return "struct";
    }
    inline_kind(model, node)
}

fn inline_kind(model: &Model, node: &Node) -> &'static str {
    match (node.shape, model.text(node.format)) {
        (Shape::Object, _) => "map",
        // []byte is a slice, although it is a string in JSON.
        (Shape::List, _) | (Shape::String, "byte") => "slice",
        (Shape::String, _) => "string",
        (Shape::Integer, "int32") => "int32",
        (Shape::Integer, _) => "int64",
        (Shape::Number, "float") => "float32",
        (Shape::Number, _) => "float64",
        (Shape::Boolean, _) => "bool",
        (Shape::Any, _) => "interface",
    }
}
