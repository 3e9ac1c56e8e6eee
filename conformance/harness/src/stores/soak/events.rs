//! A client that reports Events, which the server removes by itself.

use std::{sync::Arc, time::Duration};

use serde_json::json;

use super::session::{Session, Soak};

const PAUSE: Duration = Duration::from_millis(100);

/// Reports until the time is over.
pub(super) async fn run(soak: Arc<Soak>) {
    let mut session = Session::new(soak.clone(), PAUSE);
    while !soak.is_over() {
        let event = json!({"apiVersion": "v1", "kind": "Event", "metadata": {"generateName": "soak."},
            "involvedObject": {"kind": "Node", "name": "node-1", "namespace": "default"},
            "reason": "Soak", "message": "the test is running", "type": "Normal", "count": 1,
            "source": {"component": "soak"}});
        session.expect(201, "POST", "/api/v1/namespaces/default/events", &event).await;
    }
}
