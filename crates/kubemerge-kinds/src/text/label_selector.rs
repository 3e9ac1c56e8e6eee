//! Label selectors: `a`, `!a`, `a=b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a>1`, `a<2`, joined by commas.

use std::fmt;

use serde_json::Value;

use super::selector_error::SelectorError;
use crate::{
    field_error::quoted,
    format::{Problems, label_value, qualified_name},
};

/// A conjunction of requirements on labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector(Vec<Requirement>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    test: Test,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    Exists,
    Absent,
    /// The same as one value of `In`, but for the text.
    Is(String),
    In(Vec<String>),
    NotIn(Vec<String>),
    Above(i64),
    Below(i64),
}

impl LabelSelector {
    /// Reads a selector; what does not parse is 400, never "matches nothing".
    pub fn parse(text: &str) -> Result<LabelSelector, SelectorError> {
        let mut parser = Parser { rest: text };
        let parsed = parser.selector();
        parsed.map_err(|why| format!("unable to parse requirement: {why}").into())
    }

    /// The selector of a `matchLabels` / `matchExpressions` object; none for one that is malformed.
    pub fn from_object(selector: &Value) -> Option<LabelSelector> {
        let mut requirements = Vec::new();
        if let Some(labels) = selector.get("matchLabels").and_then(Value::as_object) {
            for (key, value) in labels {
                // Validation refuses such a selector.
                let test = Test::Is(value.as_str()?.to_string());
                requirements.push(Requirement { key: key.clone(), test });
            }
        }
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            requirements.push(Requirement::from_expression(expression)?);
        }
        requirements.sort_by(|one, other| one.key.cmp(&other.key));
        Some(LabelSelector(requirements))
    }

    /// The selector that wants every one of these labels.
    pub fn from_map(labels: &Value) -> LabelSelector {
        let pairs = labels.as_object().into_iter().flatten();
        let requirements = pairs.map(|(key, value)| Requirement {
            key: key.clone(),
            test: Test::Is(value.as_str().unwrap_or_default().to_string()),
        });
        LabelSelector(requirements.collect())
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an object with these labels is wanted; `label` looks one up.
    pub fn matches(&self, label: impl Fn(&str) -> Option<String>) -> bool {
        self.0.iter().all(|requirement| requirement.test.holds(label(&requirement.key).as_deref()))
    }
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Requirement { key, test }) in self.0.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { "," })?;
            match test {
                Test::Exists => write!(f, "{key}"),
                Test::Absent => write!(f, "!{key}"),
                Test::Is(value) => write!(f, "{key}={value}"),
                Test::In(values) => write!(f, "{key} in ({})", sorted(values)),
                Test::NotIn(values) => write!(f, "{key} notin ({})", sorted(values)),
                Test::Above(bound) => write!(f, "{key}>{bound}"),
                Test::Below(bound) => write!(f, "{key}<{bound}"),
            }?;
        }
        Ok(())
    }
}

fn sorted(values: &[String]) -> String {
    let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
    values.sort_unstable();
    values.join(",")
}

impl Requirement {
    fn from_expression(expression: &Value) -> Option<Requirement> {
        let key = expression.get("key")?.as_str()?.to_string();
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        let values: Vec<String> = values.filter_map(|value| value.as_str().map(str::to_string)).collect();
        let test = match expression.get("operator")?.as_str()? {
            "In" => Test::In(values),
            "NotIn" => Test::NotIn(values),
            "Exists" => Test::Exists,
            "DoesNotExist" => Test::Absent,
            _ => return None,
        };
        Some(Requirement { key, test })
    }
}

impl Test {
    fn holds(&self, value: Option<&str>) -> bool {
        match self {
            Test::Exists => value.is_some(),
            Test::Absent => value.is_none(),
            Test::Is(wanted) => value == Some(wanted),
            Test::In(wanted) => value.is_some_and(|value| wanted.iter().any(|one| one == value)),
            // Objects without the label are wanted, too.
            Test::NotIn(unwanted) => value.is_none_or(|value| unwanted.iter().all(|one| one != value)),
            Test::Above(bound) => value.and_then(|value| value.parse().ok()).is_some_and(|n: i64| n > *bound),
            Test::Below(bound) => value.and_then(|value| value.parse().ok()).is_some_and(|n: i64| n < *bound),
        }
    }
}

fn refuse(part: &str, text: &str, problems: Problems) -> Result<(), SelectorError> {
    if problems.is_empty() {
        return Ok(());
    }
    Err(format!("{part}: Invalid value: {}: {}", quoted(text), problems.join("; ")).into())
}

struct Parser<'t> {
    rest: &'t str,
}

impl<'t> Parser<'t> {
    fn selector(&mut self) -> Result<LabelSelector, SelectorError> {
        let mut requirements = Vec::new();
        self.skip_space();
        while !self.rest.is_empty() {
            requirements.push(self.requirement()?);
            self.skip_space();
            if self.rest.is_empty() {
                break;
            }
            if !self.take(",") {
                return Err(format!("found {:?}, expected: ',' or 'end of string'", self.rest).into());
            }
            self.skip_space();
            if self.rest.is_empty() {
                return Err("found '', expected: identifier after ','".into());
            }
        }
        // Kubernetes prints selectors by key.
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(LabelSelector(requirements))
    }

    fn requirement(&mut self) -> Result<Requirement, SelectorError> {
        let absent = self.take("!");
        let key = self.word();
        refuse("key", key, qualified_name(key))?;
        let test = if absent { Test::Absent } else { self.test()? };
        Ok(Requirement { key: key.to_string(), test })
    }

    fn test(&mut self) -> Result<Test, SelectorError> {
        self.skip_space();
        if self.rest.is_empty() || self.rest.starts_with(',') {
            return Ok(Test::Exists);
        }
        // Longer signs before those that they begin with.
        if self.take("!=") {
            return Ok(Test::NotIn(vec![self.value()?]));
        }
        if self.take("==") || self.take("=") {
            return Ok(Test::Is(self.value()?));
        }
        if self.take(">") {
            return Ok(Test::Above(self.number()?));
        }
        if self.take("<") {
            return Ok(Test::Below(self.number()?));
        }
        match self.word() {
            "in" => Ok(Test::In(self.values()?)),
            "notin" => Ok(Test::NotIn(self.values()?)),
            other => Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt").into()),
        }
    }

    fn values(&mut self) -> Result<Vec<String>, SelectorError> {
        self.skip_space();
        if !self.take("(") {
            return Err(format!("found {:?}, expected: '('", self.rest).into());
        }
        let mut values = Vec::new();
        loop {
            values.push(self.value()?);
            self.skip_space();
            if self.take(")") {
                return Ok(values);
            }
            if !self.take(",") {
                return Err(format!("found {:?}, expected: ',' or ')'", self.rest).into());
            }
        }
    }

    fn value(&mut self) -> Result<String, SelectorError> {
        self.skip_space();
        let value = self.word();
        refuse("values[0]", value, label_value(value))?;
        Ok(value.to_string())
    }

    fn number(&mut self) -> Result<i64, SelectorError> {
        self.skip_space();
        let word = self.word();
        word.parse().map_err(|_| {
            let problem = "for 'Gt', 'Lt' operators, the value must be an integer";
            format!("values[0]: Invalid value: {word:?}: {problem}").into()
        })
    }

    /// Everything up to a space or an operator sign.
    fn word(&mut self) -> &'t str {
        self.skip_space();
        let end = self.rest.find(|c: char| c.is_whitespace() || "=!,()<>".contains(c));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn take(&mut self, sign: &str) -> bool {
        let taken = self.rest.strip_prefix(sign);
        self.rest = taken.unwrap_or(self.rest);
        taken.is_some()
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, labels: &[(&str, &str)]) -> bool {
        let find = |key: &str| labels.iter().find(|(k, _)| *k == key).map(|(_, v)| v.to_string());
        LabelSelector::parse(selector).unwrap().matches(find)
    }

    #[test]
    fn every_operator() {
        let labels = [("app", "web"), ("tier", "2")];
        for yes in [
            "",
            "app",
            "!gone",
            "app=web",
            "app == web",
            "app!=db",
            "gone!=x",
            "app in (db, web)",
            "gone notin (a)",
            "tier>1",
            "tier<3",
            "app=web,tier=2",
            "app,tier in (2)",
            "empty!=",
        ] {
            assert!(selects(yes, &labels), "{yes}");
        }
        for no in
            ["gone", "!app", "app=db", "app in (db)", "app notin (web)", "tier>2", "app>1", "app=web,gone"]
        {
            assert!(!selects(no, &labels), "{no}");
        }
    }

    #[test]
    fn what_does_not_parse_is_an_error() {
        for bad in ["a=b,", ",a", "a in b", "a in (b", "a ~ b", "a=b c", "-x=1", "a=b!", "a>x", "a=-", "=b"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_selector_prints_as_kubernetes_prints_it() {
        let shown = |text| LabelSelector::parse(text).unwrap().to_string();
        assert_eq!(shown("b in (x,y), a==1,!c,d notin (z)"), "a=1,b in (x,y),!c,d notin (z)");
    }
}
