//! Writes scalars: numbers and words as they are, strings in the notation they allow.

use std::borrow::Cow;

use super::style::{Notation, has_flow_indicators, is_printable, notation};
use super::{Emitter, Lines};
use crate::number::yaml_float;
use crate::resolve::{Resolved, resolve};
use crate::tree::Value;

/// Lines are folded at the first space after this column.
// yaml.v2 folds at this column; Kubernetes does not change it.
const WIDTH: usize = 80;

/// The text of a scalar that is no string.
pub(super) fn plain_text<'v>(value: &'v Value<'_>) -> Cow<'v, str> {
    match value {
        Value::Bool(true) => "true".into(),
        Value::Bool(false) => "false".into(),
        Value::Int(value) => value.to_string().into(),
        Value::UInt(value) => value.to_string().into(),
        Value::Float(value) => yaml_float(*value).into(),
        Value::Literal(literal) => match resolve(literal) {
            Resolved::Float(value) => yaml_float(value).into(),
            Resolved::Int(value) => value.to_string().into(),
            _ => (*literal).into(),
        },
        _ => "null".into(),
    }
}

/// Whether a long scalar may go on in the next line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Folding {
    Allowed(usize),
    Never,
}

impl Emitter<'_, '_> {
    /// A key on its own line; it fits one.
    pub(super) fn simple_key(&mut self, text: &str) {
        match notation(text) {
            Notation::Plain => self.plain(text, Folding::Never),
            Notation::SingleQuoted => self.single_quoted(text, Folding::Never),
            // A key is on one line, so line breaks are escaped.
            Notation::DoubleQuoted | Notation::Literal => self.double_quoted(text, Folding::Never),
        }
    }

    /// A string within braces or brackets.
    pub(super) fn one_line(&mut self, text: &str) {
        match notation(text) {
            Notation::Plain if !has_flow_indicators(text) => self.plain(text, Folding::Never),
            Notation::Plain | Notation::SingleQuoted => self.single_quoted(text, Folding::Never),
            Notation::DoubleQuoted | Notation::Literal => self.double_quoted(text, Folding::Never),
        }
    }

    /// A string in single quotes if it allows them and they are asked for, else in double quotes.
    pub(super) fn quoted(&mut self, text: &str, quote: char) {
        let allowed = matches!(notation(text), Notation::Plain | Notation::SingleQuoted)
            || text.chars().all(|c| c != '\n' && is_printable(c));
        match quote {
            '\'' if allowed => self.single_quoted(text, Folding::Never),
            _ => self.double_quoted(text, Folding::Never),
        }
    }

    /// A string whose further lines are at `indent`, which is `step` beyond its parent's.
    pub(super) fn string(&mut self, text: &str, indent: usize, step: usize) {
        let free = self.lines == Lines::Free;
        let folding = if free { Folding::Allowed(indent) } else { Folding::Never };
        let ends_in_empty_lines = text == "\n" || text.ends_with("\n\n");
        match notation(text) {
            Notation::Plain => self.plain(text, folding),
            Notation::SingleQuoted => self.single_quoted(text, folding),
            // The indentation indicator is one digit; and trailing empty lines inside a text would run into
            // what follows.
            Notation::Literal if step <= 9 && (free || !ends_in_empty_lines) => {
                self.literal(text, indent, step);
            }
            Notation::DoubleQuoted | Notation::Literal => self.double_quoted(text, folding),
        }
    }

    fn plain(&mut self, text: &str, folding: Folding) {
        self.folded(text, folding, |emitter, character| emitter.push(character));
    }

    fn single_quoted(&mut self, text: &str, folding: Folding) {
        self.push('\'');
        self.folded(text, folding, |emitter, character| {
            if character == '\'' {
                emitter.push('\'');
            }
            emitter.push(character);
        });
        self.push('\'');
    }

    /// Text on one line, folded at single spaces that are neither its first nor its last character.
    fn folded(&mut self, text: &str, folding: Folding, put: impl Fn(&mut Self, char)) {
        let mut after_space = false;
        let mut rest = text.char_indices();
        while let Some((at, character)) = rest.next() {
            let next_is_space = rest.as_str().starts_with(' ');
            // Spaces at the ends would be lost at a line break.
            let inside = at > 0 && !rest.as_str().is_empty();
            match folding {
                Folding::Allowed(indent)
                    if character == ' '
                        && inside
                        && !after_space
                        && !next_is_space
                        && self.column > WIDTH =>
                {
                    self.break_line(indent);
                }
                _ => put(self, character),
            }
            after_space = character == ' ';
        }
    }

    fn double_quoted(&mut self, text: &str, folding: Folding) {
        self.push('"');
        let mut after_space = false;
        let mut rest = text.char_indices();
        while let Some((at, character)) = rest.next() {
            let inside = at > 0 && !rest.as_str().is_empty();
            match folding {
                Folding::Allowed(indent)
                    if character == ' ' && inside && !after_space && self.column > WIDTH =>
                {
                    self.break_line(indent);
                    // A space at the start of a line would be folded away.
                    if rest.as_str().starts_with(' ') {
                        self.push('\\');
                    }
                }
                _ => self.escaped(character),
            }
            after_space = character == ' ';
        }
        self.push('"');
    }

    fn escaped(&mut self, character: char) {
        let short = match character {
            '"' | '\\' => character,
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            _ if is_printable(character) => return self.push(character),
            _ => {
                let text = match u32::from(character) {
                    code @ ..=0xff => format!("\\x{code:02X}"),
                    code @ ..=0xffff => format!("\\u{code:04X}"),
                    code => format!("\\U{code:08X}"),
                };
                return self.push_ascii(&text);
            }
        };
        self.push('\\');
        self.push(short);
    }

    fn literal(&mut self, text: &str, indent: usize, step: usize) {
        self.push('|');
        if text.starts_with([' ', '\n']) {
            self.push_ascii(&step.to_string());
        }
        match text.strip_suffix('\n') {
            None => self.push('-'),
            Some("") => self.push('+'),
            Some(rest) if rest.ends_with('\n') => self.push('+'),
            Some(_) => {}
        }
        for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
            self.out.push('\n');
            self.column = 0;
            if !line.is_empty() {
                self.out.extend(std::iter::repeat_n(' ', indent));
                self.push_ascii(line);
            }
        }
        if text.ends_with('\n') {
            self.out.push('\n');
            self.column = 0;
        }
    }
}
