//! The texts of values in errors, as Go's `%v` writes them.

use super::CelValue;

impl CelValue<'_> {
    /// The text of a value in an error.
    pub(crate) fn shown(&self) -> String {
        match self {
            CelValue::Null => "NULL_VALUE".to_owned(),
            CelValue::Bool(value) => value.to_string(),
            CelValue::Int(value) => value.to_string(),
            CelValue::Uint(value) => value.to_string(),
            CelValue::Double(value) => float_text(*value),
            CelValue::String(text) => text.to_string(),
            CelValue::Bytes(bytes) => {
                let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
                format!("[{}]", numbers.join(" "))
            }
            CelValue::Timestamp(time) => time.go_text(),
            CelValue::Duration(nanos) => kubemerge_value::go_duration::duration_text(*nanos),
            CelValue::Type(name) => (*name).to_owned(),
            CelValue::List(list) => {
                let items: Vec<String> = list.iter().map(|item| item.shown()).collect();
                format!("[{}]", items.join(", "))
            }
            CelValue::Map(map) => {
                let member = |(key, value): (CelValue<'_>, CelValue<'_>)| {
                    format!("{}: {}", key.shown(), value.shown())
                };
                let members: Vec<String> = map.members().into_iter().map(member).collect();
                format!("{{{}}}", members.join(", "))
            }
            CelValue::Optional(None) => "optional.none()".to_owned(),
            CelValue::Optional(Some(value)) => format!("optional({})", value.shown()),
            CelValue::Quantity(quantity, _) => quantity.canonical_text(),
            CelValue::Ip(address) => address.to_string(),
            CelValue::Cidr(cidr) => cidr.to_string(),
            CelValue::Url(url) => url.text().to_owned(),
            CelValue::Semver(version) => version.to_string(),
            CelValue::Format(format) => format!("{format:?}"),
        }
    }
}

impl CelValue<'_> {
    /// The name of its type in cel-go, which some errors have.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            CelValue::Null => "types.Null",
            CelValue::Bool(_) => "types.Bool",
            CelValue::Int(_) => "types.Int",
            CelValue::Uint(_) => "types.Uint",
            CelValue::Double(_) => "types.Double",
            CelValue::String(_) => "types.String",
            CelValue::Bytes(_) => "types.Bytes",
            CelValue::Timestamp(_) => "types.Timestamp",
            CelValue::Duration(_) => "types.Duration",
            CelValue::List(_) => "*types.baseList",
            CelValue::Map(_) => "*types.baseMap",
            CelValue::Optional(_) => "*types.Optional",
            CelValue::Type(_) => "*types.Type",
            CelValue::Quantity(..) => "cel.Quantity",
            CelValue::Ip(_) => "cel.IP",
            CelValue::Cidr(_) => "cel.CIDR",
            CelValue::Url(_) => "cel.URL",
            CelValue::Semver(_) => "cel.Semver",
            CelValue::Format(_) => "cel.Format",
        }
    }
}

/// A float as Go's `%g` writes it.
pub(crate) fn float_text(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    // Go's shortest form has an exponent from the seventh digit on.
    if !(-4..6).contains(&power) {
        let sign = if power < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", power.unsigned_abs());
    }
    format!("{value}")
}

impl CelValue<'_> {
    /// The value as a text that tells its type, with the members of maps sorted: for tests that compare evaluations.
    #[must_use]
    pub fn literal(&self) -> String {
        let deep = |value: &CelValue<'_>| kubemerge_value::deep(|| value.literal());
        match self {
            CelValue::Null => "null".to_owned(),
            CelValue::Uint(value) => format!("{value}u"),
            CelValue::Double(value) => format!("d{}", float_text(*value)),
            CelValue::String(text) => kubemerge_value::write::go_quoted(text),
            CelValue::Bytes(bytes) => {
                bytes.iter().fold("b".to_owned(), |text, byte| format!("{text}{byte:02x}"))
            }
            CelValue::Timestamp(time) => format!("t{}", time.text()),
            CelValue::Duration(nanos) => format!("{nanos}ns"),
            CelValue::List(list) => {
                let items: Vec<String> = list.iter().map(|item| deep(&item)).collect();
                format!("[{}]", items.join(", "))
            }
            CelValue::Map(map) => {
                let member =
                    |(key, value): (CelValue<'_>, CelValue<'_>)| format!("{}: {}", deep(&key), deep(&value));
                let mut members: Vec<String> = map.members().into_iter().map(member).collect();
                members.sort();
                format!("{{{}}}", members.join(", "))
            }
            CelValue::Optional(None) => "none".to_owned(),
            CelValue::Optional(Some(value)) => format!("some({})", deep(value)),
            CelValue::Type(name) => format!("type {name}"),
            CelValue::Quantity(..) => format!("quantity {}", self.shown()),
            CelValue::Ip(_) => format!("ip {}", self.shown()),
            CelValue::Cidr(_) => format!("cidr {}", self.shown()),
            CelValue::Url(_) => format!("url {}", self.shown()),
            CelValue::Semver(_) => format!("semver {}", self.shown()),
            CelValue::Format(format) => format!("format {}", format.name()),
            _ => self.shown(),
        }
    }
}
