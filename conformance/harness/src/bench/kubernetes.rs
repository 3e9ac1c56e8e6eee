//! Kubernetes' own code in the race: the reference program, asked for the time of its operations.

use super::stopwatch::calls_of_a_round;
use kubemerge_test_support::reference::Reference;
use serde_json::{Value, json};

/// How long Kubernetes may take for a row, in nanoseconds; what takes longer runs once.
const MAX_ROW_NANOSECONDS: f64 = 1e9;

/// Kubernetes' own code, where Go is at hand.
pub(super) struct Kubernetes(Option<Reference>);

impl Kubernetes {
    pub(super) fn start() -> Kubernetes {
        let reference = Reference::start();
        if let Err(unavailable) = &reference {
            unavailable.report();
        }
        Kubernetes(reference.ok())
    }

    /// Nanoseconds of one operation.
    pub(super) fn nanoseconds(&mut self, op: &str, type_name: &str, documents: &Value) -> Option<f64> {
        let once = self.asked(op, type_name, documents, 1)?;
        let rounds = (MAX_ROW_NANOSECONDS / once.max(1.0)).clamp(1.0, 2_000.0);
        // A second run of a slow row would say the same a second later.
        if rounds < 2.0 { Some(once) } else { self.asked(op, type_name, documents, rounds as u64) }
    }

    /// Nanoseconds of a request of its own kind, asked once.
    pub(super) fn once(&mut self, of: &Value) -> Option<f64> {
        self.timed(of, 1)
    }

    /// The same in a round of calls; `once` is about what one of them takes.
    pub(super) fn round(&mut self, of: &Value, once: f64) -> Option<f64> {
        self.timed(of, calls_of_a_round(once) as u64)
    }

    fn timed(&mut self, of: &Value, repeat: u64) -> Option<f64> {
        let request = json!({ "op": "time", "repeat": repeat, "of": of }).to_string();
        let replies = self.0.as_mut()?.ask(&[request]).ok()?;
        let reply: Value = serde_json::from_str(replies.first()?).ok()?;
        reply["result"]["ns"].as_f64()
    }

    fn asked(&mut self, op: &str, type_name: &str, documents: &Value, repeat: u64) -> Option<f64> {
        let mut of = documents.clone();
        of["op"] = json!(op);
        of["type"] = json!(type_name);
        let request = json!({ "op": "time", "repeat": repeat, "of": of }).to_string();
        let replies = self.0.as_mut()?.ask(&[request]).ok()?;
        let reply: Value = serde_json::from_str(replies.first()?).ok()?;
        reply["result"]["ns"].as_f64()
    }
}
