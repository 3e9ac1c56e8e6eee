//! Reading the operations of a JSON patch, with the checks and limits of the API server.

use crate::error::{Error, ErrorKind};
use kubemerge_value::{Arena, Kind, Node};

/// How many operations a JSON patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// One operation; what is absent or null in the patch is `None`.
pub(super) struct Operation<'a> {
    pub(super) op: Option<&'a str>,
    pub(super) path: Option<&'a str>,
    pub(super) from: Option<&'a str>,
    pub(super) value: Operand<'a>,
}

/// The value of an operation. A null is not the null of a document: it remembers that it was given.
#[derive(Clone, Copy)]
pub(super) enum Operand<'a> {
    Absent,
    Null,
    Value(Node<'a>),
}

/// Reads a list of operations; a null is an empty one.
pub(super) fn read<'a>(patch: Node<'a>, arena: &'a Arena) -> Result<Vec<Operation<'a>>, Error> {
    // Go decodes null as an empty list.
    if !matches!(patch.kind(), Kind::List | Kind::Null) {
        let message = format!(
            "json: cannot unmarshal {} into Go value of type []handlers.jsonPatchOp",
            patch.kind().go_name()
        );
        return Err(undecodable("", message).with_hint("a JSON patch is a list of operations"));
    }
    let items = patch.elements(arena);
    let operations = items
        .iter()
        .enumerate()
        .map(|(at, item)| read_one(*item, at, arena))
        .collect::<Result<Vec<_>, _>>()?;
    if operations.len() > MAX_OPERATIONS {
        return Err(too_many(operations.len()));
    }
    Ok(operations)
}

fn read_one<'a>(item: Node<'a>, at: usize, arena: &'a Arena) -> Result<Operation<'a>, Error> {
    let mut operation = Operation { op: None, path: None, from: None, value: Operand::Absent };
    if !matches!(item.kind(), Kind::Map | Kind::Null) {
        let message = format!(
            "json: cannot unmarshal {} into Go value of type handlers.jsonPatchOp",
            item.kind().go_name()
        );
        return Err(undecodable(&format!("[{at}]"), message).with_hint("an operation is a JSON object"));
    }
    for entry in item.entries(arena) {
        match entry.key.text().as_ref() {
            "op" => operation.op = string(entry.value, at, "op", arena)?,
            "path" => operation.path = string(entry.value, at, "path", arena)?,
            "from" => operation.from = string(entry.value, at, "from", arena)?,
            // A given null is a value; an absent one is not.
            "value" if entry.value.is_null() => operation.value = Operand::Null,
            "value" => operation.value = Operand::Value(entry.value),
            _ => {}
        }
    }
    Ok(operation)
}

fn string<'a>(value: Node<'a>, at: usize, name: &str, arena: &'a Arena) -> Result<Option<&'a str>, Error> {
    match value.as_str() {
        Some(text) => Ok(Some(text.borrowed().unwrap_or_else(|| arena.alloc_str(&text.text())))),
        None if value.is_null() => Ok(None),
        None => {
            let kind = value.kind().go_name();
            let message = format!(
                "json: cannot unmarshal {kind} into Go struct field jsonPatchOp.{name} of type string"
            );
            Err(undecodable(&format!("[{at}].{name}"), message))
        }
    }
}

fn undecodable(path: &str, message: String) -> Error {
    Error::new(ErrorKind::InvalidJsonPatch, path, format!("error decoding patch: {message}"))
}

fn too_many(count: usize) -> Error {
    let message = format!(
        "Request entity too large: The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {count}"
    );
    Error::new(ErrorKind::TooManyOperations, "", message).with_hint("send several patches")
}
