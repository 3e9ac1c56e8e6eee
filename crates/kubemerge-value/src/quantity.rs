//! Quantities such as `500m` and `1Gi`: parsed, compared and written as Kubernetes does.

#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use std::cmp::Ordering;

/// A resource quantity: a decimal number that remembers which family of suffixes it was written with.
#[derive(Clone, Debug)]
pub struct Quantity<'t> {
    mantissa: i128,
    /// Power of ten.
    exponent: i32,
    format: Format,
    /// The text as given, where Kubernetes takes it for canonical and keeps it.
    kept: Option<&'t str>,
    /// Whether Kubernetes counts it with numbers of any size.
    is_big: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    DecimalExponent,
    DecimalSi,
    BinarySi,
}

/// Why a text is not a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityError {
    /// It has another form.
    Format,
    /// Its suffix is unknown.
    Suffix,
}

impl QuantityError {
    /// Kubernetes' text.
    pub fn message(self) -> &'static str {
        match self {
            QuantityError::Format => {
                "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
            }
            QuantityError::Suffix => "unable to parse quantity's suffix",
        }
    }
}

/// Digits that surely fit into an int64.
const MAX_INT64_DIGITS: usize = 18;
/// Binary quantities are capped at the largest int64.
const MAX_BINARY: i128 = i64::MAX as i128;
/// The smallest power of ten that a quantity can express.
const NANO: i32 = -9;
const DECIMAL_SUFFIXES: [(&str, i32); 10] =
    [("n", -9), ("u", -6), ("m", -3), ("", 0), ("k", 3), ("M", 6), ("G", 9), ("T", 12), ("P", 15), ("E", 18)];
const BINARY_SUFFIXES: [(&str, u32); 6] =
    [("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

/// A text taken apart.
struct Parts<'t> {
    is_negative: bool,
    whole: &'t str,
    fraction: &'t str,
    suffix: &'t str,
}

impl Parts<'_> {
    fn digits(&self) -> impl DoubleEndedIterator<Item = u8> {
        self.whole.bytes().chain(self.fraction.bytes())
    }
}

impl<'t> Quantity<'t> {
    /// Reads a quantity.
    pub fn parse(text: &'t str) -> Result<Quantity<'t>, QuantityError> {
        let parts = split(text)?;
        let (power, format) = interpret(parts.suffix).ok_or(QuantityError::Suffix)?;
        let digits = format!("{}{}", parts.whole, parts.fraction);
        // Text of more digits than an i128 holds saturates; Kubernetes would keep a number no user can mean.
        let mut mantissa = digits
            .bytes()
            .fold(0i128, |number, digit| number.saturating_mul(10).saturating_add(digit_value(digit).into()));
        let mut exponent = 0i32.saturating_sub_unsigned(parts.fraction.len() as u32);
        match power {
            Power::Ten(power) => exponent = exponent.saturating_add(power),
            // Binary suffixes multiply, since no power of ten expresses them.
            Power::Two(power) => mantissa = mantissa.saturating_mul(1 << power),
        }
        let kept = is_kept(&parts, power, exponent, format).then_some(text);
        let is_big = !is_small(&parts, power, exponent);
        let mut quantity = Quantity { mantissa, exponent, format, kept, is_big };
        quantity.round_up_to_nano();
        quantity.bound_binary();
        if parts.is_negative {
            quantity.mantissa = quantity.mantissa.saturating_neg();
        }
        Ok(quantity)
    }

    /// The quantity of a string of the typed form; zero if it is not one.
    pub fn of(text: &'t str) -> Quantity<'t> {
        let zero =
            Quantity { mantissa: 0, exponent: 0, format: Format::DecimalSi, kept: None, is_big: false };
        Quantity::parse(text).unwrap_or(zero)
    }

    /// Smaller amounts than one nano are rounded away from zero: who asks for little gets some.
    fn round_up_to_nano(&mut self) {
        while self.exponent < NANO {
            self.mantissa = divided_up(self.mantissa, 1);
            self.exponent = self.exponent.saturating_add(1);
            if matches!(self.mantissa, 0 | 1) {
                self.exponent = NANO;
            }
        }
    }

    fn bound_binary(&mut self) {
        if self.format != Format::BinarySi {
            return;
        }
        if self.cmp_int(MAX_BINARY) == Ordering::Greater {
            (self.mantissa, self.exponent) = (MAX_BINARY, 0);
        }
        // Upstream: fractions have no binary suffix and are written in decimal.
        if self.mantissa > 0 && self.cmp_int(1) == Ordering::Less {
            self.format = Format::DecimalSi;
        }
    }

    /// Below zero, zero, or above zero.
    pub fn sign(&self) -> i32 {
        self.mantissa.signum() as i32
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.mantissa == 0
    }

    /// Compares the amounts.
    pub fn compare(&self, other: &Quantity<'_>) -> Ordering {
        let exponent = self.exponent.min(other.exponent);
        self.scaled(exponent).cmp(&other.scaled(exponent))
    }

    /// Compares with a whole number.
    pub fn cmp_int(&self, number: i128) -> Ordering {
        let whole =
            Quantity { mantissa: number, exponent: 0, format: Format::DecimalSi, kept: None, is_big: false };
        self.compare(&whole)
    }

    /// A whole number.
    pub fn whole(number: i64) -> Quantity<'static> {
        let mantissa = number.into();
        Quantity { mantissa, exponent: 0, format: Format::DecimalExponent, kept: None, is_big: false }
    }

    /// The sum, in the format of the first summand unless that is zero.
    pub fn plus(&self, other: &Quantity<'_>) -> Quantity<'static> {
        let format = if self.is_zero() { other.format } else { self.format };
        let (mantissa, exponent) = match (self.mantissa, other.mantissa) {
            (0, mantissa) => (mantissa, other.exponent),
            (mantissa, 0) => (mantissa, self.exponent),
            _ => {
                let exponent = self.exponent.min(other.exponent);
                (self.scaled(exponent).saturating_add(other.scaled(exponent)), exponent)
            }
        };
        let is_big = self.is_big || other.is_big || i64::try_from(mantissa).is_err();
        Quantity { mantissa, exponent, format, kept: None, is_big }
    }

    /// The difference, in the format of the first quantity unless that is zero.
    pub fn minus(&self, other: &Quantity<'_>) -> Quantity<'static> {
        let negated = Quantity { mantissa: other.mantissa.saturating_neg(), kept: None, ..*other };
        let sum = self.plus(&negated);
        // Upstream: the least integer is its own negative, unless the sum leaves the range then.
        let is_least = !other.is_big && other.mantissa == i128::from(i64::MIN);
        let wrapped = self.plus(&Quantity { kept: None, ..*other });
        if is_least && !wrapped.is_big && self.exponent >= other.exponent { wrapped } else { sum }
    }

    /// The same quantity without the text that it was read from.
    pub fn into_owned(self) -> Quantity<'static> {
        Quantity { kept: None, ..self }
    }

    /// The amount as `AsInt64()` has it: a fraction that happens to be whole, such as `1000m`, is no integer.
    pub fn as_int64(&self) -> Option<i64> {
        if self.is_big {
            return None;
        }
        if self.exponent < 0 { None } else { i64::try_from(self.scaled(0)).ok() }
    }

    /// The amount as a float, roughly.
    pub fn as_float(&self) -> f64 {
        if self.is_big {
            // Upstream: these are kept in the smallest unit that there is.
            let units = format!("{}e{}", self.mantissa, self.exponent.saturating_sub(NANO));
            return units.parse::<f64>().map_or(f64::NAN, |units| units * 1e-9);
        }
        if self.exponent == 0 {
            return self.mantissa as f64;
        }
        let power: f64 = format!("1e{}", self.exponent).parse().unwrap_or(f64::NAN);
        self.mantissa as f64 * power
    }

    fn scaled(&self, exponent: i32) -> i128 {
        self.mantissa.saturating_mul(power_of_ten(self.exponent.saturating_sub(exponent).max(0)))
    }

    /// The amount rounded up to a whole number, as `Value()` has it.
    pub fn value(&self) -> i64 {
        self.rounded_up(0)
    }

    /// The amount in thousandths, rounded up, as `MilliValue()` has it.
    pub fn milli_value(&self) -> i64 {
        self.rounded_up(-3)
    }

    fn rounded_up(&self, exponent: i32) -> i64 {
        let number = if self.exponent >= exponent {
            self.scaled(exponent)
        } else {
            divided_up(self.mantissa, exponent.saturating_sub(self.exponent))
        };
        number.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// The text after rounding up to thousandths, unless nothing is smaller than that.
    pub fn rounded_up_to_milli(&self) -> Option<String> {
        const MILLI: i32 = -3;
        if self.exponent >= MILLI {
            return None;
        }
        let mantissa = i128::from(self.milli_value());
        let rounded =
            Quantity { mantissa, exponent: MILLI, format: self.format, kept: None, is_big: self.is_big };
        Some(rounded.canonical_text())
    }

    /// Whether the amount has no fraction.
    pub fn is_whole(&self) -> bool {
        self.exponent >= 0 || self.mantissa.checked_rem(power_of_ten(self.exponent)) == Some(0)
    }

    /// The text as given, if it is canonical.
    pub fn kept(&self) -> Option<&'t str> {
        self.kept
    }

    /// The text as Kubernetes writes it.
    pub fn canonical_text(&self) -> String {
        match self.kept {
            Some(text) => text.to_owned(),
            None if self.mantissa == 0 => "0".to_owned(),
            None if self.format == Format::BinarySi && self.is_whole() && !self.is_below_1024() => {
                self.binary_text()
            }
            None => self.decimal_text(),
        }
    }

    fn is_below_1024(&self) -> bool {
        self.cmp_int(1024) == Ordering::Less && self.cmp_int(-1024) == Ordering::Greater
    }

    fn binary_text(&self) -> String {
        let mut number = self.scaled(0);
        if self.exponent < 0 {
            number = self.mantissa.checked_div(power_of_ten(self.exponent)).unwrap_or_default();
        }
        let mut suffix = "";
        for (name, _) in BINARY_SUFFIXES {
            if number % 1024 != 0 {
                break;
            }
            number /= 1024;
            suffix = name;
        }
        format!("{number}{suffix}")
    }

    fn decimal_text(&self) -> String {
        let (mut number, mut exponent) = (self.mantissa, self.exponent);
        while number % 10 == 0 {
            number /= 10;
            exponent = exponent.saturating_add(1);
        }
        // Suffixes exist for every third power.
        while exponent.rem_euclid(3) != 0 {
            number = number.saturating_mul(10);
            exponent = exponent.saturating_sub(1);
        }
        if self.format == Format::DecimalExponent {
            return if exponent == 0 { number.to_string() } else { format!("{number}e{exponent}") };
        }
        let suffix = DECIMAL_SUFFIXES.iter().find(|(_, power)| *power == exponent);
        format!("{number}{}", suffix.map_or("", |(name, _)| name))
    }
}

#[derive(Clone, Copy)]
enum Power {
    Ten(i32),
    Two(u32),
}

fn interpret(suffix: &str) -> Option<(Power, Format)> {
    if let Some((_, power)) = DECIMAL_SUFFIXES.iter().find(|(name, _)| *name == suffix) {
        return Some((Power::Ten(*power), Format::DecimalSi));
    }
    if let Some((_, power)) = BINARY_SUFFIXES.iter().find(|(name, _)| *name == suffix) {
        return Some((Power::Two(*power), Format::BinarySi));
    }
    let digits = suffix.strip_prefix(['e', 'E'])?;
    let power = digits.parse::<i64>().ok()?;
    // Larger exponents only shift a number that is out of every range already.
    Some((Power::Ten(power.clamp(-400, 400) as i32), Format::DecimalExponent))
}

/// The value of an ASCII digit.
fn digit_value(digit: u8) -> u32 {
    digit.saturating_sub(b'0').into()
}

/// Ten to the power of the exponent, whatever its sign; the largest number if that is larger.
fn power_of_ten(exponent: i32) -> i128 {
    10i128.checked_pow(exponent.unsigned_abs()).unwrap_or(i128::MAX)
}

/// A number divided by a power of ten, rounded away from zero.
fn divided_up(number: i128, exponent: i32) -> i128 {
    let divisor = power_of_ten(exponent);
    let has_rest = number.checked_rem(divisor).is_some_and(|rest| rest != 0);
    let away = if has_rest { number.signum() } else { 0 };
    number.checked_div(divisor).unwrap_or_default().saturating_add(away)
}

/// Upstream's estimate of whether an int64 holds these digits and a power of two.
fn fits_int64(parts: &Parts<'_>, power: u32) -> bool {
    let of_power = (f64::from(power) * 3.0 / 10.0) as usize;
    parts.whole.len().saturating_add(of_power) <= 14
}

/// Whether an int64 and a power of ten surely hold the number.
fn is_small(parts: &Parts<'_>, power: Power, exponent: i32) -> bool {
    match power {
        Power::Two(power) => parts.fraction.is_empty() && fits_int64(parts, power),
        Power::Ten(_) => parts.digits().count() <= MAX_INT64_DIGITS && exponent >= NANO,
    }
}

/// Whether Kubernetes takes the text for canonical and keeps it, although `1.500` and `+1` are not.
fn is_kept(parts: &Parts<'_>, power: Power, exponent: i32, format: Format) -> bool {
    let count = parts.digits().count();
    match power {
        Power::Two(power) => {
            // The last three digits tell whether eight divides the number.
            let last = parts.digits().rev().take(3).zip([1, 10, 100]);
            let last: u32 = last.map(|(digit, unit)| digit_value(digit).saturating_mul(unit)).sum();
            parts.fraction.is_empty() && fits_int64(parts, power) && !last.is_multiple_of(8)
        }
        Power::Ten(_) => {
            let thousands = count >= 3 && parts.digits().rev().take(3).all(|digit| digit == b'0');
            count <= MAX_INT64_DIGITS
                && exponent >= NANO
                && exponent % 3 == 0
                && !thousands
                && !parts.whole.starts_with('0')
                && format != Format::BinarySi
        }
    }
}

fn split(text: &str) -> Result<Parts<'_>, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Format);
    }
    let is_negative = text.starts_with('-');
    let rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    // Leading zeros say nothing, and count as digits otherwise.
    let rest = rest.trim_start_matches('0');
    let (whole, rest) = leading_digits(rest);
    let (fraction, suffix) = match rest.strip_prefix('.') {
        Some(rest) => leading_digits(rest),
        None => ("", rest),
    };
    let letters = suffix.trim_start_matches(['e', 'E', 'i', 'n', 'u', 'm', 'k', 'K', 'M', 'G', 'T', 'P']);
    let power = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    if !power.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(QuantityError::Format);
    }
    Ok(Parts { is_negative, whole: if whole.is_empty() { "0" } else { whole }, fraction, suffix })
}

fn leading_digits(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, canonical: &str) {
        assert_eq!(Quantity::parse(text).unwrap().canonical_text(), canonical, "{text}");
    }

    #[test]
    fn quantities_are_written_in_canonical_form() {
        for (text, canonical) in [
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("100m", "100m"),
            ("1000m", "1"),
            ("0", "0"),
            ("0m", "0"),
            ("1.5Gi", "1536Mi"),
            ("1500Mi", "1500Mi"),
            ("0.1Gi", "107374182400m"),
            ("1e3", "1e3"),
            ("1000", "1k"),
            ("-0.25", "-250m"),
            ("1.500", "1.500"),
            ("512Ki", "512Ki"),
            ("1Ki", "1Ki"),
            ("2048", "2048"),
            ("0.0000000001", "1n"),
        ] {
            check(text, canonical);
        }
    }

    #[test]
    fn small_amounts_of_nothing_are_zero() {
        for text in ["0e-100", "-0e-400", "0.0000000000000000000000000000000000000000000000n"] {
            let quantity = Quantity::parse(text).unwrap();
            assert_eq!(
                (quantity.value(), quantity.milli_value(), quantity.is_whole()),
                (0, 0, true),
                "{text}"
            );
            assert_eq!(quantity.rounded_up_to_milli().as_deref(), Some("0"), "{text}");
        }
    }

    #[test]
    fn texts_of_another_form_are_refused() {
        for text in ["", "x", "1x", "1.2.3", "1 Gi", "one"] {
            assert_eq!(Quantity::parse(text).unwrap_err(), QuantityError::Format, "{text}");
        }
        assert_eq!(Quantity::parse("1mi").unwrap_err(), QuantityError::Suffix);
    }
}
