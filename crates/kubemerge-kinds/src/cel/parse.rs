//! Reads expressions in CEL.
//!
//! What is wrong is worded as the generated parser of cel-go words it, for one mistake; after several it may say less.

use kubemerge_value::deep;

use super::expr::{Call, Entry, Expr, Item, Node, Select};
use super::literal::{self, Literal};
use super::macros;
use super::problem::Problem;
use super::reserved::is_reserved;
use super::token::{Token, TokenKind, tokens};

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 250;
/// What an operand may start with.
const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, \
                       STRING, BYTES, IDENTIFIER}";
/// Operators that take two values, as they are written and as functions are called.
type Operators = [(&'static str, &'static str)];
/// Binary operators by precedence, the weakest first.
const LEVELS: [&Operators; 5] = [
    &[("||", "_||_")],
    &[("&&", "_&&_")],
    &[
        ("<", "_<_"),
        ("<=", "_<=_"),
        (">=", "_>=_"),
        (">", "_>_"),
        ("==", "_==_"),
        ("!=", "_!=_"),
        ("in", "@in"),
    ],
    &[("+", "_+_"), ("-", "_-_")],
    &[("*", "_*_"), ("/", "_/_"), ("%", "_%_")],
];
/// How many levels hold operators that may be regrouped.
const LOGICAL_LEVELS: usize = 2;
/// How many parts an expression may have: macros may copy what they are applied to, again and again.
const MAX_PARTS: usize = 500_000;

/// An expression and the number of its parts.
pub(super) struct Parsed<'e> {
    pub(super) expr: Expr<'e>,
    pub(super) parts: usize,
}

/// Reads an expression; the problems are those of the words first.
pub(super) fn parse(text: &str) -> Result<Parsed<'_>, Vec<Problem>> {
    let (tokens, unrecognized) = tokens(text);
    let mut problems: Vec<Problem> = unrecognized
        .into_iter()
        .map(|wrong| {
            let text = format!("Syntax error: token recognition error at: '{}'", wrong.text);
            Problem { at: wrong.at, text }
        })
        .collect();
    let mut parser =
        Parser { tokens, next: 0, depth: 0, parts: 0, closers: Vec::new(), problems: Vec::new() };
    let parsed = parser.whole();
    problems.append(&mut parser.problems);
    // Messages come in the order of the text, whichever step found them.
    problems.sort_by_key(|problem| problem.at);
    match parsed {
        Some(expr) if problems.is_empty() => Ok(Parsed { expr, parts: parser.parts }),
        _ => Err(problems),
    }
}

pub(super) struct Parser<'e> {
    tokens: Vec<Token<'e>>,
    next: usize,
    depth: usize,
    /// How many parts there are so far.
    parts: usize,
    /// The closing brackets that must come, the innermost last.
    closers: Vec<&'static str>,
    problems: Vec<Problem>,
}

impl<'e> Parser<'e> {
    /// A new part of the expression.
    pub(super) fn make(&mut self, at: usize, node: Node<'e>) -> Expr<'e> {
        let id = self.parts;
        self.parts += 1;
        if id == MAX_PARTS {
            self.problems.push(Problem { at, text: format!("expression has more than {MAX_PARTS} parts") });
        }
        Expr { id, at, node }
    }

    /// Whether the expression is refused for its size, so that nothing more needs to be made.
    pub(super) fn is_too_large(&self) -> bool {
        self.parts > MAX_PARTS
    }

    /// Notes what is wrong; reading goes on.
    pub(super) fn report(&mut self, at: usize, text: &str) -> Expr<'e> {
        self.problems.push(Problem { at, text: text.to_owned() });
        self.make(at, Node::Literal(Literal::Null))
    }

    /// A call of a function that is not a macro.
    pub(super) fn call(&mut self, at: usize, function: &'e str, arguments: Vec<Expr<'e>>) -> Expr<'e> {
        self.make(at, Node::Call(Call { function, target: None, arguments }))
    }

    fn peek(&self) -> Token<'e> {
        self.ahead(0)
    }

    /// The last token is the end, and stays there.
    fn ahead(&self, count: usize) -> Token<'e> {
        self.tokens[(self.next + count).min(self.tokens.len() - 1)]
    }

    fn take(&mut self) -> Token<'e> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let is_next = self.peek().is(symbol);
        self.next += usize::from(is_next);
        is_next
    }

    fn fail<T>(&mut self, at: usize, text: String) -> Option<T> {
        self.problems.push(Problem { at, text: format!("Syntax error: {text}") });
        None
    }

    fn mismatched<T>(&mut self, expected: &str) -> Option<T> {
        let token = self.peek();
        self.fail(token.at, format!("mismatched input '{}' expecting {expected}", token.text))
    }

    /// Takes a symbol that must be next. Of what is wrong instead, one word too many is left out and a symbol that is
    /// missing is made up, as generated parsers do.
    fn expect(&mut self, symbol: &'static str, expected: &str) -> Option<()> {
        if self.accept(symbol) {
            return Some(());
        }
        let found = self.peek();
        if found.kind != TokenKind::End && self.ahead(1).is(symbol) {
            self.extraneous(found, expected);
            self.next += 1;
            return Some(());
        }
        if self.may_follow(symbol, found) {
            let text = format!("Syntax error: missing {expected} at '{}'", found.text);
            self.problems.push(Problem { at: found.at, text });
            return Some(());
        }
        self.mismatched(expected)
    }

    fn extraneous(&mut self, found: Token<'e>, expected: &str) {
        let text = format!("Syntax error: extraneous input '{}' expecting {expected}", found.text);
        self.problems.push(Problem { at: found.at, text });
        self.take();
    }

    /// Whether a word could come after a symbol that is not there.
    fn may_follow(&self, symbol: &str, found: Token<'e>) -> bool {
        match (symbol, self.closers.last()) {
            (":", _) => starts_operand(found),
            (_, Some(closer)) => found.is(closer),
            (_, None) => found.kind == TokenKind::End,
        }
    }

    /// Reads what is in brackets; the closing one comes after it.
    fn within<T>(&mut self, closer: &'static str, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.closers.push(closer);
        let found = read(self);
        self.closers.pop();
        found
    }

    fn whole(&mut self) -> Option<Expr<'e>> {
        let parsed = self.expression()?;
        let left = self.peek();
        if left.kind == TokenKind::End {
            return Some(parsed);
        }
        // One word too many is called so; anything more is a mismatch.
        let word = if self.ahead(1).kind == TokenKind::End { "extraneous" } else { "mismatched" };
        self.fail(left.at, format!("{word} input '{}' expecting <EOF>", left.text))
    }

    fn expression(&mut self) -> Option<Expr<'e>> {
        if self.depth >= MAX_DEPTH {
            let at = self.peek().at;
            self.problems
                .push(Problem { at, text: format!("expression recursion limit exceeded: {MAX_DEPTH}") });
            return None;
        }
        self.depth += 1;
        let parsed = deep(|| self.conditional());
        self.depth -= 1;
        parsed
    }

    fn conditional(&mut self) -> Option<Expr<'e>> {
        let condition = self.binary(0)?;
        let at = self.peek().at;
        if !self.accept("?") {
            return Some(condition);
        }
        // The grammar allows another conditional only after the colon.
        let first = self.binary(0)?;
        self.expect(":", "':'")?;
        let second = self.expression()?;
        Some(self.call(at, "_?_:_", vec![condition, first, second]))
    }

    fn binary(&mut self, level: usize) -> Option<Expr<'e>> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let first = self.binary(level + 1)?;
        let mut terms = vec![first];
        let mut places = Vec::new();
        loop {
            let token = self.peek();
            let Some((_, function)) = operators.iter().find(|(operator, _)| token.is(operator)) else {
                break;
            };
            self.take();
            let right = self.binary(level + 1)?;
            if level < LOGICAL_LEVELS {
                terms.push(right);
                places.push((token.at, *function));
            } else if let Some(left) = terms.pop() {
                let joined = self.call(token.at, function, vec![left, right]);
                terms.push(joined);
            }
        }
        Some(self.balanced(terms, &places))
    }

    /// Joins the terms of a logical operator to a tree that is not deeper than it must be, as cel-go does.
    fn balanced(&mut self, mut terms: Vec<Expr<'e>>, places: &[(usize, &'static str)]) -> Expr<'e> {
        if places.is_empty() {
            let only = terms.pop();
            return only.unwrap_or_else(|| self.make(0, Node::Literal(Literal::Null)));
        }
        let middle = places.len() / 2 + 1;
        let (at, function) = places[middle - 1];
        let right = terms.split_off(middle);
        let left = self.balanced(terms, &places[..middle - 1]);
        let right = self.balanced(right, &places[middle..]);
        self.call(at, function, vec![left, right])
    }

    fn unary(&mut self) -> Option<Expr<'e>> {
        let token = self.peek();
        if !token.is("!") && !token.is("-") {
            return self.member();
        }
        // A sign before a number is a part of it.
        if token.is("-") && matches!(self.ahead(1).kind, TokenKind::Int | TokenKind::Double) {
            return self.member();
        }
        // In the grammar a run of equal signs is one operator.
        let mut count = 0;
        while self.accept(token.text) {
            count += 1;
        }
        let operand = self.member()?;
        // Two signs cancel out.
        if count % 2 == 0 {
            return Some(operand);
        }
        let function = if token.is("!") { "!_" } else { "-_" };
        Some(self.call(token.at, function, vec![operand]))
    }

    fn member(&mut self) -> Option<Expr<'e>> {
        let mut value = self.primary()?;
        loop {
            let token = self.peek();
            value = if self.accept(".") {
                self.after_dot(value, token)?
            } else if self.accept("[") {
                let function = if self.accept("?") { "_[?_]" } else { "_[_]" };
                let index = self.within("]", Self::expression)?;
                self.expect("]", "']'")?;
                self.call(token.at, function, vec![value, index])
            } else {
                return Some(value);
            };
        }
    }

    fn after_dot(&mut self, operand: Expr<'e>, dot: Token<'e>) -> Option<Expr<'e>> {
        let is_optional = self.accept("?");
        let name = self.peek();
        if !matches!(name.kind, TokenKind::Identifier | TokenKind::EscapedIdentifier) {
            return self.fail(name.at, format!("no viable alternative at input '.{}'", name.text));
        }
        self.take();
        let open = self.peek();
        if !is_optional && name.kind == TokenKind::Identifier && self.accept("(") {
            let arguments = self.arguments()?;
            return Some(macros::member_call(self, open.at, name.text, operand, arguments));
        }
        // Names that are no identifiers can be written in backquotes.
        let field = name.text.trim_matches('`');
        if is_optional {
            let name = self.make(name.at, Node::Literal(Literal::String(field.to_owned())));
            return Some(self.call(dot.at, "_?._", vec![operand, name]));
        }
        let select = Select { operand: Box::new(operand), field, is_test: false };
        Some(self.make(dot.at, Node::Select(select)))
    }

    /// The arguments of a call, after the bracket.
    fn arguments(&mut self) -> Option<Vec<Expr<'e>>> {
        let mut arguments = Vec::new();
        if self.accept(")") {
            return Some(arguments);
        }
        if self.peek().kind == TokenKind::End {
            return self.mismatched(&OPERAND.replacen("'(', ", "'(', ')', ", 1));
        }
        loop {
            arguments.push(self.within(")", Self::expression)?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", "')'")?;
        Some(arguments)
    }

    /// Goes on to the next member of a list or a map, if there is one; a comma may be last.
    fn has_another(&mut self, close: &'static str, expected: &str) -> Option<bool> {
        if self.accept(",") {
            if self.peek().kind == TokenKind::End {
                self.expect(close, &format!("'{close}'"))?;
                return Some(false);
            }
            return Some(!self.accept(close));
        }
        if self.accept(close) {
            return Some(false);
        }
        let (found, next) = (self.peek(), self.ahead(1));
        if found.kind == TokenKind::End || !(next.is(close) || next.is(",")) {
            self.mismatched::<()>(expected)?;
        }
        self.extraneous(found, expected);
        // After a mistake nothing but the end is expected.
        self.accept(",");
        self.expect(close, &format!("'{close}'"))?;
        Some(false)
    }

    /// The members of a list, after the bracket.
    fn list(&mut self) -> Option<Vec<Item<'e>>> {
        let mut items = Vec::new();
        let mut has_another = !self.accept("]");
        while has_another {
            let is_optional = self.accept("?");
            items.push(Item { value: self.within("]", Self::expression)?, is_optional });
            has_another = self.has_another("]", "{']', ','}")?;
        }
        Some(items)
    }

    fn primary(&mut self) -> Option<Expr<'e>> {
        let token = self.peek();
        let at = token.at;
        match token.kind {
            TokenKind::Int | TokenKind::Uint | TokenKind::Double | TokenKind::String | TokenKind::Bytes => {
                self.take();
                Some(self.literal(at, token.kind, token.text))
            }
            TokenKind::Symbol if matches!(token.text, "true" | "false" | "null") => {
                self.take();
                Some(self.literal(at, TokenKind::Symbol, token.text))
            }
            TokenKind::Symbol if token.text == "-" => {
                self.take();
                let number = self.take();
                Some(self.literal(at, number.kind, &format!("-{}", number.text)))
            }
            TokenKind::Identifier => self.named(),
            TokenKind::Symbol if token.text == "." => self.after_leading_dot(),
            TokenKind::Symbol if token.text == "(" => {
                self.take();
                let inner = self.within(")", Self::expression)?;
                self.expect(")", "')'")?;
                Some(inner)
            }
            TokenKind::Symbol if token.text == "[" => {
                self.take();
                let items = self.list()?;
                Some(self.make(at, Node::List(items)))
            }
            TokenKind::Symbol if token.text == "{" => self.map(),
            _ => self.unexpected(),
        }
    }

    fn literal(&mut self, at: usize, kind: TokenKind, text: &str) -> Expr<'e> {
        match literal::read(kind, text) {
            Ok(value) => self.make(at, Node::Literal(value)),
            Err(problem) => self.report(at, &problem),
        }
    }

    fn after_leading_dot(&mut self) -> Option<Expr<'e>> {
        self.take();
        if self.peek().kind == TokenKind::Identifier {
            return self.named();
        }
        let token = self.peek();
        self.fail(token.at, format!("no viable alternative at input '.{}'", token.text))
    }

    /// A word that no operand starts with: left out if one follows it.
    fn unexpected(&mut self) -> Option<Expr<'e>> {
        let (token, following) = (self.peek(), self.ahead(1));
        if token.kind != TokenKind::End && starts_operand(following) {
            let text = format!("extraneous input '{}' expecting {OPERAND}", token.text);
            self.problems.push(Problem { at: token.at, text: format!("Syntax error: {text}") });
            self.take();
            return self.primary();
        }
        let failed = self.mismatched(OPERAND);
        // An operator is taken as one, and then misses its operand.
        if LEVELS.iter().flat_map(|level| level.iter()).any(|(operator, _)| token.is(operator)) {
            self.take();
            if self.peek().kind == TokenKind::End {
                return self.mismatched(OPERAND);
            }
        }
        failed
    }

    fn map(&mut self) -> Option<Expr<'e>> {
        let at = self.take().at;
        let mut entries = Vec::new();
        let mut has_another = !self.accept("}");
        while has_another {
            let is_optional = self.accept("?");
            let key = self.within("}", Self::expression)?;
            self.expect(":", "':'")?;
            entries.push(Entry { key, value: self.within("}", Self::expression)?, is_optional });
            has_another = self.has_another("}", "{'}', ','}")?;
        }
        Some(self.make(at, Node::Map(entries)))
    }

    /// A variable, a call of a function, or a value of a named type.
    fn named(&mut self) -> Option<Expr<'e>> {
        let name = self.take();
        // Reserved words are names to the tokenizer, so that this message can tell them.
        if is_reserved(name.text) {
            let text = format!("reserved identifier: {}", name.text);
            self.problems.push(Problem { at: name.at, text });
            return None;
        }
        // Only the `{` at the end tells a type from a chain of fields.
        if let Some(length) = self.type_name_length() {
            let mut full = name.text.to_owned();
            for _ in 0..length {
                full.push_str(self.take().text);
            }
            return self.structure(full);
        }
        let open = self.peek();
        if self.accept("(") {
            let arguments = self.arguments()?;
            return Some(macros::global_call(self, open.at, name.text, arguments));
        }
        Some(self.make(name.at, Node::Identifier(name.text)))
    }

    /// How many further words the name of a type has, if `{` follows them.
    fn type_name_length(&self) -> Option<usize> {
        let mut length = 0;
        while self.ahead(length).is(".") && self.ahead(length + 1).kind == TokenKind::Identifier {
            length += 2;
        }
        self.ahead(length).is("{").then_some(length)
    }

    fn structure(&mut self, name: String) -> Option<Expr<'e>> {
        let at = self.take().at;
        let mut fields = Vec::new();
        while !self.accept("}") {
            let is_optional = self.accept("?");
            let field = self.peek();
            if !matches!(field.kind, TokenKind::Identifier | TokenKind::EscapedIdentifier) {
                return self.mismatched("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
            }
            self.take();
            self.expect(":", "':'")?;
            fields.push((field.text.trim_matches('`'), Item { value: self.expression()?, is_optional }));
            if !self.accept(",") {
                self.expect("}", "{'}', ','}")?;
                break;
            }
        }
        Some(self.make(at, Node::Struct { name, fields }))
    }
}

fn starts_operand(token: Token<'_>) -> bool {
    match token.kind {
        TokenKind::End | TokenKind::EscapedIdentifier => false,
        TokenKind::Symbol => {
            matches!(token.text, "[" | "{" | "(" | "." | "-" | "!" | "true" | "false" | "null")
        }
        _ => true,
    }
}
