//! Regular expressions that Go does not compile, in the words of Go.
//!
//! Expressions of Go and of Rust agree but for a few forms: those that only Rust has are refused here too, and those
//! that only Go has pass.

use regex_syntax::ast::{self, Ast, ErrorKind, RepetitionKind, RepetitionRange};
use regex_syntax::hir;

/// The largest count of a repetition in Go.
const MAX_REPEAT: u32 = 1000;

/// What Go says about an expression that it does not compile.
pub(super) fn error_of(pattern: &str) -> Option<String> {
    // Not reported rather than reported wrongly.
    if ["\\Q", "\\C"].iter().any(|only_in_go| pattern.contains(only_in_go)) {
        return None;
    }
    let (problem, part) = match ast::parse::Parser::new().parse(pattern) {
        Err(error) => syntax_problem(pattern, &error)?,
        Ok(ast) => match repetition_problem(pattern, &ast) {
            Some(problem) => problem,
            None => match hir::translate::Translator::new().translate(pattern, &ast) {
                Ok(_) => return None,
                Err(error) => ("invalid character class range", text_at(pattern, error.span())),
            },
        },
    };
    Some(format!("error parsing regexp: {problem}: `{part}`"))
}

fn text_at<'p>(pattern: &'p str, span: &ast::Span) -> &'p str {
    pattern.get(span.start.offset..span.end.offset).unwrap_or_default()
}

fn syntax_problem<'p>(pattern: &'p str, error: &ast::Error) -> Option<(&'static str, &'p str)> {
    let (start, part) = (error.span().start.offset, text_at(pattern, error.span()));
    let rest = pattern.get(start..).unwrap_or_default();
    Some(match error.kind() {
        ErrorKind::ClassUnclosed => ("missing closing ]", rest),
        ErrorKind::GroupUnclosed => ("missing closing )", pattern),
        ErrorKind::GroupUnopened => ("unexpected )", pattern),
        ErrorKind::RepetitionMissing => {
            let operator = rest.get(..1).unwrap_or_default();
            ("missing argument to repetition operator", if operator == "{" { rest } else { operator })
        }
        ErrorKind::RepetitionCountInvalid => ("invalid repeat count", braces(pattern, start)),
        // Go takes what is no repetition as it is written.
        ErrorKind::RepetitionCountUnclosed
        | ErrorKind::RepetitionCountDecimalEmpty
        | ErrorKind::DecimalEmpty
        | ErrorKind::GroupNameDuplicate { .. } => return None,
        ErrorKind::EscapeUnexpectedEof => ("trailing backslash at end of expression", ""),
        ErrorKind::EscapeHexEmpty | ErrorKind::EscapeHexInvalid | ErrorKind::EscapeHexInvalidDigit => {
            let at = pattern.get(..start).and_then(|before| before.rfind('\\')).unwrap_or(start);
            ("invalid escape sequence", pattern.get(at..).unwrap_or_default())
        }
        ErrorKind::EscapeUnrecognized | ErrorKind::UnsupportedBackreference => {
            ("invalid escape sequence", part)
        }
        ErrorKind::ClassRangeInvalid => ("invalid character class range", part),
        ErrorKind::GroupNameEmpty | ErrorKind::GroupNameInvalid | ErrorKind::GroupNameUnexpectedEof => {
            ("invalid named capture", group(pattern, start))
        }
        ErrorKind::FlagUnrecognized
        | ErrorKind::FlagUnexpectedEof
        | ErrorKind::FlagDuplicate { .. }
        | ErrorKind::FlagDanglingNegation
        | ErrorKind::FlagRepeatedNegation { .. }
        | ErrorKind::UnsupportedLookAround => {
            let text = pattern.get(group_start(pattern, start)..error.span().end.offset);
            ("invalid or unsupported Perl syntax", text.unwrap_or_default())
        }
        _ => ("invalid character class range", part),
    })
}

/// `{2,1}` around or before a place.
fn braces(pattern: &str, at: usize) -> &str {
    let start = pattern.get(..=at).and_then(|before| before.rfind('{')).unwrap_or(at);
    let rest = pattern.get(start..).unwrap_or_default();
    rest.find('}').and_then(|end| rest.get(..=end)).unwrap_or(rest)
}

fn group_start(pattern: &str, at: usize) -> usize {
    pattern.get(..at).and_then(|before| before.rfind('(')).unwrap_or(at)
}

/// The text from the start of the group that a place is in.
fn group(pattern: &str, at: usize) -> &str {
    pattern.get(group_start(pattern, at)..).unwrap_or_default()
}

/// Repetitions that only Rust has: of repetitions, and of more than Go counts.
fn repetition_problem<'p>(pattern: &'p str, ast: &Ast) -> Option<(&'static str, &'p str)> {
    match ast {
        Ast::Repetition(repetition) => {
            if let Ast::Repetition(inner) = &*repetition.ast {
                let span = ast::Span::new(inner.op.span.start, repetition.op.span.end);
                return Some(("invalid nested repetition operator", text_at(pattern, &span)));
            }
            if let RepetitionKind::Range(range) = &repetition.op.kind {
                let most = match range {
                    RepetitionRange::Exactly(count) | RepetitionRange::AtLeast(count) => *count,
                    RepetitionRange::Bounded(_, count) => *count,
                };
                if most > MAX_REPEAT {
                    return Some(("invalid repeat count", text_at(pattern, &repetition.op.span)));
                }
            }
            repetition_problem(pattern, &repetition.ast)
        }
        Ast::Group(group) => repetition_problem(pattern, &group.ast),
        Ast::Alternation(parts) => parts.asts.iter().find_map(|part| repetition_problem(pattern, part)),
        Ast::Concat(parts) => parts.asts.iter().find_map(|part| repetition_problem(pattern, part)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of Go.
    #[test]
    fn errors_are_those_of_go() {
        for (pattern, text) in [
            ("[", "missing closing ]: `[`"),
            ("([", "missing closing ]: `[`"),
            ("(", "missing closing ): `(`"),
            (")", "unexpected ): `)`"),
            ("*a", "missing argument to repetition operator: `*`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("\\", "trailing backslash at end of expression: ``"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("\\8", "invalid escape sequence: `\\8`"),
            ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
            ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("\\K", "invalid escape sequence: `\\K`"),
        ] {
            assert_eq!(error_of(pattern), Some(format!("error parsing regexp: {text}")), "{pattern}");
        }
        for pattern in ["^[a-z]+$", "a*?", "a{,2}", "(?i)x", "\\Qa"] {
            assert_eq!(error_of(pattern), None, "{pattern}");
        }
    }
}
