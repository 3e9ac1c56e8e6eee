//! Functions on lists and sets.

use crate::error::CelError;
use std::cmp::Ordering;

use super::answer::{Answer, no_overload};
use super::operators::contains;
use crate::value::{CelList, CelValue};

/// The longest list that is sorted by insertion.
const MAX_INSERTION_SORT: usize = 12;
/// The longest range.
pub(super) const MAX_RANGE: i64 = 1_000_000;

/// Sorting looks at the values itself, whatever its overload is.
pub(super) fn sorted<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(match (function, arguments) {
        ("sort", [CelValue::List(list)]) => sort_by(list, list),
        ("@sortByAssociatedKeys", [CelValue::List(list), CelValue::List(keys)]) => sort_by(list, keys),
        // Upstream: values with methods are asked for this one, and say less.
        (
            "sort" | "@sortByAssociatedKeys",
            [CelValue::String(_) | CelValue::Duration(_) | CelValue::Timestamp(_), ..],
        ) => no_overload(),
        ("sort" | "@sortByAssociatedKeys", _) => Err(format!("no such overload: {function}").into()),
        _ => return None,
    })
}

pub(super) fn apply<'v>(function: &str, overload: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    if let ("lists.range", [CelValue::Int(count)]) = (function, arguments) {
        return Some(range(*count));
    }
    let (CelValue::List(list), rest) = arguments.split_first()? else { return None };
    Some(match (function, rest) {
        ("isSorted", []) => is_sorted(list),
        ("sum", []) => sum(list, overload),
        ("min", []) => extreme(list, "min", Ordering::Greater),
        ("max", []) => extreme(list, "max", Ordering::Less),
        ("indexOf", [item]) => Ok(position(list.iter().enumerate(), item)),
        ("lastIndexOf", [item]) => {
            let items: Vec<_> = list.iter().enumerate().collect();
            Ok(position(items.into_iter().rev(), item))
        }
        ("slice", [CelValue::Int(start), CelValue::Int(end)]) => slice(list, *start, *end),
        ("reverse", []) => Ok(CelValue::list(list.iter().rev().collect())),
        ("distinct", []) => Ok(distinct(list)),
        ("first", []) => Ok(CelValue::optional(list.get(0))),
        ("last", []) => Ok(CelValue::optional(list.iter().next_back())),
        ("sets.contains", [CelValue::List(other)]) => contains_all(list, other).map(CelValue::Bool),
        ("sets.intersects", [CelValue::List(other)]) => {
            Ok(CelValue::Bool(list.iter().any(|item| contains(other, &item) == Ok(true))))
        }
        ("sets.equivalent", [CelValue::List(other)]) => match contains_all(list, other) {
            Ok(true) => contains_all(other, list).map(CelValue::Bool),
            answer => answer.map(CelValue::Bool),
        },
        _ => return None,
    })
}

fn contains_all<'v>(list: &CelList<'v>, items: &CelList<'v>) -> Result<bool, CelError> {
    for item in items.iter() {
        if !contains(list, &item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn position<'v>(items: impl Iterator<Item = (usize, CelValue<'v>)>, wanted: &CelValue<'v>) -> CelValue<'v> {
    let mut items = items;
    let found = items.find(|(_, item)| item.is_same(wanted) == Ok(true));
    CelValue::Int(found.map_or(-1, |(at, _)| at as i64))
}

fn range<'v>(count: i64) -> Answer<'v> {
    if count < 0 {
        return Err(format!("lists.range: size must be non-negative, got {count}").into());
    }
    if count > MAX_RANGE {
        return Err(format!("lists.range: size {count} exceeds maximum allowed ({MAX_RANGE})").into());
    }
    Ok(CelValue::list((0..count).map(CelValue::Int).collect()))
}

fn is_sorted<'v>(list: &CelList<'v>) -> Answer<'v> {
    let mut previous: Option<CelValue<'v>> = None;
    for item in list.iter() {
        if !item.is_comparable() {
            return no_overload();
        }
        if previous.is_some_and(|previous| previous.compare(&item) == Ok(Ordering::Greater)) {
            return Ok(CelValue::Bool(false));
        }
        previous = Some(item);
    }
    Ok(CelValue::Bool(true))
}

fn sum<'v>(list: &CelList<'v>, overload: &str) -> Answer<'v> {
    let mut sum = match overload {
        "[u].>u" => CelValue::Uint(0),
        "[d].>d" => CelValue::Double(0.0),
        "[r].>r" => CelValue::Duration(0),
        _ => CelValue::Int(0),
    };
    for item in list.iter() {
        sum = super::operators::apply("_+_", &[sum, item]).unwrap_or_else(no_overload)?;
    }
    Ok(sum)
}

fn extreme<'v>(list: &CelList<'v>, name: &str, worse: Ordering) -> Answer<'v> {
    let mut found: Option<CelValue<'v>> = None;
    for item in list.iter() {
        if !item.is_comparable() {
            return no_overload();
        }
        let is_better = found.as_ref().is_none_or(|found| found.compare(&item) == Ok(worse));
        if is_better {
            found = Some(item);
        }
    }
    found.ok_or_else(|| format!("{name} called on empty list").into())
}

fn slice<'v>(list: &CelList<'v>, start: i64, end: i64) -> Answer<'v> {
    let failed = |why: &str| Err(format!("cannot slice({start}, {end}), {why}").into());
    if start < 0 || end < 0 {
        return failed("negative indexes not supported");
    }
    if start > end {
        return failed("start index must be less than or equal to end index");
    }
    if (list.len() as i64) < end {
        return failed(&format!("list is length {}", list.len()));
    }
    Ok(CelValue::list((start..end).filter_map(|at| list.get(at as usize)).collect()))
}

/// Upstream: the function looks at the types of its arguments itself.
pub(super) fn flatten<'v>(arguments: &[CelValue<'v>]) -> Answer<'v> {
    let (list, depth) = match arguments {
        [CelValue::List(list)] => (list, 1),
        [CelValue::List(list), CelValue::Int(depth)] => (list, *depth),
        [other] => return Err(format!("no such overload: {}.flatten()", other.type_name()).into()),
        [list, depth] => {
            return Err(
                format!("no such overload: {}.flatten({})", list.type_name(), depth.type_name()).into()
            );
        }
        _ => return no_overload(),
    };
    if depth < 0 {
        return Err("level must be non-negative".into());
    }
    let mut items = Vec::new();
    add_flat(list, depth, &mut items);
    Ok(CelValue::list(items))
}

fn add_flat<'v>(list: &CelList<'v>, depth: i64, items: &mut Vec<CelValue<'v>>) {
    for item in list.iter() {
        match item {
            CelValue::List(nested) if depth > 0 => {
                kubemerge_value::deep(|| add_flat(&nested, depth - 1, items));
            }
            item => items.push(item),
        }
    }
}

fn distinct<'v>(list: &CelList<'v>) -> CelValue<'v> {
    let mut found: Vec<CelValue<'v>> = Vec::new();
    for item in list.iter() {
        if !found.iter().any(|known| item.is_same(known) == Ok(true)) {
            found.push(item);
        }
    }
    CelValue::list(found)
}

fn sort_by<'v>(list: &CelList<'v>, keys: &CelList<'v>) -> Answer<'v> {
    if list.len() != keys.len() {
        return Err(format!(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got {} and {} \
             elements respectively",
            list.len(),
            keys.len()
        ).into());
    }
    let Some(first) = keys.get(0) else { return Ok(CelValue::List(list.clone())) };
    if !first.is_comparable() {
        return Err("list elements must be comparable".into());
    }
    // Upstream: a single item is compared with no other.
    let has_one_type = keys.len() == 1 || keys.iter().all(|key| key.type_name() == first.type_name());
    if !has_one_type {
        return Err("list elements must have the same type".into());
    }
    let mut pairs: Vec<(CelValue<'v>, CelValue<'v>)> = keys.iter().zip(list.iter()).collect();
    if pairs.len() <= MAX_INSERTION_SORT {
        sort_by_insertion(&mut pairs);
    } else {
        // Numbers that are none get an order, because a sort may rely on one that does not contradict itself.
        pairs.sort_by(|(one, _), (other, _)| order(one, other));
    }
    Ok(CelValue::list(pairs.into_iter().map(|(_, item)| item).collect()))
}

/// Upstream: Go sorts short lists so, which shows where values have no order.
fn sort_by_insertion<'v>(pairs: &mut [(CelValue<'v>, CelValue<'v>)]) {
    for end in 1..pairs.len() {
        for at in (1..=end).rev() {
            let is_less = match pairs.get(at - 1..=at) {
                Some([(before, _), (this, _)]) => this.compare(before) == Ok(Ordering::Less),
                _ => false,
            };
            if !is_less {
                break;
            }
            pairs.swap(at, at - 1);
        }
    }
}

fn order(one: &CelValue<'_>, other: &CelValue<'_>) -> Ordering {
    match (one, other) {
        (CelValue::Double(one), CelValue::Double(other)) => one.total_cmp(other),
        _ => one.compare(other).unwrap_or(Ordering::Equal),
    }
}
