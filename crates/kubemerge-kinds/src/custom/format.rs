//! The formats that the API server enforces on strings of custom resources; others are ignored.

use std::{net::IpAddr, sync::LazyLock};

use kubemerge_schema::{ValueType, pattern::Matcher};
use kubemerge_value::part::text_of;

use crate::{
    base64_bytes,
    format::{is_date, is_date_time, is_dns1123_label, is_dns1123_subdomain, is_uuid},
    typed::duration,
};

/// The names of formats, without dashes.
const FORMATS: [&str; 26] = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8sshortname",
    "k8slongname",
];

/// Whether a format is enforced.
pub(crate) fn is_known(format: &str) -> bool {
    let letters = || format.bytes().filter(|byte| *byte != b'-');
    let count = letters().count();
    FORMATS.iter().any(|known| known.len() == count && known.bytes().eq(letters()))
}

/// The format of a schema, if it means something for its type.
pub(crate) fn enforced(schema: ValueType<'_>) -> Option<&str> {
    let format = schema.format()?;
    is_enforced(format, schema.only_type().unwrap_or_default()).then_some(format)
}

/// Whether a format means something for a type.
pub(crate) fn is_enforced(format: &str, kind: &str) -> bool {
    match kind {
        // Without a type the format applies to the strings among the values.
        "" | "string" => is_known(format),
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}

/// Formats that are regular expressions.
static HOSTNAME: LazyLock<Option<Matcher>> = LazyLock::new(|| {
    let label = r"[a-zA-Z0-9\p{S}\p{L}]";
    let inner = r"[a-zA-Z0-9\-\p{S}\p{L}]";
    let short = format!(r"{label}((-?{label}{{0,62}})?)");
    let long = format!(r"({label}(({inner}{{0,61}}{label})?)(\.))+([a-zA-Z\p{{L}}]){{2,63}}");
    compile(&format!("^({short}|{long})$"))
});
static CREDIT_CARD: LazyLock<Option<Matcher>> = LazyLock::new(|| {
    let pattern = r"^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|(222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11}|6[27]\d{14})$";
    compile(pattern)
});
static RGB_COLOR: LazyLock<Option<Matcher>> = LazyLock::new(|| {
    let part = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*";
    compile(&format!(r"^rgb\({part},{part},{part}\)$"))
});

fn compile(pattern: &str) -> Option<Matcher> {
    Matcher::from_go(pattern).ok()
}

fn matches(pattern: &LazyLock<Option<Matcher>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// Whether a text has a format; every text has one that is not enforced.
pub(crate) fn holds(format: &str, text: &str) -> bool {
    // `date-time` and `datetime` are one format.
    match format.replace('-', "").as_str() {
        "datetime" => is_date_time(text),
        "date" => is_date(text),
        "duration" => is_duration(text),
        "byte" => base64_bytes::is_byte_format(text),
        // Upstream parses with Go's older rules, which allow leading zeros.
        "ipv4" => is_sloppy_ip(text) && text.contains('.'),
        "ipv6" => text.contains(':') && parse_ip(text).is_some(),
        "cidr" => is_cidr(text),
        "uuid" => is_uuid(text, None),
        "uuid3" => is_uuid(text, Some('3')),
        "uuid4" => is_uuid(text, Some('4')),
        "uuid5" => is_uuid(text, Some('5')),
        "uri" => is_request_uri(text),
        "email" => is_email(text),
        "hostname" => is_hostname(text),
        "mac" => is_mac(text),
        "isbn" => is_isbn10(text) || is_isbn13(text),
        "isbn10" => is_isbn10(text),
        "isbn13" => is_isbn13(text),
        "creditcard" => is_credit_card(text),
        "ssn" => is_ssn(text),
        "hexcolor" => is_hex_color(text),
        "rgbcolor" => matches(&RGB_COLOR, text),
        "bsonobjectid" => text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "k8sshortname" => text.len() <= 63 && is_dns1123_label(text),
        "k8slongname" => text.len() <= 253 && is_dns1123_subdomain(text),
        _ => true,
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Go's durations, and numbers with units in words.
fn is_duration(text: &str) -> bool {
    const UNITS: [&str; 20] = [
        "ns", "nano", "us", "µs", "micro", "ms", "milli", "s", "sec", "m", "min", "h", "hr", "hour", "d",
        "day", "w", "wk", "week", "",
    ];
    const LONGEST: [&str; 8] = ["nano", "micro", "milli", "sec", "min", "hour", "day", "week"];
    // Go's own form first, as upstream does.
    if duration::canonical(text).is_some() {
        return true;
    }
    let mut rest = text;
    let mut is_found = false;
    while let Some(at) = rest.find(|digit: char| digit.is_ascii_digit()) {
        let number = text_of(rest, at..);
        let after = number.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let digits = text_of(number, ..number.len() - after.len());
        let words = after.trim_start();
        let end = words.find(|char: char| !char.is_ascii_alphabetic() && char != 'µ').unwrap_or(words.len());
        let (unit, next) = words.split_at(end);
        let unit = unit.to_lowercase();
        // A number without a unit is skipped, as upstream's expression does not match it.
        if !unit.is_empty() {
            // Upstream gives up at a number that does not fit, whatever follows.
            if digits.parse::<i64>().is_err() {
                return false;
            }
            is_found |= UNITS.contains(&unit.as_str()) || LONGEST.iter().any(|long| unit.starts_with(long));
        }
        rest = next;
    }
    is_found
}

/// An address whose numbers may have leading zeros.
fn is_sloppy_ip(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    let is_number = |part: &&str| {
        is_digits(part)
            && part.trim_start_matches('0').len() <= 3
            && part.parse::<u32>().is_ok_and(|n| n < 256)
    };
    parts.len() == 4 && parts.iter().all(is_number) || parse_ip(text).is_some_and(|ip| ip.is_ipv6())
}

fn parse_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let most = if address.contains(':') { 128 } else { 32 };
    is_sloppy_ip(address) && is_digits(bits) && bits.parse::<u32>().is_ok_and(|bits| bits <= most)
}

/// A path or a URL, as in the first line of an HTTP request.
fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|byte| byte < 0x20 || byte == 0x7f) {
        return false;
    }
    // What a request to a server may have in place of a whole URL.
    if text.starts_with('/') || text == "*" {
        return has_valid_escapes(text);
    }
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    let host = rest.strip_prefix("//").and_then(|rest| rest.split(['/', '?']).next()).unwrap_or_default();
    let has_port = host
        .rsplit_once(':')
        .is_none_or(|(_, port)| port.is_empty() || is_digits(port) || host.contains(']'));
    is_scheme && has_port && !host.contains(' ') && has_valid_escapes(rest)
}

fn has_valid_escapes(text: &str) -> bool {
    let path = text.split('?').next().unwrap_or_default();
    path.split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()))
}

/// `user@host`, or `Name <user@host>`.
fn is_email(text: &str) -> bool {
    let address = match text.trim_end().strip_suffix('>') {
        Some(inside) => inside.rsplit_once('<').map_or("", |(_, address)| address),
        None => text.trim(),
    };
    let Some((user, host)) = address.rsplit_once('@') else { return false };
    let is_atom = |part: &str| {
        !part.is_empty()
            && part.chars().all(|char| {
                char.is_alphanumeric() || !char.is_ascii() || "!#$%&'*+-/=?^_`{|}~".contains(char)
            })
    };
    let is_quoted = user.len() > 2 && user.starts_with('"') && user.ends_with('"');
    let is_literal = host.starts_with('[') && host.ends_with(']');
    (is_quoted || user.split('.').all(is_atom)) && (is_literal || host.split('.').all(is_atom))
}

fn is_hostname(text: &str) -> bool {
    const MAX_NAME: usize = 255;
    const MAX_LABEL: usize = 63;
    matches(&HOSTNAME, text)
        && text.len() <= MAX_NAME
        && text.split('.').all(|label| label.len() <= MAX_LABEL)
}

/// Groups of hex digits with `:`, `-` or `.` between them, of 6, 8 or 20 bytes.
fn is_mac(text: &str) -> bool {
    let is_hex = |size: usize| {
        move |part: &&str| part.len() == size && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let groups = |separator: char, size: usize| {
        let parts: Vec<&str> = text.split(separator).collect();
        parts.iter().all(is_hex(size)).then_some(parts.len() * size / 2)
    };
    [groups(':', 2), groups('-', 2), groups('.', 4)]
        .into_iter()
        .flatten()
        .any(|bytes| matches!(bytes, 6 | 8 | 20))
}

fn isbn_digits(text: &str) -> String {
    text.chars().filter(|char| !matches!(char, '-' | ' ' | '\t' | '\n' | '\r')).collect()
}

fn is_isbn10(text: &str) -> bool {
    let text = isbn_digits(text);
    let (body, last) = text.split_at_checked(9).unwrap_or(("", ""));
    if !is_digits(body) || !(last == "X" || last.len() == 1 && is_digits(last)) {
        return false;
    }
    let digit = |char: char| char.to_digit(10).unwrap_or(10);
    text.chars().zip(1..).map(|(char, weight)| digit(char) * weight).sum::<u32>() % 11 == 0
}

fn is_isbn13(text: &str) -> bool {
    let text = isbn_digits(text);
    let digit = |char: char| char.to_digit(10).unwrap_or_default();
    text.len() == 13
        && is_digits(&text)
        && text
            .chars()
            .zip([1, 3].into_iter().cycle())
            .map(|(char, weight)| digit(char) * weight)
            .sum::<u32>()
            % 10
            == 0
}

fn is_credit_card(text: &str) -> bool {
    // Upstream drops everything else before it looks.
    let digits: String = text.chars().filter(|char| char.is_ascii_digit()).collect();
    if !matches(&CREDIT_CARD, &digits) {
        return false;
    }
    let value = |(at, char): (usize, char)| {
        let digit = char.to_digit(10).unwrap_or_default();
        // The Luhn sum: every second digit from the right counts twice.
        if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { digit }
    };
    digits.chars().rev().enumerate().map(value).sum::<u32>() % 10 == 0
}

fn is_ssn(text: &str) -> bool {
    let [area @ .., b'-' | b' ', g1, g2, b'-' | b' ', s1, s2, s3, s4] = text.as_bytes() else {
        return false;
    };
    let serial = [g1, g2, s1, s2, s3, s4];
    area.len() == 3 && area.iter().chain(serial).all(u8::is_ascii_digit)
}

fn is_hex_color(text: &str) -> bool {
    let digits = text.strip_prefix('#').unwrap_or(text);
    matches!(digits.len(), 3 | 6) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats() {
        for (format, good, bad) in [
            ("date-time", "2026-01-02T03:04:05+02:00", "2026-01-02"),
            ("date-time", "2026-01-02t03:04:05.123z", "yesterday"),
            ("date", "2026-01-02", "2026-13-02"),
            ("duration", "1h30m", "x"),
            ("duration", "3 days", "3 moons"),
            ("byte", "aGk=", "!"),
            ("ipv4", "10.0.0.01", "10.0.0"),
            ("ipv6", "::1", "10.0.0.1"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/99"),
            ("uuid", "123e4567-e89b-42d3-a456-426614174000", "123"),
            ("uuid4", "123e4567e89b42d3a456426614174000", "123e4567-e89b-12d3-a456-426614174000"),
            ("uri", "https://example.com/a", "::"),
            ("email", "A <a@b.c>", "x"),
            ("hostname", "a-b.example", "a_b!"),
            ("mac", "00:11:22:33:44:55", "00:11"),
            ("isbn", "978-0321751041", "978-0321751042"),
            ("isbn10", "0321751043", "0321751044"),
            ("creditcard", "4111 1111 1111 1111", "4111111111111112"),
            ("ssn", "123-45-6789", "123-45-678"),
            ("hexcolor", "#fff", "#ffff"),
            ("rgbcolor", "rgb(1,2,255)", "rgb(1,2,256)"),
            ("k8s-short-name", "a-b", "A"),
            ("k8s-long-name", "a.b", "a..b"),
        ] {
            assert!(holds(format, good), "{format} {good}");
            assert!(!holds(format, bad), "{format} {bad}");
        }
        assert!(holds("whatever", "x") && !is_known("whatever"));
    }
}
