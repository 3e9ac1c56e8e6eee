//! Numbers that are written as strings.

use super::{Problems, regex_error};

/// `93%`
pub fn percent(text: &str) -> Problems {
    let digits = text.strip_suffix('%').unwrap_or_default();
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Problems::new();
    }
    let message = "a valid percent string must be a numeric string followed by an ending '%'";
    vec![regex_error(message, "[0-9]+%", &["1%", "93%"])]
}

/// `-12`, without leading zeros.
pub fn decimal_integer(text: &str) -> Problems {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_fine = match digits.as_bytes() {
        [] if text.is_empty() => return vec!["must be non-empty".to_owned()],
        [b'0'] => text == "0",
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    if is_fine {
        Problems::new()
    } else {
        vec!["must be a valid decimal integer in canonical form".to_owned()]
    }
}
