//! Writing a value as a [`Value`].

use crate::{
    MAX_VALUE_DEPTH,
    error::ParseError,
    node::{Kind, Node, Repr, Scalar},
};
use serde_json::{Map, Value};

/// The value as a [`Value`].
///
/// # Errors
/// If it is nested deeper than [`MAX_VALUE_DEPTH`].
pub fn to_value(node: Node<'_>) -> Result<Value, ParseError> {
    value(node, MAX_VALUE_DEPTH)
}

fn value(node: Node<'_>, levels: usize) -> Result<Value, ParseError> {
    match node.kind() {
        // Dropping a deeper Value could overflow the stack.
        Kind::Map | Kind::List if levels == 0 => Err(ParseError::too_deep(MAX_VALUE_DEPTH)),
        Kind::Map => map(node, levels - 1),
        Kind::List => list(node, levels - 1),
        _ => Ok(scalar(node)),
    }
}

fn map(node: Node<'_>, levels: usize) -> Result<Value, ParseError> {
    let mut map = Map::new();
    let mut result = Ok(());
    node.each_member(|entry| match value(entry.value, levels) {
        Ok(value) => _ = map.insert(entry.key.text().into_owned(), value),
        // The walk cannot be stopped; it goes on and the error stays.
        Err(error) => result = Err(error),
    });
    result.map(|()| Value::Object(map))
}

fn list(node: Node<'_>, levels: usize) -> Result<Value, ParseError> {
    let mut list = Vec::new();
    let mut result = Ok(());
    node.each_element(|element| match value(element, levels) {
        Ok(value) => list.push(value),
        Err(error) => result = Err(error),
    });
    result.map(|()| Value::Array(list))
}

fn scalar(node: Node<'_>) -> Value {
    if let Repr::Value(value) = node.0 {
        return value.clone();
    }
    match node.scalar() {
        Some(Scalar::Bool(value)) => Value::Bool(value),
        Some(Scalar::Int(int)) => Value::from(int),
        Some(Scalar::Float(float)) => Value::from(float),
        Some(Scalar::String(string)) => Value::String(string.text().into_owned()),
        Some(Scalar::Null) | None => Value::Null,
    }
}
