//! Operands: literals, names, calls, lists, maps and structures.

use super::{LEVELS, OPERAND, Parser, starts_operand};
use crate::expr::{Entry, Expr, Item, Node};
use crate::literal;
use crate::macros;
use crate::problem::Problem;
use crate::reserved::is_reserved;
use crate::token::TokenKind;

impl<'e> Parser<'e> {
    /// The arguments of a call, after the bracket.
    pub(super) fn arguments(&mut self) -> Option<Vec<Expr<'e>>> {
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
    pub(super) fn list(&mut self) -> Option<Vec<Item<'e>>> {
        let mut items = Vec::new();
        let mut has_another = !self.accept("]");
        while has_another {
            let is_optional = self.accept("?");
            items.push(Item { value: self.within("]", Self::expression)?, is_optional });
            has_another = self.has_another("]", "{']', ','}")?;
        }
        Some(items)
    }

    pub(super) fn primary(&mut self) -> Option<Expr<'e>> {
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
            Err(problem) => self.report(at, problem.message()),
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
