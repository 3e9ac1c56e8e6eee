//! Formats of OpenAPI that are no names.

use crate::timestamp::Timestamp;

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A date such as `2026-01-31`.
pub fn is_date(text: &str) -> bool {
    text.len() == 10 && Timestamp::parse(&format!("{text}T00:00:00Z")).is_some()
}

/// A date, and a time of any offset. Upstream: only the date is held to the calendar.
pub fn is_date_time(text: &str) -> bool {
    // RFC 3339 allows `t` and `z`.
    let lower = text.to_lowercase();
    let mut parts = lower.split('t');
    let (Some(date), Some(time)) = (parts.next(), parts.next()) else { return false };
    // Hours, minutes and seconds of two digits each, with colons between.
    let (clock, rest) = time.split_at_checked(8).unwrap_or((time, ""));
    let numbers: Vec<&str> = clock.split(':').collect();
    let [hours, minutes, seconds] = numbers[..] else { return false };
    let in_range = [(hours, "23"), (minutes, "59"), (seconds, "59")]
        .iter()
        .all(|(number, most)| number.len() == 2 && is_digits(number) && number <= most);
    is_date(date) && in_range && is_offset(without_fraction(rest))
}

/// What follows a fraction. Upstream: any character may introduce it.
fn without_fraction(rest: &str) -> &str {
    let mut chars = rest.chars();
    match chars.next() {
        Some(first) if first != 'z' && chars.as_str().starts_with(|digit: char| digit.is_ascii_digit()) => {
            let after = chars.as_str().trim_start_matches(|digit: char| digit.is_ascii_digit());
            // `+02:00` is an offset, not a fraction.
            if after.starts_with(':') { rest } else { after }
        }
        _ => rest,
    }
}

fn is_offset(text: &str) -> bool {
    let number = |text: &str| text.len() == 2 && is_digits(text);
    text == "z"
        || text
            .strip_prefix(['+', '-'])
            .and_then(|rest| rest.split_once(':'))
            .is_some_and(|(hours, minutes)| number(hours) && number(minutes))
}

/// Five groups of hex digits; the dashes between them may be missing.
pub fn is_uuid(text: &str, version: Option<char>) -> bool {
    let mut rest = text;
    let mut digits = String::new();
    for (at, size) in [8, 4, 4, 4, 12].into_iter().enumerate() {
        if at > 0 {
            rest = rest.strip_prefix('-').unwrap_or(rest);
        }
        let Some((group, after)) = rest.split_at_checked(size) else { return false };
        digits.push_str(group);
        rest = after;
    }
    let is_hex = rest.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let has_version =
        version.is_none_or(|version| digits.get(12..).is_some_and(|digits| digits.starts_with(version)));
    let has_variant =
        // strfmt checks the variant of these two only.
        !matches!(version, Some('4' | '5')) || matches!(digits.as_bytes().get(16), Some(b'8' | b'9' | b'a' | b'b' | b'A' | b'B'));
    is_hex && has_version && has_variant
}
