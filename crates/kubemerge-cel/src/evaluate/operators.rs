//! Operators and the functions that are called most.

use std::cmp::Ordering;
use std::sync::Arc;

use kube_cel::cel::objects::{Map, OptionalValue};
use kube_cel::cel::{ExecutionError, Value};

use super::{EvaluationError, Outcome, key_of, library, optional};

/// Applies a function; none if the library has it.
pub(super) fn apply(function: &str, arguments: &[Value]) -> Option<Outcome> {
    Some(match (function, arguments) {
        ("_==_", [one, other]) => Ok(Value::Bool(one == other)),
        ("_!=_", [one, other]) => Ok(Value::Bool(one != other)),
        ("_<_", [one, other]) => ordered(one, other, Ordering::is_lt),
        ("_<=_", [one, other]) => ordered(one, other, Ordering::is_le),
        ("_>_", [one, other]) => ordered(one, other, Ordering::is_gt),
        ("_>=_", [one, other]) => ordered(one, other, Ordering::is_ge),
        ("_+_", [Value::Bytes(one), Value::Bytes(other)]) => {
            Ok(Value::Bytes(Arc::new([&one[..], &other[..]].concat())))
        }
        ("_+_", [one, other]) => computed(one.clone() + other.clone()),
        ("_-_", [one, other]) => computed(one.clone() - other.clone()),
        ("_*_", [one, other]) => computed(one.clone() * other.clone()),
        ("_/_", [one, other]) => computed(one.clone() / other.clone()),
        ("_%_", [one, other]) => computed(one.clone() % other.clone()),
        ("!_", [Value::Bool(operand)]) => Ok(Value::Bool(!operand)),
        ("-_", [Value::Int(operand)]) => {
            operand.checked_neg().map(Value::Int).ok_or_else(|| EvaluationError::failed("integer overflow"))
        }
        ("-_", [Value::Float(operand)]) => Ok(Value::Float(-operand)),
        ("!_" | "-_", _) => Err(EvaluationError::no_overload()),
        ("@in", [item, container]) => contains(container, item),
        ("_[_]", [container, index]) => indexed(container, index),
        ("_[?_]", [container, index]) => Ok(optional_index(container, index)),
        ("size", [value]) => size(value),
        ("type", [value]) => Ok(library::type_of(value)),
        ("startsWith", [Value::String(text), Value::String(part)]) => {
            Ok(Value::Bool(text.starts_with(part.as_str())))
        }
        ("endsWith", [Value::String(text), Value::String(part)]) => {
            Ok(Value::Bool(text.ends_with(part.as_str())))
        }
        ("contains", [Value::String(text), Value::String(part)]) => {
            Ok(Value::Bool(text.contains(part.as_str())))
        }
        ("cel.@mapInsert", [Value::Map(map), rest @ ..]) => inserted(map, rest),
        _ => return None,
    })
}

fn ordered(one: &Value, other: &Value, test: fn(Ordering) -> bool) -> Outcome {
    if let (Value::Bytes(one), Value::Bytes(other)) = (one, other) {
        return Ok(Value::Bool(test(one.cmp(other))));
    }
    match one.partial_cmp(other) {
        Some(ordering) => Ok(Value::Bool(test(ordering))),
        // Nothing is less or more than a number that is none.
        None if matches!((one, other), (Value::Float(_), _) | (_, Value::Float(_))) => Ok(Value::Bool(false)),
        None => Err(EvaluationError::no_overload()),
    }
}

fn computed(result: Result<Value, ExecutionError>) -> Outcome {
    result.map_err(|error| EvaluationError::failed(error_text(&error)))
}

/// Errors of evaluation in the words of cel-go.
pub(super) fn error_text(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::NoSuchOverload
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedUnaryOperator(..)
        | ExecutionError::UnsupportedTargetType { .. }
        | ExecutionError::UnexpectedType { .. }
        | ExecutionError::ValuesNotComparable(..) => "no such overload".to_string(),
        ExecutionError::IndexOutOfBounds(Value::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_string(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_string(),
        ExecutionError::Overflow(..) => "integer overflow".to_string(),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

fn contains(container: &Value, item: &Value) -> Outcome {
    match container {
        Value::List(list) => Ok(Value::Bool(list.contains(item))),
        Value::Map(map) => Ok(Value::Bool(key_of(item).is_ok_and(|key| map.map.contains_key(&key)))),
        _ => Err(EvaluationError::no_overload()),
    }
}

fn indexed(container: &Value, index: &Value) -> Outcome {
    if <&OptionalValue>::try_from(container).is_ok() {
        return Ok(optional_index(container, index));
    }
    match (container, index) {
        (Value::List(list), Value::Int(at)) => usize::try_from(*at)
            .ok()
            .and_then(|at| list.get(at).cloned())
            .ok_or_else(|| EvaluationError::failed(format!("index out of bounds: {at}"))),
        (Value::Map(map), key) => map
            .map
            .get(&key_of(key)?)
            .cloned()
            .ok_or_else(|| EvaluationError::failed(format!("no such key: {}", key_text(key)))),
        _ => Err(EvaluationError::no_overload()),
    }
}

fn key_text(key: &Value) -> String {
    match key {
        Value::String(text) => text.to_string(),
        Value::Int(number) => number.to_string(),
        Value::UInt(number) => number.to_string(),
        Value::Bool(value) => value.to_string(),
        _ => String::new(),
    }
}

fn optional_index(container: &Value, index: &Value) -> Value {
    match <&OptionalValue>::try_from(container) {
        Ok(of) => of.value().map_or_else(|| optional(None), |value| optional_index(value, index)),
        Err(_) => optional(indexed(container, index).ok()),
    }
}

fn size(value: &Value) -> Outcome {
    let size = match value {
        Value::String(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.map.len(),
        _ => return Err(EvaluationError::no_overload()),
    };
    Ok(Value::Int(size as i64))
}

/// What `transformMap` and `transformMapEntry` add: a key and a value, or a map.
fn inserted(map: &Map, added: &[Value]) -> Outcome {
    let mut map = (*map.map).clone();
    let pairs = match added {
        [key, value] => vec![(key_of(key)?, value.clone())],
        [Value::Map(more)] => more.map.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        _ => return Err(EvaluationError::no_overload()),
    };
    for (key, value) in pairs {
        if map.contains_key(&key) {
            return Err(EvaluationError::failed(format!(
                "insert failed: key {} already exists",
                key_text(&Value::from(&key))
            )));
        }
        map.insert(key, value);
    }
    Ok(Value::Map(Map { map: Arc::new(map) }))
}
