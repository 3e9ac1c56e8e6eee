//! Formats of texts that have a name in expressions.

use kubemerge_value::{base64_bytes, format};

use super::answer::Answer;
use super::url::request_uri_problem;
use crate::value::CelValue;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedFormat(&'static str);

/// The names in expressions, and the sizes that costs assume for a regular expression of each.
const FORMATS: [(&str, u64); 13] = [
    ("dns1123Label", 30),
    ("dns1123Subdomain", 60),
    ("dns1035Label", 30),
    ("qualifiedName", 60),
    ("dns1123LabelPrefix", 30),
    ("dns1123SubdomainPrefix", 60),
    ("dns1035LabelPrefix", 30),
    ("labelValue", 40),
    ("uri", 1103),
    ("uuid", UUID_PATTERN),
    ("byte", 84),
    ("date", DATE_TIME_PATTERN),
    ("datetime", DATE_TIME_PATTERN),
];
const UUID_PATTERN: u64 = 70;
const DATE_TIME_PATTERN: u64 = 71;

impl NamedFormat {
    fn of(name: &str) -> Option<NamedFormat> {
        FORMATS.iter().find(|(known, _)| *known == name).map(|(known, _)| NamedFormat(known))
    }

    /// The name that Kubernetes gives it.
    pub(crate) fn name(self) -> String {
        match self.0 {
            "uri" => "URI".to_owned(),
            "uuid" | "byte" | "date" | "datetime" => self.0.to_owned(),
            name if name.starts_with("dns") => name.replacen("dns", "DNS", 1),
            name => {
                let mut chars = name.chars();
                let first = chars.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(chars).collect()
            }
        }
    }

    /// The size of its regular expression, as costs assume it.
    pub(crate) fn max_regex_size(self) -> u64 {
        FORMATS.iter().find(|(known, _)| *known == self.0).map_or(0, |(_, size)| *size)
    }

    fn problems(self, text: &str) -> Vec<String> {
        let unless = |holds: bool, problem: &str| if holds { Vec::new() } else { vec![problem.to_owned()] };
        match self.0 {
            "dns1123Label" => format::dns1123_label(text),
            "dns1123Subdomain" => format::dns1123_subdomain(text),
            "dns1035Label" => format::dns1035_label(text),
            "qualifiedName" => format::qualified_name(text),
            "dns1123LabelPrefix" => format::dns1123_label(&without_dash(text)),
            "dns1123SubdomainPrefix" => format::dns1123_subdomain(&without_dash(text)),
            "dns1035LabelPrefix" => format::dns1035_label(&without_dash(text)),
            "labelValue" => format::label_value(text),
            "uri" => request_uri_problem(text).into_iter().collect(),
            "uuid" => unless(format::is_uuid(text, None), "does not match the UUID format"),
            "byte" => unless(base64_bytes::is_byte_format(text), "invalid base64"),
            "date" => unless(format::is_date(text), "invalid date"),
            _ => unless(format::is_date_time(text), "invalid datetime"),
        }
    }
}

/// A prefix may end with a dash, which a name that is made from it does not.
fn without_dash(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next_back() {
        Some('-') if text.len() > 1 => {
            chars.next_back();
            format!("{}a", chars.as_str())
        }
        _ => text.to_owned(),
    }
}

pub(super) fn apply<'v>(function: &str, arguments: &[CelValue<'v>]) -> Option<Answer<'v>> {
    Some(Ok(match (function, arguments) {
        ("format.named", [CelValue::String(name)]) => {
            CelValue::optional(NamedFormat::of(name).map(CelValue::Format))
        }
        ("validate", [CelValue::Format(format), CelValue::String(text)]) => {
            let problems = format.problems(text);
            let list =
                || CelValue::list(problems.iter().map(|problem| CelValue::text(problem.as_str())).collect());
            CelValue::optional((!problems.is_empty()).then(list))
        }
        (name, []) => CelValue::Format(NamedFormat::of(name.strip_prefix("format.")?)?),
        _ => return None,
    }))
}
