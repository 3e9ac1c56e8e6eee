//! The law of templates: an object that was created after one with the same content has the owners that it has in a
//! server without any other. Held against the recorded objects of every kind with random metadata; the seed is printed.

use fastrand::Rng;
use kubemerge_server::{ApiServer, Clock, Validation};
use serde_json::{Value, json};

use super::{Outgoing, files, send};

/// The objects that recorded requests create, with the paths they are sent to.
fn creations() -> Vec<(String, Value)> {
    let steps = files().into_iter().flat_map(|(_, cases)| cases).flat_map(|case| case.steps);
    let creations = steps.filter(|step| step.send["method"] == "POST" && step.answer["status"] == 201);
    creations
        .filter_map(|step| {
            let path = step.send["path"].as_str()?.split('?').next()?.to_owned();
            Some((path, step.send.get("body")?.clone()))
        })
        .collect()
}

/// The same object with other metadata of its own.
fn renamed(object: &Value, name: &str, rng: &mut Rng) -> String {
    let mut object = object.clone();
    let metadata = &mut object["metadata"];
    metadata["name"] = json!(name);
    for field in ["labels", "annotations"] {
        for key in ["a", "b", "example.com/c"] {
            if rng.u8(..4) == 0 {
                metadata[field][key] = json!(rng.u8(..3).to_string());
            }
        }
    }
    if rng.u8(..4) == 0 {
        metadata["finalizers"] = json!([format!("example.com/{}", rng.lowercase())]);
    }
    if rng.u8(..8) == 0 {
        metadata["ownerReferences"] =
            json!([{"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": rng.u8(..2).to_string()}]);
    }
    object.to_string()
}

async fn create(server: &ApiServer, path: &str, body: &str) -> Value {
    let (method, content_type) = ("POST".to_owned(), "application/json".to_owned());
    let (path, accept) = (path.to_owned(), content_type.clone());
    let incoming =
        send(server, &Outgoing { method, path, content_type, accept, body: body.to_owned() }).await;
    let answer: Value = serde_json::from_slice(&incoming.body).expect("an answer in JSON");
    json!({"status": incoming.status, "owners": answer["metadata"]["managedFields"]})
}

fn server(validation: Validation) -> ApiServer {
    ApiServer::builder().clock(Clock::fixed(0)).validation(validation).build().expect("an empty server")
}

#[test]
fn objects_of_one_template_have_the_owners_that_they_have_alone() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let creations = creations();
    assert!(creations.len() > 100, "only {} creations were found", creations.len());
    for (path, object) in creations {
        let validation = if rng.bool() { Validation::Full } else { Validation::Off };
        let shared = server(validation);
        let name = object["metadata"]["name"].as_str().unwrap_or("x").to_owned();
        runtime.block_on(async {
            // Names of several kinds must have a certain form, so that they only grow at their end.
            create(&shared, &path, &renamed(&object, &format!("{name}0"), &mut rng)).await;
            for at in 1..3 {
                let body = renamed(&object, &format!("{name}{at}"), &mut rng);
                let given = create(&shared, &path, &body).await;
                assert_eq!(given, create(&server(validation), &path, &body).await, "{path} {body}");
            }
        });
    }
}
