//! Asks the real server and keeps the answers in compact form; cleans up after each case.

use std::time::Duration;

use kubemerge_test_support::recording::{
    Case, Incoming, Outgoing, Session, Step,
    edits::edits,
    normal::{Identity, Owners},
};
use serde_json::{Value, json};

use super::{
    exchange::{Call, Server},
    kinds::wait_for_controllers,
};
use crate::apiserver::Client;

/// How long a deleted object may linger, in steps of 50 ms.
const MAX_CLEANUP_ATTEMPTS: usize = 100;

/// Records the cases of one server.
pub(crate) struct Recorder<'c> {
    client: &'c mut Client,
    session: Session,
    steps: Vec<Step>,
    created: Vec<String>,
    owners: Owners,
}

impl Recorder<'_> {
    pub(crate) fn new(client: &mut Client, owners: Owners) -> Recorder<'_> {
        Recorder { client, session: Session::new(owners), steps: Vec::new(), created: Vec::new(), owners }
    }

    /// Records one case from a clean start.
    pub(crate) fn case(
        &mut self,
        name: &str,
        ask: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<Case, String> {
        self.session = Session::new(self.owners);
        let result = ask(self);
        let steps = std::mem::take(&mut self.steps);
        self.clean_up()?;
        result.map(|()| Case { name: name.to_string(), steps })
    }

    /// Records the steps of a case again.
    pub(crate) fn again(&mut self, case: &Case) -> Result<Case, String> {
        let sends: Vec<Value> = case.steps.iter().map(|step| step.send.clone()).collect();
        self.case(&case.name, |recorder| sends.into_iter().try_for_each(|send| recorder.keep(send)))
    }

    /// The first accepted answer of the case.
    pub(crate) fn base(&self) -> Option<Value> {
        self.session.base().cloned()
    }

    /// Asks and records.
    pub(crate) fn keep(&mut self, send: Value) -> Result<(), String> {
        let answer = self.ask(&send)?;
        self.push(send, answer);
        Ok(())
    }

    /// Asks only.
    pub(crate) fn ask(&mut self, send: &Value) -> Result<Value, String> {
        let step = Step { send: send.clone(), answer: Value::Null };
        // Plugins read from caches, which see a write a moment later.
        std::thread::sleep(Duration::from_secs(send["wait"].as_u64().unwrap_or_default()));
        let outgoing = self.session.start(&step);
        let incoming = exchange(self.client, &outgoing)?;
        let stores = incoming.status == 201 && !outgoing.path.contains("dryRun");
        let created = if stores { created_path(&outgoing, &incoming.body) } else { None };
        let answer = self.session.finish(&step, &incoming);
        if created.is_some() {
            wait_for_controllers(answer["body"]["kind"].as_str().unwrap_or_default());
        }
        self.created.extend(created);
        Ok(answer)
    }

    /// Records an answer, as a difference from the base where that is shorter.
    pub(crate) fn push(&mut self, send: Value, answer: Value) {
        // The first accepted answer is written in full.
        let is_base = self.steps.iter().all(|step| step.answer["status"].as_u64() >= Some(300));
        let short = match (self.session.base(), answer["status"].as_u64()) {
            (Some(base), Some(..300)) if !is_base => edits(base, &answer["body"]),
            _ => None,
        };
        let answer = match short {
            Some(diff) if diff.to_string().len() < answer["body"].to_string().len() => {
                json!({"status": answer["status"], "diff": diff})
            }
            _ => answer,
        };
        self.steps.push(Step { send, answer });
    }

    fn clean_up(&mut self) -> Result<(), String> {
        for path in std::mem::take(&mut self.created) {
            self.delete(&path)?;
        }
        Ok(())
    }

    fn delete(&mut self, path: &str) -> Result<(), String> {
        for _ in 0..MAX_CLEANUP_ATTEMPTS {
            let mut release =
                Call::new(http::Method::PATCH, path, &json!({"metadata": {"finalizers": null}}));
            release.content_type = "application/merge-patch+json".to_string();
            self.send(&release)?;
            let options = json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"});
            self.send(&Call::new(http::Method::DELETE, path, &options))?;
            // No controller runs beside this server that would finish a namespace.
            if path.starts_with("/api/v1/namespaces/") && path.matches('/').count() == 4 {
                let name = path.rsplit('/').next().unwrap_or_default();
                let empty = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}});
                self.send(&Call::new(http::Method::PUT, format!("{path}/finalize"), &empty))?;
            }
            if self.send(&Call::get(path))? == 404 {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err(format!("{path} cannot be deleted"))
    }

    fn send(&mut self, call: &Call) -> Result<u16, String> {
        Server::send(self.client, call, &Identity::default()).map(|answer| answer.status)
    }
}

fn exchange(client: &mut Client, outgoing: &Outgoing) -> Result<Incoming, String> {
    let method = outgoing.method.parse().map_err(|_| format!("no method {}", outgoing.method))?;
    let call = Call {
        method,
        path: outgoing.path.clone(),
        content_type: outgoing.content_type.clone(),
        accept: outgoing.accept.clone(),
        body: outgoing.body.clone(),
    };
    let answer = Server::send(client, &call, &Identity::default())?;
    Ok(Incoming { status: answer.status, body: answer.body.to_vec() })
}

/// The path of an object that a POST or an apply made; reviews have no name.
fn created_path(outgoing: &Outgoing, body: &[u8]) -> Option<String> {
    let path = outgoing.path.split('?').next().unwrap_or_default();
    let body: Value = serde_json::from_slice(body).ok()?;
    let name = body["metadata"]["name"].as_str()?;
    body["metadata"]["uid"].as_str()?;
    Some(if outgoing.method == "POST" { format!("{path}/{name}") } else { path.to_string() })
}
