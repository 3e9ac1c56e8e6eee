//! Floats in the text forms that Go's encoders write.

use std::fmt::Write as _;

/// A float as Go's `encoding/json` writes it: plain digits from 1e-6 up to 1e21, an exponent beyond.
pub(crate) fn json_float(value: f64) -> String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        return exponent_form(&format!("{value:e}"), 1);
    }
    format!("{value}")
}

/// A float in key position, where sigs.k8s.io/yaml keeps only 32 bits of it.
pub(crate) fn key_float(value: f64) -> String {
    if value.is_nan() {
        return ".nan".into();
    }
    let narrow = value as f32;
    match narrow {
        f32::INFINITY => ".inf".into(),
        f32::NEG_INFINITY => "-.inf".into(),
        _ => general_form(&format!("{narrow:e}"), format!("{narrow}")),
    }
}

/// Chooses between digits and exponent as `%g` does without a precision: the exponent decides.
fn general_form(scientific: &str, decimal: String) -> String {
    let exponent: i32 =
        scientific.split_once('e').and_then(|(_, exponent)| exponent.parse().ok()).unwrap_or(0);
    if (-4..6).contains(&exponent) { decimal } else { exponent_form(scientific, 2) }
}

/// Rewrites Rust's `1.5e20` as Go's `1.5e+20`, with at least `width` exponent digits.
fn exponent_form(scientific: &str, width: usize) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let mut text = String::from(digits);
    let _ = write!(text, "e{sign}{exponent:0>width$}");
    text
}
