//! A checked expression as steps that own what they need, with all that is constant computed once.
//!
//! The steps are those of cel-go's planner, because costs are counted by them: names, fields and indexes after them are
//! one attribute, lists, maps and conversions of constants are constants, and `x in ['a', 'b']` looks into a set.

use crate::error::CelError;
use std::{collections::BTreeSet, sync::OnceLock};

use kubemerge_schema::pattern::{MAX_COMPILED_BYTES, from_go, translate};
use kubemerge_value::deep;
use regex::{Regex, RegexBuilder};

use super::constant::{Constant, constant_value, invalid_key, is_key};
use super::cost::call_cost;
use super::outcome::{EvaluationError, Outcome};
use crate::Compiled;
use crate::check::Checked;
use crate::expr::{self, Comprehension, Expr, Item, Node};
use crate::library::{self, Overload};
use crate::literal::Literal;
use crate::types::CelType;
use crate::value::{CelValue, Key};

/// An expression that can be evaluated.
#[derive(Debug)]
pub struct Program {
    pub(super) root: Instruction,
    pub(super) constants: Vec<Constant>,
    /// How much its constant regular expressions take when they are compiled.
    pub(super) pattern_bytes: usize,
}

/// A part of a program.
#[derive(Debug)]
pub(super) enum Instruction {
    /// A constant by its number.
    Constant(usize),
    Attribute(Box<Attribute>),
    /// `&&` and `||`, and the value of an operand that decides.
    Logical {
        ends_with: bool,
        terms: Vec<Instruction>,
    },
    /// `==` and `!=`, and the answer for values that are equal.
    Equal {
        operands: Box<[Instruction; 2]>,
        answer: bool,
    },
    /// `or` and `orValue` of an optional value.
    Alternative {
        operands: Box<[Instruction; 2]>,
        unwraps: bool,
    },
    List(Vec<Member>),
    Map(Vec<(Instruction, Member)>),
    /// `in` with a list of constants.
    IsOneOf {
        item: Box<Instruction>,
        set: BTreeSet<Key>,
    },
    /// More items for the list of a loop.
    Append {
        list: String,
        items: Box<Instruction>,
    },
    /// A member more for the map of a loop.
    Insert {
        map: String,
        member: Vec<Instruction>,
    },
    Call(FunctionCall),
    Fold(Box<Fold>),
}

/// A variable, or another value, with the fields and indexes after it.
#[derive(Debug)]
pub(super) struct Attribute {
    pub(super) root: Root,
    pub(super) qualifiers: Vec<Qualifier>,
    /// Whether the last field is only asked for: `has(a.b)`.
    pub(super) is_test: bool,
}

/// Where an attribute begins.
#[derive(Debug)]
pub(super) enum Root {
    Variable(String),
    Computed(Instruction),
    Conditional { condition: Instruction, yes: Box<Attribute>, no: Box<Attribute> },
}

/// A field or an index.
#[derive(Debug)]
pub(super) enum Qualifier {
    Constant { key: usize, is_optional: bool },
    Computed { key: Attribute, is_optional: bool },
}

impl Qualifier {
    pub(super) fn is_optional(&self) -> bool {
        match self {
            Qualifier::Constant { is_optional, .. } | Qualifier::Computed { is_optional, .. } => *is_optional,
        }
    }
}

/// A member of a list or a map.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) value: Instruction,
    pub(super) is_optional: bool,
}

/// A call of a function; the value before the dot is the first argument.
#[derive(Debug)]
pub(crate) struct FunctionCall {
    pub(crate) function: String,
    pub(super) arguments: Vec<Instruction>,
    /// The one overload that it may come to; none if that is only known when it runs.
    pub(super) overload: Option<&'static str>,
    /// What it may come to.
    pub(crate) candidates: Vec<Overload>,
    /// A regular expression that is constant.
    pub(crate) pattern: Option<ConstantPattern>,
}

/// A regular expression that is compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct ConstantPattern {
    translated: String,
    compiled: OnceLock<Result<Regex, CelError>>,
}

impl ConstantPattern {
    pub(crate) fn regex(&self) -> Result<&Regex, CelError> {
        self.compiled.get_or_init(|| compile(&self.translated)).as_ref().map_err(Clone::clone)
    }
}

impl FunctionCall {
    /// Whether arguments after one that fails are not evaluated, and the call is free then. Upstream: so it is with three
    /// and more arguments, constant regular expressions, and where the overload is only known when it runs.
    pub(super) fn stops_at_errors(&self) -> bool {
        let is_late = self.overload.is_none() && !library::has_one_implementation(&self.function);
        self.arguments.len() > 2 || self.pattern.is_some() || is_late || self.function == "format"
    }

    /// The argument whose items are compared with each other, which costs are counted by.
    pub(super) fn compared_list(&self) -> Option<usize> {
        match self.function.as_str() {
            "sort" | "distinct" if self.overload.is_some() => Some(0),
            "@sortByAssociatedKeys" if self.overload.is_some() => Some(1),
            _ => None,
        }
    }

    /// What calling it costs.
    pub(super) fn cost<'v>(&self, arguments: &[Outcome<'v>], result: &Outcome<'v>) -> u64 {
        call_cost(&self.function, self.overload, arguments, result)
    }
}

/// A loop over a list or a map.
#[derive(Debug)]
pub(super) struct Fold {
    pub(super) range: Instruction,
    pub(super) variable: String,
    pub(super) second: Option<String>,
    pub(super) accumulator: String,
    pub(super) init: Instruction,
    pub(super) condition: Instruction,
    pub(super) step: Instruction,
    pub(super) result: Instruction,
}

impl Program {
    /// The steps of a checked expression; an error if a part of it that is constant has no value.
    pub fn new(compiled: &Compiled<'_>) -> Result<Program, CelError> {
        let mut planner = Planner { checked: &compiled.checked, constants: Vec::new(), pattern_bytes: 0 };
        let root = planner.step(&compiled.expr)?;
        Ok(Program { root, constants: planner.constants, pattern_bytes: planner.pattern_bytes })
    }

    /// How much the regular expressions that are constant take when they are compiled.
    #[must_use]
    pub fn pattern_bytes(&self) -> usize {
        self.pattern_bytes
    }
}

struct Planner<'c> {
    checked: &'c Checked,
    constants: Vec<Constant>,
    pattern_bytes: usize,
}

type Planned<T> = Result<T, CelError>;

impl Planner<'_> {
    fn pair(&mut self, one: &Expr<'_>, other: &Expr<'_>) -> Planned<Box<[Instruction; 2]>> {
        Ok(Box::new([self.step(one)?, self.step(other)?]))
    }

    fn constant(&mut self, constant: Constant) -> usize {
        self.constants.push(constant);
        self.constants.len() - 1
    }

    fn step(&mut self, expr: &Expr<'_>) -> Planned<Instruction> {
        deep(|| match &expr.node {
            Node::Literal(literal) => {
                Ok(Instruction::Constant(self.constant(Constant::Literal(literal.clone()))))
            }
            Node::Identifier(name) => Ok(self.name(expr, name)),
            Node::Select(_) if self.checked.is_qualified(expr) => {
                Ok(variable(expr::path(expr).unwrap_or_default()))
            }
            Node::Select(select) => {
                let mut attribute = self.attribute(&select.operand)?;
                let key = self.constant(Constant::Literal(Literal::String(select.field.to_owned())));
                attribute.qualifiers.push(Qualifier::Constant { key, is_optional: false });
                attribute.is_test |= select.is_test;
                Ok(Instruction::Attribute(Box::new(attribute)))
            }
            Node::Call(call) => self.call(expr, call),
            Node::List(items) => self.list(items),
            // No environment has types whose values can be written and evaluated.
            Node::Struct { .. } => Ok(Instruction::Constant(self.constant(Constant::Literal(Literal::Null)))),
            Node::Map(entries) => self.map(entries),
            Node::Comprehension(loops) => Ok(Instruction::Fold(Box::new(self.fold(loops)?))),
        })
    }

    fn name(&mut self, expr: &Expr<'_>, name: &str) -> Instruction {
        match (self.checked.type_of(expr), library::named_type(name)) {
            (CelType::OfTypes(_), Some(named)) => Instruction::Constant(self.constant(Constant::Type(named))),
            _ => variable(name.to_owned()),
        }
    }

    /// An expression as what fields and indexes follow.
    fn attribute(&mut self, expr: &Expr<'_>) -> Planned<Attribute> {
        Ok(Attribute::of(self.step(expr)?))
    }

    fn list(&mut self, items: &[Item<'_>]) -> Planned<Instruction> {
        let members = items.iter().map(|item| self.member(item)).collect::<Planned<Vec<Member>>>()?;
        let numbers: Option<Vec<usize>> =
            members.iter().map(|member| constant_number(&member.value)).collect();
        Ok(match numbers {
            Some(numbers) if items.iter().all(|item| !item.is_optional) => {
                Instruction::Constant(self.constant(Constant::List(numbers)))
            }
            _ => Instruction::List(members),
        })
    }

    fn map(&mut self, entries: &[expr::Entry<'_>]) -> Planned<Instruction> {
        let mut members = Vec::with_capacity(entries.len());
        let mut numbers = Some(Vec::with_capacity(entries.len()));
        for entry in entries {
            let (key, value) = (self.step(&entry.key)?, self.step(&entry.value)?);
            let both = constant_number(&key).zip(constant_number(&value)).filter(|_| !entry.is_optional);
            numbers = numbers.zip(both).map(|(mut numbers, both)| {
                numbers.push(both);
                numbers
            });
            members.push((key, Member { value, is_optional: entry.is_optional }));
        }
        Ok(match numbers {
            Some(numbers) => Instruction::Constant(self.constant(Constant::Map(numbers))),
            None => Instruction::Map(members),
        })
    }

    fn member(&mut self, item: &Item<'_>) -> Planned<Member> {
        Ok(Member { value: self.step(&item.value)?, is_optional: item.is_optional })
    }

    fn call(&mut self, expr: &Expr<'_>, call: &expr::Call<'_>) -> Planned<Instruction> {
        match (call.function, &call.arguments[..]) {
            ("_?_:_", [condition, yes, no]) => {
                let condition = self.step(condition)?;
                let (yes, no) = (Box::new(self.attribute(yes)?), Box::new(self.attribute(no)?));
                let root = Root::Conditional { condition, yes, no };
                let attribute = Attribute { root, qualifiers: Vec::new(), is_test: false };
                return Ok(Instruction::Attribute(Box::new(attribute)));
            }
            ("_&&_" | "_||_", terms) => {
                let terms =
                    terms.iter().map(|term| self.step(term)).collect::<Planned<Vec<Instruction>>>()?;
                return Ok(Instruction::Logical { ends_with: call.function == "_||_", terms });
            }
            ("_==_" | "_!=_", [one, other]) => {
                let operands = self.pair(one, other)?;
                return Ok(Instruction::Equal { operands, answer: call.function == "_==_" });
            }
            ("_[_]", [operand, key]) => return self.index(operand, key, false),
            ("_[?_]" | "_?._", [operand, key]) => return self.index(operand, key, true),
            ("or" | "orValue", [other]) => {
                if let Some(target) = call.target.as_deref() {
                    let operands = self.pair(target, other)?;
                    return Ok(Instruction::Alternative { operands, unwraps: call.function == "orValue" });
                }
            }
            _ => {}
        }
        self.function(expr, call)
    }

    fn index(&mut self, operand: &Expr<'_>, key: &Expr<'_>, is_optional: bool) -> Planned<Instruction> {
        let mut attribute = self.attribute(operand)?;
        let qualifier = match self.step(key)? {
            Instruction::Constant(key) => {
                self.check_key(key)?;
                Qualifier::Constant { key, is_optional }
            }
            key => Qualifier::Computed { key: Attribute::of(key), is_optional },
        };
        attribute.qualifiers.push(qualifier);
        Ok(Instruction::Attribute(Box::new(attribute)))
    }

    /// Only some types can be keys and indexes, which is seen before the expression runs where they are constant.
    fn check_key(&self, number: usize) -> Planned<()> {
        match constant_value(&self.constants, number) {
            Ok(key) if !is_key(&key) => Err(invalid_key(&key)),
            _ => Ok(()),
        }
    }

    fn function(&mut self, expr: &Expr<'_>, call: &expr::Call<'_>) -> Planned<Instruction> {
        let is_qualified = self.checked.is_qualified(expr);
        let target = call.target.as_deref().filter(|_| !is_qualified);
        let function = match call.target.as_deref().and_then(expr::path) {
            Some(before) if is_qualified => format!("{before}.{}", call.function),
            _ => call.function.to_owned(),
        };
        let arguments = target.into_iter().chain(&call.arguments).map(|one| self.step(one));
        let mut arguments = arguments.collect::<Planned<Vec<Instruction>>>()?;
        let overload = match self.checked.overloads(expr) {
            [only] => Some(*only),
            _ => None,
        };
        if let Some(list) = accumulator(&arguments) {
            let list = list.to_owned();
            match function.as_str() {
                "_+_" if overload == Some("[1][1]>[1]") && arguments.len() == 2 => {
                    let items = Box::new(arguments.remove(1));
                    return Ok(Instruction::Append { list, items });
                }
                "cel.@mapInsert" => {
                    return Ok(Instruction::Insert { map: list, member: arguments.split_off(1) });
                }
                _ => {}
            }
        }
        if let Some(step) = self.computed(&function, overload, &mut arguments)? {
            return Ok(step);
        }
        let pattern = self.pattern(&function, &arguments)?;
        let candidates = library::candidates(&function, overload, arguments.len());
        Ok(Instruction::Call(FunctionCall { function, arguments, overload, candidates, pattern }))
    }

    /// A call that is constant, or looks into a set of constants.
    fn computed(
        &mut self,
        function: &str,
        overload: Option<&'static str>,
        arguments: &mut Vec<Instruction>,
    ) -> Planned<Option<Instruction>> {
        if overload == Some("1[1]>b") {
            return Ok(self.membership(arguments));
        }
        let [Instruction::Constant(of)] = arguments[..] else { return Ok(None) };
        let Some(conversion) = library::conversion(function) else { return Ok(None) };
        let number = self.constant(Constant::Converted(conversion, of));
        match constant_value(&self.constants, number) {
            Ok(_) => Ok(Some(Instruction::Constant(number))),
            Err(EvaluationError::Failed(problem)) => Err(problem.into()),
            Err(EvaluationError::CostLimit | EvaluationError::Crashed(_)) => Ok(None),
        }
    }

    fn membership(&mut self, arguments: &mut Vec<Instruction>) -> Option<Instruction> {
        let [_, Instruction::Constant(list)] = arguments[..] else { return None };
        let Ok(CelValue::List(list)) = constant_value(&self.constants, list) else { return None };
        if list.is_empty() {
            return Some(Instruction::Constant(self.constant(Constant::Literal(Literal::Bool(false)))));
        }
        let mut set = BTreeSet::new();
        for item in list.iter() {
            let is_hashable = matches!(
                item,
                CelValue::Bool(_)
                    | CelValue::Double(_)
                    | CelValue::Int(_)
                    | CelValue::String(_)
                    | CelValue::Uint(_)
            );
            if !is_hashable {
                return None;
            }
            set.extend(Key::candidates(&item));
            // Integers are found by the floats that they are.
            match item {
                CelValue::Int(number) => set.extend(Key::of(&CelValue::Double(number as f64))),
                CelValue::Uint(number) => set.extend(Key::of(&CelValue::Double(number as f64))),
                _ => {}
            }
        }
        arguments.truncate(1);
        arguments.pop().map(|item| Instruction::IsOneOf { item: Box::new(item), set })
    }

    /// A constant regular expression is compiled once, and must be one.
    fn pattern(&mut self, function: &str, arguments: &[Instruction]) -> Planned<Option<ConstantPattern>> {
        if !matches!(function, "matches" | "find" | "findAll") {
            return Ok(None);
        }
        let Some(Instruction::Constant(number)) = arguments.get(1) else { return Ok(None) };
        match constant_value(&self.constants, *number) {
            Ok(CelValue::String(pattern)) => {
                let translation = translate(&pattern).map_err(|error| CelError::from(error.to_string()))?;
                self.pattern_bytes = self.pattern_bytes.saturating_add(translation.compiled_bytes);
                Ok(Some(ConstantPattern { translated: translation.text, compiled: OnceLock::new() }))
            }
            _ => Ok(None),
        }
    }

    fn fold(&mut self, loops: &Comprehension<'_>) -> Planned<Fold> {
        Ok(Fold {
            range: self.step(&loops.range)?,
            variable: loops.variable.to_owned(),
            second: loops.second.map(str::to_owned),
            accumulator: loops.accumulator.to_owned(),
            init: self.step(&loops.init)?,
            condition: self.step(&loops.condition)?,
            step: self.step(&loops.step)?,
            result: self.step(&loops.result)?,
        })
    }
}

fn variable(name: String) -> Instruction {
    let attribute = Attribute { root: Root::Variable(name), qualifiers: Vec::new(), is_test: false };
    Instruction::Attribute(Box::new(attribute))
}

fn constant_number(step: &Instruction) -> Option<usize> {
    match step {
        Instruction::Constant(number) => Some(*number),
        _ => None,
    }
}

/// The accumulator of a loop that is the first argument.
fn accumulator(arguments: &[Instruction]) -> Option<&str> {
    match arguments.first()? {
        Instruction::Attribute(attribute) => match &**attribute {
            Attribute { root: Root::Variable(name), qualifiers, .. }
                if name == "@result" && qualifiers.is_empty() =>
            {
                Some(name)
            }
            _ => None,
        },
        _ => None,
    }
}

/// A regular expression of Go, compiled; the error is Go's.
pub(crate) fn compile_pattern(pattern: &str) -> Result<Regex, CelError> {
    compile(&from_go(pattern).map_err(|error| error.to_string())?)
}

fn compile(translated: &str) -> Result<Regex, CelError> {
    let built = RegexBuilder::new(translated).size_limit(MAX_COMPILED_BYTES).build();
    built.map_err(|error| error.to_string().into())
}

/// A long chain of operators or fields is dropped with room for recursion.
impl Drop for Instruction {
    fn drop(&mut self) {
        for child in self.children() {
            if !matches!(child, Instruction::Constant(_)) {
                let child = std::mem::replace(child, Instruction::Constant(0));
                deep(|| drop(child));
            }
        }
    }
}

impl Instruction {
    /// The steps that chains are made of; others are never nested deeply.
    fn children(&mut self) -> Vec<&mut Instruction> {
        match self {
            Instruction::Attribute(attribute) => attribute.children(),
            Instruction::Equal { operands, .. } | Instruction::Alternative { operands, .. } => {
                operands.iter_mut().collect()
            }
            Instruction::IsOneOf { item, .. } => vec![item],
            Instruction::Append { items, .. } => vec![items],
            Instruction::Logical { terms, .. } => terms.iter_mut().collect(),
            Instruction::Insert { member, .. } => member.iter_mut().collect(),
            Instruction::Call(call) => call.arguments.iter_mut().collect(),
            Instruction::Fold(fold) => {
                vec![&mut fold.range, &mut fold.init, &mut fold.step, &mut fold.result]
            }
            Instruction::List(members) => members.iter_mut().map(|member| &mut member.value).collect(),
            Instruction::Map(members) => members.iter_mut().map(|(_, member)| &mut member.value).collect(),
            Instruction::Constant(_) => Vec::new(),
        }
    }
}

impl Attribute {
    fn of(mut step: Instruction) -> Attribute {
        let empty = Root::Variable(String::new());
        if let Instruction::Attribute(attribute) = &mut step {
            let empty = Attribute { root: empty, qualifiers: Vec::new(), is_test: false };
            return std::mem::replace(attribute, empty);
        }
        Attribute { root: Root::Computed(step), qualifiers: Vec::new(), is_test: false }
    }

    fn children(&mut self) -> Vec<&mut Instruction> {
        let mut found = match &mut self.root {
            Root::Variable(_) => Vec::new(),
            Root::Computed(step) => vec![step],
            Root::Conditional { condition, yes, no } => {
                let mut found = vec![condition];
                found.extend(yes.children());
                found.extend(no.children());
                found
            }
        };
        for qualifier in &mut self.qualifiers {
            if let Qualifier::Computed { key, .. } = qualifier {
                found.extend(key.children());
            }
        }
        found
    }
}
