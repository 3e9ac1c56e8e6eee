//! Times of entries: whole seconds, written as RFC 3339 in UTC.

use std::fmt::{self, Display, Formatter};

/// A time in whole seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub i64);

const SECONDS_PER_DAY: i64 = 86_400;

impl Time {
    /// Reads RFC 3339, e.g. `2026-01-02T03:04:05Z`; parts of a second are dropped.
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
        let days = days_of(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
        let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        // Fractions are dropped: managedFields has whole seconds.
        let rest = text[19..].trim_start_matches(|c: char| c == '.' || c.is_ascii_digit());
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
    let (hours, minutes) = text[1..].split_once(':')?;
    Some(sign * (hours.parse::<i64>().ok()? * 3600 + minutes.parse::<i64>().ok()? * 60))
}

/// Days since 1970 of a date of the Gregorian calendar, which repeats every 400 years.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that start in March end with the leap day.
    let year = if month > 2 { year } else { year - 1 };
    let month = (month + 9) % 12;
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

/// Year, month and day of a number of days since 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

impl Display for Time {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (days, seconds) = (self.0.div_euclid(SECONDS_PER_DAY), self.0.rem_euclid(SECONDS_PER_DAY));
        let (year, month, day) = date_of(days);
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
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
