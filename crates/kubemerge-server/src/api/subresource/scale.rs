//! `/scale`: the number of replicas of a workload, whatever its kind.

use kubemerge_kinds::{
    columns::selector_text,
    custom::scale::{ScalePaths, names},
    field_error::{FieldError, quoted},
    strategy::Permission,
};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use crate::{
    api::{
        call::Call,
        verb::{patch, update},
    },
    object::{Object, meta::Field, tree},
    protocol::{
        query::WriteOptions,
        reply::Reply,
        status::{Outcome, Qualified, bad_request, conflict, invalid, method_not_allowed, unclassified},
    },
    store::Stored,
    write::{
        admit, commit, decode,
        strategy::{self, Part},
    },
};

const SCALE: Qualified<'static> = Qualified { group: "autoscaling", name: "Scale" };

const MOST: i64 = i32::MAX as i64;

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
            let body = tree(&decode::body(call)?);
            check_body(call, &body)?;
            change(call, &paths, options, |_| Ok(body.clone()))
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

/// A body is a Scale of the object in the path.
fn check_body(call: &Call<'_>, body: &Value) -> Outcome<()> {
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (kind, name, namespace) = (text("/kind"), text("/metadata/name"), text("/metadata/namespace"));
    if !matches!(kind, "" | "Scale") {
        return Err(bad_request(format!(
            "{kind} in version {} cannot be handled as a Scale: no kind {} is registered",
            quoted(text("/apiVersion")),
            quoted(kind)
        )));
    }
    if name != call.name() {
        return Err(bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            call.name()
        )));
    }
    if !namespace.is_empty() && namespace != call.namespace() {
        return Err(bad_request(format!(
            "the namespace of the object ({namespace}) does not match the namespace on the request ({})",
            call.namespace()
        )));
    }
    Ok(())
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
    let replicas = find(object, &paths.spec_replicas);
    let selector = match &paths.label_selector {
        Some(path) => find(object, path).and_then(|found| found.as_str().map(str::to_string)),
        None => object.at(&["spec", "selector"]).map(|selector| selector_text(&selector)),
    };
    let mut metadata = json!({"name": object.metadata.name()});
    for field in [Field::Namespace, Field::Uid, Field::ResourceVersion, Field::CreationTimestamp] {
        if let Some(value) = object.metadata.get(field) {
            metadata[field.name()] = value;
        }
    }
    let mut status = json!({"replicas": find(object, &paths.status_replicas).unwrap_or(json!(0))});
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
        pinned.metadata.set(Field::ResourceVersion, version);
        update::check_version(call, &pinned, current, Permission::Granted)?;
        let mut new = old.clone();
        let replicas = wanted.pointer("/spec/replicas").cloned().unwrap_or(json!(0));
        new.set_at(&names(&paths.spec_replicas), replicas)?;
        strategy::prepare_update(call.resource, &old, &mut new, Part::Main)?;
        admit::update(call, &old, &mut new, Part::Main)?;
        Ok(new)
    };
    let done = commit::change(call, options.dry_run, rescaled)?;
    let shown = done.shown();
    let mut object = Object::of_record(shown.record);
    object.metadata.set(Field::ResourceVersion, shown.revision.unwrap_or_default().to_string());
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
    let why = match replicas.as_i64() {
        Some(0..=MOST) => return Ok(()),
        Some(..0) => "must be greater than or equal to 0",
        Some(_) => "must be a 32-bit integer",
        None => "must be an integer",
    };
    let error = FieldError::invalid("spec.replicas", &replicas, why);
    Err(invalid(SCALE, call.name(), &[error]))
}

/// The value at a path.
fn find(object: &Object, path: &str) -> Option<Value> {
    object.at(&names(path)).filter(|found| !found.is_null())
}
