//! Splits Rust source into tokens, without comments and without the items that only tests compile.
//!
//! Good enough for searches: it knows strings, character literals, lifetimes and nested comments, and it
//! does not know macros.

/// One token and the line it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) line: usize,
    pub(crate) kind: TokenKind<'t>,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind<'t> {
    /// An identifier, a keyword or a number.
    Word(&'t str),
    /// The text between the quotes of a string, escapes untouched.
    Text(&'t str),
    /// `::`
    PathSeparator,
    /// Any other character.
    Symbol(char),
}

/// All tokens of a file, including those of tests.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    std::iter::from_fn(|| lexer.next()).collect()
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn skip(&mut self, bytes: usize) -> &'t str {
        let skipped = &self.rest()[..bytes];
        self.line += skipped.matches('\n').count();
        self.at += bytes;
        skipped
    }

    fn next(&mut self) -> Option<Token<'t>> {
        self.skip_blank();
        let line = self.line;
        let kind = self.kind()?;
        Some(Token { line, kind })
    }

    /// Skips white space and comments.
    fn skip_blank(&mut self) {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            let length = if rest[blank..].starts_with("//") {
                blank + rest[blank..].find('\n').unwrap_or(rest.len() - blank)
            } else if rest[blank..].starts_with("/*") {
                blank + block_comment(&rest[blank..])
            } else {
                self.skip(blank);
                return;
            };
            self.skip(length);
        }
    }

    fn kind(&mut self) -> Option<TokenKind<'t>> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        if let Some(literal) = string_literal(rest) {
            let text = &rest[literal.start..literal.end];
            self.skip(literal.length);
            return Some(TokenKind::Text(text));
        }
        if first == '\'' {
            self.skip(quoted_char(rest));
            // What a character is does not matter to any check.
            return Some(TokenKind::Symbol('\''));
        }
        if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            return Some(TokenKind::Word(self.skip(end)));
        }
        if rest.starts_with("::") {
            self.skip(2);
            return Some(TokenKind::PathSeparator);
        }
        self.skip(first.len_utf8());
        Some(TokenKind::Symbol(first))
    }
}

/// The length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

struct Literal {
    start: usize,
    end: usize,
    length: usize,
}

/// A string at the start of the text: plain, byte, C or raw.
fn string_literal(text: &str) -> Option<Literal> {
    // Nearly all tokens start otherwise, and this is the inner loop of every check.
    if !text.starts_with(['"', 'b', 'c', 'r']) {
        return None;
    }
    // Longer prefixes first.
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let rest = text.strip_prefix(prefix);
        rest.is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
    })?;
    let hashes = text[prefix.len()..].len() - text[prefix.len()..].trim_start_matches('#').len();
    // `b#` is no string: only raw ones have hashes.
    if hashes > 0 && !prefix.ends_with('r') {
        return None;
    }
    let start = prefix.len() + hashes + 1;
    let body = &text[start..];
    let length = if prefix.ends_with('r') {
        body.find(&format!("\"{}", "#".repeat(hashes)))?
    } else {
        end_of_string(body)?
    };
    Some(Literal { start, end: start + length, length: start + length + 1 + hashes })
}

fn end_of_string(body: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at),
            _ => {}
        }
    }
    None
}

/// The length of a character literal, or of the quote of a lifetime.
fn quoted_char(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            // The escaped character itself may be a quote.
            chars.next();
            chars.find(|(_, c)| *c == '\'').map_or(1, |(at, _)| at + 1)
        }
        Some(_) => match chars.next() {
            // A closing quote right after one character; otherwise it is a lifetime.
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// The tokens of what is compiled outside tests, and the names of the modules that only tests compile.
pub(crate) fn without_tests<'t>(tokens: &[Token<'t>]) -> (Vec<Token<'t>>, Vec<&'t str>) {
    let mut kept = Vec::with_capacity(tokens.len());
    let mut test_modules = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match attribute(&tokens[at..]) {
            Some(attribute) if is_test_only(&tokens[at..at + attribute]) => {
                let end = at + attribute + item_length(&tokens[at + attribute..]);
                test_modules.extend(module_name(&tokens[at + attribute..end]));
                at = end;
            }
            Some(attribute) => at += attribute,
            None => {
                kept.push(tokens[at]);
                at += 1;
            }
        }
    }
    (kept, test_modules)
}

/// The length of an attribute at the start of the tokens.
fn attribute(tokens: &[Token<'_>]) -> Option<usize> {
    let open = match tokens {
        [hash, open, ..] if hash.is('#') && open.is('[') => 1,
        [hash, bang, open, ..] if hash.is('#') && bang.is('!') && open.is('[') => 2,
        _ => return None,
    };
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        depth += i32::from(token.is('[')) - i32::from(token.is(']'));
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// `#[cfg(test)]`, `#[cfg(all(test, …))]` and `#[test]`.
fn is_test_only(attribute: &[Token<'_>]) -> bool {
    let words: Vec<&str> = attribute.iter().filter_map(|token| token.word()).collect();
    matches!(words.as_slice(), ["test"] | ["cfg", "test"] | ["cfg", "all", "test", ..])
}

/// The length of the item at the start of the tokens, with the attributes before it.
fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < tokens.len() {
        if let Some(length) = attribute(&tokens[at..]) {
            at += length;
            continue;
        }
        let token = tokens[at];
        at += 1;
        match token.kind {
            TokenKind::Symbol('{' | '(' | '[') => depth += 1,
            // The body of a function or module ends its item.
            TokenKind::Symbol('}') if depth == 1 => return at,
            TokenKind::Symbol('}' | ')' | ']') => depth -= 1,
            // Items without a body, and variants or fields with an attribute.
            TokenKind::Symbol(';' | ',') if depth == 0 => return at,
            _ => {}
        }
    }
    tokens.len()
}

fn module_name<'t>(item: &[Token<'t>]) -> Option<&'t str> {
    let at = item.iter().position(|token| token.word() == Some("mod"))?;
    item.get(at + 1)?.word()
}

impl<'t> Token<'t> {
    pub(crate) fn is(self, symbol: char) -> bool {
        self.kind == TokenKind::Symbol(symbol)
    }

    pub(crate) fn word(self) -> Option<&'t str> {
        match self.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().filter_map(Token::word).collect()
    }

    #[test]
    fn comments_strings_and_characters_hold_no_words() {
        assert_eq!(words("a /* b /* c */ d */ e // f\n g"), ["a", "e", "g"]);
        assert_eq!(words(r##"a "b \" c" r#"d " e"# b"f" g"##), ["a", "g"]);
        assert_eq!(words(r"'a' b '\'' c 'd e"), ["b", "c", "d", "e"]);
    }

    #[test]
    fn lines_are_counted_through_strings() {
        let last = tokens("a\n\"x\ny\"\nb").pop().unwrap();
        assert_eq!((last.line, last.word()), (4, Some("b")));
    }

    #[test]
    fn items_of_tests_are_left_out() {
        let text = "use a; #[cfg(test)] mod tests { use b; } #[cfg(test)] #[path = \"x\"] mod law; fn c() {}";
        let all = tokens(text);
        let (kept, modules) = without_tests(&all);
        assert_eq!(kept.into_iter().filter_map(Token::word).collect::<Vec<_>>(), ["use", "a", "fn", "c"]);
        assert_eq!(modules, ["tests", "law"]);
    }
}
