//! The corpus is valid, and our engine gives its answers through every interface.

use kubemerge_test_support::{
    corpus::{Case, load},
    verdict::{Verdict, has_integral_float},
};

use super::Runner;

#[test]
fn every_file_can_be_read_and_names_are_unique_in_it() {
    for file in load().expect("the corpus can be read") {
        let mut names: Vec<_> = file.cases.iter().filter_map(|case| case.get("name")).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{}: a name occurs twice", file.path.display());
    }
}

#[test]
fn every_case_has_a_reason() {
    for case in load().expect("the corpus can be read").iter().flat_map(|file| &file.cases) {
        assert!(case.get("why").is_some(), "{}: why?", case.place);
    }
}

#[test]
fn upstream_answers_as_kubernetes_does() {
    check("upstream");
}

#[test]
fn spec_answers_as_the_design_documents_promise() {
    check("spec");
}

#[test]
fn kustomize_answers_as_kustomize_does() {
    check("kustomize");
}

fn check(dialect: &str) {
    let mut runner = Runner::default();
    let mut complaints = Vec::new();
    for case in load().expect("the corpus can be read").iter().flat_map(|file| &file.cases) {
        if let Some(expected) = case.expected(dialect) {
            complaints.extend(ask(&mut runner, case, dialect, &expected));
        }
    }
    assert!(complaints.is_empty(), "{} answers differ:\n{}", complaints.len(), complaints.join("\n"));
}

/// Whether the canonical interface does not take a document of the case.
fn has_float(case: &Case) -> bool {
    let documents = ["original", "modified", "current", "patch", "patches"];
    let parsed = documents.iter().filter_map(|field| serde_json::from_str(case.get(field)?).ok());
    parsed.into_iter().any(|document| has_integral_float(&document))
}

fn ask(runner: &mut Runner, case: &Case, dialect: &str, expected: &Verdict) -> Vec<String> {
    let mut complaints = Vec::new();
    // Each case goes through all three ways into the engine.
    for api in ["\"value\"", "\"checked\"", "\"canonical\""] {
        // Canonical text writes 1.0 as 1, so the case would be another one.
        if api == "\"canonical\"" && has_float(case) {
            continue;
        }
        let reply = runner.reply(case.request(dialect, &[("api", api)]).as_bytes());
        let answer = Verdict::read(&reply).expect("a reply is a verdict");
        if !expected.agrees_to_the_letter(&answer) {
            let (place, name) = (&case.place, case.get("name").unwrap_or_default());
            let wanted = case.get(dialect).unwrap_or_default();
            complaints
                .push(format!("{place}: {name} ({dialect}, {api})\n  wanted {wanted}\n  got    {reply}"));
        }
    }
    complaints
}
