//! Objects that both servers have, for requests that change, read or patch them.

use std::{collections::BTreeMap, time::Duration};

use http::Method;
use kubemerge_test_support::recording::normal::{Identity, Owners, normalise, template};
use serde_json::{Value, json};

use super::{
    exchange::{Call, Identities, Pair, Server, json as body_of},
    kinds::{Kind, is_changed_by_server},
};

/// An object that both servers have.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) path: String,
    pub(crate) identities: Identities,
    /// As the real server has it, with placeholders for what is the server's own.
    pub(crate) object: Value,
}

/// The stored objects of a run, by kind and number of the object; made when first needed.
#[derive(Default)]
pub(crate) struct Shelf {
    stored: BTreeMap<(String, usize), Option<Stored>>,
}

impl Shelf {
    /// The stored form of an object; none if the real server does not take it.
    pub(crate) fn get(
        &mut self,
        pair: &mut Pair,
        kind: &Kind,
        number: usize,
        run: &str,
    ) -> Result<Option<Stored>, String> {
        let key = (kind.label(), number);
        if !self.stored.contains_key(&key) {
            let made = create(pair, kind, &renamed(&kind.objects[number], run))?;
            self.stored.insert(key.clone(), made);
        }
        Ok(self.stored[&key].clone())
    }

    /// Deletes everything from the real server; ours ends with this process.
    pub(crate) fn clear(&mut self, pair: &mut Pair) -> Result<(), String> {
        for stored in std::mem::take(&mut self.stored).into_values().flatten() {
            delete(pair, &stored.path)?;
        }
        Ok(())
    }
}

/// Deletes an object from the real server for good.
pub(crate) fn delete(pair: &mut Pair, path: &str) -> Result<(), String> {
    let none = Identity::default();
    let mut release = Call::new(Method::PATCH, path, &json!({"metadata": {"finalizers": null}}));
    release.content_type = "application/merge-patch+json".to_string();
    Server::send(&mut pair.real, &release, &none)?;
    let options = json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"});
    Server::send(&mut pair.real, &Call::new(Method::DELETE, path, &options), &none)?;
    Ok(())
}

/// Deletes an object from both servers.
pub(crate) fn delete_everywhere(pair: &mut Pair, path: &str) -> Result<(), String> {
    delete(pair, path)?;
    let none = Identity::default();
    let options = json!({"gracePeriodSeconds": 0, "propagationPolicy": "Background"});
    pair.ours.send(&Call::new(Method::DELETE, path, &options), &none).map(drop)
}

/// Gives an object names of this run, so that runs on one server do not meet.
pub(crate) fn renamed(object: &Value, run: &str) -> Value {
    // Names are in labels and references as well, so the whole text is changed.
    let text = object.to_string();
    let capital = run.to_uppercase();
    let text = text
        .replace("minimal", &format!("m{run}"))
        .replace("Minimal", &format!("M{capital}"))
        .replace("complete", &format!("c{run}"))
        .replace("Complete", &format!("C{capital}"));
    // Replacing letters in a JSON text leaves it JSON.
    serde_json::from_str(&text).unwrap_or_else(|_| object.clone())
}

/// How often an object is read until kube-apiserver leaves it alone, and how long it has to be the same until then.
const MAX_READS: usize = 60;
const READ_INTERVAL: Duration = Duration::from_millis(250);
const SETTLED_READS: usize = 8;

/// Waits until the controllers inside kube-apiserver have written what they have to say about an object.
fn wait_until_settled(pair: &mut Pair, kind: &Kind, path: &str) -> Result<(), String> {
    if !is_changed_by_server(&kind.kind) {
        return Ok(());
    }
    let (mut version, mut same) = (String::new(), 0);
    for _ in 0..MAX_READS {
        let body = body_of(&Server::send(&mut pair.real, &Call::get(path), &Identity::default())?);
        let seen = Identity::of(&body).resource_version;
        same = if seen == version { same + 1 } else { 0 };
        version = seen;
        let has_conditions = body["status"]["conditions"].is_array();
        if has_conditions && same >= SETTLED_READS {
            break;
        }
        std::thread::sleep(READ_INTERVAL);
    }
    Ok(())
}

fn create(pair: &mut Pair, kind: &Kind, object: &Value) -> Result<Option<Stored>, String> {
    let call = Call::new(Method::POST, kind.collection(), object);
    let answers = pair.ask(&call, &Identities::default())?;
    let Some(name) = object["metadata"]["name"].as_str() else { return Ok(None) };
    let path = format!("{}/{name}", kind.collection());
    // A fixed name may be left from an earlier run.
    if answers.real.status != 201 && answers.real.status != 409 {
        return Ok(None);
    }
    wait_until_settled(pair, kind, &path)?;
    read(pair, &path)
}

/// An object as both servers have it; none if the real one has none.
pub(crate) fn read(pair: &mut Pair, path: &str) -> Result<Option<Stored>, String> {
    let read = pair.ask(&Call::get(path), &Identities::default())?;
    if read.real.status != 200 {
        return Ok(None);
    }
    let (mut real, ours) = (body_of(&read.real), body_of(&read.ours));
    let identities = Identities { real: Identity::of(&real), ours: Identity::of(&ours) };
    normalise(&mut real, &identities.real, Owners::Ignored);
    Ok(Some(Stored { path: path.to_string(), identities, object: template(&real) }))
}
