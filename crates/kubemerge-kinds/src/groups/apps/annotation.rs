//! Fields of removed versions that live on as annotations with numbers.

use std::num::IntErrorKind;

use crate::go_text::quoted;
use crate::tree::Map;

/// The text of an annotation, if there is one.
pub(super) fn annotation<'a>(object: &Map<'a>, key: &str) -> Option<&'a str> {
    let annotations = object.map("metadata")?.map("annotations")?;
    annotations.get(key).and_then(|value| value.as_str())
}

/// What Go says about a text that is no number.
pub(super) fn parse_error(text: &str) -> Option<String> {
    let problem = match text.parse::<i64>().err()?.kind() {
        IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
        _ => "invalid syntax",
    };
    Some(format!("strconv.ParseInt: parsing {}: {problem}", quoted(text)))
}
