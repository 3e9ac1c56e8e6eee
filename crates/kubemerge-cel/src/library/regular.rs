//! Regular expressions, in the syntax of Go.

use std::borrow::Cow;

use regex::Regex;

use super::answer::{Answer, no_overload};
use crate::evaluate::{FunctionCall, compile_pattern};
use crate::value::CelValue;

/// Calls `matches`, `find` or `findAll`; none if the function is another, or the values are of other types.
pub(super) fn apply<'v>(call: &FunctionCall, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    let function = call.function.as_str();
    let (text, pattern, limit) = match (function, arguments) {
        ("matches" | "find" | "findAll", [CelValue::String(text), CelValue::String(pattern)]) => {
            (text, pattern, -1)
        }
        ("findAll", [CelValue::String(text), CelValue::String(pattern), CelValue::Int(limit)]) => {
            (text, pattern, *limit)
        }
        // Upstream: a pattern that was compiled before is all that these look at.
        ("matches" | "find" | "findAll", _) if call.pattern.is_some() => return Some(no_overload()),
        ("matches", [CelValue::String(_), _]) => return Some(no_overload()),
        ("matches", [CelValue::Duration(_) | CelValue::Timestamp(_), _]) => return Some(no_overload()),
        ("matches", _) => return Some(Err("no such overload: matches".into())),
        _ => return None,
    };
    let regex = match &call.pattern {
        Some(constant) => match constant.regex() {
            Ok(regex) => Cow::Borrowed(regex),
            Err(problem) => return Some(Err(problem)),
        },
        None => match compile_pattern(pattern) {
            Ok(regex) => Cow::Owned(regex),
            Err(problem) if function == "matches" => return Some(Err(problem)),
            Err(problem) => return Some(Err(format!("Illegal regex: {problem}").into())),
        },
    };
    Some(Ok(found(function, &regex, text, limit)))
}

fn found<'v>(function: &str, regex: &Regex, text: &str, limit: i64) -> CelValue<'v> {
    match function {
        "matches" => CelValue::Bool(regex.is_match(text)),
        "find" => CelValue::text(regex.find(text).map_or("", |found| found.as_str())),
        _ => {
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            CelValue::list(
                regex.find_iter(text).take(limit).map(|found| CelValue::text(found.as_str())).collect(),
            )
        }
    }
}
