//! Findings as notices that show the place in the text.

use std::ops::Range;

use kubemerge_inspect::{Finding, FindingSeverity};

use crate::input::Source;
use crate::report::{Excerpt, Notice, Severity};

/// The notice of a finding in a text.
pub(crate) fn finding_notice(source: &Source, finding: Finding) -> Notice {
    let Finding { rule, severity, message, reason, help, location, related } = finding;
    let severity = match severity {
        FindingSeverity::Warning => Severity::Warning,
        FindingSeverity::Error => Severity::Error,
    };
    let message = without_secrets(source, location.range.clone(), message);
    let excerpt = Excerpt::cut(&source.name, source.shown(), location.range, location.label);
    let excerpt = related
        .into_iter()
        .fold(excerpt, |excerpt, other| excerpt.with(source.shown(), other.range, other.label));
    Notice { reason, help, ..Notice::new(severity, message).code(rule).at(excerpt) }
}

/// The message without the value of a Secret on the line of the finding. Messages have the value itself (`NO is
/// read as …`) or start with it (`1 is not a string`).
fn without_secrets(source: &Source, range: Range<usize>, message: String) -> String {
    let line = |text: &str| -> String { text[range.start.min(text.len())..].lines().take(1).collect() };
    // Only a line that was masked can have a secret in its message.
    if line(source.text()) == line(source.shown()) {
        return message;
    }
    match message.split_once(" is ") {
        Some((_, rest)) => format!("*** is {rest}"),
        None => message.replace(&source.text()[range], "***"),
    }
}
