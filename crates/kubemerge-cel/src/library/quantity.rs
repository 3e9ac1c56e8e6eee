//! Quantities.

use std::cmp::Ordering;
use std::rc::Rc;

use kubemerge_value::quantity::Quantity;

use super::answer::Answer;
use crate::value::CelValue;

/// Where a quantity comes from. Upstream: one that was computed is equal to others, but no other is equal to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityOrigin {
    /// It was read.
    Read,
    /// It is a sum or a difference.
    Computed,
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    if let (function @ ("quantity" | "isQuantity"), [CelValue::String(text)]) = (function, arguments) {
        let parsed = Quantity::parse(text);
        return Some(match parsed {
            _ if function == "isQuantity" => Ok(CelValue::Bool(parsed.is_ok())),
            Ok(quantity) => Ok(CelValue::Quantity(Rc::new(quantity.into_owned()), QuantityOrigin::Read)),
            Err(error) => Err(error.message().into()),
        });
    }
    let (CelValue::Quantity(quantity, _), rest) = arguments.split_first()? else { return None };
    Some(match (function, rest) {
        ("sign", []) => Ok(CelValue::Int(quantity.sign().into())),
        ("isInteger", []) => Ok(CelValue::Bool(quantity.as_int64().is_some())),
        ("asInteger", []) => {
            quantity.as_int64().map(CelValue::Int).ok_or_else(|| "cannot convert value to integer".into())
        }
        ("asApproximateFloat", []) => Ok(CelValue::Double(quantity.as_float())),
        ("isLessThan", [CelValue::Quantity(other, _)]) => {
            Ok(CelValue::Bool(quantity.compare(other) == Ordering::Less))
        }
        ("isGreaterThan", [CelValue::Quantity(other, _)]) => {
            Ok(CelValue::Bool(quantity.compare(other) == Ordering::Greater))
        }
        ("compareTo", [CelValue::Quantity(other, _)]) => Ok(CelValue::Int(quantity.compare(other) as i64)),
        ("add", [CelValue::Quantity(other, _)]) => Ok(computed(quantity.plus(other))),
        ("add", [CelValue::Int(number)]) => Ok(computed(quantity.plus(&Quantity::whole(*number)))),
        ("sub", [CelValue::Quantity(other, _)]) => Ok(computed(quantity.minus(other))),
        ("sub", [CelValue::Int(number)]) => Ok(computed(quantity.minus(&Quantity::whole(*number)))),
        _ => return None,
    })
}

fn computed<'v>(quantity: Quantity<'static>) -> CelValue<'v> {
    CelValue::Quantity(Rc::new(quantity), QuantityOrigin::Computed)
}
