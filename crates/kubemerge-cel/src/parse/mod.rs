//! Reads expressions in CEL.
//!
//! What is wrong is worded as the generated parser of cel-go words it, for one mistake; after several it may say less.

mod operand;

use kubemerge_value::deep;
use kubemerge_value::part::item_at;

use super::expr::{Call, Expr, Node, Select};
use super::literal::Literal;
use super::macros;
use super::problem::Problem;
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
        *item_at(&self.tokens, (self.next + count).min(self.tokens.len() - 1))
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
        let middle = places.len() / 2;
        let (before, [(at, function), after @ ..]) = places.split_at(middle) else {
            let only = terms.pop();
            return only.unwrap_or_else(|| self.make(0, Node::Literal(Literal::Null)));
        };
        let right = terms.split_off(middle + 1);
        let left = self.balanced(terms, before);
        let right = self.balanced(right, after);
        self.call(*at, function, vec![left, right])
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
