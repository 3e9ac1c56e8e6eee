//! What is checked once the types of an expression fit: members of lists and maps must have one type, and arguments
//! that are written in the expression must be valid durations, times, regular expressions and formats.

use kubemerge_schema::pattern::from_go;
use kubemerge_value::{deep, go_duration};

use super::check::Checked;
use super::expr::{Expr, Item, Node};
use super::format_string;
use super::literal::Literal;
use super::problem::Problem;
use super::timestamp::CelTimestamp;
use super::types::CelType;

/// Finds what is wrong with the literals of an expression.
pub(super) fn check(expr: &Expr<'_>, checked: &Checked) -> Result<(), Vec<Problem>> {
    let mut visitor = Visitor { checked, problems: Vec::new(), formats: 0 };
    visitor.visit(expr);
    visitor.problems.sort_by_key(|problem| problem.at);
    if visitor.problems.is_empty() { Ok(()) } else { Err(visitor.problems) }
}

struct Visitor<'c> {
    checked: &'c Checked,
    problems: Vec<Problem>,
    /// How many calls of `format` there are around: its arguments may have different types.
    formats: usize,
}

impl<'c> Visitor<'c> {
    fn member_type(&self, (expr, is_optional): Member<'_, '_>) -> &'c CelType {
        match self.checked.type_of(expr) {
            CelType::Optional(of) if is_optional => of,
            found => found,
        }
    }

    fn visit(&mut self, expr: &Expr<'_>) {
        match &expr.node {
            Node::Call(call) => {
                if let Some(Expr { at, node: Node::Literal(value), .. }) = call.arguments.first()
                    && !is_valid(call.function, value)
                {
                    let text = format!("invalid {} argument", call.function);
                    self.problems.push(Problem { at: *at, text });
                }
                self.problems.extend(format_string::check(expr, call, self.checked));
            }
            Node::List(items) if self.formats == 0 => self.one_type(items),
            Node::Map(entries) if self.formats == 0 => {
                let Some((first, others)) = entries.split_first() else { return };
                for pair in others {
                    self.same_type((&first.key, false), (&pair.key, false));
                    self.same_type((&first.value, first.is_optional), (&pair.value, pair.is_optional));
                }
            }
            _ => {}
        }
        let is_format = matches!(&expr.node, Node::Call(call) if call.function == "format");
        self.formats += usize::from(is_format);
        expr.for_each_child(|child| deep(|| self.visit(child)));
        self.formats -= usize::from(is_format);
    }

    /// Only the first item of another type is reported.
    fn one_type(&mut self, items: &[Item<'_>]) {
        let Some((first, rest)) = items.split_first() else { return };
        for item in rest {
            let same = self.same_type((&first.value, first.is_optional), (&item.value, item.is_optional));
            if same == Same::No {
                return;
            }
        }
    }

    /// Of optional members the type of what may be in them counts.
    fn same_type(&mut self, first: Member<'_, '_>, other: Member<'_, '_>) -> Same {
        let (expected, found) = (self.member_type(first), self.member_type(other));
        if expected == found {
            return Same::Yes;
        }
        let text = format!("expected type '{expected}' but found '{found}'");
        self.problems.push(Problem { at: other.0.at, text });
        Same::No
    }
}

/// A member of a list or a map, and whether it is optional.
type Member<'x, 'e> = (&'x Expr<'e>, bool);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Same {
    Yes,
    No,
}

fn is_valid(function: &str, value: &Literal) -> bool {
    match (function, value) {
        ("duration", Literal::String(text)) => go_duration::parse(text).is_some(),
        ("timestamp", Literal::String(text)) => CelTimestamp::parse(text).is_some(),
        ("timestamp", Literal::Int(seconds)) => CelTimestamp::at(*seconds).is_ok(),
        // Upstream: of `matches(text, pattern)` the text is taken for the pattern.
        ("matches", Literal::String(text)) => from_go(text).is_ok(),
        _ => true,
    }
}
