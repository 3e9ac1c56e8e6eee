//! Values as Go prints them where a type expects something else: `%T`, `%v` and `%#v` of unstructured data.

use std::fmt::{self, Display, Formatter};

use kubemerge_schema::ScalarType;

use super::valid::is_valid_scalar;
use crate::value::{Value, go_quoted, write_float_v};

/// Go's `%v` of a value of structured-merge-diff.
pub(super) struct Plain<'a>(pub(super) Value<'a>);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "&{{{}}}", PlainInner(self.0))
    }
}

struct PlainInner<'a>(Value<'a>);

impl Display for PlainInner<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("<nil>"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => write_float_v(value, f),
            Value::String(text) => f.write_str(text),
            Value::List(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    let gap = if place > 0 { " " } else { "" };
                    write!(f, "{gap}{}", PlainInner(*item))?;
                }
                f.write_str("]")
            }
            Value::Map(members) => {
                f.write_str("map[")?;
                for (place, member) in members.iter().enumerate() {
                    let gap = if place > 0 { " " } else { "" };
                    write!(f, "{gap}{}:{}", member.name, PlainInner(member.value))?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Go's `%#v` of an unstructured value.
struct Syntax<'a>(Value<'a>);

impl Display for Syntax<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::Null => f.write_str("interface {}(nil)"),
            Value::String(text) => f.write_str(&go_quoted(text)),
            Value::List(items) => {
                f.write_str("[]interface {}{")?;
                for (place, item) in items.iter().enumerate() {
                    let gap = if place > 0 { ", " } else { "" };
                    write!(f, "{gap}{}", Syntax(*item))?;
                }
                f.write_str("}")
            }
            Value::Map(members) => {
                f.write_str("map[string]interface {}{")?;
                for (place, member) in members.iter().enumerate() {
                    let gap = if place > 0 { ", " } else { "" };
                    write!(f, "{gap}{}:{}", go_quoted(member.name), Syntax(member.value))?;
                }
                f.write_str("}")
            }
            scalar => PlainInner(scalar).fmt(f),
        }
    }
}

fn go_type(value: Value<'_>) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::String(_) => "string",
        Value::List(_) => "[]interface {}",
        Value::Map(_) => "map[string]interface {}",
    }
}

/// What is wrong with a scalar; `None` if nothing is. Null is fine everywhere.
pub(super) fn scalar_problem(ty: ScalarType, value: Value<'_>) -> Option<String> {
    (!is_valid_scalar(ty, value)).then(|| match ty {
        ScalarType::Numeric => format!("expected numeric (int or float), got {}", go_type(value)),
        ScalarType::String => {
            format!("expected string, got &value.valueUnstructured{{Value:{}}}", Syntax(value))
        }
        ScalarType::Boolean => format!("expected boolean, got {}", Plain(value)),
        ScalarType::Untyped => format!("expected any scalar, got {}", Plain(value)),
    })
}
