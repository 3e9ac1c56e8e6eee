//! Cron schedules: `*/5 * * * 1-5`, `@daily`, `@every 1h`.

use std::num::IntErrorKind;

use super::time_zone::is_time_zone;
use crate::go_text::quoted;
use crate::typed::duration;

/// A field of a schedule: its least and largest number, and names for numbers.
struct Bounds {
    least: i64,
    most: i64,
    names: &'static [(&'static str, i64)],
}

const FIELDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds {
        least: 1,
        most: 12,
        names: &[
            ("jan", 1),
            ("feb", 2),
            ("mar", 3),
            ("apr", 4),
            ("may", 5),
            ("jun", 6),
            ("jul", 7),
            ("aug", 8),
            ("sep", 9),
            ("oct", 10),
            ("nov", 11),
            ("dec", 12),
        ],
    },
    Bounds {
        least: 0,
        most: 6,
        names: &[("sun", 0), ("mon", 1), ("tue", 2), ("wed", 3), ("thu", 4), ("fri", 5), ("sat", 6)],
    },
];

/// What is wrong with a schedule.
pub(super) fn check_schedule(schedule: &str) -> Result<(), String> {
    let times = after_time_zone(schedule)?;
    if times.starts_with('@') {
        return descriptor(times);
    }
    let fields: Vec<&str> = times.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let found = fields.join(" ");
        return Err(format!("expected exactly {} fields, found {}: [{found}]", FIELDS.len(), fields.len()));
    }
    for (field, bounds) in fields.iter().zip(&FIELDS) {
        // Upstream splits like Go's FieldsFunc, which knows no empty parts.
        for range in field.split(',').filter(|range| !range.is_empty()) {
            check_range(range, bounds)?;
        }
    }
    Ok(())
}

/// The schedule without `TZ=zone` or `CRON_TZ=zone` before it.
fn after_time_zone(schedule: &str) -> Result<&str, String> {
    let zone = schedule.strip_prefix("TZ=").or_else(|| schedule.strip_prefix("CRON_TZ="));
    let Some(zone) = zone else { return Ok(schedule) };
    let Some((zone, times)) = zone.split_once(' ') else {
        // Upstream panics here and reports that.
        return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".to_owned());
    };
    if !zone.is_empty() && !is_time_zone(zone) {
        return Err(format!("provided bad location {zone}: unknown time zone {zone}"));
    }
    Ok(times.trim())
}

fn descriptor(text: &str) -> Result<(), String> {
    let named = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
    if named.contains(&text) {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        Some(period) if duration::parse(period).is_some() => Ok(()),
        Some(period) => {
            Err(format!("failed to parse duration {text}: time: invalid duration {}", quoted(period)))
        }
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

/// `5`, `*`, `1-5`, `*/10` or `10-50/5`.
fn check_range(range: &str, bounds: &Bounds) -> Result<(), String> {
    let steps: Vec<&str> = range.split('/').collect();
    let limits: Vec<&str> = steps.first().map_or_else(Vec::new, |limits| limits.split('-').collect());
    let (start, mut end) = match limits[..] {
        // Upstream ignores what follows a star: `*-5` is every value.
        ["*" | "?", ..] => (bounds.least, bounds.most),
        [one] => (number(one, bounds)?, number(one, bounds)?),
        [start, end] => (number(start, bounds)?, number(end, bounds)?),
        [start, ..] => {
            number(start, bounds)?;
            return Err(format!("too many hyphens: {range}"));
        }
        [] => return Ok(()),
    };
    let step = match steps[..] {
        [_] => 1,
        [_, step] => {
            // `5/10` goes on to the end.
            if limits.len() == 1 {
                end = bounds.most;
            }
            integer(step)?
        }
        _ => return Err(format!("too many slashes: {range}")),
    };
    let (least, most) = (bounds.least, bounds.most);
    if start < least {
        return Err(format!("beginning of range ({start}) below minimum ({least}): {range}"));
    }
    if end > most {
        return Err(format!("end of range ({end}) above maximum ({most}): {range}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn number(text: &str, bounds: &Bounds) -> Result<i64, String> {
    let name = text.to_lowercase();
    match bounds.names.iter().find(|(known, _)| *known == name) {
        Some((_, number)) => Ok(*number),
        None => integer(text),
    }
}

fn integer(text: &str) -> Result<i64, String> {
    let number = text.parse::<i64>().map_err(|error| {
        let problem = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {problem}", quoted(text))
    })?;
    if number < 0 {
        return Err(format!("negative number ({number}) not allowed: {text}"));
    }
    Ok(number)
}
