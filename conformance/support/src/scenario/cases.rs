//! Scenarios of the corpus, `conformance/cases/ssa/<topic>.yaml`.
//!
//! A case has a name, a reason, a form and versions; then each step is followed by what Kubernetes answers.
//! Every field is on one line and every document is JSON, so that `bless` can rewrite the answers alone.

use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

/// A file of the corpus.
pub struct CaseFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its lines.
    pub lines: Vec<String>,
    /// Its cases.
    pub cases: Vec<Case>,
}

/// A scenario, and the lines that hold the answer to each step.
pub struct Case {
    /// File and name, for messages.
    pub place: String,
    /// The scenario, as the reference program reads it.
    pub scenario: Json,
    /// The number of the line with the answer to each step, from 0.
    pub answers: Vec<usize>,
}

/// Reads all files below `conformance`.
pub fn load(conformance: &Path) -> Vec<CaseFile> {
    let folder = conformance.join("cases/ssa");
    let entries = std::fs::read_dir(&folder).expect("the corpus has scenarios");
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    paths.sort();
    paths.into_iter().map(load_file).collect()
}

fn load_file(path: PathBuf) -> CaseFile {
    let text = std::fs::read_to_string(&path).expect("the file is text");
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let place = format!("{}:{}", path.display(), number + 1);
        if line.is_empty() {
            continue;
        }
        let field = line.get(2..).unwrap_or_default();
        let (key, value) =
            field.split_once(": ").unwrap_or_else(|| panic!("{place}: a line is `key: value`"));
        if line.starts_with("- ") {
            assert_eq!(key, "name", "{place}: a case starts with its name");
            cases.push(Case {
                place: format!("{place} {value}"),
                scenario: json!({"kind": "Widget", "steps": []}),
                answers: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().unwrap_or_else(|| panic!("{place}: a case starts with `- name`"));
        let json = || serde_json::from_str(value).unwrap_or_else(|error| panic!("{place}: {error}"));
        match key {
            "why" => {}
            "form" => case.scenario["form"] = Json::from(value),
            "versions" | "live" => case.scenario[key] = json(),
            "step" => case.scenario["steps"].as_array_mut().expect("a list").push(json()),
            "upstream" => case.answers.push(number),
            other => panic!("{place}: there is no field `{other}`"),
        }
    }
    CaseFile { path, lines, cases }
}
