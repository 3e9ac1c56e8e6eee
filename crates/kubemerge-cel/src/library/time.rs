//! Parts of times and of spans of time.

use super::answer::Answer;
use crate::timestamp::Parts;
use crate::value::CelValue;

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    match arguments {
        [CelValue::Duration(nanos)] => of_duration(function, *nanos),
        [CelValue::Timestamp(time)] => of_time(function, &time.in_utc()),
        [CelValue::Timestamp(time), CelValue::String(zone)] => match time.in_zone(zone) {
            Ok(parts) => of_time(function, &parts),
            Err(problem) => Some(Err(problem)),
        },
        _ => None,
    }
}

fn of_duration<'v>(function: &str, nanos: i64) -> Option<Answer<'v>> {
    // Upstream: Go divides floats here, for which whole numbers stay whole.
    Some(Ok(CelValue::Int(match function {
        "getHours" => nanos / 3_600_000_000_000,
        "getMinutes" => nanos / 60_000_000_000,
        "getSeconds" => nanos / 1_000_000_000,
        "getMilliseconds" => nanos / 1_000_000,
        _ => return None,
    })))
}

fn of_time<'v>(function: &str, parts: &Parts) -> Option<Answer<'v>> {
    Some(Ok(CelValue::Int(match function {
        "getFullYear" => parts.year,
        "getMonth" => parts.month - 1,
        "getDate" => parts.day,
        "getDayOfMonth" => parts.day - 1,
        "getDayOfWeek" => parts.day_of_week,
        "getDayOfYear" => parts.day_of_year,
        "getHours" => parts.hour,
        "getMinutes" => parts.minute,
        "getSeconds" => parts.second,
        "getMilliseconds" => i64::from(parts.nanos / 1_000_000),
        _ => return None,
    })))
}
