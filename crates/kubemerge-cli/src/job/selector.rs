//! Label and annotation selectors, as `kubectl -l` takes them.

use kubemerge_value::Node;

use crate::report::{Notice, Result};

/// What labels or annotations must be like; all requirements must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Missing,
    In(Vec<String>),
    /// A missing key passes, as in Kubernetes.
    NotIn(Vec<String>),
}

impl Selector {
    /// Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
    pub(crate) fn parse(text: &str) -> Result<Selector> {
        let requirements = split(text).into_iter().map(|part| Requirement::parse(part.trim()));
        match requirements.collect::<Option<Vec<_>>>() {
            Some(requirements) => Ok(Selector(requirements)),
            None => {
                let notice = Notice::error(format!("bad selector {text}"));
                Err(notice.help("write e.g. app=web,tier!=db,env in (test,prod),!legacy").into())
            }
        }
    }

    /// Whether a map of strings, such as `metadata.labels`, meets all requirements.
    pub(crate) fn matches(&self, map: Option<Node<'_>>) -> bool {
        self.0.iter().all(|requirement| {
            let value = map.and_then(|map| map.get(&requirement.key)).and_then(Node::as_str);
            requirement.test.holds(value.map(|value| value.text().into_owned()).as_deref())
        })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        let is_in = |values: &[String]| value.is_some_and(|value| values.iter().any(|one| one == value));
        match self {
            Test::Exists => value.is_some(),
            Test::Missing => value.is_none(),
            Test::In(values) => is_in(values),
            Test::NotIn(values) => !is_in(values),
        }
    }
}

impl Requirement {
    fn parse(text: &str) -> Option<Requirement> {
        if let Some(key) = text.strip_prefix('!') {
            return Requirement::new(key, Test::Missing);
        }
        if let Some(values) = text.strip_suffix(')') {
            let (left, values) = values.split_once('(')?;
            let values = values.split(',').map(|value| value.trim().to_owned()).collect();
            let (key, word) = left.trim_end().rsplit_once(char::is_whitespace)?;
            return match word {
                "in" => Requirement::new(key, Test::In(values)),
                "notin" => Requirement::new(key, Test::NotIn(values)),
                _ => None,
            };
        }
        // `!=` and `==` first: both contain the shorter `=`.
        for (sign, is_equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some((key, value)) = text.split_once(sign) {
                let values = vec![value.trim().to_owned()];
                return Requirement::new(key, if is_equal { Test::In(values) } else { Test::NotIn(values) });
            }
        }
        Requirement::new(text, Test::Exists)
    }

    fn new(key: &str, test: Test) -> Option<Requirement> {
        let key = key.trim();
        let is_name = |char: char| char.is_ascii_alphanumeric() || "-_./".contains(char);
        (!key.is_empty() && key.chars().all(is_name)).then(|| Requirement { key: key.to_owned(), test })
    }
}

/// Splits at commas outside of parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use kubemerge_value::Document;

    #[test]
    fn requirements_are_tested_as_by_kubernetes() {
        let labels = Document::check(br#"{"app":"web","tier":"front"}"#).unwrap();
        let check = |selector: &str, expected: bool| {
            assert_eq!(
                Selector::parse(selector).unwrap().matches(Some(labels.node())),
                expected,
                "{selector}"
            );
        };
        check("app=web", true);
        check("app==web,tier=back", false);
        check("app!=web", false);
        check("zone!=a", true);
        check("app in (api, web)", true);
        check("app notin (api,web)", false);
        check("zone notin (a)", true);
        check("tier", true);
        check("!tier", false);
        check("!zone", true);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "a=b,", "=b", "a in b", "a within (b)", "a b"] {
            assert!(Selector::parse(text).is_err(), "{text}");
        }
        assert!(!Selector::parse("a").unwrap().matches(None));
    }
}
