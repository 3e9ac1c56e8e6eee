//! The form of the data: requirements, commands, requests and their answers.

use kubemerge_yaml::Options;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// A file of `conformance/design`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// Files that all entries find in their folder, by name: text, or a value that is written as JSON.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Value>,
    pub(crate) requirements: Vec<Requirement>,
}

/// What a design document asks for, and how to see that it holds.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Requirement {
    /// Document and number, as in `key-sets/3`.
    pub(crate) id: String,
    /// The heading of the document under which it is.
    pub(crate) section: String,
    /// The requirement in a sentence of our own.
    pub(crate) says: String,
    #[serde(default)]
    pub(crate) files: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) commands: Vec<Command>,
    pub(crate) server: Option<Server>,
}

/// A line for the shell, in which `kubemerge` is the built command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    pub(crate) run: String,
    pub(crate) upstream: Option<Answer>,
    pub(crate) spec: Option<Answer>,
    pub(crate) both: Option<Answer>,
    pub(crate) any: Option<Answer>,
}

/// Requests to one server, in turn.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Server {
    /// Arguments of `kubemerge serve`, separated by blanks.
    pub(crate) arguments: String,
    pub(crate) requests: Vec<Request>,
}

/// A request and its answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    /// Method and path.
    pub(crate) send: String,
    /// The patch type of a PATCH.
    pub(crate) patch: Option<PatchType>,
    #[serde(default)]
    pub(crate) body: Value,
    pub(crate) upstream: Option<Answer>,
    pub(crate) spec: Option<Answer>,
    pub(crate) both: Option<Answer>,
    pub(crate) any: Option<Answer>,
}

/// A content type for PATCH.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PatchType {
    Strategic,
    Merge,
    Json,
    Apply,
}

/// What is expected of a command or a response.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    /// The exit code of a command; 0 if absent.
    pub(crate) exit: Option<i32>,
    /// The status of a response.
    pub(crate) status: Option<i32>,
    /// All that is printed on stdout, or the body, as a value; several documents are a list.
    pub(crate) result: Option<Value>,
    /// Values in the result by JSON pointer; null if there is none.
    #[serde(default)]
    pub(crate) at: BTreeMap<String, Value>,
    /// Texts that are in stdout, stderr or the body.
    #[serde(default)]
    pub(crate) has: Vec<String>,
    /// Texts that are not.
    #[serde(default)]
    pub(crate) lacks: Vec<String>,
}

/// One of the answers of a command or request, and the dialect in which to ask for it.
pub(crate) struct Expected<'a> {
    pub(crate) dialect: &'static str,
    pub(crate) answer: &'a Answer,
}

impl PatchType {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            PatchType::Strategic => "application/strategic-merge-patch+json",
            PatchType::Merge => "application/merge-patch+json",
            PatchType::Json => "application/json-patch+json",
            PatchType::Apply => "application/apply-patch+yaml",
        }
    }
}

impl Command {
    pub(crate) fn expected(&self) -> Vec<Expected<'_>> {
        expected([&self.upstream, &self.spec, &self.both, &self.any])
    }
}

impl Request {
    pub(crate) fn expected(&self) -> Vec<Expected<'_>> {
        expected([&self.upstream, &self.spec, &self.both, &self.any])
    }
}

fn expected([upstream, spec, both, any]: [&Option<Answer>; 4]) -> Vec<Expected<'_>> {
    let named = [("upstream", upstream), ("spec", spec), ("upstream", both), ("spec", both), ("", any)];
    named
        .into_iter()
        .filter_map(|(dialect, answer)| Some(Expected { dialect, answer: answer.as_ref()? }))
        .collect()
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Reads the requirements of a document.
pub(crate) fn read(name: &str) -> Document {
    let file = repository().join(format!("conformance/design/{name}.yaml"));
    let text = std::fs::read_to_string(file).unwrap();
    parse(&text).unwrap_or_else(|fault| panic!("{name}.yaml: {fault}"))
}

/// Reads YAML of one document as kubemerge does.
fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let documents =
        kubemerge_yaml::parse(text.as_bytes(), &Options::default()).map_err(|fault| fault.to_string())?;
    let [document] = &documents[..] else { return Err(format!("{} documents", documents.len())) };
    let json = document.to_json().map_err(|fault| fault.to_string())?;
    serde_json::from_slice(&json).map_err(|fault| fault.to_string())
}

#[test]
fn what_would_not_be_executed_is_an_error() {
    let entry = "requirements: [{id: a/1, section: s, says: t, skip: true}]";
    assert!(parse::<Document>(entry).is_err_and(|fault| fault.contains("unknown field `skip`")));
}
