//! Format strings that are written in an expression: `'%s: %d'.format([name, count])`.

use kubemerge_value::deep;
use kubemerge_value::part::text_of;

use super::check::Checked;
use super::expr::{Call, Expr, Item, Node};
use super::literal::Literal;
use super::problem::Problem;
use super::types::CelType;

/// What is wrong with a call of `format` whose text and arguments are written out.
pub(super) fn check(expr: &Expr<'_>, call: &Call<'_>, checked: &Checked) -> Option<Problem> {
    let Node::Literal(Literal::String(text)) = &call.target.as_deref()?.node else { return None };
    let [Expr { node: Node::List(arguments), .. }] = &call.arguments[..] else { return None };
    if call.function != "format" {
        return None;
    }
    let fail = |text: String| Some(Problem { at: expr.at, text });
    let mut used = 0;
    let mut rest = text.as_str();
    while let Some((_, directive)) = rest.split_once('%') {
        rest = directive;
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return fail("unexpected end of string".to_owned());
        }
        let Some(argument) = arguments.get(used) else {
            return fail(format!("index {used} out of range"));
        };
        used += 1;
        let is_digit = |char: char| char.is_ascii_digit();
        let clause = rest.strip_prefix('.').map_or(rest, |digits| digits.trim_start_matches(is_digit));
        let Some(verb) = clause.chars().next() else {
            return fail("could not parse formatting clause: unexpected end of string".to_owned());
        };
        match wrong_type(verb, argument, checked) {
            Ok(None) => {}
            Ok(Some(problem)) => return Some(problem),
            Err(Unknown) => {
                let text =
                    format!("could not parse formatting clause: unrecognized formatting clause {verb:?}");
                // Go quotes a character as a text here.
                return fail(text.replace('\'', "\""));
            }
        }
        rest = text_of(clause, verb.len_utf8()..);
    }
    if arguments.len() > used {
        let given = arguments.len();
        return fail(format!("too many arguments supplied to string.format (expected {used}, got {given})"));
    }
    None
}

/// There is no such clause.
struct Unknown;

fn wrong_type(verb: char, argument: &Item<'_>, checked: &Checked) -> Result<Option<Problem>, Unknown> {
    let value = &argument.value;
    let found = checked.type_of(value);
    let is_whole = matches!(found, CelType::Int | CelType::Uint | CelType::Dyn);
    let (is_valid, text) = match verb {
        's' => return Ok(not_printable(value, checked)),
        'd' => (is_whole, "decimal clause can only be used on integers"),
        'o' => (is_whole, "octal clause can only be used on integers"),
        'b' => (is_whole || *found == CelType::Bool, "only integers and bools can be formatted as binary"),
        'f' => {
            let is_valid = matches!(found, CelType::Double | CelType::String | CelType::Dyn);
            (is_valid, "fixed-point clause can only be used on doubles")
        }
        'e' => {
            let is_valid = matches!(found, CelType::Double | CelType::String | CelType::Dyn);
            (is_valid, "scientific clause can only be used on doubles")
        }
        'x' | 'X' => {
            let is_valid = is_whole || matches!(found, CelType::String | CelType::Bytes);
            (is_valid, "only integers, byte buffers, and strings can be formatted as hex")
        }
        _ => return Err(Unknown),
    };
    Ok((!is_valid).then(|| given(value, found, text)))
}

fn given(value: &Expr<'_>, found: &CelType, text: &str) -> Problem {
    // Without the types that it is made from.
    let name = match found {
        CelType::List(_) => "list".to_owned(),
        CelType::Map(..) => "map".to_owned(),
        CelType::Optional(_) => "optional_type".to_owned(),
        CelType::OfTypes(_) => "type".to_owned(),
        other => other.result_name(),
    };
    Problem { at: value.at, text: format!("error during formatting: {text}, was given {name}") }
}

/// A part of a value that has no text.
fn not_printable(value: &Expr<'_>, checked: &Checked) -> Option<Problem> {
    let found = checked.type_of(value);
    if matches!(found, CelType::Named(_) | CelType::Optional(_)) {
        let text = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                    durations, and timestamps";
        return Some(given(value, found, text));
    }
    let mut problem = None;
    if matches!(value.node, Node::List(_) | Node::Map(_)) {
        value.for_each_child(|child| {
            problem = problem.take().or_else(|| deep(|| not_printable(child, checked)));
        });
    }
    problem
}
