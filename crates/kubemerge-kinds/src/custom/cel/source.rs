//! Places in the source of an expression, for errors: the parser does not tell them.
//!
//! The checker walks an expression from left to right, so the next token of a kind is the one that is meant.

use std::fmt::Write;

/// What is wrong at a place of the source.
pub(super) struct SourceError {
    /// The byte where it is.
    pub(super) at: usize,
    pub(super) text: String,
}

/// Errors as CEL prints them: each with its line and a mark below it.
pub(super) fn print(source: &str, mut errors: Vec<SourceError>) -> String {
    // cel-go reports by place, not in the order of discovery.
    errors.sort_by_key(|error| error.at);
    let mut out = String::new();
    for (number, error) in errors.iter().enumerate() {
        let before = &source[..error.at];
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let column = source[start..error.at].chars().count();
        let line = source[start..].lines().next().unwrap_or_default();
        let separator = if number > 0 { "\n" } else { "" };
        let dots = ".".repeat(column);
        let row = before.matches('\n').count() + 1;
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{separator}ERROR: <input>:{row}:{}: {}\n | {line}\n | {dots}^",
            column + 1,
            error.text
        );
    }
    out
}

/// A piece of the source.
struct Token {
    at: usize,
    text: String,
    is_taken: bool,
}

/// Finds the places of names and operators, each once, in the order of the source.
pub(super) struct Locator {
    tokens: Vec<Token>,
}

impl Locator {
    pub(super) fn new(source: &str) -> Locator {
        Locator { tokens: tokens(source) }
    }

    /// The first token from the left that is not taken yet and follows (or does not follow) a dot.
    fn take(&mut self, text: &str, follows_dot: Option<bool>) -> Option<usize> {
        let is_wanted = |at: usize| {
            let after_dot = at > 0 && self.tokens[at - 1].text == ".";
            let token = &self.tokens[at];
            !token.is_taken && token.text == text && follows_dot.is_none_or(|wanted| wanted == after_dot)
        };
        // The syntax tree has no places, but its names come in the order of the source.
        let found = (0..self.tokens.len()).find(|at| is_wanted(*at))?;
        self.tokens[found].is_taken = true;
        Some(found)
    }

    /// The place of a name that is no field.
    pub(super) fn ident(&mut self, name: &str) -> Option<usize> {
        self.take(name, Some(false)).map(|token| self.tokens[token].at)
    }

    /// The dot before the name of a field.
    pub(super) fn field(&mut self, name: &str) -> Option<usize> {
        self.take(name, Some(true)).map(|token| self.tokens[token - 1].at)
    }

    /// The bracket of the next `has(`.
    pub(super) fn has(&mut self) -> Option<usize> {
        let token = self.take("has", Some(false))?;
        self.tokens.get(token + 1).map(|bracket| bracket.at)
    }

    /// The place of an operator.
    pub(super) fn operator(&mut self, text: &str) -> Option<usize> {
        self.take(text, None).map(|token| self.tokens[token].at)
    }

    /// Passes the declaration of a variable in a macro.
    pub(super) fn variable(&mut self, name: &str) {
        self.take(name, Some(false));
    }
}

fn tokens(source: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        let rest = &source[at..];
        let length = match first {
            '\'' | '"' => text_length(rest, first),
            first if first.is_ascii_alphanumeric() || first == '_' => {
                rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len())
            }
            _ if ["==", "!=", "<=", ">=", "&&", "||"].iter().any(|operator| rest.starts_with(operator)) => 2,
            other => other.len_utf8(),
        };
        if !first.is_whitespace() {
            tokens.push(Token { at, text: rest[..length].to_string(), is_taken: false });
        }
        at += length;
    }
    tokens
}

/// The length of a text in quotes.
fn text_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, char) in text.char_indices().skip(1) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            char if char == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
