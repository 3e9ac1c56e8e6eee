//! `/scale`: the number of replicas of a workload, whatever its kind.

use kubemerge_value::Canonical;
use serde_json::{Value, json};

use crate::{
    admit,
    call::Call,
    catalog::rules::Permission,
    columns::selector_text,
    custom::{ScalePaths, jsonpath},
    decode,
    object::{Object, tree},
    query::WriteOptions,
    reply::Reply,
    status::{FieldError, Outcome, Qualified, conflict, invalid, method_not_allowed, unclassified},
    store::Stored,
    strategy::{self, Part},
    verb::{patch, update},
    write,
};

const SCALE: Qualified<'static> = Qualified { group: "autoscaling", name: "Scale" };

/// Answers, replaces or patches a Scale.
pub(crate) fn handle(call: &Call<'_>, verb: &str) -> Outcome<Reply> {
    let paths = paths(call);
    match verb {
        "get" => {
            let object = super::parent(call)?;
            Ok(Reply::value(200, &scale(&object, &paths)?))
        }
        "update" => {
            let options = WriteOptions::read(call.query, "UpdateOptions")?;
            let body = decode::body(call)?;
            change(call, &paths, options, |_| Ok(tree(&body)))
        }
        "patch" => {
            let options = WriteOptions::read(call.query, "PatchOptions")?;
            change(call, &paths, options, |current| {
                let current: Canonical = crate::object::canonical(current)?;
                Ok(tree(&patch::apply_plain(call, &current)?))
            })
        }
        _ => Err(method_not_allowed(call.resource.qualified(), verb)),
    }
}

/// Where the kind keeps its numbers.
fn paths(call: &Call<'_>) -> ScalePaths {
    let custom = call.resource.custom().and_then(|version| version.scale.clone());
    custom.unwrap_or(ScalePaths {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: None,
    })
}

/// The Scale of an object.
fn scale(object: &Object, paths: &ScalePaths) -> Outcome<Value> {
    let value = object.to_value();
    let replicas = jsonpath::find(&value, &paths.spec_replicas);
    let selector = match &paths.label_selector {
        Some(path) => jsonpath::find(&value, path).and_then(|found| found.as_str().map(str::to_string)),
        None => object.at(&["spec", "selector"]).map(|selector| selector_text(&selector)),
    };
    let mut metadata = json!({"name": object.metadata.name()});
    for member in ["namespace", "uid", "resourceVersion", "creationTimestamp"] {
        if let Some(value) = object.metadata.get(member) {
            metadata[member] = value.clone();
        }
    }
    let mut status = json!({"replicas": jsonpath::find(&value, &paths.status_replicas).unwrap_or(json!(0))});
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status["selector"] = selector.into();
    }
    let replicas = replicas.ok_or_else(|| {
        unclassified(format!("the spec replicas field {:?} does not exist", paths.spec_replicas))
    })?;
    Ok(json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata,
        "spec": {"replicas": replicas}, "status": status}))
}

/// Computes a new Scale from the present one and copies its replicas to the object.
fn change(
    call: &Call<'_>,
    paths: &ScalePaths,
    options: WriteOptions,
    compute: impl Fn(&Value) -> Outcome<Value>,
) -> Outcome<Reply> {
    let rescaled = |current: &Stored| {
        let old = Object::of(current);
        let wanted = compute(&scale(&old, paths)?)?;
        check(call, &old, &wanted)?;
        let mut pinned = old.clone();
        let version = wanted.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        pinned.metadata.set("resourceVersion", version);
        update::check_version(call, &pinned, current, Permission::Granted)?;
        let mut new = old.clone();
        let names = jsonpath::names(&paths.spec_replicas).unwrap_or_default();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        new.set_at(&names, wanted.pointer("/spec/replicas").cloned().unwrap_or(json!(0)))?;
        strategy::prepare_update(call.resource, &old, &mut new, Part::Main)?;
        admit::update(call, &old, &mut new, Part::Main)?;
        Ok(new)
    };
    let done = write::change(call, options.dry_run, rescaled)?;
    let shown = done.shown();
    let mut object = Object::of_record(shown.record);
    object.metadata.set("resourceVersion", shown.revision.unwrap_or_default().to_string());
    Ok(Reply::value(200, &scale(&object, paths)?))
}

fn check(call: &Call<'_>, old: &Object, wanted: &Value) -> Outcome<()> {
    let uid = wanted.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
    if !uid.is_empty() && uid != old.metadata.uid() {
        let own = old.metadata.uid();
        let text = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {own}");
        return Err(conflict(call.resource.qualified(), call.name(), &text));
    }
    let replicas = wanted.pointer("/spec/replicas").cloned().unwrap_or(json!(0));
    match replicas.as_i64() {
        Some(0..) => Ok(()),
        Some(_) => {
            let error = FieldError::invalid("spec.replicas", &replicas, "must be greater than or equal to 0");
            Err(invalid(SCALE, call.name(), &[error]))
        }
        None => {
            let error = FieldError::invalid("spec.replicas", &replicas, "must be an integer");
            Err(invalid(SCALE, call.name(), &[error]))
        }
    }
}
