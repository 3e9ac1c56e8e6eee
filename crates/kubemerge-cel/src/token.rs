//! Words of an expression in CEL.

use kubemerge_value::part::text_of;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Identifier,
    /// An identifier between backquotes.
    EscapedIdentifier,
    Int,
    Uint,
    Double,
    String,
    Bytes,
    /// An operator, a bracket, or one of the words `true`, `false`, `null`, `in`.
    Symbol,
    End,
}

/// A word: its text, and how many characters are before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'e> {
    pub(super) kind: TokenKind,
    pub(super) text: &'e str,
    pub(super) at: usize,
}

impl Token<'_> {
    pub(super) fn is(&self, symbol: &str) -> bool {
        self.kind == TokenKind::Symbol && self.text == symbol
    }
}

/// A text that is no word.
pub(super) struct Unrecognized<'e> {
    pub(super) text: &'e str,
    pub(super) at: usize,
}

/// Longer symbols come first.
const SYMBOLS: [&str; 25] = [
    "==", "!=", "<=", ">=", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?", ":", "+", "*",
    "/", "%", "<", ">", "=",
];
const WORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Takes an expression apart; the last token is the end.
pub(super) fn tokens(text: &str) -> (Vec<Token<'_>>, Vec<Unrecognized<'_>>) {
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    let (mut rest, mut at) = (text, 0);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = match first {
            ' ' | '\t' | '\r' | '\n' | '\x0c' => (None, 1),
            // A comment, up to the end of its line.
            '/' if rest.starts_with("//") => (None, rest.find('\n').unwrap_or(rest.len())),
            _ => {
                if let Some((kind, length)) = token(rest) {
                    (Some(kind), length)
                } else {
                    let length = unrecognized(rest, first);
                    wrong.push(Unrecognized { text: text_of(rest, ..length), at });
                    (None, length)
                }
            }
        };
        let (word, after) = rest.split_at(length);
        if let Some(kind) = kind {
            found.push(Token { kind, text: word, at });
        }
        at += word.chars().count();
        rest = after;
    }
    found.push(Token { kind: TokenKind::End, text: "<EOF>", at });
    (found, wrong)
}

/// An open string is wrong up to the end of its line.
fn unrecognized(rest: &str, first: char) -> usize {
    if matches!(first, '"' | '\'' | '`') {
        return rest.find('\n').unwrap_or(rest.len());
    }
    // What looks like the start of an operator is wrong together with the character that follows.
    let next = rest.chars().nth(1).filter(|_| matches!(first, '=' | '&' | '|'));
    first.len_utf8() + next.map_or(0, char::len_utf8)
}

fn token(rest: &str) -> Option<(TokenKind, usize)> {
    string(rest).or_else(|| number(rest)).or_else(|| identifier(rest)).or_else(|| symbol(rest))
}

fn symbol(rest: &str) -> Option<(TokenKind, usize)> {
    let found = SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol))?;
    // A single `=` is not a symbol of the language.
    (found != "=").then_some((TokenKind::Symbol, found.len()))
}

fn identifier(rest: &str) -> Option<(TokenKind, usize)> {
    if let Some(inner) = rest.strip_prefix('`') {
        let (inner, _) = inner.split_once('`')?;
        let is_inner = |char: char| char.is_ascii_alphanumeric() || "_.-/ ".contains(char);
        let length = inner.len() + 2;
        return inner.chars().all(is_inner).then_some((TokenKind::EscapedIdentifier, length));
    }
    let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let word = text_of(rest, ..length);
    if word.is_empty() || word.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    Some((if WORDS.contains(&word) { TokenKind::Symbol } else { TokenKind::Identifier }, length))
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

fn number(rest: &str) -> Option<(TokenKind, usize)> {
    let with_suffix = |length: usize| {
        if text_of(rest, length..).starts_with(['u', 'U']) {
            (TokenKind::Uint, length + 1)
        } else {
            (TokenKind::Int, length)
        }
    };
    if let Some(hex) = rest.strip_prefix("0x") {
        let count = hex.bytes().take_while(u8::is_ascii_hexdigit).count();
        if count > 0 {
            return Some(with_suffix(count + 2));
        }
    }
    let whole = digits(rest);
    let fraction = text_of(rest, whole..).strip_prefix('.').map_or(0, digits);
    let mut length = whole + if fraction > 0 { fraction + 1 } else { 0 };
    let exponent = exponent(text_of(rest, length..));
    length += exponent;
    match (whole, fraction, exponent) {
        // A dot or an exponent without digits is no number.
        (0, 0, _) => None,
        (_, 0, 0) => Some(with_suffix(whole)),
        _ => Some((TokenKind::Double, length)),
    }
}

fn exponent(rest: &str) -> usize {
    let Some(after) = rest.strip_prefix(['e', 'E']) else { return 0 };
    let sign = usize::from(after.starts_with(['+', '-']));
    match digits(text_of(after, sign..)) {
        0 => 0,
        count => 1 + sign + count,
    }
}

fn string(rest: &str) -> Option<(TokenKind, usize)> {
    // Raw and bytes, in either order and case.
    let prefix = rest.bytes().take(2).take_while(|byte| b"rRbB".contains(byte)).count();
    let (marks, body) = rest.split_at(prefix);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| body.starts_with(quote))?;
    let is_raw = marks.contains(['r', 'R']);
    let end = closing_quote(text_of(body, quote.len()..), quote, is_raw)?;
    let kind = if marks.contains(['b', 'B']) { TokenKind::Bytes } else { TokenKind::String };
    Some((kind, prefix + quote.len() * 2 + end))
}

/// Where a string ends; one of single quotes ends on its line.
fn closing_quote(inner: &str, quote: &str, is_raw: bool) -> Option<usize> {
    let mut is_escaped = false;
    for (at, char) in inner.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if text_of(inner, at..).starts_with(quote) {
            return Some(at);
        } else if quote.len() == 1 && matches!(char, '\n' | '\r') {
            return None;
        } else {
            is_escaped = char == '\\' && !is_raw;
        }
    }
    None
}
