//! Replays the requests of `conformance/api` in process and compares with the recorded answers of kube-apiserver.
//!
//! `conformance/api/pending.txt` lists the requests that are answered differently so far, one `file: case: number`
//! a line. A request that differs and is not listed fails the test, and so does a listed one that is answered well:
//! the list only gets shorter. `KUBEMERGE_UPDATE_PENDING=remove cargo test -p kubemerge-server --test tests api::` removes
//! the lines that are done; `=add`, after new cases were recorded, adds those that differ.

mod stored_form;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use kubemerge_server::{AdmissionPlugin, ApiServer, Builder, Clock};
use kubemerge_test_support::recording::{self, Case, Incoming, Outgoing, Session, edits, normal::Owners};
use serde_json::{Value, json};
use tower_service::Service;

/// Differences that a failure prints.
const MAX_PRINTED: usize = 10;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/api")
}

/// A test for each folder of recordings, so that they run in parallel.
macro_rules! folders {
    ($($test:ident: $folder:literal,)*) => {
        const FOLDERS: &[&str] = &[$($folder),*];

        $(#[test]
        fn $test() {
            check($folder);
        })*
    };
}

folders! {
    actions: "actions",
    admissionregistration: "admissionregistration.k8s.io",
    alone: "alone",
    apiextensions: "apiextensions.k8s.io",
    apiregistration: "apiregistration.k8s.io",
    apply: "apply",
    apps: "apps",
    authentication: "authentication.k8s.io",
    authorization: "authorization.k8s.io",
    autoscaling: "autoscaling",
    batch: "batch",
    certificates: "certificates.k8s.io",
    coordination: "coordination.k8s.io",
    core: "core",
    custom: "custom",
    directories: "directories",
    discovery: "discovery.k8s.io",
    events: "events.k8s.io",
    flowcontrol: "flowcontrol.apiserver.k8s.io",
    networking: "networking.k8s.io",
    node: "node.k8s.io",
    plugins: "plugins",
    policy: "policy",
    rbac: "rbac.authorization.k8s.io",
    resource: "resource.k8s.io",
    scheduling: "scheduling.k8s.io",
    storage: "storage.k8s.io",
    storagemigration: "storagemigration.k8s.io",
}

#[test]
fn every_folder_has_a_test() {
    let names = folders().into_iter().map(|folder| folder.file_name().expect("a name").to_owned());
    assert_eq!(names.collect::<Vec<_>>(), FOLDERS);
}

/// Compares the answers to all requests of a folder with those of kube-apiserver.
fn check(name: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut different = Vec::new();
    for (file, cases) in files_in(&folder().join(name)) {
        assert!(cases.iter().all(|case| !case.steps.is_empty()) && !cases.is_empty(), "{file} is incomplete");
        let owners = if matches!(name, "apply" | "directories") { Owners::Compared } else { Owners::Ignored };
        for case in &cases {
            for (number, difference) in runtime.block_on(replay(case, owners, builder_for(&file))) {
                different.push((format!("{file}: {}: {number}", case.name), difference));
            }
        }
    }
    compare_with_pending(name, &different);
}

/// Fails if other requests of a folder are answered differently than pending.txt says.
fn compare_with_pending(folder_name: &str, different: &[(String, String)]) {
    // Tests of several folders may change the file.
    static FILE: Mutex<()> = Mutex::new(());
    let _guard = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = folder().join("pending.txt");
    let text = std::fs::read_to_string(&path).expect("pending.txt");
    let is_own = |line: &&str| line.split_once('/').is_some_and(|(folder, _)| folder == folder_name);
    let pending: BTreeSet<&str> = text.lines().filter(is_own).collect();
    let places: BTreeSet<&str> = different.iter().map(|(place, _)| place.as_str()).collect();
    let left: Option<BTreeSet<&str>> = match std::env::var("KUBEMERGE_UPDATE_PENDING").as_deref() {
        Ok("remove") => Some(pending.intersection(&places).copied().collect()),
        Ok("add") => Some(places.clone()),
        _ => None,
    };
    if let Some(left) = left {
        let lines: Vec<&str> = text.lines().filter(|line| !is_own(line)).chain(left).collect();
        std::fs::write(&path, lines.join("\n") + "\n").expect("pending.txt can be written");
        return;
    }
    let new: Vec<_> = different.iter().filter(|(place, _)| !pending.contains(place.as_str())).collect();
    for (place, difference) in new.iter().take(MAX_PRINTED) {
        println!("{place}\n{difference}\n");
    }
    assert!(new.is_empty(), "{} requests are answered differently and are not in pending.txt", new.len());
    let done: Vec<_> = pending.difference(&places).collect();
    let update = "KUBEMERGE_UPDATE_PENDING=remove cargo test -p kubemerge-server --test tests api::";
    assert!(done.is_empty(), "{} lines of pending.txt are done; run `{update}`: {done:?}", done.len());
}

/// The folders with recordings; that of objects has none.
fn folders() -> Vec<PathBuf> {
    entries(&folder()).into_iter().filter(|path| path.is_dir() && !path.ends_with("objects")).collect()
}

/// All files by their path below `conformance/api`, with their cases.
fn files() -> Vec<(String, Vec<Case>)> {
    folders().iter().flat_map(|folder| files_in(folder)).collect()
}

fn files_in(group: &Path) -> Vec<(String, Vec<Case>)> {
    let read = |file: PathBuf| {
        let text = std::fs::read_to_string(&file).expect("a file of cases");
        let cases = recording::read(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let name = file.strip_prefix(folder()).expect("below the folder").with_extension("");
        (name.to_string_lossy().into_owned(), cases)
    };
    entries(group).into_iter().map(read).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// November 2026, when the answers were recorded.
const RECORDED: i64 = 1_794_800_000;

/// The server that a file of cases is for: those below `plugins` have the name of one, those below `alone` need
/// kube-apiserver as envtest starts it.
fn builder_for(file: &str) -> Builder {
    use AdmissionPlugin::{LimitRanger, ResourceQuota, ServiceAccount};
    // The clock does not move: some writes fill in the time, and count as changes in the next second.
    let builder = ApiServer::builder().clock(Clock::fixed(RECORDED));
    match file.split_once('/').expect("a folder") {
        ("plugins", "LimitRanger") => builder.admission_plugin(LimitRanger),
        ("plugins", "ResourceQuota") => builder.admission_plugin(ResourceQuota),
        ("plugins", "ServiceAccount") => builder.admission_plugin(ServiceAccount),
        ("plugins", other) => panic!("there is no plugin {other}"),
        ("alone", _) => {
            builder.controllers(&[]).admission_plugin(LimitRanger).admission_plugin(ResourceQuota)
        }
        _ => builder,
    }
}

/// Sends the requests of a case to a fresh server; gives the numbers of those answered differently.
async fn replay(case: &Case, owners: Owners, builder: Builder) -> Vec<(usize, String)> {
    let server = builder.build().expect("an empty server");
    let mut session = Session::new(owners);
    let mut different = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        let outgoing = session.start(step);
        let incoming = send(&server, &outgoing).await;
        let given = session.finish(step, &incoming);
        let expected = expected(case, index);
        if expected != given {
            different.push((index + 1, format!("{}\nexpected {expected}\ngiven    {given}", step.send)));
        }
    }
    different
}

async fn send(server: &ApiServer, outgoing: &Outgoing) -> Incoming {
    let mut request = http::Request::builder()
        .method(outgoing.method.as_str())
        .uri(&outgoing.path)
        .header(http::header::ACCEPT, &outgoing.accept)
        .header(http::header::USER_AGENT, "conformance");
    if !outgoing.body.is_empty() {
        request = request.header(http::header::CONTENT_TYPE, &outgoing.content_type);
    }
    let request = request.body(Full::new(Bytes::from(outgoing.body.clone()))).expect("a recorded request");
    let Ok(response) = server.service().call(request).await;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.expect("a body").to_bytes().to_vec();
    Incoming { status, body }
}

/// The answer of a step in full: `diff` is applied to the base of the case.
fn expected(case: &Case, index: usize) -> Value {
    let answer = &case.steps[index].answer;
    let Some(diff) = answer.get("diff") else { return answer.clone() };
    let accepted =
        |step: &&recording::Step| step.answer["status"].as_u64().is_some_and(|status| status < 300);
    let base = case.steps.iter().find(accepted).map_or(&Value::Null, |step| &step.answer["body"]);
    json!({"status": answer["status"], "body": edits::edited(base, diff)})
}
