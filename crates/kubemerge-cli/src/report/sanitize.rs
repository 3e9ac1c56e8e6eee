//! Text that others wrote (names, keys, values, messages of servers), in a form that cannot control what shows it: a
//! terminal, or the log of a CI system. Results in YAML and JSON and diffs of files are data and do not pass here.

use std::borrow::Cow;

/// A text as a part of one line: line breaks, other control characters and marks that reorder text are written as
/// `\n` and `\u{1b}`, and so is the first character of what a CI system would take for a command.
pub(crate) fn sanitize(text: &str) -> Cow<'_, str> {
    let is_command = is_log_command(text);
    if !is_command && !text.contains(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut first = is_command;
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            _ if is_unsafe(char) || (first && !char.is_whitespace()) => out.extend(char.escape_unicode()),
            _ => out.push(char),
        }
        first &= char.is_whitespace();
    }
    Cow::Owned(out)
}

/// The same for a text of several lines, whose line breaks stay.
pub(crate) fn sanitize_lines(text: &str) -> String {
    text.split('\n').map(sanitize).collect::<Vec<_>>().join("\n")
}

/// Whether a CI system that reads logs obeys a line: `::error::` of GitHub, `##[error]` and `##vso[…]` of Azure Pipelines,
/// `##teamcity[…]`.
fn is_log_command(line: &str) -> bool {
    let line = line.trim_start();
    let azure =
        line.strip_prefix("##").map(|rest| rest.trim_start_matches(|char: char| char.is_alphanumeric()));
    line.starts_with("::") || azure.is_some_and(|rest| rest.starts_with('['))
}

/// What moves the cursor, changes colours, ends a line or changes the order of what is read.
fn is_unsafe(char: char) -> bool {
    (char.is_control() && char != '\t')
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_commands_are_written_out() {
        assert_eq!(sanitize("plain ü ::x"), "plain ü ::x");
        assert_eq!(sanitize("a\u{1b}[31mb\nc\u{9b}d\u{202e}"), "a\\u{1b}[31mb\\nc\\u{9b}d\\u{202e}");
        assert_eq!(sanitize("::error::x"), "\\u{3a}:error::x");
        assert_eq!(sanitize("## heading"), "## heading");
        assert_eq!(sanitize(" ##[error]x"), " \\u{23}#[error]x");
        assert_eq!(sanitize_lines("a\n::error::b\r"), "a\n\\u{3a}:error::b\\r");
    }

    /// The law of the fuzz target `sanitize`, for texts of the characters that matter.
    #[test]
    fn what_is_shown_controls_nothing() {
        let characters =
            ['a', ' ', ':', '#', '[', '\n', '\r', '\t', '\u{1b}', '\u{85}', '\u{2028}', '\u{202e}'];
        for seed in 0..20_000u64 {
            let mut random = fastrand::Rng::with_seed(seed);
            let text: String =
                (0..random.usize(0..12)).map(|_| *random.choice(&characters).unwrap()).collect();
            let line = sanitize(&text).into_owned();
            assert!(!line.contains(is_unsafe), "{text:?}");
            assert!(!is_log_command(&line), "{text:?}");
            assert_eq!(sanitize(&line), line, "{text:?}");
        }
    }
}
