//! A client that watches the objects of another one and comes back every few seconds from where it was.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{
    objects::namespace,
    session::{Session, Soak},
};
use crate::connection::{Connection, json_request};

/// How long one connection is kept at most, in seconds.
const MAX_SECONDS: u64 = 20;

/// Watches until the time is over.
pub(super) async fn run(soak: Arc<Soak>, number: usize) {
    let mut random = fastrand::Rng::with_seed(number as u64);
    let mut session = Session::new(soak.clone(), Duration::from_millis(500));
    let collection = format!("/api/v1/namespaces/{}/configmaps", namespace(number));
    let list = session.expect(200, "GET", &collection, &Value::Null).await;
    let mut version = version_of(&list);
    while !soak.is_over() {
        let seconds = random.u64(1..=MAX_SECONDS);
        let path = format!("{collection}?watch=true&allowWatchBookmarks=true&resourceVersion={version}");
        let followed = follow(&soak, &path, &mut version);
        // It goes away in the middle, as clients do.
        if let Ok(Err(complaint)) = tokio::time::timeout(Duration::from_secs(seconds), followed).await {
            soak.complain(format!("GET {path}: {complaint}"));
        }
    }
}

/// Follows the events until the server ends them; each must be newer than the one before.
async fn follow(soak: &Soak, path: &str, version: &mut u64) -> Result<(), String> {
    let request = json_request("GET", path, &Value::Null)?;
    let mut stream = Connection::stream(soak.endpoint.clone(), &request).await?;
    if stream.status() != 200 {
        return Err(format!("code {}", stream.status()));
    }
    let mut text = Vec::new();
    while let Some(piece) = stream.next().await {
        text.extend_from_slice(&piece);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            let event: Value = serde_json::from_slice(&line).map_err(|error| error.to_string())?;
            note(version, &event)?;
        }
    }
    Ok(())
}

fn note(version: &mut u64, event: &Value) -> Result<(), String> {
    let (kind, new) = (event["type"].as_str().unwrap_or_default(), version_of(&event["object"]));
    let is_in_order = match kind {
        "ADDED" | "MODIFIED" | "DELETED" => new > *version,
        "BOOKMARK" => new >= *version,
        _ => false,
    };
    if !is_in_order {
        return Err(format!("after version {version}: {event}"));
    }
    *version = new;
    Ok(())
}

fn version_of(object: &Value) -> u64 {
    let version = object["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    version.parse().unwrap_or_default()
}
