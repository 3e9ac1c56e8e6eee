//! Times as Kubernetes writes them: RFC 3339 in UTC, to the second.

use std::fmt;

use crate::calendar::{civil_from_days, days_from_civil};

/// A second in UTC; prints as Kubernetes prints times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(i64);

/// The last second of the year 9999; no client reads a later one.
const END_OF_9999: i64 = 253_402_300_799;

impl Timestamp {
    /// This many seconds after 1970 began.
    pub fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds)
    }

    /// Seconds since 1970.
    pub fn seconds(self) -> i64 {
        self.0
    }

    /// Reads `2026-01-31T12:00:00Z`, with or without a fraction, in UTC.
    pub fn parse(text: &str) -> Option<Timestamp> {
        let (date, time) = text.split_once('T')?;
        let time = time.strip_suffix('Z')?;
        let time = time.split_once('.').map_or(time, |(whole, _)| whole);
        let [year, month, day] = numbers(date, '-')?;
        let [hour, minute, second] = numbers(time, ':')?;
        let in_range = year <= 9_999 && (1..=12).contains(&month) && (1..=31).contains(&day);
        // A leap second is read, and counts as the first of the next minute.
        if !in_range || hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        Some(Timestamp(days_from_civil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second))
    }

    /// As Kubernetes writes it: `2026-01-31T12:00:00Z`.
    pub fn text(self) -> String {
        let (days, second) = (self.0.div_euclid(86_400), self.0.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
        // Years of four digits are written without the formatter: every write of an object has a time.
        if (0..10_000).contains(&year) {
            let text = digits([year / 100, year % 100, month, day, hour, minute, second]);
            // Digits and separators only.
            return String::from_utf8(text.to_vec()).unwrap_or_default();
        }
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
    }

    /// The second this many seconds later, but none that no client can read.
    #[must_use]
    pub fn plus(self, seconds: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(seconds).min(END_OF_9999))
    }

    /// How many seconds lie between this and an earlier time.
    pub fn since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// Seven numbers of two digits each, in their places.
fn digits(numbers: [i64; 7]) -> [u8; 20] {
    let mut text = *b"0000-00-00T00:00:00Z";
    for (number, at) in numbers.into_iter().zip([0, 2, 5, 8, 11, 14, 17]) {
        if let Some([tens, ones]) = text.get_mut(at..at + 2) {
            *tens += (number / 10) as u8;
            *ones += (number % 10) as u8;
        }
    }
    text
}

fn numbers(text: &str, separator: char) -> Option<[i64; 3]> {
    let mut parts = text.split(separator).map(|part| part.parse::<i64>().ok().filter(|n| *n >= 0));
    let three = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_print_and_parse() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(Timestamp(seconds).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp(seconds)));
        }
        assert_eq!(Timestamp::parse("2000-02-29T00:00:00.5Z"), Some(Timestamp(951_782_400)));
        for bad in [
            "",
            "2000-02-29",
            "2000-13-01T00:00:00Z",
            "x-y-zTa:b:cZ",
            "2000-01-01T00:00:00",
            "9223372036854775807-01-01T00:00:00Z",
        ] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }
}
