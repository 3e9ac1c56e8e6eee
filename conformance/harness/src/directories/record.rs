//! Keeps the requests that kubectl sends for a pair, with the answers of kube-apiserver.

use kubemerge_schema::builtin::NEWEST_RELEASE;
use kubemerge_test_support::recording::{self, Case, normal::Owners};
use serde_json::{Value, json};

use super::{clean, kubectl, real_kubectl, ways::Pair, ways::WAYS};
use crate::{api::Recorder, apiserver::Instance};

/// Records all pairs, one file each.
pub(super) fn record(pairs: &[Pair], instance: &Instance) -> Result<(), String> {
    let folder = kubemerge_test_support::root().join("conformance/api/directories");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for pair in pairs {
        let mut cases = Vec::new();
        for way in WAYS {
            cases.push((way.name(), requests(pair, way, instance)?));
        }
        let mut client = instance.client()?;
        let mut recorder = Recorder::new(&mut client, Owners::Compared);
        let mut recorded: Vec<Case> = Vec::new();
        for (name, sends) in cases {
            recorded.push(
                recorder.case(name, |recorder| sends.into_iter().try_for_each(|send| recorder.keep(send)))?,
            );
        }
        let path = folder.join(format!("{}.yaml", pair.name()));
        std::fs::write(&path, recording::write(&recorded, NEWEST_RELEASE))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        println!("{}", path.display());
    }
    Ok(())
}

/// The writes of kubectl in one way, then a look at every object.
fn requests(pair: &Pair, way: super::ways::Way, instance: &Instance) -> Result<Vec<Value>, String> {
    let kubectl = real_kubectl(instance)?;
    let mut sends = Vec::new();
    for mut command in way.commands(pair) {
        command.push("--v=9".to_string());
        sends.extend(kubectl::writes(&kubectl.run(&command)?.stderr));
    }
    clean::remove(&kubectl, &mut instance.client()?, pair)?;
    let mut paths: Vec<String> = sends.iter().filter_map(object_path).collect();
    paths.sort();
    paths.dedup();
    sends.extend(paths.into_iter().map(|path| json!({ "path": path })));
    Ok(sends)
}

/// Where the object of a write is.
fn object_path(send: &Value) -> Option<String> {
    let path = send["path"].as_str()?.split('?').next()?;
    match send["method"].as_str()? {
        "POST" => Some(format!("{path}/{}", send["body"]["metadata"]["name"].as_str()?)),
        _ => Some(path.to_string()),
    }
}
