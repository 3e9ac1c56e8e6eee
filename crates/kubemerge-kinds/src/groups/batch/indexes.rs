//! Indexes of an indexed Job as text: `1,3-5,7`.

use crate::go_text::quoted;

/// An interval of indexes; both ends belong to it.
type Interval = (i64, i64);

/// How many indexes a text names, or what is wrong with it.
pub(super) fn count(text: &str, completions: i64) -> Result<i64, String> {
    let mut last: Option<i64> = None;
    let mut total = 0;
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let (first, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(format!("non-increasing order, previous: {last}, current: {first}"));
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}

fn interval(text: &str, completions: i64) -> Result<Interval, String> {
    let limits: Vec<&str> = text.split('-').collect();
    match limits[..] {
        [one] => index(one, completions).map(|index| (index, index)),
        [first, end] => {
            let (first, end) = (index(first, completions)?, index(end, completions)?);
            if first >= end {
                return Err(format!("non-increasing order, previous: {first}, current: {end}"));
            }
            Ok((first, end))
        }
        _ => Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two parts separated \
             by '-'",
            quoted(text)
        )),
    }
}

fn index(text: &str, completions: i64) -> Result<i64, String> {
    let index: i64 =
        text.parse().map_err(|_| format!("cannot convert string to integer for index: {}", quoted(text)))?;
    if index >= completions {
        return Err(format!("too large index: {}", quoted(text)));
    }
    Ok(index)
}

/// The first index that two texts share. Parts that cannot be read are passed over: they are reported elsewhere.
pub(super) fn first_overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    let intervals = |text: &str| -> Vec<Interval> {
        let parts = text.split(',').filter(|_| !text.is_empty());
        parts.filter_map(|part| interval(part, completions).ok()).collect()
    };
    let (completed, failed) = (intervals(completed), intervals(failed));
    let (mut at, mut other) = (0, 0);
    while let (Some(one), Some(two)) = (completed.get(at), failed.get(other)) {
        if one.0 <= two.1 && two.0 <= one.1 {
            return Some(one.0.max(two.0));
        }
        // Both lists ascend, so the interval that begins first cannot meet a later one.
        if one.0 <= two.0 {
            at += 1;
        } else {
            other += 1;
        }
    }
    None
}
