//! A checked expression as steps that own what they need.

use std::sync::Arc;

use kube_cel::cel::Value;
use kubemerge_value::deep;

use super::super::Compiled;
use super::super::check::Checked;
use super::super::cost::actual_cost;
use super::super::expr::{self, Comprehension, Expr, Item, Node};
use super::super::literal::Literal;

/// An expression that can be evaluated.
#[derive(Debug)]
pub struct Program {
    pub(super) root: Step,
}

/// A part of a program.
#[derive(Debug)]
pub(super) enum Step {
    Constant(Value),
    Variable(String),
    Select {
        operand: Box<Step>,
        field: Arc<String>,
    },
    HasField {
        operand: Box<Step>,
        field: Arc<String>,
    },
    OptionalSelect {
        operand: Box<Step>,
        field: Arc<String>,
    },
    Conditional {
        condition: Box<Step>,
        yes: Box<Step>,
        no: Box<Step>,
    },
    /// `&&` and `||`, and the value of an operand that decides.
    Logical {
        ends_with: bool,
        terms: Vec<Step>,
    },
    NotStrictlyFalse(Box<Step>),
    List(Vec<Member>),
    Map(Vec<(Step, Member)>),
    /// An item more for the list of a loop.
    Append {
        list: String,
        item: Box<Step>,
    },
    Call(FunctionCall),
    Fold(Box<Fold>),
}

/// A long chain of operators or fields is dropped with room for recursion.
impl Drop for Step {
    fn drop(&mut self) {
        for child in self.children() {
            if !matches!(child, Step::Constant(_) | Step::Variable(_)) {
                let child = std::mem::replace(child, Step::Constant(Value::Null));
                deep(|| drop(child));
            }
        }
    }
}

impl Step {
    /// The steps that chains are made of; others are never nested deeply.
    fn children(&mut self) -> Vec<&mut Step> {
        match self {
            Step::Select { operand, .. }
            | Step::HasField { operand, .. }
            | Step::OptionalSelect { operand, .. }
            | Step::NotStrictlyFalse(operand)
            | Step::Append { item: operand, .. } => vec![operand],
            Step::Conditional { condition, yes, no } => vec![condition, yes, no],
            Step::Logical { terms, .. } => terms.iter_mut().collect(),
            Step::Call(call) => call.arguments.iter_mut().collect(),
            Step::Fold(fold) => vec![&mut fold.range, &mut fold.init, &mut fold.step, &mut fold.result],
            Step::Constant(_) | Step::Variable(_) | Step::List(_) | Step::Map(_) => Vec::new(),
        }
    }
}

/// A member of a list or a map.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) value: Step,
    pub(super) is_optional: bool,
}

/// A call of a function; the value before the dot is the first argument.
#[derive(Debug)]
pub(super) struct FunctionCall {
    pub(super) function: String,
    pub(super) has_target: bool,
    pub(super) arguments: Vec<Step>,
    overloads: Vec<&'static str>,
}

impl FunctionCall {
    /// What calling it with these values costs.
    pub(super) fn cost(&self, arguments: &[Value]) -> u64 {
        let sizes: Vec<u64> = arguments.iter().map(size).collect();
        // Several overloads are left where types are only known now; costs differ with sizes, hardly with types.
        let overload = self.overloads.first().copied().unwrap_or_default();
        match (self.function.as_str(), overload) {
            ("_+_", "ss>s" | "yy>y") => sizes.iter().sum::<u64>().div_ceil(10),
            _ => {
                let (target, arguments) = sizes.split_at(usize::from(self.has_target).min(sizes.len()));
                actual_cost(&self.function, overload, target.first().copied(), arguments)
            }
        }
    }
}

/// The size of a value as costs see it.
fn size(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.chars().count() as u64,
        Value::Bytes(bytes) => bytes.len() as u64,
        Value::List(list) => list.len() as u64,
        Value::Map(map) => map.map.len() as u64,
        _ => 1,
    }
}

/// A loop over a list or a map.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Step,
    pub(super) variable: String,
    pub(super) second: Option<String>,
    pub(super) accumulator: String,
    pub(super) init: Step,
    pub(super) condition: Step,
    pub(super) step: Step,
    pub(super) result: Step,
}

impl Program {
    /// The steps of a checked expression.
    pub fn new(compiled: &Compiled<'_>) -> Program {
        Program { root: Planner { checked: &compiled.checked }.step(&compiled.expr) }
    }
}

struct Planner<'c> {
    checked: &'c Checked,
}

impl Planner<'_> {
    fn boxed(&self, expr: &Expr<'_>) -> Box<Step> {
        Box::new(self.step(expr))
    }

    fn step(&self, expr: &Expr<'_>) -> Step {
        deep(|| match &expr.node {
            Node::Literal(literal) => Step::Constant(constant(literal)),
            Node::Identifier(name) => Step::Variable((*name).to_owned()),
            Node::Select(_) if self.checked.is_qualified(expr) => {
                Step::Variable(expr::path(expr).unwrap_or_default())
            }
            Node::Select(select) => {
                let (operand, field) = (self.boxed(&select.operand), Arc::new(select.field.to_owned()));
                if select.is_test {
                    Step::HasField { operand, field }
                } else {
                    Step::Select { operand, field }
                }
            }
            Node::Call(call) => self.call(expr, call),
            Node::List(items) => Step::List(items.iter().map(|item| self.member(item)).collect()),
            // No environment has types whose values can be written and evaluated.
            Node::Struct { .. } => Step::Constant(Value::Null),
            Node::Map(entries) => Step::Map(
                entries
                    .iter()
                    .map(|entry| {
                        let value = self.step(&entry.value);
                        (self.step(&entry.key), Member { value, is_optional: entry.is_optional })
                    })
                    .collect(),
            ),
            Node::Comprehension(loops) => Step::Fold(Box::new(self.fold(loops))),
        })
    }

    fn member(&self, item: &Item<'_>) -> Member {
        Member { value: self.step(&item.value), is_optional: item.is_optional }
    }

    fn call(&self, expr: &Expr<'_>, call: &expr::Call<'_>) -> Step {
        match (call.function, &call.arguments[..]) {
            ("_?_:_", [condition, yes, no]) => {
                let (yes, no) = (self.boxed(yes), self.boxed(no));
                return Step::Conditional { condition: self.boxed(condition), yes, no };
            }
            ("_&&_" | "_||_", terms) => {
                let terms = terms.iter().map(|term| self.step(term)).collect();
                return Step::Logical { ends_with: call.function == "_||_", terms };
            }
            ("@not_strictly_false", [operand]) => return Step::NotStrictlyFalse(self.boxed(operand)),
            ("dyn", [operand]) => return self.step(operand),
            ("_?._", [operand, Expr { node: Node::Literal(Literal::String(field)), .. }]) => {
                return Step::OptionalSelect { operand: self.boxed(operand), field: Arc::new(field.clone()) };
            }
            (
                "_+_",
                [Expr { node: Node::Identifier(list @ "@result"), .. }, Expr { node: Node::List(items), .. }],
            ) => {
                if let [Item { value, is_optional: false }] = &items[..] {
                    return Step::Append { list: (*list).to_owned(), item: self.boxed(value) };
                }
            }
            _ => {}
        }
        let is_qualified = self.checked.is_qualified(expr);
        let target = call.target.as_deref().filter(|_| !is_qualified);
        let function = match call.target.as_deref().and_then(expr::path) {
            Some(before) if is_qualified => format!("{before}.{}", call.function),
            _ => call.function.to_owned(),
        };
        Step::Call(FunctionCall {
            function,
            has_target: target.is_some(),
            arguments: target.into_iter().chain(&call.arguments).map(|one| self.step(one)).collect(),
            overloads: self.checked.overloads(expr).to_vec(),
        })
    }

    fn fold(&self, loops: &Comprehension<'_>) -> Fold {
        Fold {
            range: self.step(&loops.range),
            variable: loops.variable.to_owned(),
            second: loops.second.map(str::to_owned),
            accumulator: loops.accumulator.to_owned(),
            init: self.step(&loops.init),
            condition: self.step(&loops.condition),
            step: self.step(&loops.step),
            result: self.step(&loops.result),
        }
    }
}

fn constant(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Bool(value) => Value::Bool(*value),
        Literal::Int(value) => Value::Int(*value),
        Literal::Uint(value) => Value::UInt(*value),
        Literal::Double(value) => Value::Float(*value),
        Literal::String(value) => Value::String(Arc::new(value.clone())),
        Literal::Bytes(value) => Value::Bytes(Arc::new(value.clone())),
    }
}
