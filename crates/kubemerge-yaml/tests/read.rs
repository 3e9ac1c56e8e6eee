//! YAML is read as Go reads it: recorded answers of `sigs.k8s.io/yaml`, and the differences we want.

use kubemerge_yaml::{self as yaml, DuplicateKeys, Options};
use serde_json::Value;

fn last_wins() -> Options {
    Options { duplicate_keys: DuplicateKeys::LastWins, ..Options::default() }
}

fn recorded(section: &str) -> Vec<Value> {
    let mut file: Value = serde_json::from_str(include_str!("read_cases.json")).unwrap();
    serde_json::from_value(file[section].take()).unwrap()
}

/// Runs every recorded case and reports all that disagree at once.
fn check(section: &str, disagreement: impl Fn(&Value) -> Option<String>) {
    let cases = recorded(section);
    let failures: Vec<String> =
        cases.iter().filter_map(|case| Some(format!("{case}\n  {}", disagreement(case)?))).collect();
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), cases.len(), failures.join("\n"));
}

fn json_of(document: &yaml::YamlDocument<'_>) -> Result<String, yaml::YamlError> {
    Ok(String::from_utf8(document.to_json()?).unwrap())
}

/// Reads as the recorded function does: the first document, `null` if there is none, the last key wins.
fn read_first(text: &str) -> Result<String, yaml::YamlError> {
    match yaml::documents(text.as_bytes(), &last_wins())?.next() {
        Some(document) => json_of(&document?),
        None => Ok("null".into()),
    }
}

fn same_json(expected: &str, ours: &str) -> bool {
    let value = |json: &str| serde_json::from_str::<Value>(&json.replace("\\ud83d\"", "\u{fffd}\"")).unwrap();
    value(expected) == value(ours) && numbers(expected) == numbers(ours)
}

/// The numbers of a JSON text as written, sorted: key order differs between Go and us.
fn numbers(json: &str) -> Vec<&str> {
    let (mut numbers, mut rest) = (Vec::new(), json);
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[at..];
        let is_string = rest.starts_with('"');
        let end = if is_string { string_end(rest) } else { rest.find([',', ']', '}']).unwrap_or(rest.len()) };
        if !is_string {
            numbers.push(&rest[..end]);
        }
        rest = &rest[end..];
    }
    numbers.sort_unstable();
    numbers
}

fn string_end(text: &str) -> usize {
    let mut escaped = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at + 1,
            b'\\' if !escaped => escaped = true,
            _ => escaped = false,
        }
    }
    text.len()
}

#[test]
fn texts_read_as_go_reads_them() {
    check("cases", |case| {
        let ours = read_first(case["yaml"].as_str().unwrap());
        let expected = case.get("ours").unwrap_or(&case["json"]).as_str();
        let agrees = match (expected, &ours) {
            (Some(expected), Ok(ours)) => same_json(expected, ours),
            (expected, ours) => expected.is_none() && ours.is_err(),
        };
        (!agrees).then(|| format!("ours: {ours:?}"))
    });
}

#[test]
fn streams_split_as_kubectl_splits_them() {
    check("streams", |case| {
        let (mut documents, mut error) = (Vec::new(), None);
        for document in yaml::documents(case["yaml"].as_str().unwrap().as_bytes(), &last_wins()).unwrap() {
            match document.and_then(|document| json_of(&document)) {
                Ok(json) => documents.push(json),
                Err(fault) => {
                    error = Some(fault);
                    break;
                }
            }
        }
        let expected: Vec<&str> = case["docs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let agrees = case.get("error").is_some() == error.is_some()
            && expected.len() == documents.len()
            && expected.iter().zip(&documents).all(|(expected, ours)| same_json(expected, ours));
        (!agrees && case.get("difference").is_none()).then(|| format!("ours: {documents:?} {error:?}"))
    });
}
