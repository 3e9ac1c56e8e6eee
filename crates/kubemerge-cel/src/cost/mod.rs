//! What evaluating an expression may cost: units as cel-go counts them, given how large the values may be.
//!
//! The numbers decide which definitions are refused, so they must be those of cel-go and of Kubernetes' libraries.
//! [`calls`] has the functions, [`range`] the arithmetic.

mod calls;
mod range;

use std::collections::HashMap;

use kubemerge_value::deep;

use super::check::Checked;
use super::expr::{Call, Comprehension, Expr, Node, Select};
use super::literal::Literal;
use super::types::CelType;
use calls::{Argument, call_estimate};
pub use range::SizeEstimate;

/// What it costs to create a list, a map or an object, besides its members.
const LIST_COST: u64 = 10;
const MAP_COST: u64 = 30;
const STRUCT_COST: u64 = 40;
/// What looking at a character costs.
const STRING_FACTOR: f64 = 0.1;
/// What a character of a regular expression costs for each character that it is compared with.
const REGEX_FACTOR: f64 = 0.25;

/// How many names a path may have: longer ones lead out of every schema, and a chain of fields has one path each.
const MAX_PATH: usize = 200;

/// How large values may be.
pub trait MaxSizes {
    /// The size of the value at a path: a variable, then names of fields, `@items`, `@values` and `@keys`.
    fn size(&self, path: &[&str]) -> Option<SizeEstimate>;
}

/// The most that an expression may cost.
pub(super) fn max_cost(expr: &Expr<'_>, checked: &Checked, sizes: &dyn MaxSizes) -> u64 {
    let mut estimator = Estimator {
        checked,
        sizes,
        locals: Vec::new(),
        paths: HashMap::new(),
        computed: HashMap::new(),
        entries: HashMap::new(),
    };
    estimator.cost(expr).max
}

/// The sizes of the keys and of the values of a list or a map.
#[derive(Clone, Copy)]
struct EntrySize {
    is_list: bool,
    key: SizeEstimate,
    value: SizeEstimate,
}

/// A variable of a macro.
struct Local<'e> {
    name: &'e str,
    path: Vec<&'e str>,
    size: Option<SizeEstimate>,
    entry: Option<EntrySize>,
}

struct Estimator<'c, 'e> {
    checked: &'c Checked,
    sizes: &'c dyn MaxSizes,
    /// Variables of macros, the innermost last.
    locals: Vec<Local<'e>>,
    /// Where values come from, by the numbers of expressions.
    paths: HashMap<usize, Vec<&'e str>>,
    computed: HashMap<usize, SizeEstimate>,
    entries: HashMap<usize, EntrySize>,
}

impl<'e> Estimator<'_, 'e> {
    fn cost(&mut self, expr: &Expr<'e>) -> SizeEstimate {
        deep(|| match &expr.node {
            Node::Literal(_) => SizeEstimate::ZERO,
            Node::Identifier(name) => {
                let path = self.local(name).map_or_else(|| vec![*name], |local| local.path.clone());
                self.paths.insert(expr.id, path);
                SizeEstimate::ONE
            }
            // A name with dots is a variable.
            Node::Select(_) if self.checked.is_qualified(expr) => SizeEstimate::ONE,
            Node::Select(select) => self.select(expr, select),
            Node::Call(call) => self.call(expr, call),
            Node::List(items) => {
                let mut sum = SizeEstimate::fixed(LIST_COST);
                let mut size = if items.is_empty() { SizeEstimate::ZERO } else { SizeEstimate::NONE };
                for item in items {
                    sum = sum.add(self.cost(&item.value));
                    size = size.union(self.size_or_unknown(&item.value));
                }
                let entry = EntrySize { is_list: true, key: SizeEstimate::ONE, value: size };
                self.entries.insert(expr.id, entry);
                sum
            }
            Node::Map(entries) => {
                let mut sum = SizeEstimate::fixed(MAP_COST);
                let none = if entries.is_empty() { SizeEstimate::ZERO } else { SizeEstimate::NONE };
                let (mut key, mut value) = (none, none);
                for entry in entries {
                    sum = sum.add(self.cost(&entry.key)).add(self.cost(&entry.value));
                    key = key.union(self.size_or_unknown(&entry.key));
                    value = value.union(self.size_or_unknown(&entry.value));
                }
                self.entries.insert(expr.id, EntrySize { is_list: false, key, value });
                sum
            }
            Node::Struct { fields, .. } => fields
                .iter()
                .fold(SizeEstimate::fixed(STRUCT_COST), |sum, (_, item)| sum.add(self.cost(&item.value))),
            Node::Comprehension(loops) if is_binding(loops) => self.binding(expr, loops),
            Node::Comprehension(loops) => self.comprehension(expr, loops),
        })
    }

    fn local(&self, name: &str) -> Option<&Local<'e>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn select(&mut self, expr: &Expr<'e>, select: &Select<'e>) -> SizeEstimate {
        let operand = self.cost(&select.operand);
        // Asking for a field is free.
        if select.is_test {
            return operand;
        }
        let of = self.checked.type_of(&select.operand);
        let own = u64::from(matches!(of, CelType::Map(..)) || of.is_object());
        self.extend_path(expr, &select.operand, select.field);
        operand.add(SizeEstimate::fixed(own))
    }

    fn call(&mut self, expr: &Expr<'e>, call: &Call<'e>) -> SizeEstimate {
        // `dyn` only hides a type.
        if let ("dyn", [argument]) = (call.function, &call.arguments[..]) {
            let cost = self.cost(argument);
            self.copy_sizes(expr, argument);
            return cost.add(SizeEstimate::ONE);
        }
        let costs: Vec<SizeEstimate> = call.arguments.iter().map(|argument| self.cost(argument)).collect();
        let overloads = self.checked.overloads(expr);
        if overloads.is_empty() {
            return SizeEstimate::ZERO;
        }
        let target = call.target.as_deref().filter(|_| !self.checked.is_qualified(expr));
        let target_cost = target.map_or(SizeEstimate::ZERO, |target| self.cost(target));
        target_cost.add(self.overload_costs(expr, call, target, &costs))
    }

    /// A range that covers all overloads; keeps the size of the result.
    fn overload_costs(
        &mut self,
        expr: &Expr<'e>,
        call: &Call<'e>,
        target: Option<&Expr<'e>>,
        costs: &[SizeEstimate],
    ) -> SizeEstimate {
        let name = match target {
            None if self.checked.is_qualified(expr) => qualified_name(call),
            _ => call.function.to_owned(),
        };
        let argument_cost = costs.iter().fold(SizeEstimate::ZERO, |sum, cost| sum.add(*cost));
        let mut total = SizeEstimate::NONE;
        let mut result: Option<SizeEstimate> = None;
        for overload in self.checked.overloads(expr).to_vec() {
            let (cost, size) = if let Some(estimate) = self.operator(expr, call, overload, costs) {
                estimate
            } else {
                let target = target.map(|target| self.argument(target));
                let arguments: Vec<Argument<'_>> =
                    call.arguments.iter().map(|argument| self.argument(argument)).collect();
                let estimate = call_estimate(&name, overload, target.as_ref(), &arguments, self.sizes);
                (estimate.cost.add(argument_cost), estimate.size)
            };
            total = total.union(cost);
            result = match (result, size) {
                (Some(known), Some(size)) => Some(known.union(size)),
                (known, size) => known.or(size),
            };
            if let (name @ "_[_]", [container, ..]) = (call.function, &call.arguments[..])
                && let Some(step) = indexed(name, overload)
            {
                result = self.entry_size(container).map(|entry| entry.value);
                self.extend_path(expr, container, step);
            }
            result = result.or_else(|| self.size(expr));
        }
        if let Some(size) = result {
            self.computed.insert(expr.id, size);
        }
        total
    }

    /// Operators whose cost depends on that of their operands, or whose result has members.
    fn operator(
        &mut self,
        expr: &Expr<'e>,
        call: &Call<'e>,
        overload: &str,
        costs: &[SizeEstimate],
    ) -> Option<(SizeEstimate, Option<SizeEstimate>)> {
        match (call.function, &call.arguments[..], costs) {
            // The second operand may not be needed.
            ("_&&_" | "_||_", _, [first, second]) => {
                Some((SizeEstimate { min: first.min, max: first.add(*second).max }, None))
            }
            ("_?_:_", [_, yes, no], [condition, yes_cost, no_cost]) => {
                let size = self.size_or_unknown(yes).union(self.size_or_unknown(no));
                self.join_entries(expr, yes, no);
                Some((condition.add(yes_cost.union(*no_cost)), Some(size)))
            }
            ("_+_", [one, other], [cost, other_cost])
                if matches!(overload, "yy>y" | "ss>s" | "[1][1]>[1]") =>
            {
                let size = self.size_or_unknown(one).add(self.size_or_unknown(other));
                self.join_entries(expr, one, other);
                let own =
                    if overload == "[1][1]>[1]" { SizeEstimate::ONE } else { size.times(STRING_FACTOR) };
                Some((own.add(*cost).add(*other_cost), Some(size)))
            }
            _ => None,
        }
    }

    fn join_entries(&mut self, expr: &Expr<'e>, one: &Expr<'e>, other: &Expr<'e>) {
        if let (Some(one), Some(other)) = (self.entry_size(one), self.entry_size(other)) {
            let joined = EntrySize {
                is_list: one.is_list,
                key: one.key.union(other.key),
                value: one.value.union(other.value),
            };
            self.entries.insert(expr.id, joined);
        }
    }

    fn argument(&mut self, expr: &Expr<'e>) -> Argument<'e> {
        let mut path = self.path(expr);
        // Only paths from variables of the environment lead to a schema.
        if path.first().is_some_and(|first| *first == "@result") {
            path.clear();
        }
        let literal = match &expr.node {
            Node::Literal(Literal::Int(value)) => Some(*value),
            _ => None,
        };
        Argument { size: self.size(expr), of: self.checked.type_of(expr).clone(), path, literal }
    }

    fn path(&self, expr: &Expr<'e>) -> Vec<&'e str> {
        if let Node::Identifier(name) = expr.node
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        self.paths.get(&expr.id).cloned().unwrap_or_default()
    }

    /// A value is reached from another one by one step.
    fn extend_path(&mut self, expr: &Expr<'e>, from: &Expr<'e>, step: &'e str) {
        let mut path = self.path(from);
        if path.len() < MAX_PATH {
            path.push(step);
            self.paths.insert(expr.id, path);
        }
    }

    fn size_or_unknown(&mut self, expr: &Expr<'e>) -> SizeEstimate {
        self.size(expr).unwrap_or(SizeEstimate::UNKNOWN)
    }

    fn size(&mut self, expr: &Expr<'e>) -> Option<SizeEstimate> {
        if let Some(size) = self.computed.get(&expr.id) {
            return Some(*size);
        }
        if let Some(size) = written_size(expr) {
            return Some(SizeEstimate::fixed(size));
        }
        if let Some(size) = self.sizes.size(&self.path(expr)) {
            self.computed.insert(expr.id, size);
            return Some(size);
        }
        if is_scalar(self.checked.type_of(expr)) {
            return Some(SizeEstimate::ONE);
        }
        match expr.node {
            Node::Identifier(name) => self.local(name).and_then(|local| local.size),
            _ => None,
        }
    }

    fn entry_size(&self, expr: &Expr<'e>) -> Option<EntrySize> {
        if let Some(entry) = self.entries.get(&expr.id) {
            return Some(*entry);
        }
        match expr.node {
            Node::Identifier(name) => self.local(name).and_then(|local| local.entry),
            _ => None,
        }
    }

    fn copy_sizes(&mut self, expr: &Expr<'e>, from: &Expr<'e>) {
        if let Some(size) = self.size(from) {
            self.computed.insert(expr.id, size);
        }
        if let Some(entry) = self.entry_size(from) {
            self.entries.insert(expr.id, entry);
        }
    }

    fn bind(&mut self, name: &'e str, value: &Expr<'e>) {
        let local =
            Local { name, path: self.path(value), size: self.size(value), entry: self.entry_size(value) };
        self.locals.push(local);
    }

    /// A loop over nothing: only its binding and its result are evaluated.
    fn binding(&mut self, expr: &Expr<'e>, loops: &Comprehension<'e>) -> SizeEstimate {
        let mut sum = self.cost(&loops.range).add(self.cost(&loops.init));
        self.bind(loops.accumulator, &loops.init);
        sum = sum.add(self.cost(&loops.result));
        self.locals.pop();
        self.copy_sizes(expr, &loops.result);
        sum
    }

    fn comprehension(&mut self, expr: &Expr<'e>, loops: &Comprehension<'e>) -> SizeEstimate {
        let mut sum = self.cost(&loops.range).add(self.cost(&loops.init));
        let before = self.locals.len();
        self.bind(loops.accumulator, &loops.init);
        self.bind_loop_variables(loops);
        let step = self.cost(&loops.condition).add(self.cost(&loops.step));
        let with_accumulator = before + 1;
        self.locals.truncate(with_accumulator);
        sum = sum.add(self.cost(&loops.result));
        self.locals.truncate(before);
        let count = self.size_or_unknown(&loops.range);
        match &loops.init.node {
            Node::Literal(_) => {
                if let Some(size) = self.size(&loops.init) {
                    self.computed.insert(expr.id, size);
                }
            }
            Node::List(_) | Node::Map(_) => {
                self.computed.insert(expr.id, count);
                if let Some(entry) = self.entry_size(&loops.step) {
                    self.entries.insert(expr.id, entry);
                }
            }
            _ => {}
        }
        sum.add(count.multiply(step))
    }

    fn bind_loop_variables(&mut self, loops: &Comprehension<'e>) {
        let entry = self.entry_size(&loops.range);
        let is_list = entry.map_or_else(
            || matches!(self.checked.type_of(&loops.range), CelType::List(_)),
            |entry| entry.is_list,
        );
        let path = self.path(&loops.range);
        let mut push = |name: &'e str, step: &'static str, size: Option<SizeEstimate>| {
            let path = path.iter().copied().chain([step]).collect();
            self.locals.push(Local { name, path, size, entry: None });
        };
        let (key, value) = (entry.map(|entry| entry.key), entry.map(|entry| entry.value));
        match (loops.second, is_list) {
            (None, true) => push(loops.variable, "@items", value),
            (None, false) => push(loops.variable, "@keys", key),
            (Some(second), is_list) => {
                push(loops.variable, if is_list { "@indices" } else { "@keys" }, key);
                push(second, if is_list { "@items" } else { "@values" }, value);
            }
        }
    }
}

fn qualified_name(call: &Call<'_>) -> String {
    let before = call.target.as_deref().and_then(super::expr::path).unwrap_or_default();
    format!("{before}.{}", call.function)
}

/// The step of a path that an index is, for lists and maps that are no optional values.
fn indexed(function: &str, overload: &str) -> Option<&'static str> {
    match (function, overload) {
        ("_[_]", "[1]i>1") => Some("@items"),
        ("_[_]", "{12}1>2") => Some("@values"),
        _ => None,
    }
}

/// What a macro such as `optMap` makes to give a value a name.
fn is_binding(loops: &Comprehension<'_>) -> bool {
    matches!(&loops.range.node, Node::List(items) if items.is_empty())
        && matches!(loops.condition.node, Node::Literal(Literal::Bool(false)))
}

/// The size of a value that is written in the expression.
fn written_size(expr: &Expr<'_>) -> Option<u64> {
    Some(match &expr.node {
        Node::Literal(Literal::String(text)) => text.chars().count() as u64,
        Node::Literal(Literal::Bytes(bytes)) => bytes.len() as u64,
        Node::Literal(_) => 1,
        Node::List(items) => items.len() as u64,
        Node::Map(entries) => entries.len() as u64,
        _ => return None,
    })
}

/// Whether all values of a type have the same size.
fn is_scalar(of: &CelType) -> bool {
    match of {
        CelType::Bool
        | CelType::Double
        | CelType::Duration
        | CelType::Int
        | CelType::Timestamp
        | CelType::Uint => true,
        CelType::Optional(of) => is_scalar(of),
        _ => false,
    }
}
