//! Recorded request sequences: the format of `conformance/api/<group>/<kind>.yaml`, and how to replay them.
//!
//! A case is a list of requests to a fresh server with the answers of kube-apiserver. The first accepted answer of
//! a case is its base. Later bodies may be edits of the base (`change`) or of the first body (`edit`), later
//! answers edits of the base (`diff`).

pub mod edits;
pub mod normal;

use serde_json::{Value, json};

use edits::edited;
use normal::{Identity, Owners, RESOURCE_VERSION, UID, normalise, normalise_table, template};

/// A sequence of requests about one behaviour.
pub struct Case {
    /// What it is about.
    pub name: String,
    /// Its requests in order.
    pub steps: Vec<Step>,
}

/// A request and its answer, as they are in the file.
#[derive(Clone)]
pub struct Step {
    /// `method`, `path`, and where needed `type`, `accept`, `body`, `change` or `edit`; `wait` has the seconds to wait
    /// before kube-apiserver is asked.
    pub send: Value,
    /// `status`, and `body` or `diff`.
    pub answer: Value,
}

/// A request as a server gets it.
pub struct Outgoing {
    /// The verb of HTTP.
    pub method: String,
    /// The path with its query.
    pub path: String,
    /// The media type of the body.
    pub content_type: String,
    /// The media type of the answer.
    pub accept: String,
    /// The body, empty if there is none.
    pub body: String,
}

/// An answer of a server.
pub struct Incoming {
    /// The code of HTTP.
    pub status: u16,
    /// The body as it came.
    pub body: Vec<u8>,
}

/// Reads the cases of a file.
pub fn read(text: &str) -> Result<Vec<Case>, String> {
    let documents = kubemerge_yaml::parse(text.as_bytes(), &kubemerge_yaml::Options::default());
    let documents = documents.map_err(|error| error.to_string())?;
    let json = documents.first().ok_or("no cases")?.to_json().map_err(|error| error.to_string())?;
    let cases: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
    let cases = cases.as_array().ok_or("not a list of cases")?;
    Ok(cases.iter().map(read_case).collect())
}

fn read_case(case: &Value) -> Case {
    let steps = case["steps"].as_array().into_iter().flatten();
    Case {
        name: case["case"].as_str().unwrap_or_default().to_string(),
        steps: steps
            .map(|step| Step { send: step["send"].clone(), answer: step["answer"].clone() })
            .collect(),
    }
}

/// What is known of the server's own object while a case runs.
#[derive(Default)]
pub struct Session {
    identity: Identity,
    base: Option<Value>,
    first_body: Option<Value>,
    owners: Owners,
}

impl Session {
    /// A session that compares the owners of fields, or does not.
    pub fn new(owners: Owners) -> Session {
        Session { owners, ..Session::default() }
    }

    /// The request of a step as the server gets it.
    pub fn start(&mut self, step: &Step) -> Outgoing {
        if self.first_body.is_none() {
            self.first_body = step.send.get("body").cloned();
        }
        self.outgoing(&step.send)
    }

    /// The answer to the request of a step in normal form, with a full body.
    pub fn finish(&mut self, step: &Step, incoming: &Incoming) -> Value {
        let mut body: Value = serde_json::from_slice(&incoming.body)
            .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&incoming.body).into_owned()));
        self.learn(&body, incoming.status);
        if step.send["accept"].as_str().is_some_and(|accept| accept.contains("as=Table")) {
            normalise_table(&mut body);
        }
        normalise(&mut body, &self.identity, self.owners);
        sort_causes(&mut body);
        if self.base.is_none() && incoming.status < 300 {
            // Later bodies must be those that kube-apiserver got, whatever this server answered.
            self.base = Some(step.answer.get("body").unwrap_or(&body).clone());
        }
        json!({"status": incoming.status, "body": body})
    }

    /// The base of the case so far.
    pub fn base(&self) -> Option<&Value> {
        self.base.as_ref()
    }

    fn learn(&mut self, body: &Value, status: u16) {
        let seen = Identity::of(body);
        // Answers about other objects, such as a list, must not change it.
        let is_own = self.identity.uid.is_empty() || seen.uid == self.identity.uid;
        if status < 300 && !seen.uid.is_empty() && is_own && !seen.resource_version.is_empty() {
            self.identity = seen;
        }
    }

    fn outgoing(&self, send: &Value) -> Outgoing {
        let text = |name: &str, fallback: &str| send[name].as_str().unwrap_or(fallback).to_string();
        let body = match (send.get("body"), send.get("change"), send.get("edit")) {
            (Some(body), _, _) => body.to_string(),
            (_, Some(change), _) => {
                edited(&template(self.base.as_ref().unwrap_or(&Value::Null)), change).to_string()
            }
            (_, _, Some(edit)) => edited(self.first_body.as_ref().unwrap_or(&Value::Null), edit).to_string(),
            _ => String::new(),
        };
        let body =
            body.replace(UID, &self.identity.uid).replace(RESOURCE_VERSION, &self.identity.resource_version);
        Outgoing {
            method: text("method", "GET"),
            path: text("path", "/"),
            content_type: text("type", "application/json"),
            accept: text("accept", "application/json"),
            body,
        }
    }
}

/// Several causes are a set: Kubernetes finds some of them in the order of a map. The message lists them again.
fn sort_causes(body: &mut Value) {
    let Some(causes) = body.pointer_mut("/details/causes").and_then(Value::as_array_mut) else { return };
    if causes.len() > 1 {
        causes.sort_by_key(Value::to_string);
        body["message"] = "@CAUSES@".into();
    }
}

/// The text of a file of cases, whose answers are of a release.
pub fn write(cases: &[Case], release: &str) -> String {
    let mut text = format!("# Answers of kube-apiserver {release}, recorded by `cargo xtask bless --api`.\n");
    for case in cases {
        text.push_str(&format!("- case: {:?}\n  steps:\n", case.name));
        for step in &case.steps {
            text.push_str(&format!("  - send: {}\n    answer: {}\n", step.send, step.answer));
        }
    }
    text
}
