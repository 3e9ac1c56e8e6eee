//! What Go says about texts that are not durations.

pub use kubemerge_value::go_duration::duration_text;
pub(crate) use kubemerge_value::go_duration::parse;

use super::error::DecodeError;
use super::scalar::in_quotes;

/// Go's error for a text that is not a duration.
pub(super) fn invalid(text: &str) -> DecodeError {
    DecodeError::new(format!("time: invalid duration {}", in_quotes(text)))
}

/// Why Go cannot read a text as a duration; none if it can.
pub fn duration_problem(text: &str) -> Option<String> {
    if parse(text).is_some() {
        return None;
    }
    let number_end = text.find(|char: char| !char.is_ascii_digit() && char != '.').unwrap_or(text.len());
    let (number, rest) = text.split_at(number_end);
    let unit = rest.split(|char: char| char.is_ascii_digit() || char == '.').next().unwrap_or_default();
    let whole = in_quotes(text);
    Some(match (number.is_empty(), unit) {
        (true, _) => format!("time: invalid duration {whole}"),
        (false, "") => format!("time: missing unit in duration {whole}"),
        (false, unit) => format!("time: unknown unit {} in duration {whole}", in_quotes(unit)),
    })
}

/// The text that Go writes for a duration.
pub(crate) fn canonical(text: &str) -> Option<String> {
    Some(duration_text(parse(text)?))
}
