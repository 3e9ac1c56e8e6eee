//! Words that the grammar of CEL keeps to itself.

/// Words that mean something in expressions.
const KEYWORDS: [&str; 4] = ["true", "false", "null", "in"];

/// Words that mean nothing and that no variable may have as a name.
#[rustfmt::skip]
const RESERVED: [&str; 17] = [
    "as", "break", "const", "continue", "else", "for", "function", "if", "import",
    "let", "loop", "package", "namespace", "return", "var", "void", "while",
];

/// Whether no variable may have this name, although it could be parsed as one.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Whether the grammar has the word, with a meaning or without.
#[must_use]
pub fn is_word_of_cel(word: &str) -> bool {
    KEYWORDS.contains(&word) || is_reserved(word)
}
