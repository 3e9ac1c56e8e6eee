//! The law of known forms: a write to an object that went through all steps of a write before is answered as a write to
//! the same object that was stored past the API, of which nothing is known. Held against the recorded objects of every
//! kind with random patches and replacements, valid or not; `KUBEMERGE_SEED` repeats a run.

use bytes::Bytes;
use fastrand::Rng;
use http_body_util::{BodyExt, Full};
use kubemerge_server::{ApiServer, Clock, Validation};
use kubemerge_test_support::seed;
use serde_json::{Map, Value, json};
use tower_service::Service;

use super::files;

/// How many objects are tried, and how many writes each.
const OBJECTS: usize = 80;
const WRITES: usize = 4;

const MERGE: &str = "application/merge-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";

/// The objects of recorded requests with an answer, and the paths they are sent to.
fn creations(answered: impl Fn(&Value) -> bool) -> Vec<(String, Value)> {
    let steps = files().into_iter().flat_map(|(_, cases)| cases).flat_map(|case| case.steps);
    let creations = steps.filter(|step| step.send["method"] == "POST" && answered(&step.answer["status"]));
    creations
        .filter_map(|step| {
            let path = step.send["path"].as_str()?.split('?').next()?.to_owned();
            Some((path, step.send.get("body")?.clone()))
        })
        .collect()
}

/// A request with a body.
#[derive(Debug)]
struct Request {
    method: String,
    path: String,
    content_type: String,
    body: String,
}

/// The whole answer to a request: status, body, warnings.
async fn answer(server: &ApiServer, request: &Request) -> Value {
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
    // What is for no group is answered as plain text.
    let body = serde_json::from_slice(&body)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(&body).into_owned()));
    json!({"status": status, "body": body, "warnings": warnings})
}

/// A value in place of another one: mostly of the same type.
fn replacement(value: &Value, rng: &mut Rng) -> Value {
    match (value, rng.u8(..8)) {
        (_, 0) => Value::Null,
        (_, 1) => [json!("x"), json!(7), json!({"a": "b"}), json!(["c"])][rng.usize(..4)].clone(),
        (Value::String(text), _) => json!(format!("{text}{}", rng.u8(..3))),
        (Value::Number(number), _) => json!(number.as_i64().unwrap_or(0) + i64::from(rng.u8(..3))),
        (Value::Bool(truth), _) => json!(!truth),
        (Value::Array(items), _) if rng.bool() => json!(items[..rng.usize(..=items.len())].to_vec()),
        (Value::Array(items), _) => Value::Array(items.iter().map(|item| changed(item, rng)).collect()),
        (Value::Object(_), _) => changed(value, rng),
        (Value::Null, _) => json!("x"),
    }
}

/// A value with a change somewhere inside.
fn changed(value: &Value, rng: &mut Rng) -> Value {
    let Value::Object(members) = value else { return replacement(value, rng) };
    let mut members = members.clone();
    match members.keys().nth(rng.usize(..=members.len())).cloned() {
        Some(name) => {
            let value = replacement(&members[&name], rng);
            members.insert(name, value);
        }
        None => drop(members.insert(["a", "unknown", "finalizers"][rng.usize(..3)].into(), json!("x"))),
    }
    Value::Object(members)
}

/// A patch that replaces one value somewhere in the object.
fn patch(value: &Value, rng: &mut Rng) -> Value {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let (name, value) = members.iter().nth(rng.usize(..members.len())).expect("a member");
            Value::Object(Map::from_iter([(name.clone(), patch(value, rng))]))
        }
        // Patches name the items of a list by keys, which those in the object have.
        Value::Array(items) if !items.is_empty() && rng.bool() => {
            json!([changed(&items[rng.usize(..items.len())], rng)])
        }
        other => replacement(other, rng),
    }
}

fn write(path: &str, object: &Value, rng: &mut Rng) -> Request {
    let (method, content_type, body) = match rng.u8(..5) {
        // An object without owners has none after later writes as well.
        4 => ("PATCH", MERGE, json!({"metadata": {"managedFields": [{}]}})),
        0 => ("PUT", "application/json", changed(object, rng)),
        1 | 2 => ("PATCH", STRATEGIC, patch(object, rng)),
        _ => ("PATCH", MERGE, patch(object, rng)),
    };
    let query = ["", "?fieldValidation=Strict", "?fieldManager=other"][rng.usize(..3)];
    let (path, body) = (format!("{path}{query}"), body.to_string());
    Request { method: method.into(), path, content_type: content_type.into(), body }
}

/// An answer without the version that a write gave it: the restored state has other revisions.
fn comparable(mut answer: Value) -> Value {
    if let Some(metadata) = answer["body"]["metadata"].as_object_mut() {
        metadata.remove("resourceVersion");
    }
    answer
}

async fn read(server: &ApiServer, path: &str) -> Value {
    let (method, body, content_type) = ("GET".into(), String::new(), String::new());
    answer(server, &Request { method, path: path.into(), content_type, body }).await
}

#[test]
fn objects_of_stored_form_are_written_as_others() {
    let mut rng = seed::rng();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let creations = creations(|status| *status == 201);
    let empty = [Validation::Full, Validation::Off].map(|validation| {
        let builder = ApiServer::builder().clock(Clock::fixed(0)).validation(validation);
        builder.build().expect("an empty server")
    });
    let compared = runtime.block_on(async {
        let mut compared = 0;
        for _ in 0..OBJECTS {
            let (path, object) = &creations[rng.usize(..creations.len())];
            compared += writes(&empty[rng.usize(..2)], path, object, &mut rng).await;
        }
        compared
    });
    assert!(compared > OBJECTS, "only {compared} writes were compared");
}

/// Creates an object and changes it several times in both ways; returns how many writes were compared.
async fn writes(empty: &ApiServer, collection: &str, object: &Value, rng: &mut Rng) -> usize {
    let known = empty.fork();
    let (method, content_type) = ("POST".into(), "application/json".into());
    let create = Request { method, path: collection.into(), content_type, body: object.to_string() };
    let created = answer(&known, &create).await;
    let Some(name) = created["body"]["metadata"]["name"].as_str().filter(|_| created["status"] == 201) else {
        return 0;
    };
    let path = format!("{collection}/{name}");
    let mut compared = 0;
    for _ in 0..WRITES {
        let stored = read(&known, &path).await;
        let unknown = known.fork();
        // Nothing is known about what was restored.
        unknown.restore_dump(known.dump()).expect("the state of a server");
        if comparable(read(&unknown, &path).await) != comparable(stored.clone()) {
            return compared;
        }
        // Most clients send no managedFields.
        let mut object = stored["body"].clone();
        if let Some(metadata) = object["metadata"].as_object_mut().filter(|_| rng.u8(..4) > 0) {
            metadata.remove("managedFields");
            metadata.remove("resourceVersion");
        }
        let request = write(&path, &object, rng);
        let given = comparable(answer(&known, &request).await);
        let wanted = comparable(answer(&unknown, &request).await);
        assert_eq!(given, wanted, "{request:?} of {}", stored["body"]);
        assert_eq!(comparable(read(&known, &path).await), comparable(read(&unknown, &path).await));
        compared += 1;
    }
    compared
}
