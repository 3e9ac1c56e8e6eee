//! The formats that the API server enforces on custom resources; others are ignored.

use serde_json::Value;

use crate::{octets, timestamp::Timestamp};

/// Whether a text has a format.
pub(crate) fn holds(format: &str, text: &str) -> bool {
    match format {
        "date-time" | "datetime" => is_date_time(text),
        "date" => Timestamp::parse(&format!("{text}T00:00:00Z")).is_some(),
        "byte" => octets::is_byte_format(text),
        "ipv4" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        "cidr" => is_cidr(text),
        "uuid" => is_uuid(text),
        "email" => text.split_once('@').is_some_and(|(who, host)| !who.is_empty() && !host.is_empty()),
        _ => true,
    }
}

/// Whether a number has a format.
pub(crate) fn fits(format: &str, value: &Value) -> bool {
    match format {
        "int32" => value.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
        "int64" => value.as_i64().is_some() || value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => true,
    }
}

/// RFC 3339 with any offset.
fn is_date_time(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let utc = match upper.rfind(['+', '-']).filter(|at| *at > "0000-00-00T".len() - 1) {
        Some(at) => {
            let (time, offset) = upper.split_at(at);
            let good = offset[1..].split_once(':').is_some_and(|(hours, minutes)| {
                [hours, minutes]
                    .iter()
                    .all(|part| part.len() == 2 && part.parse::<u8>().is_ok_and(|n| n < 60))
            });
            if !good {
                return false;
            }
            format!("{time}Z")
        }
        None => upper,
    };
    Timestamp::parse(&utc).is_some()
}

fn is_cidr(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else { return false };
    let (Ok(address), Ok(bits)) = (address.parse::<std::net::IpAddr>(), bits.parse::<u8>()) else {
        return false;
    };
    bits <= if address.is_ipv4() { 32 } else { 128 }
}

fn is_uuid(text: &str) -> bool {
    let digits = text.bytes().filter(|byte| *byte != b'-');
    digits.clone().count() == 32 && digits.clone().all(|byte| byte.is_ascii_hexdigit())
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
            ("byte", "aGk=", "!"),
            ("ipv4", "10.0.0.1", "10.0.0"),
            ("cidr", "10.0.0.0/8", "10.0.0.0/99"),
            ("uuid", "123e4567-e89b-42d3-a456-426614174000", "123"),
        ] {
            assert!(holds(format, good), "{format} {good}");
            assert!(!holds(format, bad), "{format} {bad}");
        }
        assert!(holds("whatever", "x"));
    }
}
