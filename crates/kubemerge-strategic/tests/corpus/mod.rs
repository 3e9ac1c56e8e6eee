//! The corpus of cases in `conformance/cases`: every verb of this crate gives the answers of both dialects.

mod schemas;

use kubemerge_schema::{Dialect, Type};
use kubemerge_strategic::{
    DiffOptions, Emission, MergeError, OnConflict, Precondition, VersionNodes, apply, check_preconditions,
    compose, conflicts, diff, three_way_checked,
};
use kubemerge_test_support::corpus::{Case, cases};
use kubemerge_value::{Arena, Canonical, Document, Node, to_canonical};
use schemas::Schemas;
use serde_json::Value;

/// What a case asks for, or what it got.
enum Answer {
    /// The canonical text of a result.
    Result(Vec<u8>),
    Error {
        kind: String,
        path: String,
        message: String,
    },
}

impl From<MergeError> for Answer {
    fn from(error: MergeError) -> Self {
        let place = [error.patch_path(), error.live_path()];
        assert!(place.contains(&Some(error.path())), "{error:?}: the path is not one of its two places");
        let (path, message) = (error.path().to_owned(), error.message().to_owned());
        Answer::Error { kind: error.kind().name().to_owned(), path, message }
    }
}

#[test]
fn apply_answers_as_the_corpus_says() {
    check("apply", 400);
}

#[test]
fn diff_answers_as_the_corpus_says() {
    check("diff", 100);
}

#[test]
fn three_way_answers_as_the_corpus_says() {
    check("three-way", 50);
}

#[test]
fn compose_answers_as_the_corpus_says() {
    check("compose", 30);
}

#[test]
fn conflicts_answers_as_the_corpus_says() {
    check("conflicts", 10);
}

/// Runs every case of a verb in both dialects; there must be `at_least` answers.
fn check(verb: &str, at_least: usize) {
    let mut schemas = Schemas::default();
    let (mut complaints, mut answers) = (Vec::new(), 0);
    for case in cases(verb).expect("the corpus can be read") {
        for dialect in [Dialect::Upstream, Dialect::Spec] {
            let Some(expected) = case.get(dialect.name()) else { continue };
            answers += 1;
            let answer = match schemas.type_for(&case, dialect, |ty| answer(&case, ty)) {
                Ok(answer) => answer.unwrap_or_else(Answer::from),
                Err(unsupported) => unsupported,
            };
            if let Some(got) = differs(expected, &answer) {
                let name = case.get("name").unwrap_or_default();
                complaints.push(format!(
                    "{}: {name} ({})\n  wanted {expected}\n  got    {got}",
                    case.place,
                    dialect.name()
                ));
            }
        }
    }
    assert!(complaints.is_empty(), "{} answers differ:\n{}", complaints.len(), complaints.join("\n"));
    assert!(answers >= at_least, "only {answers} answers of {verb} were checked");
}

fn answer(case: &Case, ty: Type<'_>) -> Result<Answer, MergeError> {
    let arena = Arena::new();
    let texts: Vec<String> = match case.get("patches") {
        Some(patches) => {
            let patches: Vec<Box<serde_json::value::RawValue>> = serde_json::from_str(patches).unwrap();
            patches.iter().map(|patch| patch.get().to_owned()).collect()
        }
        None => ["original", "modified", "current", "patch"].map(|key| case.document(key).to_owned()).into(),
    };
    let documents: Vec<Document<'_>> =
        texts.iter().map(|text| Document::check(text.as_bytes()).unwrap()).collect();
    let nodes: Vec<Node<'_>> = documents.iter().map(Document::node).collect();
    let preconditions: Vec<String> = serde_json::from_str(case.get("preconditions").unwrap_or("[]")).unwrap();
    let preconditions: Vec<Precondition<'_>> =
        preconditions.iter().map(|text| Precondition::parse(text)).collect();
    let result = match case.verb.as_str() {
        "apply" => apply(ty, nodes[0], nodes[3], &arena)
            .inspect_err(|error| assert_items_exist(error.live_path(), &texts[0]))?,
        "diff" => {
            let patch = diff(ty, nodes[0], nodes[1], &options(case), &arena)?;
            check_preconditions(patch, &preconditions)?;
            patch
        }
        "three-way" => {
            let versions = VersionNodes { original: nodes[0], modified: nodes[1], current: nodes[2] };
            let overwrite = case.get("overwrite") == Some("true");
            let on_conflict = if overwrite { OnConflict::Overwrite } else { OnConflict::Fail };
            three_way_checked(ty, &versions, on_conflict, &preconditions, &arena)?
        }
        "compose" => compose(ty, &nodes, &arena)?,
        _ => {
            let found = conflicts(ty, nodes[0], nodes[1], &arena)?;
            return Ok(Answer::Result((!found.is_empty()).to_string().into_bytes()));
        }
    };
    Ok(Answer::Result(to_canonical(result).into_bytes()))
}

/// Asserts that every list item on the way is in the document. Members may be absent: the fault is then about
/// what the patch would add.
fn assert_items_exist(path: Option<&str>, document: &str) {
    let document: Value = serde_json::from_str(document).unwrap();
    let mut here = &document;
    for step in path.unwrap_or_default().split(['.', '[']) {
        let name = step.trim_end_matches(']');
        let next = match (here, name.parse::<usize>()) {
            (Value::Array(items), Ok(at)) => {
                assert!(at < items.len(), "{path:?} names an item that {document} does not have");
                items.get(at)
            }
            _ => here.get(name),
        };
        let Some(next) = next else { return };
        here = next;
    }
}

fn options(case: &Case) -> DiffOptions {
    let switches: Value = serde_json::from_str(case.document("options")).unwrap();
    let emission = |name: &str, off: bool| match switches[name].as_bool() {
        Some(given) if given == off => Emission::Omit,
        _ => Emission::Emit,
    };
    DiffOptions {
        element_order: emission("setElementOrder", false),
        changes: emission("ignoreChanges", true),
        deletions: emission("ignoreDeletions", true),
    }
}

/// What was got instead, unless it is what was expected. Paths and messages count where a case names them;
/// where Kubernetes crashes there is no message of its own.
fn differs(expected: &str, answer: &Answer) -> Option<String> {
    let wanted: Value = serde_json::from_str(expected).unwrap();
    let fault = &wanted["error"];
    match answer {
        Answer::Result(text) => {
            let result: Option<Wanted<'_>> = serde_json::from_str(expected).ok();
            let result = result.map(|wanted| Canonical::from_bytes(wanted.result.get().as_bytes()).unwrap());
            let equal = result.is_some_and(|result| result.as_bytes() == text);
            (!equal).then(|| String::from_utf8_lossy(text).into_owned())
        }
        Answer::Error { kind, path, message } => {
            let crashed = fault["panic"] == Value::Bool(true) || fault.get("upstream").is_some();
            let named = |key: &str, got: &str| fault[key].as_str().is_none_or(|wanted| wanted == got);
            let equal = fault["kind"].as_str() == Some(kind)
                && named("path", path)
                && (crashed || named("message", message));
            (!equal).then(|| format!("{kind} at {path:?}: {message}"))
        }
    }
}

/// An expectation that is a result.
#[derive(serde::Deserialize)]
struct Wanted<'a> {
    #[serde(borrow)]
    result: &'a serde_json::value::RawValue,
}
