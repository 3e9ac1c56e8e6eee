//! The types of an expression, and what is wrong with them.

use std::collections::HashSet;

use kubemerge_value::deep;
use kubemerge_value::part::item_at_mut;

use super::environment::Environment;
use super::expr::{Call, Comprehension, Expr, Item, Node, Select, path};
use super::functions::{Signature, overloads};
use super::literal::Literal;
use super::parse::Parsed;
use super::problem::Problem;
use super::types::CelType;
use super::unify::{Substitutions, Unknown, most_general};

/// What is known about the parts of an expression, by their numbers.
pub(super) struct Checked {
    types: Vec<CelType>,
    overloads: Vec<Vec<&'static str>>,
    /// Parts that turned out to be a variable or a function whose name has dots.
    qualified: HashSet<usize>,
}

impl Checked {
    pub(super) fn type_of(&self, expr: &Expr<'_>) -> &CelType {
        self.types.get(expr.id).unwrap_or(&CelType::Dyn)
    }

    /// The overloads of a function that a call may come to.
    pub(super) fn overloads(&self, expr: &Expr<'_>) -> &[&'static str] {
        self.overloads.get(expr.id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether `a.b` is one name here: that of a variable or, before an argument list, of a function.
    pub(super) fn is_qualified(&self, expr: &Expr<'_>) -> bool {
        self.qualified.contains(&expr.id)
    }
}

/// Finds the types of all parts of an expression, or all that is wrong.
pub(super) fn check(parsed: &Parsed<'_>, environment: &Environment) -> Result<Checked, Vec<Problem>> {
    let mut checker = Checker {
        environment,
        locals: Vec::new(),
        substitutions: Substitutions::default(),
        found: Checked {
            types: vec![CelType::Dyn; parsed.parts],
            overloads: vec![Vec::new(); parsed.parts],
            qualified: HashSet::new(),
        },
        problems: Vec::new(),
    };
    checker.check(&parsed.expr);
    checker.problems.sort_by_key(|problem| problem.at);
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    let mut found = checker.found;
    for one in &mut found.types {
        *one = checker.substitutions.substitute(one, Unknown::Dyn);
    }
    Ok(found)
}

struct Checker<'c, 'e> {
    environment: &'c Environment,
    /// Variables of macros, the innermost last.
    locals: Vec<(&'e str, CelType)>,
    substitutions: Substitutions,
    found: Checked,
    problems: Vec<Problem>,
}

impl<'e> Checker<'_, 'e> {
    fn fail(&mut self, at: usize, text: String) -> CelType {
        self.problems.push(Problem { at, text });
        CelType::Error
    }

    fn undeclared(&mut self, at: usize, name: &str) -> CelType {
        self.fail(at, format!("undeclared reference to '{name}' (in container '')"))
    }

    fn mismatch(&mut self, at: usize, expected: &CelType, found: &CelType) {
        self.fail(at, format!("expected type '{expected}' but found '{found}'"));
    }

    fn resolved(&self, found: &CelType) -> CelType {
        self.substitutions.substitute(found, Unknown::Kept)
    }

    /// Finds the type of a part and keeps it.
    fn check(&mut self, expr: &Expr<'e>) -> CelType {
        let found = deep(|| self.find(expr));
        *item_at_mut(&mut self.found.types, expr.id) = found.clone();
        found
    }

    fn find(&mut self, expr: &Expr<'e>) -> CelType {
        match &expr.node {
            Node::Literal(value) => literal_type(value),
            Node::Identifier(name) => match self.variable(name) {
                Some(found) => found,
                None => self.undeclared(expr.at, name),
            },
            Node::Select(select) => self.select(expr, select),
            Node::Call(call) => self.call(expr, call),
            Node::List(items) => self.list(items),
            Node::Map(entries) => {
                let (mut key, mut value) = (None, None);
                for entry in entries {
                    let found = self.check(&entry.key);
                    key = Some(self.join(key, found));
                    let found = self.item(&entry.value, entry.is_optional);
                    value = Some(self.join(value, found));
                }
                let key = key.unwrap_or_else(|| self.substitutions.fresh());
                CelType::map_of(key, value.unwrap_or_else(|| self.substitutions.fresh()))
            }
            Node::Struct { name, fields } => self.structure(expr.at, name, fields),
            Node::Comprehension(loops) => self.comprehension(loops),
        }
    }

    /// Variables of macros hide those of the environment, which hide the names of types.
    fn variable(&self, name: &str) -> Option<CelType> {
        let local = self.locals.iter().rev().find(|(local, _)| *local == name);
        let found = local.map(|(_, found)| found.clone()).or_else(|| self.environment.variable(name));
        found.or_else(|| named_type(name).map(CelType::of_type))
    }

    fn list(&mut self, items: &[Item<'e>]) -> CelType {
        let mut common = None;
        for item in items {
            let found = self.item(&item.value, item.is_optional);
            common = Some(self.join(common, found));
        }
        CelType::list(common.unwrap_or_else(|| self.substitutions.fresh()))
    }

    /// The type of a member of a list or a map; that of an optional one is the type in it.
    fn item(&mut self, value: &Expr<'e>, is_optional: bool) -> CelType {
        match self.check(value) {
            CelType::Optional(of) if is_optional => *of,
            found if is_optional && found != CelType::Dyn => {
                self.mismatch(value.at, &CelType::optional(found.clone()), &found);
                found
            }
            found => found,
        }
    }

    /// The type of all members of a literal. Members that do not fit are reported later.
    fn join(&mut self, previous: Option<CelType>, found: CelType) -> CelType {
        match previous {
            None => found,
            Some(previous) if self.substitutions.fits(&previous, &found) => most_general(&previous, &found),
            Some(_) => CelType::Dyn,
        }
    }

    fn structure(&mut self, at: usize, name: &str, fields: &[(&'e str, Item<'e>)]) -> CelType {
        // The fields of an unknown type are not looked at.
        if !self.environment.has_struct(name) {
            return self.undeclared(at, name);
        }
        for (_, item) in fields {
            self.item(&item.value, item.is_optional);
        }
        CelType::named(name)
    }

    fn select(&mut self, expr: &Expr<'e>, select: &Select<'e>) -> CelType {
        if let Some(found) = path(expr).and_then(|name| self.environment.variable(&name)) {
            self.found.qualified.insert(expr.id);
            return found;
        }
        let operand = self.check(&select.operand);
        let found = self.field(expr.at, &operand, select.field);
        if select.is_test { CelType::Bool } else { self.resolved(&found) }
    }

    fn field(&mut self, at: usize, operand: &CelType, field: &str) -> CelType {
        match self.resolved(operand) {
            CelType::Optional(of) => CelType::optional(self.field(at, &of, field)),
            CelType::Map(_, value) => *value,
            of @ CelType::Named(_) if of.is_object() => {
                match self.environment.field(&of.to_string(), field) {
                    Some(found) => found,
                    None if self.environment.is_resolved(&of) => {
                        self.fail(at, format!("undefined field '{field}'"))
                    }
                    None => self.fail(at, format!("unexpected failed resolution of '{of}'")),
                }
            }
            // A field of it is all that is known about the value.
            of @ CelType::Param(_) => {
                self.substitutions.fits(&CelType::Dyn, &of);
                CelType::Dyn
            }
            of if of.is_dyn_or_error() => CelType::Dyn,
            other => {
                self.fail(at, format!("type '{other}' does not support field selection"));
                CelType::Dyn
            }
        }
    }

    fn call(&mut self, expr: &Expr<'e>, call: &Call<'e>) -> CelType {
        if let ("_?._", [operand, name]) = (call.function, &call.arguments[..]) {
            return self.optional_select(expr, operand, name);
        }
        let mut types: Vec<CelType> = call.arguments.iter().map(|argument| self.check(argument)).collect();
        let Some(target) = call.target.as_deref() else {
            return self.global_call(expr, call.function, call, &types);
        };
        // `sets.contains(…)` is a function whose name has a dot.
        let qualified = path(target).map(|path| format!("{path}.{}", call.function));
        if let Some(name) = qualified.filter(|name| overloads(name).is_some()) {
            self.found.qualified.insert(expr.id);
            return self.global_call(expr, &name, call, &types);
        }
        types.insert(0, self.check(target));
        if overloads(call.function).is_none() {
            return self.undeclared(expr.at, call.function);
        }
        match self.resolve(expr.id, call.function, &types, Style::Member) {
            Some(found) => found,
            None => self.no_overload(expr.at, call.function, &types, Style::Member),
        }
    }

    fn global_call(
        &mut self,
        expr: &Expr<'e>,
        function: &str,
        call: &Call<'e>,
        types: &[CelType],
    ) -> CelType {
        if overloads(function).is_none() {
            return self.undeclared(expr.at, function);
        }
        if matches!(function, "_&&_" | "_||_") {
            *item_at_mut(&mut self.found.overloads, expr.id) = vec!["bb>b"];
            return self.logical(call, types);
        }
        match self.resolve(expr.id, function, types, Style::Global) {
            Some(found) => found,
            None => self.no_overload(expr.at, function, types, Style::Global),
        }
    }

    /// The result of a function; none if no overload takes these types. The overloads are kept.
    fn resolve(&mut self, id: usize, function: &str, types: &[CelType], style: Style) -> Option<CelType> {
        let mut result: Option<CelType> = None;
        for overload in overloads(function)? {
            let signature = Signature::read(overload, || self.substitutions.fresh());
            if signature.is_member != (style == Style::Member) || signature.parameters.len() != types.len() {
                continue;
            }
            let pairs: Vec<(&CelType, &CelType)> = types.iter().zip(&signature.parameters).collect();
            if !self.substitutions.all_fit(&pairs) {
                continue;
            }
            item_at_mut(&mut self.found.overloads, id).push(overload);
            let found = self.resolved(&signature.result);
            result = match result {
                None => Some(found),
                // Which one is meant is seen when it runs.
                Some(known) if known != CelType::Dyn && known != found => Some(CelType::Dyn),
                known => known,
            };
        }
        result
    }

    fn no_overload(&mut self, at: usize, function: &str, types: &[CelType], style: Style) -> CelType {
        let mut names: Vec<String> =
            types.iter().map(|one| self.substitutions.substitute(one, Unknown::Dyn).to_string()).collect();
        let before = if style == Style::Member { format!("{}.", names.remove(0)) } else { String::new() };
        let applied = format!("{before}({})", names.join(", "));
        self.fail(at, format!("found no matching overload for '{function}' applied to '{applied}'"))
    }

    fn logical(&mut self, call: &Call<'e>, types: &[CelType]) -> CelType {
        let mut result = CelType::Bool;
        for (argument, found) in call.arguments.iter().zip(types) {
            if !self.substitutions.fits(found, &CelType::Bool) {
                self.mismatch(argument.at, &CelType::Bool, found);
                result = CelType::Error;
            }
        }
        result
    }

    /// `a.?b` is the value of the field, if there is one.
    fn optional_select(&mut self, expr: &Expr<'e>, operand: &Expr<'e>, name: &Expr<'e>) -> CelType {
        let operand = self.check(operand);
        *item_at_mut(&mut self.found.types, name.id) = CelType::String;
        let Node::Literal(Literal::String(field)) = &name.node else { return CelType::Error };
        *item_at_mut(&mut self.found.overloads, expr.id) = vec!["*s>?1"];
        let field = self.field(expr.at, &operand, field);
        let found = self.resolved(&field);
        if matches!(self.resolved(&operand), CelType::Optional(_)) { found } else { CelType::optional(found) }
    }

    fn comprehension(&mut self, loops: &Comprehension<'e>) -> CelType {
        let range = self.check(&loops.range);
        let accumulated = self.check(&loops.init);
        let variables = self.loop_variables(loops, &range);
        let outside = self.locals.len();
        self.locals.push((loops.accumulator, accumulated.clone()));
        let inside = self.locals.len();
        self.locals.extend(variables);
        let condition = self.check(&loops.condition);
        self.expect(&loops.condition, &CelType::Bool, &condition);
        let step = self.check(&loops.step);
        self.expect(&loops.step, &accumulated, &step);
        self.locals.truncate(inside);
        let result = self.check(&loops.result);
        self.locals.truncate(outside);
        self.resolved(&result)
    }

    fn expect(&mut self, expr: &Expr<'e>, expected: &CelType, found: &CelType) {
        if !self.substitutions.fits(expected, found) {
            self.mismatch(expr.at, expected, found);
        }
    }

    /// What the variables of a loop are.
    fn loop_variables(&mut self, loops: &Comprehension<'e>, range: &CelType) -> Vec<(&'e str, CelType)> {
        let (first, second) = match (self.resolved(range), loops.second) {
            (CelType::List(item), None) => (*item, CelType::Dyn),
            (CelType::List(item), Some(_)) => (CelType::Int, *item),
            (CelType::Map(key, value), _) => (*key, *value),
            (of @ (CelType::Dyn | CelType::Error | CelType::Param(_)), _) => {
                self.substitutions.fits(&CelType::Dyn, &of);
                (CelType::Dyn, CelType::Dyn)
            }
            (other, _) => {
                let text = format!(
                    "expression of type '{other}' cannot be range of a comprehension (must be list, map, or dynamic)"
                );
                self.fail(loops.range.at, text);
                (CelType::Error, CelType::Error)
            }
        };
        let second = loops.second.map(|name| (name, second));
        [(loops.variable, first)].into_iter().chain(second).collect()
    }
}

/// Whether a function is called with a value before the dot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Global,
    Member,
}

/// Types that have a name in expressions.
fn named_type(name: &str) -> Option<CelType> {
    Some(match name {
        "bool" => CelType::Bool,
        "bytes" => CelType::Bytes,
        "double" => CelType::Double,
        "int" => CelType::Int,
        "list" => CelType::list(CelType::Dyn),
        "map" => CelType::map_of(CelType::Dyn, CelType::Dyn),
        "null_type" => CelType::Null,
        "string" => CelType::String,
        "type" => CelType::OfTypes(None),
        "uint" => CelType::Uint,
        "optional_type" => CelType::optional(CelType::Dyn),
        _ => return None,
    })
}

fn literal_type(value: &Literal) -> CelType {
    match value {
        Literal::Null => CelType::Null,
        Literal::Bool(_) => CelType::Bool,
        Literal::Int(_) => CelType::Int,
        Literal::Uint(_) => CelType::Uint,
        Literal::Double(_) => CelType::Double,
        Literal::String(_) => CelType::String,
        Literal::Bytes(_) => CelType::Bytes,
    }
}
