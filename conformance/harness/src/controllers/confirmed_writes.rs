//! A client that writes all the time and finds everything again that was confirmed to it.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::connection::{Connection, Endpoint, json_request};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// Between two writes.
const INTERVAL: Duration = Duration::from_millis(20);

/// What was confirmed: objects by name, with their uid and version.
type Confirmed = BTreeMap<String, (Value, Value)>;

/// Writes until it is checked.
pub(super) struct ConfirmedWrites {
    endpoint: Endpoint,
    confirmed: Arc<Mutex<Confirmed>>,
    task: JoinHandle<()>,
}

impl ConfirmedWrites {
    pub(super) fn start(endpoint: Endpoint) -> ConfirmedWrites {
        let confirmed = Arc::new(Mutex::new(Confirmed::new()));
        let task = tokio::spawn(write(endpoint.clone(), confirmed.clone()));
        ConfirmedWrites { endpoint, confirmed, task }
    }

    /// Stops writing; everything that was confirmed must be stored as it was.
    pub(super) async fn check(self) -> Result<(), String> {
        self.task.abort();
        let list = Connection::new(self.endpoint).ask("GET", MAPS, &Value::Null).await?.json();
        let stored: Confirmed = list["items"].as_array().into_iter().flatten().map(identity).collect();
        let confirmed = lock(&self.confirmed);
        for (name, identity) in confirmed.iter() {
            if stored.get(name) != Some(identity) {
                let found = stored.get(name);
                return Err(format!("ConfigMap {name} was {identity:?}, now it is {found:?}"));
            }
        }
        println!("{} creations were confirmed, all of them are stored", confirmed.len());
        Ok(())
    }
}

fn lock(confirmed: &Mutex<Confirmed>) -> MutexGuard<'_, Confirmed> {
    confirmed.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn write(endpoint: Endpoint, confirmed: Arc<Mutex<Confirmed>>) {
    let mut connection = Connection::new(endpoint);
    for number in 0_u64.. {
        let map = json!({"apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": format!("confirmed-{number}")}, "data": {"number": number.to_string()}});
        let Ok(request) = json_request("POST", MAPS, &map) else { return };
        // One that fails was not confirmed; whether it is stored does not matter.
        if let Ok(answer) = connection.send_once(&request).await
            && answer.status == 201
        {
            let (name, identity) = identity(&answer.json());
            lock(&confirmed).insert(name, identity);
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

fn identity(object: &Value) -> (String, (Value, Value)) {
    let metadata = &object["metadata"];
    let name = metadata["name"].as_str().unwrap_or_default().to_owned();
    (name, (metadata["uid"].clone(), metadata["resourceVersion"].clone()))
}
