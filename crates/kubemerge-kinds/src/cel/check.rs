//! The types of an expression, and what is wrong with them.

use kubemerge_value::deep;

use super::environment::Environment;
use super::functions::{Resolution, resolve};
use super::parse::{Expr, Node};
use super::problem::Problem;
use super::token::TokenKind;
use super::types::Type;

/// Macros that go over the items of a list or the keys of a map.
const MACROS: [&str; 7] = ["all", "exists", "exists_one", "existsOne", "map", "filter", "transformList"];

/// Finds the type of an expression, or all that is wrong.
pub(super) fn check(expr: &Expr<'_>, environment: &Environment) -> Result<Type, Vec<Problem>> {
    let mut checker = Checker { environment, locals: Vec::new(), problems: Vec::new() };
    let found = checker.type_of(expr);
    // cel-go reports by place in the source, not in the order of discovery.
    checker.problems.sort_by_key(|problem| problem.at);
    if checker.problems.is_empty() { Ok(found) } else { Err(checker.problems) }
}

struct Checker<'c> {
    environment: &'c Environment,
    /// Variables of macros, the innermost last.
    locals: Vec<(String, Type)>,
    problems: Vec<Problem>,
}

impl Checker<'_> {
    /// A part that is wrong has any type, so that one mistake is told once.
    fn fail(&mut self, at: usize, text: String) -> Type {
        self.problems.push(Problem { at, text });
        Type::Dyn
    }

    fn undeclared(&mut self, at: usize, name: &str) -> Type {
        self.fail(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn type_of(&mut self, expr: &Expr<'_>) -> Type {
        deep(|| match &expr.node {
            Node::Literal(kind, text) => literal(*kind, text),
            Node::Identifier(name) => match self.variable(name) {
                Some(found) => found,
                None => self.undeclared(expr.at, name),
            },
            Node::Select { operand, field, is_optional } => {
                self.select(expr.at, operand, field, *is_optional)
            }
            Node::Call { function, target, arguments } => {
                self.call(expr.at, function, target.as_deref(), arguments)
            }
            Node::List(items) => Type::list(self.joined(items.iter())),
            Node::Map(entries) => {
                let key = self.joined(entries.iter().map(|(key, _)| key));
                let value = self.joined(entries.iter().map(|(_, value)| value));
                Type::Map(Box::new(key), Box::new(value))
            }
            Node::Struct { name, fields } => {
                // The fields of an unknown type are not looked at.
                if !self.environment.has_struct(name) {
                    return self.undeclared(expr.at, name);
                }
                for field in fields {
                    self.type_of(field);
                }
                Type::named(name)
            }
        })
    }

    /// Variables of macros hide those of the environment.
    fn variable(&self, name: &str) -> Option<Type> {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        local.map(|(_, found)| found.clone()).or_else(|| self.environment.variable(name))
    }

    /// The one type of all items of a literal.
    fn joined<'x, 'e: 'x>(&mut self, items: impl Iterator<Item = &'x Expr<'e>>) -> Type {
        let mut common: Option<Type> = None;
        for item in items {
            let found = self.type_of(item);
            match &common {
                None => common = Some(found),
                Some(expected) if !found.fits(expected) => {
                    let text = format!("expected type '{expected}' but found '{found}'");
                    self.fail(item.at, text);
                }
                // One item of unknown type makes the whole literal one of any.
                Some(_) if found == Type::Dyn => common = Some(Type::Dyn),
                Some(_) => {}
            }
        }
        common.unwrap_or(Type::Dyn)
    }

    fn select(&mut self, at: usize, operand: &Expr<'_>, field: &str, is_optional: bool) -> Type {
        if let Some(found) =
            path(operand).and_then(|name| self.environment.variable(&format!("{name}.{field}")))
        {
            return found;
        }
        let found = match self.type_of(operand) {
            Type::Map(_, value) => *value,
            Type::Named(name) => match self.environment.field(&name, field) {
                Some(found) => found,
                None => self.fail(at, format!("undefined field '{field}'")),
            },
            Type::Dyn => Type::Dyn,
            other => self.fail(at, format!("type '{other}' does not support field selection")),
        };
        if is_optional { Type::Dyn } else { found }
    }

    fn call(&mut self, at: usize, function: &str, target: Option<&Expr<'_>>, arguments: &[Expr<'_>]) -> Type {
        match (function, target, arguments) {
            ("has", None, [argument]) => return self.has(argument),
            ("&&" | "||", None, _) => return self.logical(arguments),
            ("_?_:_", None, [condition, first, second]) => {
                return self.conditional(at, [condition, first, second]);
            }
            (_, Some(range), [_, ..]) if is_macro(function, arguments) => {
                return self.comprehension(at, function, range, arguments);
            }
            _ => {}
        }
        // `sets.contains(…)` is a function whose name has a dot.
        let qualified = target.and_then(path).map(|path| format!("{path}.{function}"));
        if let Some(name) = &qualified {
            // Only the name is looked up here; arguments must not be checked twice.
            let types = || arguments.iter().map(|_| Type::Dyn).collect::<Vec<_>>();
            if !matches!(resolve(name, None, &types()), Resolution::Unknown) {
                let types: Vec<Type> = arguments.iter().map(|one| self.type_of(one)).collect();
                return self.resolved(at, name, None, &types);
            }
        }
        let target = target.map(|target| self.type_of(target));
        let types: Vec<Type> = arguments.iter().map(|one| self.type_of(one)).collect();
        match (function, &types[..]) {
            ("==" | "!=", [one, other]) if one.fits(other) => Type::Bool,
            ("in", [item, Type::List(of)]) if item.fits(of) => Type::Bool,
            ("in", [key, Type::Map(of, _)]) if key.fits(of) => Type::Bool,
            ("in", [_, Type::Dyn]) => Type::Bool,
            ("_[_]", [Type::List(item), index]) if index.fits(&Type::Int) => (**item).clone(),
            ("_[_]", [Type::Map(key, value), index]) if index.fits(key) => (**value).clone(),
            ("_[_]", [Type::Dyn, _]) => Type::Dyn,
            ("==" | "!=" | "in" | "_[_]", _) => self.no_overload(at, function, None, &types),
            ("+", [Type::List(one), Type::List(other)]) if one.fits(other) => types[0].clone(),
            // The result has the type of the items, which the table of functions cannot say.
            ("sum" | "min" | "max", []) => match target {
                Some(Type::List(item)) => *item,
                _ => Type::Dyn,
            },
            _ => self.resolved(at, function, target.as_ref(), &types),
        }
    }

    fn resolved(&mut self, at: usize, name: &str, target: Option<&Type>, arguments: &[Type]) -> Type {
        match resolve(name, target, arguments) {
            Resolution::Result(found) => found,
            Resolution::NoOverload => self.no_overload(at, name, target, arguments),
            Resolution::Unknown => self.undeclared(at, name),
        }
    }

    fn no_overload(&mut self, at: usize, name: &str, target: Option<&Type>, arguments: &[Type]) -> Type {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        let before = target.map(|target| format!("{target}.")).unwrap_or_default();
        let name = match name {
            // cel-go shows its internal names of operators.
            "in" => "@in".to_owned(),
            "_[_]" | "!_" | "-_" | "_?_:_" => name.to_owned(),
            _ if name.chars().all(|char| char.is_ascii_punctuation()) => format!("_{name}_"),
            _ => name.to_owned(),
        };
        let applied = format!("{before}({})", arguments.join(", "));
        self.fail(at, format!("found no matching overload for '{name}' applied to '{applied}'"))
    }

    /// Whether a field is there: the argument must be one.
    fn has(&mut self, argument: &Expr<'_>) -> Type {
        if !matches!(argument.node, Node::Select { .. }) {
            return self.fail(argument.at, "invalid argument to has() macro".to_owned());
        }
        self.type_of(argument);
        Type::Bool
    }

    fn logical(&mut self, arguments: &[Expr<'_>]) -> Type {
        for argument in arguments {
            let found = self.type_of(argument);
            if !found.fits(&Type::Bool) {
                self.fail(argument.at, format!("expected type 'bool' but found '{found}'"));
            }
        }
        Type::Bool
    }

    fn conditional(&mut self, at: usize, parts: [&Expr<'_>; 3]) -> Type {
        let types = parts.map(|part| self.type_of(part));
        let [condition, first, second] = &types;
        if condition.fits(&Type::Bool) && first.fits(second) {
            return if *first == Type::Dyn { Type::Dyn } else { second.clone() };
        }
        self.no_overload(at, "_?_:_", None, &types)
    }

    fn comprehension(&mut self, at: usize, function: &str, range: &Expr<'_>, arguments: &[Expr<'_>]) -> Type {
        let range_type = self.type_of(range);
        let item = match &range_type {
            Type::List(item) => (**item).clone(),
            Type::Map(key, _) => (**key).clone(),
            Type::Dyn => Type::Dyn,
            other => {
                let text = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                return self.fail(range.at, text);
            }
        };
        // Steps see the variables, the range does not: it was typed above.
        let variables = arguments.len() - steps(function, arguments);
        for variable in &arguments[..variables] {
            if let Node::Identifier(name) = variable.node {
                // The first of two variables is the place in the list, or the key.
                let is_index = variables == 2 && std::ptr::eq(variable, &arguments[0]);
                let found = if is_index || variables == 2 { Type::Dyn } else { item.clone() };
                self.locals.push((name.to_owned(), found));
            }
        }
        let types: Vec<Type> = arguments[variables..].iter().map(|step| self.type_of(step)).collect();
        self.locals.truncate(self.locals.len() - variables);
        self.macro_result(at, function, &item, &types)
    }

    fn macro_result(&mut self, at: usize, function: &str, item: &Type, steps: &[Type]) -> Type {
        let condition = &steps[0];
        let list = Type::list(item.clone());
        match function {
            "all" | "exists" | "exists_one" | "existsOne" if condition.fits(&Type::Bool) => Type::Bool,
            "filter" if condition.fits(&Type::Bool) => list,
            "filter" => self.no_overload(at, "_?_:_", None, &[condition.clone(), list.clone(), list]),
            "map" | "transformList" => Type::list(steps.last().cloned().unwrap_or(Type::Dyn)),
            _ => self.fail(at, format!("expected type 'bool' but found '{condition}'")),
        }
    }
}

/// How many arguments of a macro are not variables.
fn steps(function: &str, arguments: &[Expr<'_>]) -> usize {
    match function {
        // `map` may have a condition before what it makes.
        "map" => arguments.len() - 1,
        _ => 1,
    }
}

fn is_macro(function: &str, arguments: &[Expr<'_>]) -> bool {
    MACROS.contains(&function)
        && matches!(arguments.len(), 2 | 3)
        && matches!(arguments[0].node, Node::Identifier(_))
}

/// `a.b.c` as one name, if it is nothing but names.
fn path(expr: &Expr<'_>) -> Option<String> {
    match &expr.node {
        Node::Identifier(name) => Some((*name).to_owned()),
        Node::Select { operand, field, is_optional: false } => {
            path(operand).map(|before| format!("{before}.{field}"))
        }
        _ => None,
    }
}

fn literal(kind: TokenKind, text: &str) -> Type {
    match kind {
        TokenKind::Int => Type::Int,
        TokenKind::Uint => Type::Uint,
        TokenKind::Double => Type::Double,
        TokenKind::String => Type::String,
        TokenKind::Bytes => Type::Bytes,
        _ if text == "null" => Type::Null,
        _ => Type::Bool,
    }
}
