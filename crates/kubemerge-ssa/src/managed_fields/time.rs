//! Times of entries: whole seconds, written as RFC 3339 in UTC.

use std::fmt::{self, Display, Formatter};

use kubemerge_value::calendar::{civil_from_days, days_from_civil};
use kubemerge_value::part::item_at_mut;

/// A time in whole seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

const SECONDS_PER_DAY: i64 = 86_400;

impl Time {
    /// Reads RFC 3339, e.g. `2026-01-02T03:04:05Z`; parts of a second are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Time> {
        let bytes = text.as_bytes();
        let number = |from: usize, to: usize| {
            let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
            digits?.parse::<i64>().ok()
        };
        let separators = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if separators.iter().any(|(place, wanted)| bytes.get(*place) != Some(wanted)) {
            return None;
        }
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
        if !is_date || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let days = days_from_civil(year, month, day);
        // Fractions are dropped: managedFields has whole seconds.
        let rest = text.get(19..)?.trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
        let offset = offset_of(rest)?;
        Some(Time(days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second - offset))
    }
}

/// Seconds east of UTC: `Z`, or `+02:00`.
fn offset_of(text: &str) -> Option<i64> {
    if text == "Z" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60))
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (days, seconds) = (self.0.div_euclid(SECONDS_PER_DAY), self.0.rem_euclid(SECONDS_PER_DAY));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if !(0..10_000).contains(&year) {
            return write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z");
        }
        // Every answer has such a time for each manager; formatting machinery would take most of it.
        let mut text = *b"0000-00-00T00:00:00Z";
        let pairs =
            [(0, year / 100), (2, year % 100), (5, month), (8, day), (11, hour), (14, minute), (17, second)];
        for (at, number) in pairs {
            // Each number has two digits.
            *item_at_mut(&mut text, at) += (number / 10) as u8;
            *item_at_mut(&mut text, at + 1) += (number % 10) as u8;
        }
        f.write_str(std::str::from_utf8(&text).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_round_trip() {
        for text in
            ["1970-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "2026-11-15T22:43:35Z", "1600-03-01T00:00:00Z"]
        {
            assert_eq!(Time::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Time::parse("2026-01-01T02:00:00.5+02:00"), Time::parse("2026-01-01T00:00:00Z"));
        assert_eq!(Time::parse("yesterday"), None);
        assert_eq!(Time::parse("2026-13-01T00:00:00Z"), None);
    }
}
