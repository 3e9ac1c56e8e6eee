//! Points in time, with the offset they were written with, and what they are in a time zone.

use crate::error::CelError;
use std::cmp::Ordering;

use jiff::tz::TimeZone;
use kubemerge_value::calendar::{civil_from_days, days_from_civil};

/// Years 1 to 9999, in seconds since 1970.
const MIN_SECONDS: i64 = -62_135_596_800;
const MAX_SECONDS: i64 = 253_402_300_799;
const SECONDS_OF_400_YEARS: i64 = 146_097 * 86_400;
const NANOS: i64 = 1_000_000_000;

/// Errors of cel-go.
const TIMESTAMP_OVERFLOW: &str = "timestamp overflow";
const INTEGER_OVERFLOW: &str = "integer overflow";

/// A point in time; the offset counts for its text alone.
#[derive(Clone, Copy, Debug)]
pub struct CelTimestamp {
    /// Since 1970 in UTC.
    seconds: i64,
    nanos: u32,
    /// Seconds east of UTC.
    offset: i32,
}

/// Why a text is no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimestampError {
    /// It has another form.
    Form,
    /// It is before the year 1 or after the year 9999.
    Range,
}

impl CelTimestamp {
    /// This many seconds after 1970 began; none before the year 1 and after the year 9999.
    pub(crate) fn at(seconds: i64) -> Result<CelTimestamp, CelError> {
        CelTimestamp::new(seconds, 0, 0)
    }

    fn new(seconds: i64, nanos: u32, offset: i32) -> Result<CelTimestamp, CelError> {
        if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            return Err(TIMESTAMP_OVERFLOW.into());
        }
        Ok(CelTimestamp { seconds, nanos, offset })
    }

    /// Midnight in UTC of a date such as `2026-01-31`.
    #[must_use]
    pub fn parse_date(text: &str) -> Option<CelTimestamp> {
        let mut reader = TimestampReader { rest: text.as_bytes() };
        let days = reader.date()?;
        reader.rest.is_empty().then_some(CelTimestamp { seconds: days * 86_400, nanos: 0, offset: 0 })
    }

    /// A time as RFC 3339 has it, read as Go reads it.
    #[must_use]
    pub fn parse(text: &str) -> Option<CelTimestamp> {
        CelTimestamp::read(text).ok()
    }

    pub(crate) fn read(text: &str) -> Result<CelTimestamp, TimestampError> {
        let (seconds, nanos, offset) = read(text).ok_or(TimestampError::Form)?;
        CelTimestamp::new(seconds, nanos, offset).map_err(|_| TimestampError::Range)
    }

    /// Whether it is the first moment of the year 1, Go's zero.
    pub(crate) fn is_first(self) -> bool {
        self.seconds == MIN_SECONDS && self.nanos == 0
    }

    /// Seconds since 1970.
    pub(crate) fn seconds(self) -> i64 {
        self.seconds
    }

    /// The time this many nanoseconds later.
    pub(crate) fn plus(self, duration: i64) -> Result<CelTimestamp, CelError> {
        let nanos =
            i128::from(self.seconds) * i128::from(NANOS) + i128::from(self.nanos) + i128::from(duration);
        let seconds = nanos.div_euclid(NANOS.into());
        let rest = nanos.rem_euclid(NANOS.into());
        let seconds = i64::try_from(seconds).map_err(|_| INTEGER_OVERFLOW)?;
        CelTimestamp::new(seconds, rest as u32, self.offset)
    }

    /// The nanoseconds since another time.
    pub(crate) fn since(self, other: CelTimestamp) -> Result<i64, CelError> {
        let overflow = || CelError::from(INTEGER_OVERFLOW);
        // Upstream: seconds alone must fit into nanoseconds.
        let seconds = (self.seconds - other.seconds).checked_mul(NANOS).ok_or_else(overflow)?;
        seconds.checked_add(i64::from(self.nanos) - i64::from(other.nanos)).ok_or_else(overflow)
    }

    /// The text that Go writes for it, with the fraction that it has.
    pub(crate) fn text(self) -> String {
        let parts = self.parts(self.offset);
        let mut text = format!("{}T{}{}", parts.date(), parts.clock(), parts.fraction());
        if self.offset == 0 {
            text.push('Z');
        } else {
            text.push_str(&offset_text(self.offset, ":"));
        }
        text
    }

    /// The text of Go's `%v`.
    pub(crate) fn go_text(self) -> String {
        let parts = self.parts(self.offset);
        let zone = if self.offset == 0 { "UTC".to_owned() } else { offset_text(self.offset, "") };
        format!(
            "{} {}{} {} {zone}",
            parts.date(),
            parts.clock(),
            parts.fraction(),
            offset_text(self.offset, "")
        )
    }

    /// What a clock and a calendar show in a time zone: UTC, a name such as `Europe/Berlin`, or an offset.
    pub(crate) fn in_zone(self, zone: &str) -> Result<Parts, CelError> {
        Ok(self.parts(offset_in(zone, self.seconds)?))
    }

    /// What they show in UTC.
    pub(crate) fn in_utc(self) -> Parts {
        self.parts(0)
    }

    fn parts(self, offset: i32) -> Parts {
        let local = self.seconds + i64::from(offset);
        let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
        let (year, month, day) = civil_from_days(days);
        Parts {
            year,
            month,
            day,
            day_of_year: days - days_from_civil(year, 1, 1),
            // 1970 began on a Thursday.
            day_of_week: (days + 4).rem_euclid(7),
            hour: second / 3_600,
            minute: second / 60 % 60,
            second: second % 60,
            nanos: self.nanos,
        }
    }
}

/// Times are the same whatever their offsets are.
impl Ord for CelTimestamp {
    fn cmp(&self, other: &CelTimestamp) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl PartialOrd for CelTimestamp {
    fn partial_cmp(&self, other: &CelTimestamp) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CelTimestamp {
    fn eq(&self, other: &CelTimestamp) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for CelTimestamp {}

/// A time in a time zone.
pub(crate) struct Parts {
    pub(crate) year: i64,
    pub(crate) month: i64,
    pub(crate) day: i64,
    /// Zero is the first of January.
    pub(crate) day_of_year: i64,
    /// Zero is Sunday.
    pub(crate) day_of_week: i64,
    pub(crate) hour: i64,
    pub(crate) minute: i64,
    pub(crate) second: i64,
    pub(crate) nanos: u32,
}

impl Parts {
    fn date(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }

    fn clock(&self) -> String {
        format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second)
    }

    fn fraction(&self) -> String {
        if self.nanos == 0 {
            return String::new();
        }
        let digits = format!(".{:09}", self.nanos);
        digits.trim_end_matches('0').to_owned()
    }
}

fn offset_text(offset: i32, separator: &str) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
}

/// The seconds east of UTC of a zone at a time.
fn offset_in(zone: &str, seconds: i64) -> Result<i32, CelError> {
    let Some((hours, minutes)) = zone.split_once(':') else { return offset_of_name(zone, seconds) };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') { hours * 60 - minutes } else { hours * 60 + minutes };
    Ok(i32::try_from(minutes * 60).unwrap_or_default())
}

/// A number as `strconv.Atoi` reads it.
fn number(text: &str) -> Result<i64, CelError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let failed = |why: &str| {
        CelError::from(format!("strconv.Atoi: parsing {}: {why}", kubemerge_value::write::go_quoted(text)))
    };
    if !is_number {
        return Err(failed("invalid syntax"));
    }
    // Larger offsets than these lead out of the calendar.
    text.parse::<i64>()
        .ok()
        .filter(|number| number.abs() < 1_000_000)
        .ok_or_else(|| failed("value out of range"))
}

fn offset_of_name(name: &str, seconds: i64) -> Result<i32, CelError> {
    if name.is_empty() || name == "UTC" || name == "Local" {
        return Ok(0);
    }
    if name.contains("..") || name.starts_with(['/', '\\']) {
        return Err("time: invalid location name".into());
    }
    // Names are those of files to Go, so that letters have a case.
    let unknown = || CelError::from(format!("unknown time zone {name}"));
    let zone = TimeZone::get(name).map_err(|_| unknown())?;
    if zone.iana_name() != Some(name) {
        return Err(unknown());
    }
    // The last hours of the year 9999 are those of 400 years before: rules of time zones repeat with the calendar.
    let seconds = if seconds > MAX_SECONDS - 2 * 86_400 { seconds - SECONDS_OF_400_YEARS } else { seconds };
    let time = jiff::Timestamp::from_second(seconds).map_err(|_| unknown())?;
    Ok(zone.to_offset(time).seconds())
}

/// Seconds in UTC, nanoseconds and offset of a text such as `2026-01-31T12:00:00.5+01:00`.
fn read(text: &str) -> Option<(i64, u32, i32)> {
    let mut reader = TimestampReader { rest: text.as_bytes() };
    let days = reader.date()?;
    reader.symbol(b'T')?;
    // Upstream: Go reads an hour of one digit.
    let hour = reader.hour()?;
    reader.symbol(b':')?;
    let minute = reader.digits(2)?;
    reader.symbol(b':')?;
    let second = reader.digits(2)?;
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = reader.fraction();
    let offset = reader.offset()?;
    if !reader.rest.is_empty() {
        return None;
    }
    Some((days * 86_400 + hour * 3_600 + minute * 60 + second - i64::from(offset), nanos, offset))
}

struct TimestampReader<'t> {
    rest: &'t [u8],
}

impl TimestampReader<'_> {
    fn symbol(&mut self, symbol: u8) -> Option<()> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        (*first == symbol).then_some(())
    }

    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        digits.iter().try_fold(0, |number, digit| {
            digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0'))
        })
    }

    fn hour(&mut self) -> Option<i64> {
        let has_two = matches!(self.rest, [_, second, ..] if second.is_ascii_digit());
        self.digits(if has_two { 2 } else { 1 })
    }

    /// Days since 1970.
    fn date(&mut self) -> Option<i64> {
        let year = self.digits(4)?;
        self.symbol(b'-')?;
        let month = self.digits(2)?;
        self.symbol(b'-')?;
        let day = self.digits(2)?;
        let days = days_from_civil(year, month, day);
        // A day that a month does not have would be one of the next.
        ((1..=12).contains(&month) && civil_from_days(days) == (year, month, day)).then_some(days)
    }

    /// Digits past the nanosecond are cut off.
    fn fraction(&mut self) -> u32 {
        let [b'.' | b',', rest @ ..] = self.rest else { return 0 };
        let count = rest.iter().take_while(|digit| digit.is_ascii_digit()).count();
        if count == 0 {
            return 0;
        }
        self.rest = rest.get(count..).unwrap_or_default();
        let digits = rest.iter().take(count).chain(std::iter::repeat(&b'0')).take(9);
        digits.fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }

    fn offset(&mut self) -> Option<i32> {
        let (sign, rest) = self.rest.split_first()?;
        self.rest = rest;
        let sign = match sign {
            b'Z' => return Some(0),
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let hours = self.digits(2)?;
        self.symbol(b':')?;
        let minutes = self.digits(2)?;
        // Upstream: 24 hours and 60 minutes are read.
        (hours <= 24 && minutes <= 60).then(|| sign * (hours * 3_600 + minutes * 60) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_go_reads_them() {
        for (text, written) in [
            ("2026-01-31T12:00:00Z", Some("2026-01-31T12:00:00Z")),
            ("2026-01-31T12:00:00.1234567899+01:30", Some("2026-01-31T12:00:00.123456789+01:30")),
            ("2026-01-31T2:00:00Z", Some("2026-01-31T02:00:00Z")),
            ("2026-02-29T12:00:00Z", None),
            ("2026-01-31T12:00:60Z", None),
            ("2026-01-31t12:00:00Z", None),
            ("2026-01-31T12:00:00", None),
            ("0000-01-31T12:00:00Z", None),
        ] {
            assert_eq!(CelTimestamp::parse(text).map(CelTimestamp::text).as_deref(), written, "{text}");
        }
    }

    #[test]
    fn zones() {
        let time = CelTimestamp::parse("2026-07-01T00:30:00Z").unwrap();
        assert_eq!(time.in_zone("Europe/Berlin").map(|parts| (parts.day, parts.hour)), Ok((1, 2)));
        assert_eq!(time.in_zone("-02:30").map(|parts| (parts.month, parts.day, parts.hour)), Ok((6, 30, 22)));
        assert_eq!(time.in_zone("nowhere").map(|parts| parts.hour), Err("unknown time zone nowhere".into()));
    }
}
