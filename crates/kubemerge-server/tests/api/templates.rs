//! The laws of templates: an object that was created after one with the same content has the owners that it has in a
//! server without any other, and a pod is answered as it is there, refusals included. Held against the recorded objects
//! of every kind with random metadata; the seed is printed.

use bytes::Bytes;
use fastrand::Rng;
use http_body_util::{BodyExt, Full};
use kubemerge_server::{ApiServer, Clock, Validation};
use serde_json::{Value, json};
use tower_service::Service;

use super::files;

/// How many templates of pods are tried.
const PODS: usize = 80;

/// The objects of recorded requests with an answer, and the paths they are sent to.
pub(super) fn creations(answered: impl Fn(&Value) -> bool) -> Vec<(String, Value)> {
    let steps = files().into_iter().flat_map(|(_, cases)| cases).flat_map(|case| case.steps);
    let creations = steps.filter(|step| step.send["method"] == "POST" && answered(&step.answer["status"]));
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

/// A request with a body.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) content_type: String,
    pub(super) body: String,
}

/// The whole answer to a request: status, body, warnings.
pub(super) async fn answer(server: &ApiServer, request: &Request) -> Value {
    let request = http::Request::builder()
        .method(request.method.as_str())
        .uri(&request.path)
        .header(http::header::CONTENT_TYPE, &request.content_type)
        .header(http::header::USER_AGENT, "conformance")
        .body(Full::new(Bytes::from(request.body.clone())))
        .expect("a request");
    let Ok(response) = server.service().call(request).await;
    let status = response.status().as_u16();
    let warnings: Vec<_> = response.headers().get_all(http::header::WARNING).iter().collect();
    let warnings = format!("{warnings:?}");
    let body = response.into_body().collect().await.expect("a body").to_bytes();
    let body: Value = serde_json::from_slice(&body).expect("an answer in JSON");
    json!({"status": status, "body": body, "warnings": warnings})
}

async fn create(server: &ApiServer, path: &str, body: &str) -> Value {
    let (method, content_type) = ("POST".to_owned(), "application/json".to_owned());
    answer(server, &Request { method, path: path.to_owned(), content_type, body: body.to_owned() }).await
}

async fn owners(server: &ApiServer, path: &str, body: &str) -> Value {
    let answer = create(server, path, body).await;
    json!({"status": answer["status"], "owners": answer["body"]["metadata"]["managedFields"]})
}

/// The answer to a pod without what differs between servers.
async fn pod(server: &ApiServer, path: &str, body: &str) -> Value {
    let mut answer = create(server, path, body).await;
    let metadata = answer["body"]["metadata"].as_object_mut().expect("metadata");
    ["uid", "resourceVersion"].iter().for_each(|name| drop(metadata.remove(*name)));
    let given: Value = serde_json::from_str(body).expect("what was printed");
    let name = [&answer["body"]["metadata"]["name"], &answer["body"]["details"]["name"]].map(Value::as_str);
    match (given["metadata"]["name"].as_str(), name) {
        // A generated name is also in texts.
        (None | Some(""), [Some(name), _] | [_, Some(name)]) => {
            let text = answer.to_string().replace(name, "generated");
            serde_json::from_str(&text).expect("what was printed")
        }
        _ => answer,
    }
}

/// The text of a pod with metadata that may be invalid.
fn with_any_metadata(pod: &Value, rng: &mut Rng) -> String {
    let mut pod: Value = serde_json::from_str(&renamed(pod, "pod", rng)).expect("what was printed");
    let metadata = pod["metadata"].as_object_mut().expect("metadata");
    let values = [json!("x"), json!("-"), json!(1), json!(null), json!([]), json!({"a": "-"}), json!(["b"])];
    let fields = [
        "annotations",
        "creationTimestamp",
        "deletionTimestamp",
        "finalizers",
        "generateName",
        "generation",
        "labels",
        "managedFields",
        "name",
        "namespace",
        "ownerReferences",
        "resourceVersion",
        "selfLink",
        "uid",
        "unknown",
    ];
    for _ in 0..rng.u8(..3) {
        metadata.insert(fields[rng.usize(..fields.len())].into(), values[rng.usize(..values.len())].clone());
    }
    // Only pods without annotations share what is stored.
    if rng.bool() {
        metadata.remove("annotations");
    }
    if rng.u8(..4) == 0 {
        metadata.insert("generateName".to_owned(), json!("pod-"));
    }
    if rng.u8(..4) == 0 {
        metadata.remove("name");
    }
    pod.to_string()
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
    let creations = creations(|status| *status == 201);
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
                let given = owners(&shared, &path, &body).await;
                assert_eq!(given, owners(&server(validation), &path, &body).await, "{path} {body}");
            }
        });
    }
}

#[test]
fn pods_of_one_template_are_answered_as_they_are_alone() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut rng = Rng::with_seed(seed);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let pods: Vec<_> = creations(|_| true)
        .into_iter()
        .filter(|(path, pod)| path.ends_with("/default/pods") && pod["metadata"].is_object())
        .collect();
    assert!(pods.len() > 20, "only {} pods were found", pods.len());
    let empty = server(Validation::Full);
    for _ in 0..PODS {
        let (path, object) = &pods[rng.usize(..pods.len())];
        let shared = empty.fork();
        for _ in 0..6 {
            let body = with_any_metadata(object, &mut rng);
            let query = ["", "?fieldValidation=Strict", "?fieldManager=m", "?dryRun=All"][rng.usize(..4)];
            let path = format!("{path}{query}");
            runtime.block_on(async {
                let alone = pod(&empty.fork(), &path, &body).await;
                // A name may be taken there, which it is not in an empty server.
                let given = pod(&shared, &path, &body).await;
                if given["body"]["reason"] != "AlreadyExists" {
                    assert_eq!(given, alone, "{path} {body}");
                }
                let key = path.split('?').next().unwrap_or_default();
                remove(&shared, key, &given).await;
            });
        }
    }
}

/// Removes the object of an answer, so that its name can be used again.
async fn remove(server: &ApiServer, collection: &str, removed: &Value) {
    let Some(name) = removed["body"]["metadata"]["name"].as_str() else { return };
    let (path, body) = (format!("{collection}/{name}"), r#"{"gracePeriodSeconds":0}"#.to_owned());
    let (method, content_type) = ("DELETE".to_owned(), "application/json".to_owned());
    answer(server, &Request { method, path, content_type, body }).await;
}
