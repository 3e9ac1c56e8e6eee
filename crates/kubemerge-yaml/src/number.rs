//! Floats in the text forms of Go's `%g`, which YAML and its keys use.

use std::fmt::Write as _;

/// A float as Go's yaml.v2 writes it (`%g`, shortest digits that read back the same).
pub(crate) fn yaml_float(value: f64) -> String {
    general_form(&format!("{value:e}"), format!("{value}"))
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
    if (-4..6).contains(&exponent) { decimal } else { exponent_form(scientific) }
}

/// Rewrites Rust's `1.5e7` as Go's `1.5e+07`.
fn exponent_form(scientific: &str) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    let mut text = String::from(digits);
    let _ = write!(text, "e{sign}{exponent:0>2}");
    text
}
