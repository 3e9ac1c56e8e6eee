//! Durations such as `1h30m`, read and written as Go's `time.Duration`.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

const UNITS: [(&str, i128); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Nanoseconds of a duration.
pub fn parse(text: &str) -> Option<i64> {
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut nanos = 0i128;
    while !rest.is_empty() {
        let end = rest.find(|char: char| !char.is_ascii_digit() && char != '.')?;
        let (number, after) = rest.split_at(end);
        let unit_end = after.find(|char: char| char.is_ascii_digit() || char == '.').unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        // Both spellings of micro are accepted, the sign and the letter.
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == unit)?;
        nanos = nanos.checked_add(amount(number, *unit)?)?;
        rest = after;
    }
    i64::try_from(if is_negative { nanos.checked_neg()? } else { nanos }).ok()
}

fn amount(number: &str, unit: i128) -> Option<i128> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return None;
    }
    let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    // Digits past the nanosecond are cut off.
    let fraction = fraction.get(..18).unwrap_or(fraction);
    let part = match fraction {
        "" => 0,
        digits => {
            let parts = 10i128.checked_pow(digits.len() as u32)?;
            digits.parse::<i128>().ok()?.checked_mul(unit)?.checked_div(parts)?
        }
    };
    whole.checked_mul(unit)?.checked_add(part)
}

/// The text that Go writes for this many nanoseconds.
pub fn duration_text(nanos: i64) -> String {
    if nanos == 0 {
        return "0s".to_owned();
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let total = nanos.unsigned_abs();
    let below_a_second = match total {
        0..1_000 => Some((1, "ns")),
        1_000..1_000_000 => Some((1_000, "µs")),
        1_000_000..1_000_000_000 => Some((1_000_000, "ms")),
        _ => None,
    };
    if let Some((unit, name)) = below_a_second {
        return format!("{sign}{}{name}", decimal(total, unit));
    }
    let (minutes, nanos) = (total / 60_000_000_000, total % 60_000_000_000);
    let seconds = decimal(nanos, 1_000_000_000);
    match (minutes / 60, minutes % 60) {
        (0, 0) => format!("{sign}{seconds}s"),
        (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
        // Go writes all smaller units, be they zero.
        (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
    }
}

fn decimal(total: u64, unit: u64) -> String {
    let whole = total.checked_div(unit).unwrap_or_default();
    let rest = total.checked_rem(unit).unwrap_or_default();
    if rest == 0 {
        return whole.to_string();
    }
    let width = unit.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    format!("{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_go_writes_them() {
        for (text, canonical_text) in [
            ("90s", "1m30s"),
            ("1h", "1h0m0s"),
            ("1.5s", "1.5s"),
            ("0", "0s"),
            ("1500us", "1.5ms"),
            ("-2m", "-2m0s"),
        ] {
            assert_eq!(parse(text).map(duration_text).as_deref(), Some(canonical_text), "{text}");
        }
        for text in ["", "1", "x", "1x", "."] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
