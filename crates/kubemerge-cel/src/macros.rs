//! Calls that are written as functions and mean a loop, a test or a binding.
//!
//! What a macro makes is reported at the bracket of its call; what it is given keeps its place.

use kubemerge_value::deep;

use super::expr::{Call, Comprehension, Entry, Expr, Item, Node, Select};
use super::literal::Literal;
use super::parse::Parser;

/// The accumulator of loops: no expression can write this name.
const RESULT: &str = "@result";
/// Its name before, which is reserved for it.
const OLD_RESULT: &str = "__result__";
/// The variable of a loop over nothing, which binds a name to a value.
const UNUSED: &str = "#unused";
/// The list that `sortBy` sorts.
const SORTED: &str = "@__sortBy_input__";

/// A call without a value before a dot.
pub(super) fn global_call<'e>(
    parser: &mut Parser<'e>,
    at: usize,
    function: &'e str,
    mut arguments: Vec<Expr<'e>>,
) -> Expr<'e> {
    if function == "has"
        && arguments.len() == 1
        && let Some(argument) = arguments.pop()
    {
        return presence_test(parser, at, argument);
    }
    parser.call(at, function, arguments)
}

/// `has(a.b)` asks for a field.
fn presence_test<'e>(parser: &mut Parser<'e>, at: usize, mut argument: Expr<'e>) -> Expr<'e> {
    let node = std::mem::replace(&mut argument.node, Node::Literal(Literal::Null));
    let Node::Select(select) = node else {
        return parser.report(argument.at, "invalid argument to has() macro");
    };
    parser.make(at, Node::Select(Select { is_test: true, ..select }))
}

/// A call with a value before the dot.
pub(super) fn member_call<'e>(
    parser: &mut Parser<'e>,
    at: usize,
    function: &'e str,
    target: Expr<'e>,
    arguments: Vec<Expr<'e>>,
) -> Expr<'e> {
    let mut expansion = Expansion { parser, at };
    match (function, arguments.len()) {
        ("all" | "exists" | "exists_one" | "existsOne", 2 | 3) => {
            expansion.quantifier(function, target, arguments)
        }
        ("map", 2 | 3) => expansion.map(target, arguments),
        ("filter", 2) => expansion.filter(target, arguments),
        ("transformList" | "transformMap" | "transformMapEntry", 3 | 4) => {
            expansion.transform(function, target, arguments)
        }
        ("optMap" | "optFlatMap", 2) => expansion.optional_map(function, target, arguments),
        ("sortBy", 2) => expansion.sort_by(target, arguments),
        _ => {
            let target = Some(Box::new(target));
            parser.make(at, Node::Call(Call { function, target, arguments }))
        }
    }
}

/// What a macro makes, and where its call is.
struct Expansion<'p, 'e> {
    parser: &'p mut Parser<'e>,
    at: usize,
}

/// The variables of a loop.
struct Variables<'e> {
    first: &'e str,
    second: Option<&'e str>,
}

impl<'e> Expansion<'_, 'e> {
    fn make(&mut self, node: Node<'e>) -> Expr<'e> {
        self.parser.make(self.at, node)
    }

    fn literal(&mut self, value: Literal) -> Expr<'e> {
        self.make(Node::Literal(value))
    }

    fn name(&mut self, name: &'e str) -> Expr<'e> {
        self.make(Node::Identifier(name))
    }

    fn result(&mut self) -> Expr<'e> {
        self.name(RESULT)
    }

    fn call(&mut self, function: &'e str, arguments: Vec<Expr<'e>>) -> Expr<'e> {
        self.parser.call(self.at, function, arguments)
    }

    fn method(&mut self, function: &'e str, target: Expr<'e>, arguments: Vec<Expr<'e>>) -> Expr<'e> {
        self.make(Node::Call(Call { function, target: Some(Box::new(target)), arguments }))
    }

    fn list(&mut self, item: Option<Expr<'e>>) -> Expr<'e> {
        let items = item.into_iter().map(|value| Item { value, is_optional: false }).collect();
        self.make(Node::List(items))
    }

    /// The name that an argument is, if it can be that of a variable.
    fn variable(&mut self, argument: &Expr<'e>, problem: &str) -> Result<&'e str, Expr<'e>> {
        match argument.node {
            Node::Identifier(RESULT | OLD_RESULT) => {
                Err(self.parser.report(argument.at, "iteration variable overwrites accumulator variable"))
            }
            Node::Identifier(name) => Ok(name),
            _ => Err(self.parser.report(argument.at, problem)),
        }
    }

    /// The variables that come before what a loop does; `steps` says how many arguments that takes.
    fn variables(
        &mut self,
        arguments: &mut Vec<Expr<'e>>,
        steps: usize,
        problem: &str,
    ) -> Result<Variables<'e>, Expr<'e>> {
        let names: Vec<Expr<'e>> = arguments.drain(..arguments.len() - steps).collect();
        let Some(first) = names.first() else { return Err(self.parser.report(self.at, problem)) };
        let first = self.variable(first, problem)?;
        let Some(other) = names.get(1) else { return Ok(Variables { first, second: None }) };
        let second = self.variable(other, problem)?;
        if first == second {
            return Err(self.parser.report(other.at, &format!("duplicate variable name: {first}")));
        }
        Ok(Variables { first, second: Some(second) })
    }

    fn comprehension(
        &mut self,
        range: Expr<'e>,
        variables: &Variables<'e>,
        init: Expr<'e>,
        condition: Expr<'e>,
        step: Expr<'e>,
    ) -> Expr<'e> {
        let result = self.result();
        self.comprehension_with(range, variables, [init, condition, step, result])
    }

    fn comprehension_with(
        &mut self,
        range: Expr<'e>,
        variables: &Variables<'e>,
        [init, condition, step, result]: [Expr<'e>; 4],
    ) -> Expr<'e> {
        self.make(Node::Comprehension(Box::new(Comprehension {
            range,
            variable: variables.first,
            second: variables.second,
            accumulator: RESULT,
            init,
            condition,
            step,
            result,
        })))
    }

    fn quantifier(&mut self, function: &str, range: Expr<'e>, mut arguments: Vec<Expr<'e>>) -> Expr<'e> {
        let variables = match self.variables(&mut arguments, 1, "argument must be a simple name") {
            Ok(variables) => variables,
            Err(wrong) => return wrong,
        };
        let Some(predicate) = arguments.pop() else { return range };
        let result = self.result();
        match function {
            "all" => {
                let condition = self.call("@not_strictly_false", vec![result]);
                let result = self.result();
                let step = self.call("_&&_", vec![result, predicate]);
                let init = self.literal(Literal::Bool(true));
                self.comprehension(range, &variables, init, condition, step)
            }
            "exists" => {
                let negated = self.call("!_", vec![result]);
                let condition = self.call("@not_strictly_false", vec![negated]);
                let result = self.result();
                let step = self.call("_||_", vec![result, predicate]);
                let init = self.literal(Literal::Bool(false));
                self.comprehension(range, &variables, init, condition, step)
            }
            _ => self.exactly_one(range, &variables, predicate),
        }
    }

    fn exactly_one(&mut self, range: Expr<'e>, variables: &Variables<'e>, predicate: Expr<'e>) -> Expr<'e> {
        let init = self.literal(Literal::Int(0));
        let condition = self.literal(Literal::Bool(true));
        let (counted, one) = (self.result(), self.literal(Literal::Int(1)));
        let (sum, same) = (self.call("_+_", vec![counted, one]), self.result());
        let step = self.call("_?_:_", vec![predicate, sum, same]);
        let (counted, one) = (self.result(), self.literal(Literal::Int(1)));
        let result = self.call("_==_", vec![counted, one]);
        self.comprehension_with(range, variables, [init, condition, step, result])
    }

    /// A loop that collects values, all or those for which a condition holds.
    fn collect(
        &mut self,
        range: Expr<'e>,
        variables: &Variables<'e>,
        filter: Option<Expr<'e>>,
        value: Expr<'e>,
    ) -> Expr<'e> {
        let init = self.list(None);
        let condition = self.literal(Literal::Bool(true));
        let (collected, added) = (self.result(), self.list(Some(value)));
        let step = self.call("_+_", vec![collected, added]);
        let step = self.filtered(filter, step);
        self.comprehension(range, variables, init, condition, step)
    }

    fn filtered(&mut self, filter: Option<Expr<'e>>, step: Expr<'e>) -> Expr<'e> {
        let Some(filter) = filter else { return step };
        let unchanged = self.result();
        self.call("_?_:_", vec![filter, step, unchanged])
    }

    fn map(&mut self, range: Expr<'e>, mut arguments: Vec<Expr<'e>>) -> Expr<'e> {
        let steps = arguments.len() - 1;
        let variables = match self.variables(&mut arguments, steps, "argument is not an identifier") {
            Ok(variables) => variables,
            Err(wrong) => return wrong,
        };
        let Some(value) = arguments.pop() else { return range };
        let filter = arguments.pop();
        self.collect(range, &variables, filter, value)
    }

    fn filter(&mut self, range: Expr<'e>, mut arguments: Vec<Expr<'e>>) -> Expr<'e> {
        let place = arguments.first().map_or(self.at, |first| first.at);
        let variables = match self.variables(&mut arguments, 1, "argument is not an identifier") {
            Ok(variables) => variables,
            Err(wrong) => return wrong,
        };
        let filter = arguments.pop();
        let item = self.parser.make(place, Node::Identifier(variables.first));
        self.collect(range, &variables, filter, item)
    }

    fn transform(&mut self, function: &str, range: Expr<'e>, mut arguments: Vec<Expr<'e>>) -> Expr<'e> {
        let steps = arguments.len() - 2;
        let variables = match self.variables(&mut arguments, steps, "argument must be a simple name") {
            Ok(variables) => variables,
            Err(wrong) => return wrong,
        };
        let Some(value) = arguments.pop() else { return range };
        let filter = arguments.pop();
        if function == "transformList" {
            return self.collect(range, &variables, filter, value);
        }
        let collected = self.result();
        let mut inserted = vec![collected];
        if function == "transformMap" {
            inserted.push(self.name(variables.first));
        }
        inserted.push(value);
        let step = self.call("cel.@mapInsert", inserted);
        let step = self.filtered(filter, step);
        let (init, condition) = (self.make(Node::Map(Vec::new())), self.literal(Literal::Bool(true)));
        self.comprehension(range, &variables, init, condition, step)
    }

    /// A name for a value: a loop over nothing whose accumulator has the name.
    fn binding(&mut self, name: &'e str, value: Expr<'e>, result: Expr<'e>) -> Expr<'e> {
        let (range, condition) = (self.list(None), self.literal(Literal::Bool(false)));
        let step = self.name(name);
        self.make(Node::Comprehension(Box::new(Comprehension {
            range,
            variable: UNUSED,
            second: None,
            accumulator: name,
            init: value,
            condition,
            step,
            result,
        })))
    }

    fn optional_map(&mut self, function: &str, target: Expr<'e>, mut arguments: Vec<Expr<'e>>) -> Expr<'e> {
        let (Some(value), Some(variable)) = (arguments.pop(), arguments.pop()) else { return target };
        let Node::Identifier(name) = variable.node else {
            let problem = format!("{function}() variable name must be a simple identifier");
            return self.parser.report(variable.at, &problem);
        };
        let copy = self.copy(&target);
        let held = self.method("value", copy, Vec::new());
        let mapped = self.binding(name, held, value);
        let mapped = if function == "optMap" { self.call("optional.of", vec![mapped]) } else { mapped };
        let has_value = self.method("hasValue", target, Vec::new());
        let none = self.call("optional.none", Vec::new());
        self.call("_?_:_", vec![has_value, mapped, none])
    }

    fn sort_by(&mut self, target: Expr<'e>, arguments: Vec<Expr<'e>>) -> Expr<'e> {
        if matches!(target.node, Node::Literal(_) | Node::Map(_) | Node::Struct { .. }) {
            let problem =
                "sortBy can only be applied to a list, identifier, comprehension, call or select expression";
            return self.parser.report(target.at, problem);
        }
        let range = self.name(SORTED);
        let keys = self.map(range, arguments);
        let list = self.name(SORTED);
        let sorted = self.method("@sortByAssociatedKeys", list, vec![keys]);
        self.binding(SORTED, target, sorted)
    }

    /// The same expression with parts of its own.
    fn copy(&mut self, expr: &Expr<'e>) -> Expr<'e> {
        // Copies of copies grow without end; the expression is refused then.
        if self.parser.is_too_large() {
            return self.literal(Literal::Null);
        }
        let node = deep(|| self.copied_node(&expr.node));
        self.parser.make(expr.at, node)
    }

    fn copied_node(&mut self, node: &Node<'e>) -> Node<'e> {
        match node {
            Node::Literal(value) => Node::Literal(value.clone()),
            Node::Identifier(name) => Node::Identifier(name),
            Node::Select(Select { operand, field, is_test }) => {
                Node::Select(Select { operand: Box::new(self.copy(operand)), field, is_test: *is_test })
            }
            Node::Call(Call { function, target, arguments }) => Node::Call(Call {
                function,
                target: target.as_deref().map(|target| Box::new(self.copy(target))),
                arguments: arguments.iter().map(|argument| self.copy(argument)).collect(),
            }),
            Node::List(items) => Node::List(items.iter().map(|item| self.copied_item(item)).collect()),
            Node::Map(entries) => Node::Map(
                entries
                    .iter()
                    .map(|Entry { key, value, is_optional }| Entry {
                        key: self.copy(key),
                        value: self.copy(value),
                        is_optional: *is_optional,
                    })
                    .collect(),
            ),
            Node::Struct { name, fields } => Node::Struct {
                name: name.clone(),
                fields: fields.iter().map(|(name, item)| (*name, self.copied_item(item))).collect(),
            },
            Node::Comprehension(loops) => Node::Comprehension(Box::new(Comprehension {
                range: self.copy(&loops.range),
                init: self.copy(&loops.init),
                condition: self.copy(&loops.condition),
                step: self.copy(&loops.step),
                result: self.copy(&loops.result),
                ..**loops
            })),
        }
    }

    fn copied_item(&mut self, item: &Item<'e>) -> Item<'e> {
        Item { value: self.copy(&item.value), is_optional: item.is_optional }
    }
}
