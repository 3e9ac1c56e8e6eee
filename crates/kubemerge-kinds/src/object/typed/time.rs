//! Times as Go's `time.Parse` reads RFC 3339 and as Kubernetes writes them: in UTC.

use super::error::DecodeError;
use super::scalar::in_quotes;
use kubemerge_value::calendar::{civil_from_days, days_from_civil};
use kubemerge_value::part::text_of;

/// How much of a second is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Seconds,
    Micros,
}

impl Precision {
    fn layout(self) -> &'static str {
        match self {
            Precision::Seconds => "2006-01-02T15:04:05Z07:00",
            Precision::Micros => "2006-01-02T15:04:05.000000Z07:00",
        }
    }
}

/// The canonical text of a time; `None` for Go's zero time, which is written as null.
pub(super) fn canonical(text: &str, precision: Precision) -> Result<Option<String>, DecodeError> {
    let time = Parser { text, rest: text, precision }.parse()?;
    let (days, second) = (time.seconds.div_euclid(86_400), time.seconds.rem_euclid(86_400));
    let (year, month, day) = civil_from_days(days);
    if (year, month, day, second, time.micros) == (1, 1, 1, 0, 0) {
        return Ok(None);
    }
    let fraction = match precision {
        Precision::Seconds => String::new(),
        Precision::Micros => format!(".{:06}", time.micros),
    };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    Ok(Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z")))
}

struct Time {
    /// Since 1970.
    seconds: i64,
    micros: u32,
}

struct Parser<'t> {
    text: &'t str,
    rest: &'t str,
    precision: Precision,
}

impl Parser<'_> {
    fn parse(mut self) -> Result<Time, DecodeError> {
        let year = self.digits("2006", 4, 4)?;
        self.literal("-")?;
        let month = self.digits("01", 2, 2)?;
        self.in_range(month, 1, 12, "month")?;
        self.literal("-")?;
        let day = self.digits("02", 2, 2)?;
        self.literal("T")?;
        // Go's layout accepts one digit here, and two everywhere else.
        let hour = self.digits("15", 1, 2)?;
        self.in_range(hour, 0, 23, "hour")?;
        self.literal(":")?;
        let minute = self.digits("04", 2, 2)?;
        self.in_range(minute, 0, 59, "minute")?;
        self.literal(":")?;
        let second = self.digits("05", 2, 2)?;
        self.in_range(second, 0, 59, "second")?;
        let micros = self.fraction()?;
        let offset = self.zone()?;
        if !self.rest.is_empty() {
            return Err(self.error(&format!(": extra text: {}", in_quotes(self.rest))));
        }
        // After the rest was read, which is when Go looks at it.
        self.in_range(day, 1, days_in(year, month), "day")?;
        let seconds = days_from_civil(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
        Ok(Time { seconds: seconds - offset, micros })
    }

    fn error(&self, detail: &str) -> DecodeError {
        DecodeError::new(format!("parsing time {}{detail}", in_quotes(self.text)))
    }

    fn cannot_parse(&self, element: &str) -> DecodeError {
        let layout = self.precision.layout();
        let rest = in_quotes(self.rest);
        self.error(&format!(" as \"{layout}\": cannot parse {rest} as \"{element}\""))
    }

    fn digits(&mut self, element: &str, least: usize, most: usize) -> Result<i64, DecodeError> {
        let count = self.rest.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if count < least {
            return Err(self.cannot_parse(element));
        }
        let (digits, rest) = self.rest.split_at(count);
        self.rest = rest;
        // Only digits, and few enough for the type.
        Ok(digits.parse().unwrap_or_default())
    }

    fn literal(&mut self, text: &str) -> Result<(), DecodeError> {
        self.rest = self.rest.strip_prefix(text).ok_or_else(|| self.cannot_parse(text))?;
        Ok(())
    }

    fn in_range(&self, number: i64, least: i64, most: i64, what: &str) -> Result<(), DecodeError> {
        if (least..=most).contains(&number) {
            return Ok(());
        }
        Err(self.error(&format!(": {what} out of range")))
    }

    fn fraction(&mut self) -> Result<u32, DecodeError> {
        let digits = self.rest.strip_prefix(['.', ',']).map(|rest| {
            let count = rest.bytes().take_while(u8::is_ascii_digit).count();
            rest.split_at(count)
        });
        match (self.precision, digits) {
            (Precision::Seconds, Some((digits, rest))) if !digits.is_empty() => {
                self.rest = rest;
                Ok(0)
            }
            (Precision::Seconds, _) => Ok(0),
            // Micro times have six digits, no more and no less.
            (Precision::Micros, Some((digits, _))) if digits.len() >= 6 => {
                let micros = text_of(digits, ..6).parse().unwrap_or_default();
                self.rest = text_of(self.rest, 7..);
                Ok(micros)
            }
            (Precision::Micros, _) => Err(self.cannot_parse(".000000")),
        }
    }

    fn zone(&mut self) -> Result<i64, DecodeError> {
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Ok(0);
        }
        let bytes = self.rest.as_bytes();
        let number = |at: usize| match bytes.get(at..at + 2) {
            Some([tens @ b'0'..=b'9', ones @ b'0'..=b'9']) => {
                Some(i64::from(tens - b'0') * 10 + i64::from(ones - b'0'))
            }
            _ => None,
        };
        let sign = match bytes.first() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return Err(self.cannot_parse("Z07:00")),
        };
        let (Some(hours), Some(b':'), Some(minutes)) = (number(1), bytes.get(3), number(4)) else {
            return Err(self.cannot_parse("Z07:00"));
        };
        // Go's limits, which are one more than a clock has.
        self.in_range(hours, 0, 24, "time zone offset hour")?;
        self.in_range(minutes, 0, 60, "time zone offset minute")?;
        self.rest = text_of(self.rest, 6..);
        Ok(sign * (hours * 3600 + minutes * 60))
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_in_utc() {
        let seconds = |text| canonical(text, Precision::Seconds).unwrap().unwrap();
        assert_eq!(seconds("2024-02-29T23:30:00.5-01:00"), "2024-03-01T00:30:00Z");
        assert_eq!(canonical("0001-01-01T00:00:00Z", Precision::Seconds).unwrap(), None);
        let micros = canonical("2024-01-01T00:00:00.000001Z", Precision::Micros).unwrap().unwrap();
        assert_eq!(micros, "2024-01-01T00:00:00.000001Z");
    }

    #[test]
    fn errors_have_the_words_of_go() {
        let error = canonical("x", Precision::Seconds).unwrap_err();
        let expected = "parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"";
        assert_eq!(error.message(), expected);
        let error = canonical("2024-13-01T00:00:00Z", Precision::Seconds).unwrap_err();
        assert_eq!(error.message(), "parsing time \"2024-13-01T00:00:00Z\": month out of range");
    }
}
