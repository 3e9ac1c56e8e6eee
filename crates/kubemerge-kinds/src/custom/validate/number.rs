//! Numbers: limits, factors, and what types and formats can hold.
//!
//! Go validates integers and floats apart. A limit that an integer type cannot hold is itself an error, and then the
//! comparison is made with floats.

use kubemerge_schema::ValueType;

use super::{Found, Place, format};
use crate::{field::BadValue, field_error::FieldError};

/// How far a float may be from an integer and still be one.
const INTEGER_TOLERANCE: f64 = 1e-9;
/// The largest integer that all JSON readers agree on.
const MAX_JSON_INTEGER: f64 = 9_007_199_254_740_991.0;

/// Whether a float is an integer, but for rounding.
pub(super) fn is_json_integer(number: f64) -> bool {
    if !number.is_finite() || number.abs() > MAX_JSON_INTEGER {
        return false;
    }
    let whole = number.trunc();
    if number == whole {
        return true;
    }
    // Upstream: the comparison is with an unsigned integer, so small and negative numbers are never near one.
    if number == 0.0 || whole == 0.0 || number < 0.0 {
        return false;
    }
    (number - whole).abs() / (number.abs() + whole.abs()) < INTEGER_TOLERANCE
}

/// A float as Go prints it.
pub(super) fn go_float(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-4..1e21).contains(&size) {
        return format!("{number}");
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// A value or a limit in the type in which it is compared.
#[derive(Clone, Copy)]
pub(super) enum Operand {
    Int(i64),
    Float(f64),
}

impl Operand {
    fn text(self) -> String {
        match self {
            Operand::Int(number) => number.to_string(),
            Operand::Float(number) => go_float(number),
        }
    }
}

/// Both sides of a comparison.
#[derive(Clone, Copy)]
enum Pair {
    Ints { value: i64, limit: i64 },
    Floats { value: f64, limit: f64 },
}

impl Pair {
    fn limit(self) -> Operand {
        match self {
            Pair::Ints { limit, .. } => Operand::Int(limit),
            Pair::Floats { limit, .. } => Operand::Float(limit),
        }
    }

    fn value(self) -> Operand {
        match self {
            Pair::Ints { value, .. } => Operand::Int(value),
            Pair::Floats { value, .. } => Operand::Float(value),
        }
    }

    fn order(self) -> Option<std::cmp::Ordering> {
        match self {
            Pair::Ints { value, limit } => Some(value.cmp(&limit)),
            Pair::Floats { value, limit } => value.partial_cmp(&limit),
        }
    }
}

impl Place<'_, '_> {
    pub(super) fn check_number(self, value: Operand, schema: ValueType<'_>) -> Found {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let checks = schema.checks();
        let mut found = Found::default();
        self.check_range(value, schema, "Checked", &mut found);
        if let Some(factor) = checks.multiple_of {
            let pair = self.pair(value, factor, schema, "MultipleOf", &mut found);
            self.check_factor(pair, &mut found);
        }
        if let Some(least) = checks.minimum {
            let pair = self.pair(value, least, schema, "Minimum boundary", &mut found);
            let is_wrong =
                pair.order() == Some(Less) || checks.exclusive_minimum && pair.order() == Some(Equal);
            let words = if checks.exclusive_minimum { "greater than" } else { "greater than or equal to" };
            self.refuse_if(is_wrong, pair, words, &mut found);
        }
        if let Some(most) = checks.maximum {
            let pair = self.pair(value, most, schema, "Maximum boundary", &mut found);
            let is_wrong =
                pair.order() == Some(Greater) || checks.exclusive_maximum && pair.order() == Some(Equal);
            let words = if checks.exclusive_maximum { "less than" } else { "less than or equal to" };
            self.refuse_if(is_wrong, pair, words, &mut found);
        }
        found.matches += 1;
        found
    }

    fn refuse_if(self, is_wrong: bool, pair: Pair, words: &str, found: &mut Found) {
        if is_wrong {
            let detail = format!("{} in body should be {words} {}", self.path, pair.limit().text());
            found.add(self.number_error(pair.value(), &detail));
        }
    }

    fn number_error(self, value: Operand, detail: &str) -> FieldError {
        FieldError::invalid_as(self.field(), BadValue::verbatim(value.text()), detail)
    }

    fn check_factor(self, pair: Pair, found: &mut Found) {
        let (is_positive, is_multiple) = match pair {
            Pair::Ints { value, limit } => (limit > 0, limit > 0 && value % limit == 0),
            Pair::Floats { value, limit } => {
                // Upstream multiplies where a division would lose more digits.
                let quotient = if limit < 1.0 { 1.0 / limit * value } else { value / limit };
                (limit > 0.0, is_json_integer(quotient))
            }
        };
        let factor = pair.limit();
        if !is_positive {
            let text = factor.text();
            let detail = format!("factor MultipleOf declared for {} must be positive: {text}", self.path);
            found.add(self.number_error(factor, &detail));
        } else if !is_multiple {
            let detail = format!("{} in body should be a multiple of {}", self.path, factor.text());
            found.add(self.number_error(pair.value(), &detail));
        }
    }

    /// A value and a limit in the type in which they are compared; a limit that the type cannot hold is reported.
    fn pair(self, value: Operand, limit: f64, schema: ValueType<'_>, name: &str, found: &mut Found) -> Pair {
        let holds = self.check_range(Operand::Float(limit), schema, name, found);
        match value {
            Operand::Int(value) if holds => Pair::Ints { value, limit: to_int(limit) },
            // The limit is no integer, so both are compared as floats.
            Operand::Int(value) => Pair::Floats { value: value as f64, limit },
            Operand::Float(value) => Pair::Floats { value, limit },
        }
    }

    /// Whether the type of the schema can hold a number.
    fn check_range(self, number: Operand, schema: ValueType<'_>, name: &str, found: &mut Found) -> bool {
        let (kind, format) = match schema.only_type() {
            Some(kind @ ("integer" | "number")) => (kind, format::enforced(schema)),
            _ => ("", None),
        };
        let holds = match (kind, format, number) {
            ("integer", Some("int32"), number) => {
                whole(number).is_some_and(|whole| i32::try_from(whole).is_ok())
            }
            ("integer", _, number) => whole(number).is_some(),
            (_, Some("float"), Operand::Float(number)) => number.abs() <= f64::from(f32::MAX),
            _ => true,
        };
        if !holds {
            let format = format
                .map_or_else(|| "(default format)".to_string(), |format| format!("with format {format}"));
            found.add(
                self.placeless(format!("{name} value must be of type {kind} {format} in {}", self.path)),
            );
        }
        holds
    }
}

/// The integer that the digits of a number are, if they are one.
fn whole(number: Operand) -> Option<i64> {
    match number {
        Operand::Int(number) => Some(number),
        Operand::Float(number) => format!("{number}").parse().ok(),
    }
}

/// Go's conversion, which has one result for everything out of range.
fn to_int(number: f64) -> i64 {
    const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
    if (-TWO_TO_63..TWO_TO_63).contains(&number) { number as i64 } else { i64::MIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_printed_as_go_prints_them() {
        for (number, text) in
            [(0.5, "0.5"), (7.0, "7"), (1e21, "1e+21"), (1.5e-5, "1.5e-05"), (-2.0, "-2"), (0.0, "0")]
        {
            assert_eq!(go_float(number), text);
        }
    }

    #[test]
    fn integers_may_be_rounded() {
        assert!(is_json_integer(3.0) && is_json_integer(3.000_000_000_000_000_4));
        assert!(!is_json_integer(0.5) && !is_json_integer(1e17) && !is_json_integer(f64::NAN));
    }
}
