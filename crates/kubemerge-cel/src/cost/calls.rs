//! What functions cost, and how large their results are.

use super::super::types::CelType;
use super::{LIST_COST, MaxSizes, REGEX_FACTOR, STRING_FACTOR, STRUCT_COST, SizeEstimate};

/// What a check of permissions costs: an expression can afford two.
const AUTHORIZATION_CHECK_COST: u64 = 350_000;
/// The longest regular expression of a named format.
const MAX_NAME_FORMAT_REGEX_SIZE: f64 = 128.0;
/// The longest name of a format.
const MAX_FORMAT_SIZE: u64 = 64;
/// How many bytes an address has.
const ADDRESS_SIZE: SizeEstimate = SizeEstimate { min: 4, max: 16 };

/// An argument of a function.
pub(super) struct Argument<'e> {
    /// Its size, if that follows from the expression.
    pub(super) size: Option<SizeEstimate>,
    pub(super) of: CelType,
    pub(super) path: Vec<&'e str>,
    /// Its value, if it is a number that is written in the expression.
    pub(super) literal: Option<i64>,
}

impl Argument<'_> {
    fn size(&self) -> SizeEstimate {
        self.size.unwrap_or(SizeEstimate::UNKNOWN)
    }
}

/// The cost of a call without its arguments, and the size of its result if that is known.
pub(super) struct CallEstimate {
    pub(super) cost: SizeEstimate,
    pub(super) size: Option<SizeEstimate>,
}

impl CallEstimate {
    fn cost(cost: SizeEstimate) -> CallEstimate {
        CallEstimate { cost, size: None }
    }

    fn with_size(cost: SizeEstimate, size: SizeEstimate) -> CallEstimate {
        CallEstimate { cost, size: Some(size) }
    }
}

/// Estimates a call of a function with one of its overloads.
pub(super) fn call_estimate(
    function: &str,
    overload: &str,
    target: Option<&Argument<'_>>,
    arguments: &[Argument<'_>],
    sizes: &dyn MaxSizes,
) -> CallEstimate {
    let estimate = match target {
        Some(target) => method(function, overload, target, arguments, sizes),
        None => None,
    };
    let estimate = estimate.or_else(|| global(function, overload, arguments));
    estimate.unwrap_or_else(|| CallEstimate::cost(SizeEstimate::ONE))
}

/// Functions without a value before the dot: most read a text once.
fn global(function: &str, overload: &str, arguments: &[Argument<'_>]) -> Option<CallEstimate> {
    let first = arguments.first().map(Argument::size);
    let read = |size: SizeEstimate| CallEstimate::cost(size.times(STRING_FACTOR));
    Some(match (function, arguments) {
        ("url" | "jsonpatch.escapeKey", [_]) => {
            let size = first?;
            CallEstimate::with_size(size.times(STRING_FACTOR), size)
        }
        ("cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver", [_, ..]) => {
            read(first?)
        }
        ("ip.isCanonical", [_]) => CallEstimate::cost(first?.times(2.0 * STRING_FACTOR)),
        ("bytes", [_]) if overload == "s>y" => {
            let size = first?;
            let result = SizeEstimate { min: size.min, max: size.max.wrapping_mul(4) };
            CallEstimate::with_size(size.times(STRING_FACTOR), result)
        }
        ("string", [_]) if overload == "y>s" => {
            let size = first?;
            let result = SizeEstimate { min: size.min / 4, max: size.max };
            CallEstimate::with_size(size.times(STRING_FACTOR), result)
        }
        ("strings.quote", [_]) => {
            let size = first?;
            let max = size.max.wrapping_mul(2).wrapping_add(2);
            CallEstimate::with_size(size.times(STRING_FACTOR), SizeEstimate { min: size.min + 2, max })
        }
        // Every item of one list is compared with every item of the other, for equivalence in both directions.
        ("sets.contains" | "sets.intersects", [one, other]) => {
            CallEstimate::cost(one.size().multiply(other.size()).add(SizeEstimate::ONE))
        }
        ("sets.equivalent", [one, other]) => {
            CallEstimate::cost(one.size().multiply(other.size()).times(2.0).add(SizeEstimate::ONE))
        }
        ("lists.range", [end]) => new_list(1.0, SizeEstimate::fixed(written(end, u64::MAX))),
        ("@in", [_, list]) if overload == "1[1]>b" => CallEstimate::cost(list.size()),
        ("matches", [text, pattern]) => CallEstimate::cost(regex_cost(text.size(), pattern.size())),
        ("_==_", [one, other]) => CallEstimate::cost(
            fixed_equality(one, other).unwrap_or_else(|| comparison(one.size(), other.size())),
        ),
        ("_!=_", [one, other]) => CallEstimate::cost(comparison(one.size(), other.size())),
        ("_<_" | "_<=_" | "_>_" | "_>=_", [one, other]) if matches!(overload, "ss>b" | "yy>b") => {
            CallEstimate::cost(comparison(one.size(), other.size()))
        }
        _ => return None,
    })
}

/// Comparing two values ends with the shorter one.
fn comparison(one: SizeEstimate, other: SizeEstimate) -> SizeEstimate {
    let max = one.max.min(other.max);
    SizeEstimate { min: u64::from(max > 0), max }.times(STRING_FACTOR)
}

/// Values of Kubernetes' libraries are compared at a fixed cost.
fn fixed_equality(one: &Argument<'_>, other: &Argument<'_>) -> Option<SizeEstimate> {
    let CelType::Named(name) = &one.of else { return None };
    if one.of != other.of {
        return None;
    }
    match name.as_str() {
        "kubernetes.NamedFormat" => Some(SizeEstimate { min: 1, max: MAX_FORMAT_SIZE }.times(STRING_FACTOR)),
        "kubernetes.URL" => {
            let max = other.size.unwrap_or(SizeEstimate::ONE).max;
            Some(SizeEstimate { min: 1, max }.times(STRING_FACTOR))
        }
        "net.IP" | "net.CIDR" | "kubernetes.Quantity" | "kubernetes.Semver" => Some(SizeEstimate::ONE),
        _ if name.starts_with("kubernetes.authorization.") => Some(SizeEstimate::ONE),
        _ => None,
    }
}

fn regex_cost(text: SizeEstimate, pattern: SizeEstimate) -> SizeEstimate {
    // An empty text costs something, too.
    text.add(SizeEstimate::ONE).times(STRING_FACTOR).multiply(pattern.times(REGEX_FACTOR))
}

/// Functions with a value before the dot.
fn method(
    function: &str,
    overload: &str,
    target: &Argument<'_>,
    arguments: &[Argument<'_>],
    sizes: &dyn MaxSizes,
) -> Option<CallEstimate> {
    let size = target.size();
    Some(match (function, arguments) {
        ("check", _) => CallEstimate::cost(SizeEstimate::fixed(AUTHORIZATION_CHECK_COST)),
        ("fieldSelector" | "labelSelector", [selector]) => CallEstimate::cost(selector_cost(selector.size())),
        ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf", _) => {
            CallEstimate::cost(traversal_cost(target, sizes))
        }
        ("lowerAscii" | "upperAscii" | "substring" | "trim", _) => {
            CallEstimate::with_size(size.times(STRING_FACTOR), size)
        }
        ("replace", [replaced, replacement, ..]) => CallEstimate::with_size(
            size.times(2.0 * STRING_FACTOR),
            replaced_size(size, replaced.size(), replacement.size()),
        ),
        ("split", _) => {
            // With an empty separator every character is an item; a limit must be written to count.
            let limit = arguments.get(1).and_then(|limit| limit.literal);
            let max = limit.map_or(size.max, |limit| limit as u64);
            CallEstimate::with_size(size.times(2.0 * STRING_FACTOR), SizeEstimate { min: 0, max })
        }
        ("join", _) => {
            let size = joined_size(target, arguments.first(), sizes);
            CallEstimate::with_size(size.times(STRING_FACTOR), size)
        }
        ("find" | "findAll", [pattern, ..]) => {
            CallEstimate::with_size(regex_cost(size, pattern.size()), SizeEstimate { min: 0, max: size.max })
        }
        ("containsIP", [other]) => CallEstimate::cost(address_cost(other, overload == "N.s>b")),
        ("containsCIDR", [other]) => {
            let mask = ADDRESS_SIZE.times(STRING_FACTOR).add(SizeEstimate::ONE);
            CallEstimate::cost(address_cost(other, overload == "N.s>b").add(mask))
        }
        ("slice", [start, end]) => {
            let count = written(end, size.max).wrapping_sub(written(start, 0));
            new_list(1.0, SizeEstimate::fixed(count))
        }
        ("reverse", []) => new_list(1.0, size),
        ("flatten", _) => {
            let depth = arguments.first().map_or(1, |depth| written(depth, u64::MAX));
            new_list(depth as f64, size)
        }
        ("distinct", []) => new_list(2.0, size.multiply(size)),
        ("sort", []) => new_list(sort_factor(overload), size.multiply(size)),
        ("@sortByAssociatedKeys", [keys]) => {
            new_list(sort_factor(overload), keys.size().multiply(keys.size()))
        }
        ("validate", [text]) => CallEstimate::cost(
            text.size().times(STRING_FACTOR).times(MAX_NAME_FORMAT_REGEX_SIZE * REGEX_FACTOR),
        ),
        ("format", _) => CallEstimate::cost(size.times(STRING_FACTOR)),
        ("startsWith" | "endsWith", [part]) => CallEstimate::cost(part.size().times(STRING_FACTOR)),
        ("contains", [part]) => {
            CallEstimate::cost(size.times(STRING_FACTOR).multiply(part.size().times(STRING_FACTOR)))
        }
        ("matches", [pattern]) => CallEstimate::cost(regex_cost(size, pattern.size())),
        _ => return None,
    })
}

/// A call that makes a list.
fn new_list(factor: f64, size: SizeEstimate) -> CallEstimate {
    CallEstimate::with_size(size.times(factor).add(SizeEstimate::fixed(LIST_COST + 1)), size)
}

/// Comparing texts takes longer.
fn sort_factor(overload: &str) -> f64 {
    let is_text = overload.contains("[s]") || overload.contains("[y]");
    if is_text { 2.0 + STRING_FACTOR } else { 2.0 }
}

/// A number that is written in the expression, or what it can be otherwise.
fn written(argument: &Argument<'_>, otherwise: u64) -> u64 {
    argument.literal.map_or(otherwise, |number| number.max(0).unsigned_abs())
}

/// Parsing a selector makes a requirement of every second character at most.
fn selector_cost(size: SizeEstimate) -> SizeEstimate {
    let requirements = size.times(0.5).times((LIST_COST + STRUCT_COST) as f64);
    SizeEstimate::fixed(LIST_COST).add(size.times(STRING_FACTOR)).add(requirements)
}

/// The size of an item of a list, as the schema limits it.
fn item_size(list: &Argument<'_>, sizes: &dyn MaxSizes) -> SizeEstimate {
    let path: Vec<&str> =
        if list.path.is_empty() { Vec::new() } else { list.path.iter().copied().chain(["@items"]).collect() };
    sizes.size(&path).unwrap_or(SizeEstimate::UNKNOWN)
}

/// The cost of looking at every item of a list, or at every character of a text.
fn traversal_cost(target: &Argument<'_>, sizes: &dyn MaxSizes) -> SizeEstimate {
    match target.of.parameters().first() {
        None => target.size().times(STRING_FACTOR),
        Some(CelType::String | CelType::Bytes) => {
            let item = item_size(target, sizes).times(STRING_FACTOR).add(SizeEstimate::ONE);
            target.size().multiply(item)
        }
        Some(_) => target.size(),
    }
}

fn joined_size(list: &Argument<'_>, separator: Option<&Argument<'_>>, sizes: &dyn MaxSizes) -> SizeEstimate {
    let count = list.size();
    let mut size = SizeEstimate::ZERO;
    if !list.of.parameters().is_empty() {
        size = count.multiply(item_size(list, sizes));
    }
    let Some(separator) = separator else { return size };
    let gaps = SizeEstimate { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
    size.add(separator.size().multiply(gaps))
}

fn replaced_size(size: SizeEstimate, replaced: SizeEstimate, replacement: SizeEstimate) -> SizeEstimate {
    let (mut count, mut kept) = (SizeEstimate::ZERO, SizeEstimate::ZERO);
    if replaced.min == 0 {
        // An empty text is found around every character.
        count.max = size.max.saturating_add(1);
        kept.max = size.max;
    } else if replacement.max <= replaced.min {
        kept.max = size.max;
    } else {
        count.max = (size.max as f64 / replaced.min as f64).ceil() as u64;
    }
    if replaced.max == 0 {
        count.min = size.min.saturating_add(1);
        kept.min = size.min;
    } else if replaced.max <= replacement.min {
        kept.min = size.min;
    } else {
        count.min = (size.min as f64 / replaced.max as f64).ceil() as u64;
    }
    count.multiply(replacement).add(kept)
}

/// Comparing two addresses, one of which may have to be read first.
fn address_cost(other: &Argument<'_>, is_text: bool) -> SizeEstimate {
    let compared = ADDRESS_SIZE.add(ADDRESS_SIZE).times(STRING_FACTOR);
    if is_text { compared.add(other.size().times(STRING_FACTOR)) } else { compared }
}
