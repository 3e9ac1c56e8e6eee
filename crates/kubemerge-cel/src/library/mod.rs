//! The functions of expressions: the standard library, the extensions that Kubernetes turns on, and its own.
//!
//! A function has overloads by the types of its arguments (`crate::functions`); [`call`] finds the one that fits the
//! values. Operators and a few others have one implementation for all types, as in cel-go.

mod address;
mod answer;
mod convert;
mod format;
mod lists;
mod named_format;
mod operators;
mod optional;
mod quantity;
mod regular;
mod semver;
mod strings;
mod time;
mod url;

pub use address::{CelCidr, IpAddress};
pub(crate) use convert::{conversion, convert, named_type};
pub use named_format::NamedFormat;
pub use quantity::QuantityOrigin;
pub use semver::Semver;
pub use url::CelUrl;

use answer::{Answer, NO_OVERLOAD, no_overload};

use crate::evaluate::{FunctionCall, Outcome};
use crate::functions::{Signature, overloads};
use crate::types::CelType;
use crate::value::CelValue;

/// An overload with the types of its arguments.
#[derive(Debug)]
pub(crate) struct Overload {
    name: &'static str,
    parameters: Vec<CelType>,
}

/// The overloads that a call of a function may come to: one if that is known.
pub(crate) fn candidates(function: &str, only: Option<&'static str>, count: usize) -> Vec<Overload> {
    let read =
        |name: &'static str| Overload { name, parameters: Signature::read(name, || CelType::Dyn).parameters };
    let fits = |overload: &Overload| overload.parameters.len() == count;
    match only {
        Some(name) => vec![read(name)],
        None => overloads(function).into_iter().flatten().map(read).filter(fits).collect(),
    }
}

/// Whether a function has one implementation for all types of arguments.
pub(crate) fn has_one_implementation(function: &str) -> bool {
    const NAMES: [&str; 6] = ["@in", "@sortByAssociatedKeys", "dyn", "matches", "size", "sort"];
    NAMES.contains(&function) || function == "type" || function.contains('_') && !function.contains('.')
}

/// Functions whose result may be far larger than what they cost so far: the limit is looked at before they run.
pub(crate) struct TooLarge;

/// The largest text that a function may make.
const MAX_TEXT: u64 = 64 << 20;

/// Whether the result of a call is within what may still be spent, and within memory.
pub(crate) fn check_size(function: &str, arguments: &[Outcome<'_>], left: u64) -> Result<(), TooLarge> {
    let length = |at: usize| match arguments.get(at) {
        Some(Ok(CelValue::String(text))) => text.len() as u64,
        Some(Ok(CelValue::List(list))) => list.len() as u64,
        _ => 0,
    };
    let largest = match (function, arguments) {
        ("lists.range", [Ok(CelValue::Int(count))]) => {
            let is_valid = (0..=lists::MAX_RANGE).contains(count);
            return if is_valid && count.unsigned_abs() > left { Err(TooLarge) } else { Ok(()) };
        }
        // Every character may be followed by the replacement.
        ("replace", _) => (length(0) + 1).saturating_mul(length(2) + 1),
        ("join", _) => length(0).saturating_mul(length(1)),
        _ => 0,
    };
    if largest <= MAX_TEXT { Ok(()) } else { Err(TooLarge) }
}

/// Calls a function with values.
pub(crate) fn call<'v>(call: &FunctionCall, arguments: &[CelValue<'v>]) -> Answer<'v> {
    if let Some(answer) = operators::apply(&call.function, arguments)
        .or_else(|| lists::sorted(&call.function, arguments))
        .or_else(|| regular::apply(call, arguments))
    {
        return answer;
    }
    // Upstream: these look at their arguments themselves, and say less about them.
    if matches!(call.function.as_str(), "startsWith" | "endsWith" | "contains") {
        return strings::parts(&call.function, arguments);
    }
    if call.function == "flatten" {
        return lists::flatten(arguments);
    }
    let fits = |overload: &&Overload| {
        overload.parameters.iter().zip(arguments).all(|(parameter, value)| is_of(parameter, value))
    };
    let Some(overload) = call.candidates.iter().find(fits) else {
        let names: Vec<&str> = arguments.iter().map(CelValue::type_name).collect();
        return Err(format!("{NO_OVERLOAD}: {}({})", call.function, names.join(", ")).into());
    };
    implementation(&call.function, overload.name, arguments).unwrap_or_else(no_overload)
}

fn implementation<'v>(function: &str, overload: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    strings::apply(function, arguments)
        .or_else(|| lists::apply(function, overload, arguments))
        .or_else(|| convert::apply(function, arguments))
        .or_else(|| time::apply(function, arguments))
        .or_else(|| optional::apply(function, arguments))
        .or_else(|| quantity::apply(function, arguments))
        .or_else(|| address::apply(function, arguments))
        .or_else(|| url::apply(function, arguments))
        .or_else(|| semver::apply(function, arguments))
        .or_else(|| named_format::apply(function, arguments))
}

/// Whether a value has a type, of whose parts only the first member is looked at.
fn is_of(expected: &CelType, value: &CelValue<'_>) -> bool {
    match (expected, value) {
        (CelType::Dyn | CelType::Param(_) | CelType::Error, _) => true,
        (CelType::List(item), CelValue::List(list)) => list.get(0).is_none_or(|first| is_of(item, &first)),
        (CelType::Map(key, member), CelValue::Map(map)) => {
            map.members().first().is_none_or(|(first, value)| is_of(key, first) && is_of(member, value))
        }
        (CelType::Bool, CelValue::Bool(_))
        | (CelType::Int, CelValue::Int(_))
        | (CelType::Uint, CelValue::Uint(_))
        | (CelType::Double, CelValue::Double(_))
        | (CelType::String, CelValue::String(_))
        | (CelType::Bytes, CelValue::Bytes(_))
        | (CelType::Null, CelValue::Null)
        | (CelType::Timestamp, CelValue::Timestamp(_))
        | (CelType::Duration, CelValue::Duration(_))
        | (CelType::Optional(_), CelValue::Optional(_))
        | (CelType::OfTypes(_), CelValue::Type(_)) => true,
        (CelType::Named(name), value) => name == value.type_name(),
        _ => false,
    }
}
