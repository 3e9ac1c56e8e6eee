//! Values as Go prints them where a type expects something else: `%T`, `%v` and `%#v` of unstructured data.

use std::fmt::{self, Display, Formatter};

use kubemerge_schema::ScalarType;

use super::valid::is_valid_scalar;
use crate::value::{ParsedValue, go_quoted, write_float_v};

/// Go's `%v` of a value of structured-merge-diff.
pub(super) struct Plain<'a>(pub(super) ParsedValue<'a>);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "&{{{}}}", PlainInner(self.0))
    }
}

struct PlainInner<'a>(ParsedValue<'a>);

impl Display for PlainInner<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            ParsedValue::Null => f.write_str("<nil>"),
            ParsedValue::Bool(value) => write!(f, "{value}"),
            ParsedValue::Int(value) => write!(f, "{value}"),
            ParsedValue::Float(value) => write_float_v(value, f),
            ParsedValue::String(text) => f.write_str(text),
            ParsedValue::List(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    let gap = if place > 0 { " " } else { "" };
                    write!(f, "{gap}{}", PlainInner(item))?;
                }
                f.write_str("]")
            }
            ParsedValue::Map(members) => {
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
struct Syntax<'a>(ParsedValue<'a>);

impl Display for Syntax<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            ParsedValue::Null => f.write_str("interface {}(nil)"),
            ParsedValue::String(text) => f.write_str(&go_quoted(text)),
            ParsedValue::List(items) => {
                f.write_str("[]interface {}{")?;
                for (place, item) in items.iter().enumerate() {
                    let gap = if place > 0 { ", " } else { "" };
                    write!(f, "{gap}{}", Syntax(item))?;
                }
                f.write_str("}")
            }
            ParsedValue::Map(members) => {
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

fn go_type(value: ParsedValue<'_>) -> &'static str {
    match value {
        ParsedValue::Null => "<nil>",
        ParsedValue::Bool(_) => "bool",
        ParsedValue::Int(_) => "int64",
        ParsedValue::Float(_) => "float64",
        ParsedValue::String(_) => "string",
        ParsedValue::List(_) => "[]interface {}",
        ParsedValue::Map(_) => "map[string]interface {}",
    }
}

/// What is wrong with a scalar; `None` if nothing is. Null is fine everywhere.
pub(super) fn scalar_problem(ty: ScalarType, value: ParsedValue<'_>) -> Option<String> {
    (!is_valid_scalar(ty, value)).then(|| match ty {
        ScalarType::Numeric => format!("expected numeric (int or float), got {}", go_type(value)),
        ScalarType::String => {
            format!("expected string, got &value.valueUnstructured{{Value:{}}}", Syntax(value))
        }
        ScalarType::Boolean => format!("expected boolean, got {}", Plain(value)),
        ScalarType::Untyped => format!("expected any scalar, got {}", Plain(value)),
    })
}
