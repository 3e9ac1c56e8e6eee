//! Durations as kube-apiserver's options have them: `90s`, `1h30m`.

use std::time::Duration;

/// Reads hours, minutes and seconds; `0` needs no unit.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "a duration is written like 90s, 30m or 1h30m".to_string();
    if text == "0" {
        return Ok(Duration::ZERO);
    }
    let (mut rest, mut seconds) = (text, 0u64);
    while !rest.is_empty() {
        let digits = rest.find(|one: char| !one.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = rest[..digits].parse().map_err(|_| wrong())?;
        let unit = match rest.as_bytes()[digits] {
            b'h' => 3600,
            b'm' => 60,
            b's' => 1,
            _ => return Err(wrong()),
        };
        seconds = number.checked_mul(unit).and_then(|more| seconds.checked_add(more)).ok_or_else(wrong)?;
        rest = &rest[digits + 1..];
    }
    if text.is_empty() { Err(wrong()) } else { Ok(Duration::from_secs(seconds)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, seconds) in [("0", 0), ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("0s", 0)] {
            assert_eq!(parse(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in
            ["", "90", "1d", "h", "-1s", "1h30", "99999999999999999999s", "9999999999999999999h", "1\u{e9}"]
        {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
