//! The functions of the `cel` and `kube-cel` crates, and types as values.

use std::sync::{Arc, LazyLock};

use kube_cel::{
    KubeCelExt,
    cel::{
        Context, IdedExpr, Value,
        common::ast::{CallExpr, Expr},
        objects::Opaque,
    },
};

use kubemerge_schema::pattern::from_go;

use super::operators::error_text;
use super::program::FunctionCall;
use super::{EvaluationError, Outcome};

/// All functions; made once, because there are many.
static ROOT: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());

/// What is wrong with a text that is no quantity.
const NO_QUANTITY: &str = "quantities must match the regular expression \
                           '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// The name that an argument has while a function is called.
fn argument_name(number: usize) -> String {
    format!("@{number}")
}

/// Calls a function with values that are known already.
pub(super) fn call(call: &FunctionCall, arguments: &[Value]) -> Outcome {
    let mut scope = ROOT.new_inner_scope();
    let mut names = Vec::with_capacity(arguments.len());
    for (number, argument) in arguments.iter().enumerate() {
        let argument = match (call.function.as_str(), number, argument) {
            ("matches" | "find" | "findAll", 1, Value::String(pattern)) => go_pattern(pattern),
            _ => argument.clone(),
        };
        scope.add_variable_from_value(argument_name(number), argument);
        names.push(IdedExpr { id: 0, expr: Expr::Ident(argument_name(number)) });
    }
    let target = call.has_target.then(|| Box::new(names.remove(0)));
    let func_name = call.function.clone();
    let expr = IdedExpr { id: 0, expr: Expr::Call(CallExpr { func_name, target, args: names }) };
    scope.resolve(&expr).map_err(|error| match call.function.as_str() {
        // Upstream: a text that is no address is an argument of another type.
        "containsIP" | "containsCIDR" => EvaluationError::no_overload(),
        "quantity" => EvaluationError::failed(NO_QUANTITY),
        _ => EvaluationError::failed(error_text(&error)),
    })
}

/// A regular expression means what it means to Go. One that is wrong stays as it is: the function says so.
fn go_pattern(pattern: &Arc<String>) -> Value {
    Value::String(from_go(pattern).map_or_else(|_| pattern.clone(), Arc::new))
}

/// Timestamps and durations are made by CEL itself, from their texts.
pub fn converted(function: Conversion, text: &str) -> Option<Value> {
    let func_name = match function {
        Conversion::Timestamp => "timestamp",
        Conversion::Duration => "duration",
    };
    let mut scope = ROOT.new_inner_scope();
    scope.add_variable_from_value("text", Value::String(Arc::new(text.to_string())));
    let text = IdedExpr { id: 0, expr: Expr::Ident("text".to_string()) };
    let call = CallExpr { func_name: func_name.to_string(), target: None, args: vec![text] };
    scope.resolve(&IdedExpr { id: 0, expr: Expr::Call(call) }).ok()
}

/// A function that makes a value from a text.
#[derive(Clone, Copy)]
pub enum Conversion {
    /// A time.
    Timestamp,
    /// A span of time.
    Duration,
}

/// A type as a value: the result of `type(x)`.
#[derive(Debug, PartialEq, Eq)]
struct TypeValue(&'static str);

impl Opaque for TypeValue {
    fn runtime_type_name(&self) -> &str {
        "type"
    }
}

fn type_value(name: &'static str) -> Value {
    Value::Opaque(Arc::new(TypeValue(name)))
}

/// The type that a name means.
pub(super) fn named_type(name: &str) -> Option<Value> {
    const NAMES: [&str; 11] = [
        "bool",
        "int",
        "uint",
        "double",
        "string",
        "bytes",
        "list",
        "map",
        "null_type",
        "type",
        "optional_type",
    ];
    NAMES.into_iter().find(|known| *known == name).map(type_value)
}

/// The type of a value.
pub(super) fn type_of(value: &Value) -> Value {
    type_value(match value {
        Value::List(_) => "list",
        Value::Map(_) => "map",
        Value::Function(..) => "function",
        Value::Int(_) => "int",
        Value::UInt(_) => "uint",
        Value::Float(_) => "double",
        Value::String(_) => "string",
        Value::Bytes(_) => "bytes",
        Value::Bool(_) => "bool",
        Value::Null => "null_type",
        Value::Opaque(opaque) if opaque.runtime_type_name() == "type" => "type",
        Value::Opaque(opaque) if opaque.runtime_type_name() == "optional_type" => "optional_type",
        // Timestamps, durations and the types of Kubernetes have no name that expressions can write.
        _ => "google.protobuf",
    })
}
