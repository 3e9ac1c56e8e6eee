//! Evaluates expressions, and counts what that costs.
//!
//! [`program`] turns a checked expression into steps, which are walked here; [`operators`] has what is called most,
//! and [`library`] everything else: the functions of the `cel` and `kube-cel` crates.

mod library;
mod operators;
mod program;

use std::sync::Arc;

pub use kube_cel::cel::Value;
use kube_cel::cel::objects::OptionalValue;
pub use kube_cel::cel::objects::{Key, Map};
use kubemerge_value::deep;

pub use library::{Conversion, converted};
pub use program::Program;
use program::{Fold, Step};

/// Why an expression has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluationError {
    /// In the words of cel-go.
    Failed(String),
    /// It cost more than it may.
    CostLimit,
}

impl EvaluationError {
    fn failed(text: impl Into<String>) -> EvaluationError {
        EvaluationError::Failed(text.into())
    }

    fn no_overload() -> EvaluationError {
        EvaluationError::failed("no such overload")
    }
}

type Outcome = Result<Value, EvaluationError>;

/// A value, or why there is none, and what it cost to find out.
pub struct Evaluation {
    /// The value.
    pub outcome: Outcome,
    /// What it cost.
    pub cost: u64,
}

impl Program {
    /// Evaluates the expression with these variables, as long as it costs no more than the limit.
    pub fn run(&self, variables: &[(&str, &Value)], limit: u64) -> Evaluation {
        let mut machine = Machine { variables, locals: Vec::new(), cost: 0, limit };
        let outcome = machine.value(&self.root);
        Evaluation { outcome, cost: machine.cost }
    }
}

/// An optional value, as `oldSelf` is where a rule wants that.
pub fn optional(value: Option<Value>) -> Value {
    Value::Opaque(Arc::new(value.map_or_else(OptionalValue::none, OptionalValue::of)))
}

struct Machine<'m> {
    variables: &'m [(&'m str, &'m Value)],
    /// Variables of macros, the innermost last; an accumulator may hold an error.
    locals: Vec<(&'m str, Outcome)>,
    cost: u64,
    limit: u64,
}

impl<'m> Machine<'m> {
    fn charge(&mut self, cost: u64) -> Result<(), EvaluationError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(EvaluationError::CostLimit) } else { Ok(()) }
    }

    fn value(&mut self, step: &'m Step) -> Outcome {
        deep(|| match step {
            Step::Constant(value) => Ok(value.clone()),
            Step::Variable(name) => self.variable(name),
            Step::Select { operand, field } => {
                let operand = self.value(operand)?;
                self.charge(1)?;
                field_of(&operand, field)
            }
            Step::HasField { operand, field } => {
                let operand = self.value(operand)?;
                has_field(&operand, field)
            }
            Step::OptionalSelect { operand, field } => {
                let operand = self.value(operand)?;
                self.charge(1)?;
                Ok(optional_field(&operand, field))
            }
            Step::Conditional { condition, yes, no } => match self.value(condition)? {
                Value::Bool(true) => self.value(yes),
                Value::Bool(false) => self.value(no),
                _ => Err(EvaluationError::no_overload()),
            },
            Step::Logical { ends_with, terms } => self.logical(*ends_with, terms),
            Step::NotStrictlyFalse(operand) => match self.value(operand) {
                Err(EvaluationError::CostLimit) => Err(EvaluationError::CostLimit),
                Ok(Value::Bool(false)) => Ok(Value::Bool(false)),
                _ => Ok(Value::Bool(true)),
            },
            Step::List(items) => self.list(items),
            Step::Map(entries) => self.map(entries),
            Step::Append { list, item } => self.append(list, item),
            Step::Call(call) => {
                let mut arguments = Vec::with_capacity(call.arguments.len());
                for argument in &call.arguments {
                    arguments.push(self.value(argument)?);
                }
                self.charge(call.cost(&arguments))?;
                match operators::apply(&call.function, &arguments) {
                    Some(outcome) => outcome,
                    None => library::call(call, &arguments),
                }
            }
            Step::Fold(fold) => self.fold(fold),
        })
    }

    fn variable(&mut self, name: &'m str) -> Outcome {
        if let Some((_, outcome)) = self.locals.iter().rev().find(|(local, _)| *local == name) {
            let outcome = outcome.clone();
            self.charge(1)?;
            return outcome;
        }
        self.charge(1)?;
        match self.variables.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Ok((*value).clone()),
            // The rest are names of types; others do not pass the type check.
            None => library::named_type(name)
                .ok_or_else(|| EvaluationError::failed(format!("no such attribute(s): {name}"))),
        }
    }

    /// `&&` and `||`: an error counts only if no operand decides.
    fn logical(&mut self, ends_with: bool, terms: &'m [Step]) -> Outcome {
        let mut first_error = None;
        for term in terms {
            match self.value(term) {
                Ok(Value::Bool(value)) if value == ends_with => return Ok(Value::Bool(ends_with)),
                Ok(Value::Bool(_)) => {}
                Err(EvaluationError::CostLimit) => return Err(EvaluationError::CostLimit),
                Ok(_) => first_error = first_error.or_else(|| Some(EvaluationError::no_overload())),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(Value::Bool(!ends_with)), Err)
    }

    fn list(&mut self, items: &'m [program::Member]) -> Outcome {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let value = self.value(&item.value)?;
            list.extend(if item.is_optional { unwrapped(value) } else { Some(value) });
        }
        self.charge(10)?;
        Ok(Value::List(Arc::new(list)))
    }

    fn map(&mut self, entries: &'m [(Step, program::Member)]) -> Outcome {
        let mut map = std::collections::HashMap::with_capacity(entries.len());
        for (key, member) in entries {
            let key = key_of(&self.value(key)?)?;
            let value = self.value(&member.value)?;
            if let Some(value) = if member.is_optional { unwrapped(value) } else { Some(value) } {
                map.insert(key, value);
            }
        }
        self.charge(30)?;
        Ok(Value::Map(Map { map: Arc::new(map) }))
    }

    /// Adds an item to an accumulator without a copy of the list, which would make loops quadratic.
    fn append(&mut self, list: &'m str, item: &'m Step) -> Outcome {
        let item = self.value(item)?;
        self.charge(12)?;
        let Some((_, outcome)) = self.locals.iter_mut().rev().find(|(local, _)| *local == list) else {
            return Err(EvaluationError::no_overload());
        };
        match std::mem::replace(outcome, Ok(Value::Null))? {
            Value::List(mut items) => {
                Arc::make_mut(&mut items).push(item);
                Ok(Value::List(items))
            }
            _ => Err(EvaluationError::no_overload()),
        }
    }

    fn fold(&mut self, fold: &'m Fold) -> Outcome {
        let range = self.value(&fold.range)?;
        let init = self.value(&fold.init);
        if let Err(EvaluationError::CostLimit) = init {
            return init;
        }
        let before = self.locals.len();
        self.locals.push((&fold.accumulator, init));
        let looped = self.run_loop(fold, &range, before);
        self.locals.truncate(before + 1);
        let result = looped.and_then(|()| self.value(&fold.result));
        self.locals.truncate(before);
        result
    }

    fn run_loop(&mut self, fold: &'m Fold, range: &Value, accumulator: usize) -> Result<(), EvaluationError> {
        for (first, second) in iterated(range, fold.second.is_some())? {
            self.locals.truncate(accumulator + 1);
            self.locals.push((&fold.variable, Ok(first)));
            if let Some(name) = &fold.second {
                self.locals.push((name, Ok(second)));
            }
            match self.value(&fold.condition)? {
                Value::Bool(true) => {}
                _ => return Ok(()),
            }
            let outcome = self.value(&fold.step);
            if let Err(EvaluationError::CostLimit) = outcome {
                return Err(EvaluationError::CostLimit);
            }
            self.locals[accumulator].1 = outcome;
        }
        Ok(())
    }
}

/// What a loop goes over: items or keys, or pairs of index or key and value.
fn iterated(range: &Value, is_pair: bool) -> Result<Vec<(Value, Value)>, EvaluationError> {
    match range {
        Value::List(list) if is_pair => {
            Ok(list.iter().enumerate().map(|(at, item)| (Value::Int(at as i64), item.clone())).collect())
        }
        Value::List(list) => Ok(list.iter().map(|item| (item.clone(), Value::Null)).collect()),
        Value::Map(map) => {
            let mut pairs: Vec<(&Key, &Value)> = map.map.iter().collect();
            // Maps have no order of their own; with one, results can be told in advance.
            pairs.sort_by_key(|(key, _)| *key);
            Ok(pairs.into_iter().map(|(key, value)| (Value::from(key), value.clone())).collect())
        }
        _ => Err(EvaluationError::no_overload()),
    }
}

/// The value in an optional one.
fn unwrapped(value: Value) -> Option<Value> {
    match <&OptionalValue>::try_from(&value) {
        Ok(optional) => optional.value().cloned(),
        Err(_) => Some(value),
    }
}

fn key_of(value: &Value) -> Result<Key, EvaluationError> {
    match value {
        Value::Int(key) => Ok(Key::Int(*key)),
        Value::UInt(key) => Ok(Key::Uint(*key)),
        Value::Bool(key) => Ok(Key::Bool(*key)),
        Value::String(key) => Ok(Key::String(key.clone())),
        _ => Err(EvaluationError::failed("unsupported key type")),
    }
}

fn get<'v>(map: &'v Map, field: &Arc<String>) -> Option<&'v Value> {
    map.map.get(&Key::String(field.clone()))
}

fn field_of(operand: &Value, field: &Arc<String>) -> Outcome {
    if let Ok(of) = <&OptionalValue>::try_from(operand) {
        return Ok(of.value().map_or_else(|| optional(None), |value| optional_field(value, field)));
    }
    match operand {
        Value::Map(map) => {
            get(map, field).cloned().ok_or_else(|| EvaluationError::failed(format!("no such key: {field}")))
        }
        _ => Err(EvaluationError::no_overload()),
    }
}

fn has_field(operand: &Value, field: &Arc<String>) -> Outcome {
    if let Ok(of) = <&OptionalValue>::try_from(operand) {
        return of.value().map_or(Ok(Value::Bool(false)), |value| has_field(value, field));
    }
    match operand {
        Value::Map(map) => Ok(Value::Bool(get(map, field).is_some())),
        _ => Err(EvaluationError::no_overload()),
    }
}

fn optional_field(operand: &Value, field: &Arc<String>) -> Value {
    if let Ok(of) = <&OptionalValue>::try_from(operand) {
        return of.value().map_or_else(|| optional(None), |value| optional_field(value, field));
    }
    match operand {
        Value::Map(map) => optional(get(map, field).cloned()),
        _ => optional(None),
    }
}
