//! Expressions in CEL as trees.
//!
//! What is wrong is worded as the generated parser of cel-go words it, for one mistake; after several it may say less.

use kubemerge_value::deep;

use super::problem::Problem;
use super::reserved::is_reserved;
use super::token::{Token, TokenKind, tokens};

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 250;
/// What an operand may start with.
const OPERAND: &str = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, \
                       STRING, BYTES, IDENTIFIER}";
/// Binary operators by precedence, the weakest first.
const LEVELS: [&[&str]; 5] =
    [&["||"], &["&&"], &["<", "<=", ">=", ">", "==", "!=", "in"], &["+", "-"], &["*", "/", "%"]];

/// A part of an expression and where it is.
#[derive(Debug)]
pub(super) struct Expr<'e> {
    pub(super) at: usize,
    pub(super) node: Node<'e>,
}

/// A long chain of operators is a deep tree, which is dropped with room for recursion.
impl Drop for Expr<'_> {
    fn drop(&mut self) {
        let node = std::mem::replace(&mut self.node, Node::Identifier(""));
        deep(|| drop(node));
    }
}

/// What a part of an expression is.
#[derive(Debug)]
pub(super) enum Node<'e> {
    Literal(TokenKind, &'e str),
    Identifier(&'e str),
    /// A field of a value; `.?field` is optional.
    Select {
        operand: Box<Expr<'e>>,
        field: &'e str,
        is_optional: bool,
    },
    /// A function or an operator, and the value before the dot.
    Call {
        function: &'e str,
        target: Option<Box<Expr<'e>>>,
        arguments: Vec<Expr<'e>>,
    },
    List(Vec<Expr<'e>>),
    Map(Vec<(Expr<'e>, Expr<'e>)>),
    /// A value of a named type with the values of its fields.
    Struct {
        name: String,
        fields: Vec<Expr<'e>>,
    },
}

/// Reads an expression; the problems are those of the words first.
pub(super) fn parse(text: &str) -> Result<Expr<'_>, Vec<Problem>> {
    let (tokens, unrecognized) = tokens(text);
    let mut problems: Vec<Problem> = unrecognized
        .into_iter()
        .map(|wrong| {
            let text = format!("Syntax error: token recognition error at: '{}'", wrong.text);
            Problem { at: wrong.at, text }
        })
        .collect();
    let mut parser = Parser { tokens, next: 0, depth: 0, problems: Vec::new() };
    let parsed = parser.whole();
    problems.append(&mut parser.problems);
    problems.sort_by_key(|problem| problem.at);
    match parsed {
        Some(expr) if problems.is_empty() => Ok(expr),
        _ => Err(problems),
    }
}

struct Parser<'e> {
    tokens: Vec<Token<'e>>,
    next: usize,
    depth: usize,
    problems: Vec<Problem>,
}

impl<'e> Parser<'e> {
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

    fn expect(&mut self, symbol: &str, expected: &str) -> Option<()> {
        if self.accept(symbol) { Some(()) } else { self.mismatched(expected) }
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
        let arguments = vec![condition, first, second];
        Some(Expr { at, node: Node::Call { function: "_?_:_", target: None, arguments } })
    }

    fn binary(&mut self, level: usize) -> Option<Expr<'e>> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        loop {
            let token = self.peek();
            if !operators.iter().any(|operator| token.is(operator)) {
                return Some(left);
            }
            self.take();
            let right = self.binary(level + 1)?;
            let node = Node::Call { function: token.text, target: None, arguments: vec![left, right] };
            left = Expr { at: token.at, node };
        }
    }

    fn unary(&mut self) -> Option<Expr<'e>> {
        let token = self.peek();
        if !token.is("!") && !token.is("-") {
            return self.member();
        }
        let mut count = 0;
        while self.accept(token.text) {
            count += 1;
        }
        let operand = self.member()?;
        let is_number = matches!(operand.node, Node::Literal(TokenKind::Int | TokenKind::Double, _));
        // A negative number is a literal, and two signs cancel out.
        if count % 2 == 0 || (token.is("-") && is_number) {
            return Some(operand);
        }
        let function = if token.is("!") { "!_" } else { "-_" };
        Some(Expr { at: token.at, node: Node::Call { function, target: None, arguments: vec![operand] } })
    }

    fn member(&mut self) -> Option<Expr<'e>> {
        let mut value = self.primary()?;
        loop {
            let token = self.peek();
            value = if self.accept(".") {
                self.after_dot(value, token)?
            } else if self.accept("[") {
                self.accept("?");
                let index = self.expression()?;
                self.expect("]", "']'")?;
                let arguments = vec![value, index];
                Expr { at: token.at, node: Node::Call { function: "_[_]", target: None, arguments } }
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
            let arguments = self.list(")", "')'")?;
            let target = Some(Box::new(operand));
            return Some(Expr { at: open.at, node: Node::Call { function: name.text, target, arguments } });
        }
        let field = name.text.trim_matches('`');
        Some(Expr { at: dot.at, node: Node::Select { operand: Box::new(operand), field, is_optional } })
    }

    /// Expressions up to a closing bracket; a comma may be last.
    fn list(&mut self, close: &str, expected: &str) -> Option<Vec<Expr<'e>>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            self.accept("?");
            items.push(self.expression()?);
            if !self.accept(",") {
                self.expect(close, &format!("{{{expected}, ','}}"))?;
                break;
            }
        }
        Some(items)
    }

    fn primary(&mut self) -> Option<Expr<'e>> {
        let token = self.peek();
        let at = token.at;
        match token.kind {
            TokenKind::Int | TokenKind::Uint | TokenKind::Double | TokenKind::String | TokenKind::Bytes => {
                self.take();
                Some(Expr { at, node: Node::Literal(token.kind, token.text) })
            }
            TokenKind::Symbol if matches!(token.text, "true" | "false" | "null") => {
                self.take();
                Some(Expr { at, node: Node::Literal(TokenKind::Symbol, token.text) })
            }
            TokenKind::Identifier => self.named(),
            TokenKind::Symbol if token.text == "." => self.after_leading_dot(),
            TokenKind::Symbol if token.text == "(" => {
                self.take();
                let inner = self.expression()?;
                self.expect(")", "')'")?;
                Some(inner)
            }
            TokenKind::Symbol if token.text == "[" => {
                self.take();
                let items = self.list("]", "']'")?;
                Some(Expr { at, node: Node::List(items) })
            }
            TokenKind::Symbol if token.text == "{" => self.map(),
            _ => self.unexpected(),
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
        if LEVELS.iter().flat_map(|level| level.iter()).any(|operator| token.is(operator)) {
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
        while !self.accept("}") {
            self.accept("?");
            let key = self.expression()?;
            self.expect(":", "':'")?;
            entries.push((key, self.expression()?));
            if !self.accept(",") {
                self.expect("}", "{'}', ','}")?;
                break;
            }
        }
        Some(Expr { at, node: Node::Map(entries) })
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
        if let Some(length) = self.type_name_length() {
            let mut full = name.text.to_owned();
            for _ in 0..length {
                full.push_str(self.take().text);
            }
            return self.structure(full);
        }
        let open = self.peek();
        if self.accept("(") {
            let arguments = self.list(")", "')'")?;
            let node = Node::Call { function: name.text, target: None, arguments };
            return Some(Expr { at: open.at, node });
        }
        Some(Expr { at: name.at, node: Node::Identifier(name.text) })
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
            self.accept("?");
            if !matches!(self.peek().kind, TokenKind::Identifier | TokenKind::EscapedIdentifier) {
                return self.mismatched("{'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}");
            }
            self.take();
            self.expect(":", "':'")?;
            fields.push(self.expression()?);
            if !self.accept(",") {
                self.expect("}", "{'}', ','}")?;
                break;
            }
        }
        Some(Expr { at, node: Node::Struct { name, fields } })
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
