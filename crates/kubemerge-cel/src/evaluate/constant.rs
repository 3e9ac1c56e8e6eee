//! Values that are known before an expression runs.

use std::collections::BTreeMap;

use kubemerge_value::deep;

use super::outcome::{EvaluationError, Outcome};
use crate::error::CelError;
use crate::library;
use crate::literal::Literal;
use crate::value::{CelMap, CelValue, Key};

/// A value that is known before an expression runs. Programs are shared by threads, values are not.
#[derive(Clone, Debug)]
pub(super) enum Constant {
    Literal(Literal),
    List(Vec<usize>),
    Map(Vec<(usize, usize)>),
    /// The name of a type.
    Type(&'static str),
    /// A conversion, such as `duration('1h')`, of another constant.
    Converted(&'static str, usize),
}

/// The value of a constant.
pub(super) fn constant_value<'v>(constants: &[Constant], number: usize) -> Outcome<'v> {
    let value = |number: usize| deep(|| constant_value(constants, number));
    match constants.get(number) {
        Some(Constant::Literal(literal)) => Ok(literal_value(literal)),
        Some(Constant::Type(name)) => Ok(CelValue::Type(name)),
        Some(Constant::List(items)) => {
            Ok(CelValue::list(items.iter().map(|item| value(*item)).collect::<Result<_, _>>()?))
        }
        Some(Constant::Map(members)) => {
            let mut map = BTreeMap::new();
            for (key, member) in members {
                let Some(key) = Key::of(&value(*key)?) else {
                    return Err(EvaluationError::Failed("unsupported key type".to_owned()));
                };
                map.insert(key, value(*member)?);
            }
            Ok(CelValue::Map(CelMap::of(map)))
        }
        Some(Constant::Converted(function, of)) => Ok(library::convert(function, &value(*of)?)?),
        None => Err(EvaluationError::no_overload()),
    }
}

fn literal_value<'v>(literal: &Literal) -> CelValue<'v> {
    match literal {
        Literal::Null => CelValue::Null,
        Literal::Bool(value) => CelValue::Bool(*value),
        Literal::Int(value) => CelValue::Int(*value),
        Literal::Uint(value) => CelValue::Uint(*value),
        Literal::Double(value) => CelValue::Double(*value),
        Literal::String(value) => CelValue::text(value.as_str()),
        Literal::Bytes(value) => CelValue::Bytes(value.as_slice().into()),
    }
}

/// Whether a value can be a key or an index.
pub(super) fn is_key(key: &CelValue<'_>) -> bool {
    matches!(
        key,
        CelValue::String(_) | CelValue::Int(_) | CelValue::Uint(_) | CelValue::Bool(_) | CelValue::Double(_)
    )
}

pub(super) fn invalid_key(key: &CelValue<'_>) -> CelError {
    format!("invalid qualifier type: {}", key.go_type()).into()
}
