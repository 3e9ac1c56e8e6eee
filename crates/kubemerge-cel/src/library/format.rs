//! `'%s: %d'.format([name, count])`.

use super::convert::{parse_float, text_of};
use crate::error::CelError;
use crate::value::{CelList, CelMap, CelValue};

/// Digits after the point, unless a clause says how many.
const DEFAULT_PRECISION: usize = 6;
/// More digits than a float has are zeros; there is a limit to how many are written.
const MAX_PRECISION: usize = 10_000;

/// Writes values into a text.
pub(super) fn format(text: &str, values: &CelList<'_>) -> Result<String, CelError> {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    let mut used = 0;
    while let Some(at) = rest.find('%') {
        let (before, clause) = rest.split_at(at);
        written.push_str(before);
        let clause = clause.get(1..).unwrap_or_default();
        if let Some(after) = clause.strip_prefix('%') {
            written.push('%');
            rest = after;
            continue;
        }
        let value = values.get(used).ok_or_else(|| format!("index {used} out of range"))?;
        used += 1;
        if clause.is_empty() {
            return Err("unexpected end of string".into());
        }
        let (precision, clause) = precision(clause).map_err(|problem| unreadable(problem.message()))?;
        let Some(verb) = clause.chars().next() else { return Err("unexpected end of string".into()) };
        let formatted = formatted(verb, precision, &value).ok_or_else(|| {
            unreadable(&format!("unrecognized formatting clause \"{}\"", first_byte(clause)))
        })?;
        written.push_str(&formatted.map_err(|problem| format!("error during formatting: {problem}"))?);
        rest = clause.get(verb.len_utf8()..).unwrap_or_default();
    }
    written.push_str(rest);
    Ok(written)
}

fn unreadable(problem: &str) -> String {
    format!("could not parse formatting clause: {problem}")
}

/// Upstream: of a character that is not ASCII the first byte is shown.
fn first_byte(clause: &str) -> char {
    clause.bytes().next().map_or(' ', char::from)
}

fn precision(clause: &str) -> Result<(Option<usize>, &str), CelError> {
    let Some(rest) = clause.strip_prefix('.') else { return Ok((None, clause)) };
    let after = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = rest.get(..rest.len() - after.len()).unwrap_or_default();
    let failed = |problem: String| Err(format!("error while parsing precision: {problem}").into());
    if after.is_empty() {
        return failed("could not find end of precision specifier".to_owned());
    }
    let why = if digits.is_empty() { "invalid syntax" } else { "value out of range" };
    match digits.parse::<i64>() {
        Ok(number) => Ok((Some(usize::try_from(number).unwrap_or(MAX_PRECISION).min(MAX_PRECISION)), after)),
        Err(_) => failed(format!(
            "error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {why}"
        )),
    }
}

/// A value as a clause writes it; none if there is no such clause.
fn formatted(verb: char, precision: Option<usize>, value: &CelValue<'_>) -> Option<Result<String, CelError>> {
    let precision = precision.unwrap_or(DEFAULT_PRECISION);
    let given = |what: &str| CelError::from(format!("{what}, was given {}", value.type_name()));
    Some(match verb {
        's' => string(value),
        'd' => decimal(value).ok_or_else(|| given("decimal clause can only be used on integers")),
        'f' => number(value)
            .map(|number| fixed(number, precision))
            .ok_or_else(|| given("fixed-point clause can only be used on doubles")),
        'e' => number(value)
            .map(|number| scientific(number, precision))
            .ok_or_else(|| given("scientific clause can only be used on doubles")),
        'b' => binary(value).ok_or_else(|| given("only integers and bools can be formatted as binary")),
        'o' => octal(value).ok_or_else(|| given("octal clause can only be used on integers")),
        'x' => hex(value)
            .ok_or_else(|| given("only integers, byte buffers, and strings can be formatted as hex")),
        'X' => hex(value)
            .map(|text| text.to_uppercase())
            .ok_or_else(|| given("only integers, byte buffers, and strings can be formatted as hex")),
        _ => return None,
    })
}

fn string(value: &CelValue<'_>) -> Result<String, CelError> {
    match value {
        CelValue::List(list) => list_text(list),
        CelValue::Map(map) => map_text(map),
        CelValue::Null => Ok("null".to_owned()),
        CelValue::Type(name) => Ok((*name).to_owned()),
        CelValue::Bytes(bytes) => String::from_utf8(bytes.to_vec()).map_err(|_| {
            "could not convert argument \"invalid UTF-8 in bytes, cannot convert to string\" to string".into()
        }),
        CelValue::Ip(_) | CelValue::Cidr(_) => Err(not_printable(value)),
        _ => text_of(value).ok_or_else(|| not_printable(value)),
    }
}

fn not_printable(value: &CelValue<'_>) -> CelError {
    format!(
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, \
         and timestamps, was given {}",
        value.type_name()
    )
    .into()
}

fn list_text(list: &CelList<'_>) -> Result<String, CelError> {
    let items: Result<Vec<String>, CelError> =
        list.iter().map(|item| kubemerge_value::deep(|| member_text(&item))).collect();
    Ok(format!("[{}]", items?.join(", ")))
}

fn map_text(map: &CelMap<'_>) -> Result<String, CelError> {
    let mut members = Vec::with_capacity(map.len());
    for (key, value) in map.members() {
        let key = match key {
            CelValue::String(_) | CelValue::Bool(_) | CelValue::Int(_) | CelValue::Uint(_) => {
                member_text(&key)?
            }
            other => {
                return Err(
                    format!("no formatting function for map key of type {}", other.type_name()).into()
                );
            }
        };
        members.push((key, kubemerge_value::deep(|| member_text(&value))?));
    }
    members.sort();
    let members: Vec<String> = members.into_iter().map(|(key, value)| format!("{key}:{value}")).collect();
    Ok(format!("{{{}}}", members.join(", ")))
}

/// A part of a list or a map, as a literal.
fn member_text(value: &CelValue<'_>) -> Result<String, CelError> {
    let quoted = kubemerge_value::write::go_quoted;
    Ok(match value {
        CelValue::String(text) => quoted(text),
        CelValue::Bytes(_) => format!("b{}", quoted(&string(value)?)),
        CelValue::Double(number) if number.is_finite() => format!("{number:.DEFAULT_PRECISION$}"),
        CelValue::Double(number) => quoted(&crate::value::show::float_text(*number)),
        CelValue::Timestamp(_) => format!("timestamp({})", quoted(&string(value)?)),
        CelValue::Duration(_) => format!("duration({})", quoted(&string(value)?)),
        CelValue::Optional(_)
        | CelValue::Quantity(..)
        | CelValue::Ip(_)
        | CelValue::Cidr(_)
        | CelValue::Url(_)
        | CelValue::Semver(_)
        | CelValue::Format(_) => {
            return Err(format!("no formatting function for {}", value.type_name()).into());
        }
        _ => string(value)?,
    })
}

fn decimal(value: &CelValue<'_>) -> Option<String> {
    match value {
        CelValue::Int(number) => Some(number.to_string()),
        CelValue::Uint(number) => Some(number.to_string()),
        _ => None,
    }
}

/// A number with its sign apart, in another base.
fn signed(value: &CelValue<'_>, write: fn(u64) -> String) -> Option<String> {
    match value {
        CelValue::Int(number) => {
            let sign = if *number < 0 { "-" } else { "" };
            Some(format!("{sign}{}", write(number.unsigned_abs())))
        }
        CelValue::Uint(number) => Some(write(*number)),
        _ => None,
    }
}

fn binary(value: &CelValue<'_>) -> Option<String> {
    match value {
        CelValue::Bool(value) => Some(if *value { "1" } else { "0" }.to_owned()),
        _ => signed(value, |number| format!("{number:b}")),
    }
}

fn octal(value: &CelValue<'_>) -> Option<String> {
    signed(value, |number| format!("{number:o}"))
}

fn hex(value: &CelValue<'_>) -> Option<String> {
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    match value {
        CelValue::String(text) => Some(bytes(text.as_bytes())),
        CelValue::Bytes(octets) => Some(bytes(octets)),
        _ => signed(value, |number| format!("{number:x}")),
    }
}

/// A float, also one that is written as a text.
fn number(value: &CelValue<'_>) -> Option<f64> {
    match value {
        CelValue::Double(number) => Some(*number),
        CelValue::String(text) if matches!(&**text, "NaN" | "Infinity" | "-Infinity") => parse_float(text),
        _ => None,
    }
}

/// As American English writes numbers that are none.
fn not_finite(number: f64) -> Option<String> {
    if number.is_nan() {
        return Some("NaN".to_owned());
    }
    number.is_infinite().then(|| if number < 0.0 { "-∞" } else { "∞" }.to_owned())
}

/// With commas between thousands.
fn fixed(number: f64, precision: usize) -> String {
    if let Some(text) = not_finite(number) {
        return text;
    }
    let text = format!("{:.precision$}", number.abs());
    let (whole, fraction) = text.split_once('.').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    let mut written = if number < 0.0 { "-".to_owned() } else { String::new() };
    for (at, digit) in whole.char_indices() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            written.push(',');
        }
        written.push(digit);
    }
    if let Some(fraction) = fraction {
        written.push('.');
        written.push_str(fraction);
    }
    written
}

/// `1.234560×10⁰³`. Upstream: what is written as the precision is the width.
fn scientific(number: f64, width: usize) -> String {
    let text = not_finite(number).unwrap_or_else(|| exponential(number));
    format!("{text:>width$}")
}

fn exponential(number: f64) -> String {
    let text = format!("{:.DEFAULT_PRECISION$e}", number.abs());
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = exponent.strip_prefix('-').map_or(("", exponent), |power| ("⁻", power));
    let raised =
        |digit: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10).unwrap_or(0) as usize).unwrap_or('⁰');
    let power: String = format!("{power:0>2}").chars().map(raised).collect();
    let negative = if number < 0.0 { "-" } else { "" };
    format!("{negative}{digits}×10{sign}{power}")
}
