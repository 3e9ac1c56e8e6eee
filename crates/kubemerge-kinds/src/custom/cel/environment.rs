//! What expressions may use: the functions of CEL and of Kubernetes, and the names of types.

use std::sync::{Arc, LazyLock};

use kube_cel::{
    KubeCelExt,
    cel::{
        Context, Program, ResolveResult, Value,
        objects::{Opaque, OptionalValue},
    },
};

/// The functions and types of all expressions; made once, because there are many.
static ROOT: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut context = Context::default().with_all();
    context.add_function("type", |value: Value| -> ResolveResult { Ok(type_value(type_name(&value))) });
    for name in ["bool", "int", "uint", "double", "string", "bytes", "list", "map", "null_type", "type"] {
        context.add_variable_from_value(name, type_value(name));
    }
    context
});

/// A scope for the variables of an evaluation.
pub(super) fn scope() -> Context<'static> {
    ROOT.new_inner_scope()
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

fn type_name(value: &Value) -> &'static str {
    match value {
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
    }
}

/// An optional value, as `oldSelf` is where a rule wants that.
pub(super) fn optional(value: Option<Value>) -> Value {
    Value::Opaque(Arc::new(value.map_or_else(OptionalValue::none, OptionalValue::of)))
}

/// Timestamps and durations are made by CEL itself, from their texts.
pub(super) fn converted(function: Conversion, text: &str) -> Option<Value> {
    static TIMESTAMP: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("timestamp(text)").ok());
    static DURATION: LazyLock<Option<Program>> = LazyLock::new(|| Program::compile("duration(text)").ok());
    let program = match function {
        Conversion::Timestamp => &TIMESTAMP,
        Conversion::Duration => &DURATION,
    };
    let mut scope = scope();
    scope.add_variable_from_value("text", Value::String(Arc::new(text.to_string())));
    program.as_ref()?.execute(&scope).ok()
}

/// A function that makes a value from a text.
#[derive(Clone, Copy)]
pub(super) enum Conversion {
    Timestamp,
    Duration,
}
