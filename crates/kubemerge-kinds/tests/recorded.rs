//! The recorded requests of `conformance/api` at the level of kinds: what kube-apiserver refused with 422, [`admit`] and
//! [`admit_update`] refuse with the same causes, and what it accepted they accept.
//!
//! Rules of CEL are left out without the feature `cel`. Left to the tests of the server are requests whose answer needs a store: plugins, allocations, other objects.

use std::{fs, path::Path};

use kubemerge_kinds::{BuiltinKind, Refusal, admit, admit_update};
use kubemerge_schema::{Dialect, Schema};
use serde_json::{Value, json};

/// Folders whose requests are not about one kind.
const OTHER_FOLDERS: [&str; 5] = ["actions", "apply", "custom", "objects", "plugins"];

/// A recorded request about an object of a built-in kind.
struct Request {
    place: String,
    /// The object that it replaces.
    old: Option<Value>,
    object: Value,
    status: u64,
    /// Field and message of each cause.
    causes: Vec<(String, String)>,
}

fn requests(schema: &Schema) -> Vec<Request> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/api");
    let mut files = Vec::new();
    for folder in fs::read_dir(root).expect("the recorded requests").map(|entry| entry.unwrap().path()) {
        let is_other = OTHER_FOLDERS.iter().any(|name| folder.ends_with(name));
        if folder.is_dir() && !is_other {
            files.extend(fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    files.sort();
    files.iter().flat_map(|file| read(schema, file)).collect()
}

/// The requests of a file that create or replace an object.
fn read(schema: &Schema, file: &Path) -> Vec<Request> {
    let (mut found, mut case) = (Vec::new(), String::new());
    let (mut first, mut base) = (None, None);
    let mut send = Value::Null;
    // Selectors and labels of Jobs hold the uid, and `admit` has one of its own.
    let text = fs::read_to_string(file).unwrap().replace("@UID@", "00000000-0000-0000-0000-000000000001");
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix("- case: ") {
            (case, first, base) = (name.to_owned(), None, None);
        } else if let Some(text) = line.strip_prefix("- send: ") {
            send = serde_json::from_str(text).unwrap();
        } else if let Some(text) = line.strip_prefix("answer: ") {
            let answer: Value = serde_json::from_str(text).unwrap();
            let place = format!("{} {case} {send}", file.file_stem().unwrap().to_string_lossy());
            found.extend(request(schema, place, &send, &answer, &mut first, &mut base));
        }
    }
    found
}

fn request(
    schema: &Schema,
    place: String,
    send: &Value,
    answer: &Value,
    first: &mut Option<Value>,
    base: &mut Option<Value>,
) -> Option<Request> {
    let path = send["path"].as_str()?.split('?').next()?;
    let (old, mut object) = match (send["method"].as_str()?, &*first, &*base) {
        ("POST", None, _) => (None, send.get("body")?.clone()),
        ("POST", Some(first), _) => {
            let edits = send.get("edit");
            (None, edits.map_or_else(|| send.get("body").cloned(), |edits| Some(edited(first, edits)))?)
        }
        ("PUT", _, Some(base)) => (Some(base.clone()), edited(base, send.get("change")?)),
        _ => return None,
    };
    // After the version: a namespace, the resource, the name, and a subresource.
    let names: Vec<&str> = path.split('/').skip(if path.starts_with("/api/") { 3 } else { 4 }).collect();
    let (namespace, names) = match &names[..] {
        ["namespaces", _, "finalize" | "status"] => return None,
        ["namespaces", namespace, resource, rest @ ..] => (Some(*namespace), [&[*resource], rest].concat()),
        names => (None, names.to_vec()),
    };
    let is_subresource = names.len() > 2;
    let text = |name: &str| object[name].as_str().unwrap_or_default();
    BuiltinKind::find(schema, text("apiVersion"), text("kind")).filter(|_| !is_subresource)?;
    first.get_or_insert_with(|| object.clone());
    let status = answer["status"].as_u64()?;
    if status == 201 && base.is_none() {
        *base = answer.get("body").cloned();
    }
    if let (Some(namespace), Some(metadata)) = (namespace, object["metadata"].as_object_mut()) {
        metadata.entry("namespace").or_insert_with(|| json!(namespace));
    }
    let causes = answer["body"]["details"]["causes"].as_array().into_iter().flatten();
    let word = |cause: &Value, name: &str| cause[name].as_str().unwrap_or_default().to_owned();
    let mut causes: Vec<_> = causes.map(|cause| (word(cause, "field"), word(cause, "message"))).collect();
    causes.sort();
    Some(Request { place, old, object, status, causes })
}

/// A value with edits made: a map from JSON pointers to new values, where null removes a member.
fn edited(original: &Value, edits: &Value) -> Value {
    let mut value = original.clone();
    for (pointer, new) in edits.as_object().into_iter().flatten() {
        let Some((parent, last)) = pointer.rsplit_once('/') else {
            value = new.clone();
            continue;
        };
        let last = last.replace("~1", "/").replace("~0", "~");
        for end in parent.match_indices('/').map(|(at, _)| at).skip(1).chain([parent.len()]) {
            if value.pointer(&parent[..end]).is_none_or(Value::is_null) {
                let (above, name) = parent[..end].rsplit_once('/').unwrap_or_default();
                if let Some(Value::Object(above)) = value.pointer_mut(above) {
                    above.insert(name.replace("~1", "/").replace("~0", "~"), json!({}));
                }
            }
        }
        match value.pointer_mut(parent) {
            Some(Value::Object(map)) if new.is_null() => drop(map.remove(&last)),
            Some(Value::Object(map)) => drop(map.insert(last, new.clone())),
            Some(Value::Array(list)) => match last.parse() {
                Ok(at) if at < list.len() && new.is_null() => drop(list.remove(at)),
                Ok(at) if at < list.len() => list[at] = new.clone(),
                _ => {}
            },
            _ => {}
        }
    }
    value
}

#[test]
fn kinds_answer_as_kube_apiserver() {
    let schema = Schema::builtin("1.37", Dialect::Upstream).unwrap();
    let (mut same, mut different) = ([0, 0], Vec::new());
    for request in requests(&schema) {
        let (object, old) = (request.object.to_string(), request.old.as_ref().map(Value::to_string));
        let found = match &old {
            None => admit(&schema, &object),
            Some(old) => admit_update(&schema, old, &object),
        };
        let errors = match found {
            Ok(_) => Vec::new(),
            Err(Refusal::Invalid(errors)) => errors,
            Err(_) => continue,
        };
        let mut found: Vec<(String, String)> =
            errors.iter().map(|error| (error.field.clone(), error.message())).collect();
        // Recordings have them sorted.
        found.sort();
        match request.status {
            200 | 201 if found.is_empty() => same[0] += 1,
            422 if found == request.causes => same[1] += 1,
            200 | 201 | 422 => different.push((request.place, request.status, found, request.causes)),
            _ => {}
        }
    }
    for (place, status, found, wanted) in &different {
        println!("{place}\n  {status} found  {found:?}\n  wanted {wanted:?}");
    }
    let names: Vec<&str> = different.iter().map(|(place, ..)| kind_of(place)).collect();
    // Definitions that are established cannot change their names, and Services may ask for what is taken or out of range:
    // both are facts of a store.
    let established = ["customresourcedefinition"; 3];
    // Without the feature, a default is not held to the rule of its place.
    let rules = if cfg!(feature = "cel") { &[][..] } else { &["customresourcedefinition"] };
    assert_eq!(names, [&established[..], rules, &["service"; 4]].concat());
    // Accepted, and refused with the same causes. Both only grow, when requests are recorded.
    assert!(same[0] >= 780 && same[1] >= 1740, "{same:?}");
}

fn kind_of(place: &str) -> &str {
    place.split(' ').next().unwrap_or_default()
}
