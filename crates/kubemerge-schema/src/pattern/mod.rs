//! Regular expressions of Go: what Go says about a wrong one, and a right one in the syntax of the crates `regex` and
//! `regex-lite`, which compile it ([`Matcher`]).
//!
//! The two syntaxes look alike and differ in what matters here: `\d`, `\w` and `\b` know ASCII only in Go, a `[`
//! inside a class is a character, `\Q` quotes, `{,2}` is text. So an expression is read as Go reads it, with its flags
//! resolved, and written again in forms that mean the same to both.

mod class;
mod error;
mod escape;
mod matcher;
mod names;
mod ranges;
mod repeat;
mod size;
mod text;
mod unicode;

use class::{Case, Class};
pub use error::PatternError;
use kubemerge_value::part::text_of;
pub use matcher::Matcher;
use repeat::{Counts, MAX_REPEAT};
use text::{check_length, up_to};

/// How deep parts may be nested.
const MAX_HEIGHT: u32 = 1000;

/// Words are of ASCII letters, which the crate `regex` has to be told.
const WORD_BOUNDARY: &str = if cfg!(target_family = "wasm") { r"\b" } else { r"(?-u:\b)" };
const NO_WORD_BOUNDARY: &str = if cfg!(target_family = "wasm") { r"\B" } else { r"(?-u:\B)" };

/// How much memory all expressions of a schema may take when they are compiled. Upstream: Kubernetes has no such limit; Go
/// compiles to a fraction of the size, and is slower.
pub const MAX_COMPILED_BYTES: usize = 16 * 1024 * 1024;

/// An expression for the crate `regex` that matches what Go's expression matches; its groups capture nothing.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The expression.
    pub text: String,
    /// About how many bytes it takes when it is compiled.
    pub compiled_bytes: usize,
}

/// The text of a [`Translation`].
///
/// # Errors
/// What Go says about a wrong expression.
pub fn from_go(pattern: &str) -> Result<String, PatternError> {
    translate(pattern).map(|translation| translation.text)
}

/// Translates an expression of Go.
///
/// # Errors
/// What Go says about a wrong expression.
pub fn translate(pattern: &str) -> Result<Translation, PatternError> {
    let mut reader = PatternReader {
        whole: pattern,
        rest: pattern,
        flags: Flags { case: Case::Exact, multi_line: false, dot_matches_newline: false, is_lazy: false },
        sequence: Sequence::default(),
        outer: Vec::new(),
        out: String::with_capacity(pattern.len() * 2),
    };
    reader.read()?;
    reader.sequence.close();
    Ok(Translation { text: reader.out, compiled_bytes: reader.sequence.size.saturating_add(size::BASE) })
}

/// What `(?imsU)` sets.
#[derive(Clone, Copy)]
struct Flags {
    case: Case,
    multi_line: bool,
    dot_matches_newline: bool,
    /// `*` takes as little as it can, and `*?` as much.
    is_lazy: bool,
}

/// A part that a repetition can follow.
#[derive(Clone, Copy)]
struct Part {
    /// Where it starts in what is written.
    start: usize,
    height: u32,
    /// How many copies of its innermost part its repetitions ask for.
    copies: u32,
    /// How much it takes when it is compiled.
    size: usize,
}

/// The parts since the last parenthesis; only the last one can still be repeated.
#[derive(Clone, Copy, Default)]
struct Sequence {
    last: Option<Part>,
    height: u32,
    copies: u32,
    size: usize,
}

impl Sequence {
    fn push(&mut self, part: Part) {
        self.close();
        self.last = Some(part);
    }

    fn close(&mut self) {
        if let Some(part) = self.last.take() {
            self.height = self.height.max(part.height);
            self.copies = self.copies.max(part.copies);
            self.size = self.size.saturating_add(part.size);
        }
    }
}

/// What a closing parenthesis brings back.
struct Outer {
    start: usize,
    flags: Flags,
    sequence: Sequence,
    kind: Group,
}

#[derive(Clone, Copy, PartialEq)]
enum Group {
    Capture,
    Plain,
}

struct PatternReader<'p> {
    whole: &'p str,
    rest: &'p str,
    flags: Flags,
    sequence: Sequence,
    outer: Vec<Outer>,
    out: String,
}

impl PatternReader<'_> {
    fn read(&mut self) -> Result<(), PatternError> {
        // The rest of the expression from the last repetition on, if the text before this place is one.
        let mut repetition = None;
        while let Some(first) = self.rest.chars().next() {
            check_length(&self.out, self.whole)?;
            let here = self.rest;
            repetition = match first {
                '*' | '+' | '?' => {
                    let (sign, rest) = here.split_at(1);
                    self.rest = rest;
                    self.repeat(sign, Counts::of_sign(first), here, repetition)?;
                    Some(here)
                }
                '{' => {
                    if let Some((counts, rest)) = Counts::read(here) {
                        self.rest = rest;
                        let text = up_to(here, rest);
                        counts.check(text)?;
                        self.repeat(text, counts, here, repetition)?;
                        Some(here)
                    } else {
                        self.part(first)?;
                        None
                    }
                }
                _ => {
                    self.part(first)?;
                    None
                }
            };
        }
        if self.outer.is_empty() { Ok(()) } else { Err(PatternError::new("missing closing )", self.whole)) }
    }

    /// Reads all but repetitions.
    fn part(&mut self, first: char) -> Result<(), PatternError> {
        match first {
            '(' => return self.open(),
            ')' => return self.close(),
            '[' => {
                let class = class::read(&mut self.rest, self.flags.case)?;
                self.push_class(&class);
                return Ok(());
            }
            '\\' => return self.escaped(),
            _ => self.rest = text_of(self.rest, first.len_utf8()..),
        }
        match first {
            '|' => {
                self.sequence.close();
                self.out.push('|');
            }
            '^' if self.flags.multi_line => self.push("(?m:^)"),
            '^' => self.push(r"\A"),
            '$' if self.flags.multi_line => self.push("(?m:$)"),
            '$' => self.push(r"\z"),
            '.' if self.flags.dot_matches_newline => self.push_sized("(?s:.)", size::ANY),
            '.' => self.push_sized(".", size::ANY),
            _ => self.literal(u32::from(first)),
        }
        Ok(())
    }

    fn escaped(&mut self) -> Result<(), PatternError> {
        let here = self.rest;
        let text = match here.as_bytes().get(1) {
            Some(b'A') => r"\A",
            Some(b'z') => r"\z",
            Some(b'b') => WORD_BOUNDARY,
            Some(b'B') => NO_WORD_BOUNDARY,
            Some(b'Q') => {
                self.quoted();
                return Ok(());
            }
            _ => {
                if let Some(group) = class::escaped_group(&mut self.rest, self.flags.case)? {
                    self.push_class(&group);
                } else {
                    let code = escape::read(&mut self.rest)?;
                    self.literal(code);
                }
                return Ok(());
            }
        };
        self.rest = text_of(here, 2..);
        self.push(text);
        Ok(())
    }

    /// The text after `\Q` up to `\E`, or to the end.
    fn quoted(&mut self) {
        let text = text_of(self.rest, 2..);
        let (literals, rest) = text.split_once(r"\E").unwrap_or((text, ""));
        self.rest = rest;
        literals.chars().for_each(|literal| self.literal(u32::from(literal)));
    }

    fn literal(&mut self, code: u32) {
        match u8::try_from(code) {
            // A class of one character would do, and take more room.
            Ok(letter)
                if letter.is_ascii_digit()
                    || self.flags.case == Case::Exact && letter.is_ascii_alphabetic() =>
            {
                self.push(char::from(letter).encode_utf8(&mut [0]));
            }
            _ => self.push_class(&class::literal(code, self.flags.case)),
        }
    }

    fn push_class(&mut self, class: &Class) {
        let size = size::of_class(&class.text, class.needs_cases);
        if class.needs_cases {
            self.push_sized(&format!("(?i:{})", class.text), size);
        } else {
            self.push_sized(&class.text, size);
        }
    }

    fn push(&mut self, text: &str) {
        self.push_sized(text, size::STEP);
    }

    fn push_sized(&mut self, text: &str, size: usize) {
        self.sequence.push(Part { start: self.out.len(), height: 1, copies: 1, size });
        self.out.push_str(text);
    }

    fn open(&mut self) -> Result<(), PatternError> {
        let flags = self.flags;
        let kind = if self.rest.starts_with("(?") {
            match self.read_flags()? {
                Some(kind) => kind,
                None => return Ok(()),
            }
        } else {
            self.rest = text_of(self.rest, 1..);
            Group::Capture
        };
        let sequence = std::mem::take(&mut self.sequence);
        self.outer.push(Outer { start: self.out.len(), flags, sequence, kind });
        self.out.push_str("(?:");
        Ok(())
    }

    fn close(&mut self) -> Result<(), PatternError> {
        let Some(outer) = self.outer.pop() else {
            return Err(PatternError::new("unexpected )", self.whole));
        };
        self.rest = text_of(self.rest, 1..);
        self.sequence.close();
        let inner = std::mem::replace(&mut self.sequence, outer.sequence);
        self.flags = outer.flags;
        self.out.push(')');
        let height = inner.height.max(1) + u32::from(outer.kind == Group::Capture);
        self.check_height(height)?;
        let size = inner.size.saturating_add(size::STEP);
        self.sequence.push(Part { start: outer.start, height, copies: inner.copies.max(1), size });
        Ok(())
    }

    /// `(?P<name>`, `(?i:` or `(?i)`; the last opens no group.
    fn read_flags(&mut self) -> Result<Option<Group>, PatternError> {
        let here = self.rest;
        let name_start = match here.as_bytes() {
            [_, _, b'P', b'<', _, ..] => Some(4),
            [_, _, b'<', _, ..] => Some(3),
            _ => None,
        };
        if let Some(start) = name_start {
            self.rest = after_name(here, start)?;
            return Ok(Some(Group::Capture));
        }
        let (mut flags, mut value, mut is_complete) = (self.flags, true, true);
        for (at, letter) in here.char_indices().skip(2) {
            match letter {
                'i' => flags.case = if value { Case::Either } else { Case::Exact },
                'm' => flags.multi_line = value,
                's' => flags.dot_matches_newline = value,
                'U' => flags.is_lazy = value,
                '-' if value => (value, is_complete) = (false, false),
                ':' | ')' if is_complete => {
                    self.rest = text_of(here, at + 1..);
                    self.flags = flags;
                    return Ok((letter == ':').then_some(Group::Plain));
                }
                _ => return Err(unsupported(text_of(here, ..at + letter.len_utf8()))),
            }
            is_complete |= letter != '-';
        }
        Err(unsupported(here))
    }

    /// Repeats the last part. `here` is the rest from the repetition on, `before` from one just before it.
    fn repeat(
        &mut self,
        text: &str,
        counts: Counts,
        here: &str,
        before: Option<&str>,
    ) -> Result<(), PatternError> {
        let is_lazy = self.rest.starts_with('?') != self.flags.is_lazy;
        self.rest = self.rest.strip_prefix('?').unwrap_or(self.rest);
        if let Some(before) = before {
            let both = up_to(before, self.rest);
            return Err(PatternError::new("invalid nested repetition operator", both));
        }
        let whole = up_to(here, self.rest);
        let Some(part) = self.sequence.last.as_mut() else {
            return Err(PatternError::new("missing argument to repetition operator", whole));
        };
        part.height += 1;
        part.copies = counts.copies_of(part.copies);
        part.size = counts.size_of(part.size.saturating_add(size::STEP));
        let Part { start, height, copies, .. } = *part;
        self.check_height(height)?;
        if counts.is_large() && copies > MAX_REPEAT {
            return Err(PatternError::new("invalid repeat count", whole));
        }
        // A repetition of a repetition is an error without parentheses.
        self.out.insert_str(start, "(?:");
        self.out.push_str(text);
        self.out.push_str(if is_lazy { "?)" } else { ")" });
        Ok(())
    }

    fn check_height(&self, height: u32) -> Result<(), PatternError> {
        if height > MAX_HEIGHT {
            Err(PatternError::new("expression nests too deeply", self.whole))
        } else {
            Ok(())
        }
    }
}

fn unsupported(part: &str) -> PatternError {
    PatternError::new("invalid or unsupported Perl syntax", part)
}

/// What follows the name of a group.
fn after_name(group: &str, start: usize) -> Result<&str, PatternError> {
    let wrong = |part| Err(PatternError::new("invalid named capture", part));
    let Some(end) = group.find('>') else { return wrong(group) };
    let (before, after) = group.split_at(end + 1);
    let name = group.get(start..end).unwrap_or_default();
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric();
    if !name.is_empty() && name.bytes().all(is_word) { Ok(after) } else { wrong(before) }
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
            ("a|*", "missing argument to repetition operator: `*`"),
            ("a**", "invalid nested repetition operator: `**`"),
            ("[z-a]", "invalid character class range: `z-a`"),
            ("[[:words:]]", "invalid character class range: `[:words:]`"),
            ("\\", "trailing backslash at end of expression: ``"),
            ("a{2,1}", "invalid repeat count: `{2,1}`"),
            ("a{1001}", "invalid repeat count: `{1001}`"),
            ("(a{100}){11}", "invalid repeat count: `{11}`"),
            ("\\8", "invalid escape sequence: `\\8`"),
            ("\\C", "invalid escape sequence: `\\C`"),
            ("\\p{Foo}", "invalid character class range: `\\p{Foo}`"),
            ("\\p{Old_Italic}", "invalid character class range: `\\p{Old_Italic}`"),
            ("x{2}{3}", "invalid nested repetition operator: `{2}{3}`"),
            ("(?z)", "invalid or unsupported Perl syntax: `(?z`"),
            ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
            ("(?P<n", "invalid named capture: `(?P<n`"),
            ("\\K", "invalid escape sequence: `\\K`"),
        ] {
            let error = from_go(pattern).expect_err(pattern);
            assert_eq!(error.to_string(), format!("error parsing regexp: {text}"), "{pattern}");
        }
        for pattern in
            ["^[a-z]+$", "a*?", "a{,2}", "(?i)x", "\\Qa", "a(?i)*", "[^[]", "[[:word]", "[a&&b]", "\\<"]
        {
            from_go(pattern).expect(pattern);
        }
    }

    #[test]
    fn deep_expressions_are_refused() {
        let deep = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
        assert!(from_go(&deep(500)).is_ok());
        assert_eq!(from_go(&deep(5000)).expect_err("too deep").problem, "expression nests too deeply");
    }

    #[test]
    fn sizes_bound_what_is_compiled() {
        let compiles_within =
            |text: &str, bytes: usize| regex::RegexBuilder::new(text).size_limit(bytes).build().is_ok();
        for pattern in [
            "a",
            "abc",
            ".",
            "(?s).",
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            r"\d+(\.\d+){0,3}",
            "[^a]",
            r"\pL",
            r"\PL",
            r"(?i)\pL",
            "(?i)abc",
            "é{3}",
            r"\pL{1,90}N",
            ".{1,253}",
            "(a|b|[^c]){2,50}",
            r"(\w{1,30}-){1,30}",
            r"\p{Greek}{40}",
            "(?i)[à-ÿ]{20}",
        ] {
            let translation = translate(pattern).unwrap();
            let (text, bytes) = (&translation.text, translation.compiled_bytes);
            assert!(compiles_within(text, bytes), "{pattern} takes more than {bytes} bytes");
            // A small one is never too large, whatever is estimated.
            let is_close = bytes < 100_000 || !compiles_within(text, bytes / 40);
            assert!(is_close, "{pattern} takes much less than {bytes} bytes");
        }
    }

    #[test]
    fn nested_repetitions_multiply() {
        let size = |pattern: &str| translate(pattern).unwrap().compiled_bytes;
        assert!(size(r"(\pL{30}){30}") > 800 * size(r"\pL"));
        assert!(size(r"\pL{1,90}N") > MAX_COMPILED_BYTES / 8);
    }
}
