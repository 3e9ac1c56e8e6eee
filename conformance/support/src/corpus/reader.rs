//! Lines of a corpus file to cases.

use serde_json::{Value, value::RawValue};

use crate::verdict::Verdict;

/// Fields whose value is text; every other value is JSON.
const TEXT_FIELDS: &[&str] = &["name", "why", "rules", "type", "specType", "schema", "differs"];

/// Fields that are documents or settings of the operation: they go into the request as they are.
const REQUEST_FIELDS: &[&str] =
    &["original", "modified", "current", "patch", "patches", "text", "preconditions", "options", "overwrite"];

/// Fields of a case that are neither text nor part of the request.
const OTHER_FIELDS: &[&str] = &["overlay", "upstream", "spec", "kustomize"];

/// The dialects that a case may have answers of.
pub const DIALECTS: [&str; 3] = ["upstream", "spec", "kustomize"];

/// One line of a case.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub key: String,
    /// The value as it is in the file, or the text of a quoted text field.
    pub value: String,
    /// Line number in the file, from 1.
    pub line: usize,
}

/// One behaviour and what each dialect makes of it.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The name of its folder, such as `three-way`.
    pub verb: String,
    /// The file and the line at which it starts.
    pub place: String,
    /// Its lines in order.
    pub fields: Vec<Field>,
}

impl Case {
    /// The value of a field.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.key == key).map(|field| field.value.as_str())
    }

    /// A document of the case; an absent one is empty.
    pub fn document(&self, key: &str) -> &str {
        self.get(key).unwrap_or("{}")
    }

    /// The rules that the case pins.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.get("rules").unwrap_or_default().split(',').map(str::trim).filter(|rule| !rule.is_empty())
    }

    /// What a dialect (`upstream`, `spec` or `kustomize`) must answer; none where the case is silent on it.
    pub fn expected(&self, dialect: &str) -> Option<Verdict> {
        self.get(dialect).and_then(|text| Verdict::read(text).ok())
    }

    /// The request that asks this case, in the words of the protocol. `extra` are further members.
    pub fn request(&self, dialect: &str, extra: &[(&str, &str)]) -> String {
        let mut members = vec![member("op", &quoted(&self.verb)), member("dialect", &quoted(dialect))];
        let type_name =
            if dialect == "spec" { self.get("specType").or(self.get("type")) } else { self.get("type") };
        members.extend(type_name.map(|name| member("type", &quoted(name))));
        members.extend(self.schema().map(|path| member("schema", &quoted(&path))));
        // Kubernetes knows no overlays.
        if dialect == "spec" {
            members.extend(self.get("overlay").map(|overlay| member("overlay", overlay)));
        }
        for field in self.fields.iter().filter(|field| REQUEST_FIELDS.contains(&field.key.as_str())) {
            members.push(member(&field.key, &field.value));
        }
        members.extend(extra.iter().map(|(key, value)| member(key, value)));
        format!("{{{}}}", members.join(","))
    }

    /// The schema document: named, or by the look of the type (`v1/Pod` is built in).
    fn schema(&self) -> Option<String> {
        let type_name = self.get("type")?;
        let file = match self.get("schema") {
            Some(file) => file,
            None if type_name.contains('/') => return None,
            None => "schema.json",
        };
        Some(crate::root().join("conformance").join(file).display().to_string())
    }
}

fn member(key: &str, value: &str) -> String {
    format!("{}:{value}", quoted(key))
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Reads a file; complaints name the line.
pub(super) fn read(shown: &str, verb: &str, text: &str) -> Result<Vec<Case>, String> {
    let mut cases: Vec<Case> = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let place = format!("{shown}:{}", at + 1);
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (starts, rest) = match (line.strip_prefix("- "), line.strip_prefix("  ")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            _ => return Err(format!("{place}: a line starts with `- ` or two blanks")),
        };
        if starts {
            cases.push(Case { verb: verb.to_string(), place: place.clone(), fields: Vec::new() });
        }
        let case = cases.last_mut().ok_or_else(|| format!("{place}: a case starts with `- name:`"))?;
        case.fields.push(field(rest, at + 1).map_err(|complaint| format!("{place}: {complaint}"))?);
    }
    cases.iter().try_for_each(check)?;
    Ok(cases)
}

fn field(rest: &str, line: usize) -> Result<Field, String> {
    let (key, value) = rest.split_once(": ").ok_or("a line is `key: value`")?;
    let known = TEXT_FIELDS.iter().chain(REQUEST_FIELDS).chain(OTHER_FIELDS).any(|field| *field == key);
    if !known {
        return Err(format!("there is no field `{key}`"));
    }
    let value = match (TEXT_FIELDS.contains(&key), value.starts_with('"')) {
        (true, true) => serde_json::from_str::<String>(value).map_err(|error| error.to_string())?,
        (true, false) => value.to_string(),
        // Checked, but kept as it is written: blanks and the order of members are part of some cases.
        (false, _) => {
            serde_json::from_str::<&RawValue>(value).map_err(|error| error.to_string())?;
            value.to_string()
        }
    };
    Ok(Field { key: key.to_string(), value, line })
}

fn check(case: &Case) -> Result<(), String> {
    for needed in ["name", "rules"] {
        if case.get(needed).is_none() {
            return Err(format!("{}: a case needs `{needed}`", case.place));
        }
    }
    for dialect in DIALECTS {
        if let Some(text) = case.get(dialect) {
            Verdict::read(text).map_err(|complaint| format!("{}: {dialect}: {complaint}", case.place))?;
        }
    }
    Ok(())
}
