//! Evaluates expressions, and counts what that costs.
//!
//! `program` turns a checked expression into steps, which are walked here; `attribute` follows fields and indexes,
//! `cost` says what calls cost, and functions are in `library`.

mod attribute;
mod constant;
mod cost;
mod outcome;
mod program;

use std::collections::BTreeMap;

use kubemerge_value::deep;

use crate::library;
use crate::value::{CelMap, CelValue, Key};
use constant::constant_value;
pub use outcome::{EvaluationError, Outcome};
pub use program::Program;
use program::{Fold, Instruction, Member};
pub(crate) use program::{FunctionCall, compile_pattern};

/// What creating a list and a map costs, besides their members.
const LIST_COST: u64 = 10;
const MAP_COST: u64 = 30;

/// What cel-go says where it counts the cost of a list that is an error.
const NO_LIST: &str =
    "internal error: interface conversion: *types.Err is not traits.Lister: missing method Add";

/// What it says where it counts the cost of a depth that is no integer.
const NO_DEPTH: &str = "internal error: interface conversion: ref.Val is";
/// What it says where it looks for bytes in a set.
const NO_KEY: &str = "internal error: runtime error: hash of unhashable type types.Bytes";

/// A value, or why there is none, and what it cost to find out.
#[derive(Debug)]
pub struct Evaluation<'v> {
    /// The value.
    pub outcome: Outcome<'v>,
    /// What it cost.
    pub cost: u64,
}

impl Program {
    /// Evaluates the expression with these variables, as long as it costs no more than the limit.
    #[must_use]
    pub fn run<'v>(&self, variables: &[(&str, &CelValue<'v>)], limit: u64) -> Evaluation<'v> {
        let mut machine = Machine {
            program: self,
            variables,
            locals: Vec::new(),
            constants: vec![None; self.constants.len()],
            cost: 0,
            limit,
        };
        let outcome = machine.value(&self.root);
        Evaluation { outcome, cost: machine.cost }
    }
}

struct Machine<'m, 'v> {
    program: &'m Program,
    variables: &'m [(&'m str, &'m CelValue<'v>)],
    /// Variables of macros, the innermost last.
    locals: Vec<Local<'m, 'v>>,
    /// Constants that were used already.
    constants: Vec<Option<CelValue<'v>>>,
    cost: u64,
    limit: u64,
}

struct Local<'m, 'v> {
    name: &'m str,
    state: State<'m, 'v>,
}

/// What a variable of a macro is.
enum State<'m, 'v> {
    /// Computed when it is used first, where only these many variables of macros exist.
    Unused { init: &'m Instruction, outside: usize },
    /// An accumulator may hold an error.
    Known(Outcome<'v>),
}

impl<'m, 'v> Machine<'m, 'v> {
    fn charge(&mut self, cost: u64) -> Result<(), EvaluationError> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(EvaluationError::CostLimit) } else { Ok(()) }
    }

    /// What a step costs whatever its outcome is, unless the limit was reached before.
    fn charge_after<T>(
        &mut self,
        outcome: &Result<T, EvaluationError>,
        cost: u64,
    ) -> Result<(), EvaluationError> {
        if outcome.as_ref().is_err_and(EvaluationError::is_final) { Ok(()) } else { self.charge(cost) }
    }

    fn value(&mut self, step: &'m Instruction) -> Outcome<'v> {
        deep(|| match step {
            Instruction::Constant(number) => self.constant(*number),
            Instruction::Attribute(attribute) => self.attribute(attribute),
            Instruction::Logical { ends_with, terms } => self.logical(*ends_with, terms),
            Instruction::Equal { operands, answer } => self.equal(operands, *answer),
            Instruction::Alternative { operands, unwraps } => self.alternative(operands, *unwraps),
            Instruction::List(items) => self.list(items),
            Instruction::Map(entries) => self.map(entries),
            Instruction::IsOneOf { item, set } => {
                let item = self.value(item)?;
                if matches!(item, CelValue::Bytes(_)) {
                    return Err(EvaluationError::Crashed(NO_KEY.to_owned()));
                }
                Ok(CelValue::Bool(Key::of(&item).is_some_and(|key| set.contains(&key))))
            }
            Instruction::Append { list, items } => self.append(list, items),
            Instruction::Insert { map, member } => self.insert(map, member),
            Instruction::Call(call) => self.call(call),
            Instruction::Fold(fold) => self.fold(fold),
        })
    }

    fn constant(&mut self, number: usize) -> Outcome<'v> {
        if let Some(Some(value)) = self.constants.get(number) {
            return Ok(value.clone());
        }
        let value = constant_value(&self.program.constants, number)?;
        if let Some(place) = self.constants.get_mut(number) {
            *place = Some(value.clone());
        }
        Ok(value)
    }

    /// `&&` and `||`: an error counts only if no operand decides.
    fn logical(&mut self, ends_with: bool, terms: &'m [Instruction]) -> Outcome<'v> {
        let mut first_error = None;
        for term in terms {
            match self.value(term) {
                Ok(CelValue::Bool(value)) if value == ends_with => return Ok(CelValue::Bool(ends_with)),
                Ok(CelValue::Bool(_)) => {}
                Err(error) if error.is_final() => return Err(error),
                Ok(_) => first_error = first_error.or_else(|| Some(EvaluationError::no_overload())),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        first_error.map_or(Ok(CelValue::Bool(!ends_with)), Err)
    }

    /// The outcome of a step whose error is a value for the caller: only the limit ends everything.
    fn attempt(&mut self, step: &'m Instruction) -> Result<Outcome<'v>, EvaluationError> {
        match self.value(step) {
            Err(error) if error.is_final() => Err(error),
            outcome => Ok(outcome),
        }
    }

    fn equal(&mut self, operands: &'m [Instruction; 2], answer: bool) -> Outcome<'v> {
        let [one, other] = operands;
        let (one, other) = (self.attempt(one)?, self.attempt(other)?);
        let function = if answer { "_==_" } else { "_!=_" };
        let operands = [one, other];
        let unit = Ok(CelValue::Null);
        self.charge(cost::call_cost(function, Some("11>b"), &operands, &unit))?;
        let [one, other] = operands;
        let (one, other) = (one?, other?);
        match one.equals(&other) {
            Ok(is_equal) => Ok(CelValue::Bool(is_equal == answer)),
            // Upstream: values that cannot be compared are not equal.
            Err(_) if !answer => Ok(CelValue::Bool(true)),
            Err(problem) => Err(problem.into()),
        }
    }

    fn alternative(&mut self, operands: &'m [Instruction; 2], unwraps: bool) -> Outcome<'v> {
        let [optional, otherwise] = operands;
        match self.value(optional)? {
            CelValue::Optional(Some(value)) if unwraps => Ok((*value).clone()),
            optional @ CelValue::Optional(Some(_)) => Ok(optional),
            CelValue::Optional(None) => self.value(otherwise),
            _ => Err(EvaluationError::no_overload()),
        }
    }

    fn list(&mut self, items: &'m [Member]) -> Outcome<'v> {
        let outcome = self.list_items(items);
        self.charge_after(&outcome, LIST_COST)?;
        Ok(CelValue::list(outcome?))
    }

    fn list_items(&mut self, items: &'m [Member]) -> Result<Vec<CelValue<'v>>, EvaluationError> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let value = self.value(&item.value)?;
            if !item.is_optional {
                list.push(value);
                continue;
            }
            match value {
                CelValue::Optional(value) => list.extend(value.map(|value| (*value).clone())),
                value => {
                    let problem = "cannot initialize optional list element from non-optional value";
                    return Err(format!("{problem} {}", value.shown()).into());
                }
            }
        }
        Ok(list)
    }

    fn map(&mut self, entries: &'m [(Instruction, Member)]) -> Outcome<'v> {
        let outcome = self.map_members(entries);
        self.charge_after(&outcome, MAP_COST)?;
        Ok(CelValue::Map(CelMap::of(outcome?)))
    }

    fn map_members(
        &mut self,
        entries: &'m [(Instruction, Member)],
    ) -> Result<BTreeMap<Key, CelValue<'v>>, EvaluationError> {
        let mut map = BTreeMap::new();
        for (key, member) in entries {
            let shown = self.value(key)?;
            let value = self.value(&member.value)?;
            let Some(key) = Key::of(&shown) else {
                return Err(EvaluationError::Failed("unsupported key type".to_owned()));
            };
            match (member.is_optional, value) {
                (false, value) => {
                    map.insert(key, value);
                }
                (true, CelValue::Optional(Some(value))) => {
                    map.insert(key, (*value).clone());
                }
                (true, CelValue::Optional(None)) => {
                    map.remove(&key);
                }
                (true, value) => {
                    let (key, value) = (shown.shown(), value.shown());
                    let problem = format!("optional entry '{key}' from non-optional value {value}");
                    return Err(format!("cannot initialize {problem}").into());
                }
            }
        }
        Ok(map)
    }

    /// The place of the accumulator of the innermost loop.
    fn accumulator(&mut self, name: &str) -> Result<&mut Outcome<'v>, EvaluationError> {
        let Some(at) = self.locals.iter().rposition(|local| local.name == name) else {
            return Err(EvaluationError::no_overload());
        };
        self.know(at)?;
        match self.locals.get_mut(at).map(|local| &mut local.state) {
            Some(State::Known(outcome)) => Ok(outcome),
            _ => Err(EvaluationError::no_overload()),
        }
    }

    /// Adds items to an accumulator without a copy of the list, which would make loops quadratic.
    fn append(&mut self, list: &'m str, items: &'m Instruction) -> Outcome<'v> {
        // The accumulator, as a variable.
        self.accumulator(list)?;
        self.charge(1)?;
        let items = self.attempt(items)?;
        self.charge(1)?;
        let place = self.accumulator(list)?;
        if let Err(error) = place {
            return Err(error.clone());
        }
        let items = items?;
        match (std::mem::replace(place, Ok(CelValue::Null))?, items) {
            (CelValue::List(list), CelValue::List(items)) => Ok(CelValue::List(list.plus(items)?)),
            (list, _) => {
                *place = Ok(list);
                Err(EvaluationError::no_overload())
            }
        }
    }

    fn insert(&mut self, map: &'m str, member: &'m [Instruction]) -> Outcome<'v> {
        self.accumulator(map)?;
        self.charge(1)?;
        let mut added = Vec::with_capacity(member.len());
        let mut failed = None;
        for step in member {
            match self.attempt(step)? {
                Ok(value) => added.push(value),
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        self.charge(1)?;
        let place = self.accumulator(map)?;
        if let Err(error) = place {
            return Err(error.clone());
        }
        if let Some(error) = failed {
            return Err(error);
        }
        let CelValue::Map(mut map) = std::mem::replace(place, Ok(CelValue::Null))? else {
            return Err(EvaluationError::no_overload());
        };
        let members = match &added[..] {
            [key, value] => vec![(key.clone(), value.clone())],
            [CelValue::Map(more)] => more.members(),
            _ => return Err(EvaluationError::no_overload()),
        };
        for (shown, value) in members {
            let is_new = Key::of(&shown).is_some_and(|key| map.insert(key, value));
            if !is_new {
                return Err(format!("insert failed: key {} already exists", shown.shown()).into());
            }
        }
        Ok(CelValue::Map(map))
    }

    fn call(&mut self, call: &'m FunctionCall) -> Outcome<'v> {
        let mut arguments = Vec::with_capacity(call.arguments.len());
        let mut failed = None;
        for argument in &call.arguments {
            let outcome = self.attempt(argument)?;
            if let Err(error) = &outcome {
                failed = failed.or_else(|| Some(error.clone()));
                if call.stops_at_errors() && arguments.len() + 1 < call.arguments.len() {
                    return outcome;
                }
            }
            arguments.push(outcome);
        }
        // An error makes a loop go on, or end.
        if call.function == "@not_strictly_false" {
            self.charge(1)?;
            return Ok(CelValue::Bool(!matches!(arguments.first(), Some(Ok(CelValue::Bool(false))))));
        }
        if failed.is_none() {
            library::check_size(&call.function, &arguments, self.limit.saturating_sub(self.cost))
                .map_err(|_| EvaluationError::CostLimit)?;
        }
        let result = if let Some(error) = failed {
            Err(error)
        } else {
            let values: Vec<CelValue<'v>> = arguments.iter().flatten().cloned().collect();
            library::call(call, &values).map_err(EvaluationError::from)
        };
        if let ("flatten", Some(_), [_, depth]) = (call.function.as_str(), call.overload, &arguments[..])
            && !matches!(depth, Ok(CelValue::Int(_)))
        {
            let found = depth.as_ref().map_or("*types.Err", CelValue::go_type);
            return Err(EvaluationError::Crashed(format!("{NO_DEPTH} {found}, not types.Int")));
        }
        if let Some(Err(_)) = call.compared_list().and_then(|at| arguments.get(at)) {
            return Err(EvaluationError::Crashed(NO_LIST.to_owned()));
        }
        self.charge(call.cost(&arguments, &result))?;
        result
    }

    fn fold(&mut self, fold: &'m Fold) -> Outcome<'v> {
        let range = self.value(&fold.range)?;
        let outside = self.locals.len();
        let pairs = iterated(range, fold.second.is_some())?;
        self.locals
            .push(Local { name: &fold.accumulator, state: State::Unused { init: &fold.init, outside } });
        let looped = self.run_loop(fold, pairs, outside);
        self.locals.truncate(outside + 1);
        let result = looped.and_then(|()| self.value(&fold.result));
        self.locals.truncate(outside);
        result
    }

    fn run_loop(
        &mut self,
        fold: &'m Fold,
        pairs: Vec<(CelValue<'v>, CelValue<'v>)>,
        accumulator: usize,
    ) -> Result<(), EvaluationError> {
        for (first, second) in pairs {
            self.locals.truncate(accumulator + 1);
            self.locals.push(Local { name: &fold.variable, state: State::Known(Ok(first)) });
            if let Some(name) = &fold.second {
                self.locals.push(Local { name, state: State::Known(Ok(second)) });
            }
            if let Ok(CelValue::Bool(false)) = self.attempt(&fold.condition)? {
                return Ok(());
            }
            let outcome = self.attempt(&fold.step)?;
            if let Some(local) = self.locals.get_mut(accumulator) {
                local.state = State::Known(outcome);
            }
        }
        Ok(())
    }
}

/// What a loop goes over: items or keys, or pairs of index or key and value.
fn iterated(
    range: CelValue<'_>,
    is_pair: bool,
) -> Result<Vec<(CelValue<'_>, CelValue<'_>)>, EvaluationError> {
    match range {
        CelValue::List(list) if is_pair => {
            Ok(list.iter().enumerate().map(|(at, item)| (CelValue::Int(at as i64), item)).collect())
        }
        CelValue::List(list) => Ok(list.iter().map(|item| (item, CelValue::Null)).collect()),
        CelValue::Map(map) if is_pair => Ok(map.members()),
        CelValue::Map(map) => Ok(map.keys().into_iter().map(|key| (key, CelValue::Null)).collect()),
        other if is_pair => Err(format!("unsupported comprehension range type: {}", other.go_type()).into()),
        other => Err(format!("got '{}', expected iterable type", other.go_type()).into()),
    }
}
