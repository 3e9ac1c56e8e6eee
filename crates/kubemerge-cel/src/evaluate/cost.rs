//! What calls cost, by the sizes of their arguments: the numbers of cel-go and of Kubernetes' libraries.

use super::outcome::Outcome;
use crate::value::{CelList, CelValue};

/// What looking at a character costs.
const STRING_FACTOR: f64 = 0.1;
/// What a character of a regular expression costs for each character that it is compared with.
const REGEX_FACTOR: f64 = 0.25;
/// What a check of permissions costs.
const AUTHORIZATION_CHECK_COST: u64 = 350_000;
/// What a new list costs, with the call that makes it.
const NEW_LIST_COST: u64 = 11;

/// What a call costs. The overload is the only one that it may come to, if there is only one.
pub(super) fn call_cost<'v>(
    function: &str,
    overload: Option<&str>,
    arguments: &[Outcome<'v>],
    result: &Outcome<'v>,
) -> u64 {
    let call = Call { arguments, result };
    call.tracked(function, overload)
        .or_else(|| call.by_function(function, overload))
        .or_else(|| call.by_overload(function, overload))
        .unwrap_or(1)
}

struct Call<'c, 'v> {
    arguments: &'c [Outcome<'v>],
    result: &'c Outcome<'v>,
}

/// A part for each unit, rounded up.
fn scaled(size: u64, factor: f64) -> u64 {
    (size as f64 * factor).ceil() as u64
}

fn size_of(outcome: &Outcome<'_>) -> u64 {
    outcome.as_ref().map_or(1, CelValue::size)
}

fn regex_cost(text: u64, pattern: u64) -> u64 {
    let text = ((1.0 + text as f64) * STRING_FACTOR).ceil() as u64;
    text.saturating_mul(scaled(pattern, REGEX_FACTOR))
}

fn new_list(size: u64, factor: f64) -> u64 {
    let factor = if factor < 0.0 { 1.0 } else { factor };
    ((size as f64 * factor) as u64).saturating_add(NEW_LIST_COST)
}

impl<'v> Call<'_, 'v> {
    fn size(&self, at: usize) -> u64 {
        self.arguments.get(at).map_or(1, size_of)
    }

    fn read(&self, at: usize) -> u64 {
        scaled(self.size(at), STRING_FACTOR)
    }

    fn list(&self, at: usize) -> Option<&CelList<'v>> {
        match self.arguments.get(at) {
            Some(Ok(CelValue::List(list))) => Some(list),
            _ => None,
        }
    }

    /// Functions on lists and sets, which count only where their overload is known.
    fn tracked(&self, function: &str, overload: Option<&str>) -> Option<u64> {
        overload?;
        Some(match function {
            "slice" | "lists.range" | "reverse" => new_list(size_of(self.result), 1.0),
            "flatten" => {
                let depth = match self.arguments.get(1) {
                    Some(Ok(CelValue::Int(depth))) => *depth as f64,
                    _ => 1.0,
                };
                new_list(self.size(0), depth)
            }
            "distinct" | "sort" => compared_items(self.list(0)?),
            "@sortByAssociatedKeys" => compared_items(self.list(1)?),
            "sets.contains" | "sets.intersects" => {
                self.size(0).saturating_mul(self.size(1)).saturating_add(1)
            }
            "sets.equivalent" => {
                self.size(0).saturating_mul(self.size(1)).saturating_mul(2).saturating_add(1)
            }
            _ => return None,
        })
    }

    fn by_function(&self, function: &str, overload: Option<&str>) -> Option<u64> {
        Some(match function {
            "check" => AUTHORIZATION_CHECK_COST,
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes" => {
                self.arguments.first().map_or(0, traversal_cost)
            }
            "url" | "lowerAscii" | "upperAscii" | "substring" | "trim" | "jsonpatch.escapeKey" => {
                self.read(0)
            }
            "replace" | "split" | "ip.isCanonical" => {
                (self.size(0) as f64 * 2.0 * STRING_FACTOR).ceil() as u64
            }
            "join" => (size_of(self.result) as f64 * 2.0 * STRING_FACTOR).ceil() as u64,
            "find" | "findAll" => regex_cost(self.size(0), self.size(1)),
            "ip" if overload == Some("N.>I") => 1,
            "ip" | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
                self.read(0)
            }
            "containsIP" => self.mask_cost() + self.text_cost(overload),
            "containsCIDR" => self.mask_cost() + self.read(0) + 1 + self.text_cost(overload),
            "validate" => match self.arguments.first() {
                Some(Ok(CelValue::Format(format))) => regex_cost(self.size(1), format.max_regex_size()),
                _ => return None,
            },
            "_==_" => match self.arguments.first() {
                Some(Ok(
                    CelValue::Quantity(..)
                    | CelValue::Ip(_)
                    | CelValue::Cidr(_)
                    | CelValue::Format(_)
                    | CelValue::Url(_)
                    | CelValue::Semver(_),
                )) => 1,
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Addresses are compared byte by byte.
    fn mask_cost(&self) -> u64 {
        scaled(self.size(0).saturating_mul(2), STRING_FACTOR)
    }

    /// A text has to be read first.
    fn text_cost(&self, overload: Option<&str>) -> u64 {
        if overload == Some("N.s>b") { self.read(1) } else { 0 }
    }

    fn by_overload(&self, function: &str, overload: Option<&str>) -> Option<u64> {
        Some(match (function, overload?) {
            ("startsWith" | "endsWith", _) => self.read(1),
            ("bytes", "s>y") | ("string", "y>s") | ("strings.quote" | "format", _) => self.read(0),
            ("@in", "1[1]>b") => self.size(1),
            ("_<_" | "_<=_" | "_>_" | "_>=_", "ss>b" | "yy>b") | ("_==_" | "_!=_", _) => {
                scaled(self.size(0).min(self.size(1)), STRING_FACTOR)
            }
            ("_+_", "ss>s" | "yy>y") => scaled(self.size(0).saturating_add(self.size(1)), STRING_FACTOR),
            ("matches", _) => regex_cost(self.size(0), self.size(1)),
            ("contains", _) => self.read(0).saturating_mul(self.read(1)),
            _ => return None,
        })
    }
}

/// Every item is compared with every other; comparing texts takes longer.
fn compared_items(list: &CelList<'_>) -> u64 {
    let size = list.len() as u64;
    let factor = match list.get(0) {
        Some(CelValue::String(_) | CelValue::Bytes(_)) => 2.0 + STRING_FACTOR,
        _ => 2.0,
    };
    new_list(size.saturating_mul(size), factor)
}

/// What looking at all parts of a value costs.
fn traversal_cost(outcome: &Outcome<'_>) -> u64 {
    outcome.as_ref().map_or(1, parts)
}

fn parts(value: &CelValue<'_>) -> u64 {
    kubemerge_value::deep(|| match value {
        CelValue::String(text) => (text.len() as f64 * STRING_FACTOR) as u64,
        CelValue::Bytes(bytes) => (bytes.len() as f64 * STRING_FACTOR) as u64,
        CelValue::List(list) => list.iter().map(|item| parts(&item)).sum(),
        CelValue::Map(map) => map.members().iter().map(|(key, value)| parts(key) + parts(value)).sum(),
        _ => 1,
    })
}
