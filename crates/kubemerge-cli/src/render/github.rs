//! Findings as workflow commands of GitHub, which show them as annotations of a change.

use crate::report::{Notice, Severity, sanitize, sanitize_lines};

/// One line for each finding.
pub(crate) fn github(notices: &[Notice]) -> String {
    notices.iter().map(command).collect()
}

fn command(notice: &Notice) -> String {
    let level = match notice.severity {
        Severity::Warning => "warning",
        Severity::Note => "notice",
        Severity::Error => "error",
    };
    let place = notice.excerpts.first().map(|excerpt| {
        let (start, end) = (excerpt.position(), excerpt.end_column());
        let file = property(excerpt.name());
        format!("file={file},line={},col={},endColumn={end},", start.line, start.column)
    });
    let title = property(notice.code.unwrap_or_default());
    format!(
        "::{level} {}title={title}::{}\n",
        place.unwrap_or_default(),
        message(&sanitize_lines(&notice.sentence()))
    )
}

/// Line breaks and percent signs have a meaning of their own in a command.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Properties are separated by commas and end at a colon.
fn property(text: &str) -> String {
    // Properties are separated by these characters.
    message(&sanitize(text)).replace(':', "%3A").replace(',', "%2C")
}
