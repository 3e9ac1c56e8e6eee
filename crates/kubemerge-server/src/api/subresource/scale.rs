//! `/scale`: the number of replicas of a workload, whatever its kind.

use kubemerge::PatchType;
use kubemerge_kinds::{
    BuiltinKind,
    columns::selector_text,
    custom::scale::{ScalePaths, names},
    field_error::FieldError,
    ordered_json::OrderedJson,
    strategy::Permission,
    tree::{Arena, Map},
};
use kubemerge_value::Canonical;
use serde_json::{Value, json};

use super::typed_body::{self, KindName};
use crate::{
    api::patch::{CustomStrategicMerge, is_apply, patch_type},
    catalog::request_context::RequestContext,
    kind::{Kind, Reading, decode_complete},
    object::draft::{Draft, has_metadata, metadata_text},
    protocol::{
        json::{Members, canonical, tree},
        media::{Form, JSON},
        query::{ApplyOptions, FieldValidation, OptionsKind, WriteOptions},
        reply::Reply,
        status::{
            Outcome, Qualified, bad_request, conflict, invalid, method_not_allowed, not_acceptable,
            unclassified,
        },
        verb::Verb,
    },
    read::table,
    store::{Ownership, Revision, metadata_field::Field},
    write::{
        commit::transaction::Transaction,
        decode::{
            GivenType, apply, body, patch,
            precondition::check_version,
            scale::{self, Rescaled},
            undecodable::invalid_patch,
        },
        part::Part,
        request::{Old, Write, WriteScope},
        sequence,
    },
};

const SCALE: Qualified<'static> = Qualified { group: "autoscaling", name: "Scale" };

/// The most replicas: `spec.replicas` is an int32.
const MAX_REPLICAS: i64 = i32::MAX as i64;

/// Answers, replaces or patches a Scale.
pub(crate) fn handle(
    transaction: &Transaction<'_>,
    call: &RequestContext<'_>,
    custom: CustomStrategicMerge,
    verb: Verb,
) -> Outcome<Reply> {
    let (paths, scope) = (paths(call), WriteScope::new(transaction, call, 0));
    let write = |options, reading| scope.write(options, Part::Main, reading);
    match verb {
        Verb::Get => {
            let stored = call.cluster.store.get(&call.key()).ok_or_else(|| call.not_found())?;
            let (kind, arena) = (Kind::of(call.cluster, call.resource), Arena::new());
            let object = kind.served(&stored.record, &arena);
            present(call, scale(&object, Some(stored.revision), &paths)?)
        }
        Verb::Update => {
            let options = WriteOptions::read(call.query, OptionsKind::Update)?;
            let body = decoded_body(call)?;
            check_body(call, &body)?;
            let write = write(options, Reading::Body);
            change(write, &paths, |current, old| Ok(scale::updated(call, old, current, body.clone())))
        }
        Verb::Patch if is_apply(call) => {
            let options = ApplyOptions::read(call.query)?;
            let config = apply::read(call, options)?;
            let write = write(options.write, Reading::Applied);
            change(write, &paths, |current, old| scale::applied(call, old, current, &config))
        }
        Verb::Patch => {
            let options = WriteOptions::read(call.query, OptionsKind::Patch)?;
            let write = write(options, Reading::Patched);
            change(write, &paths, |current, old| {
                let patch_type = patch_type(call, custom)?;
                let shown = scale::with_entries(call, old, current);
                let patched = patch::apply_plain(call, patch_type, &canonical(&shown)?)?;
                let mut patched = typed_scale(write, &shown, patch_type, &patched)?;
                check_body(call, &patched)?;
                // Entries in a write to a subresource do not count.
                if let Some(metadata) = patched.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.remove("managedFields");
                }
                Ok(scale::updated(call, old, current, patched))
            })
        }
        _ => Err(method_not_allowed(call.resource.qualified(), verb.name())),
    }
}

/// The body in its typed form.
fn decoded_body(call: &RequestContext<'_>) -> Outcome<Value> {
    let body = body::canonical_body(call)?;
    let Some(kind) = scale_kind(call) else { return Ok(tree(&body)) };
    check_type(call, &tree(&body))?;
    let (arena, name) = (Arena::new(), KindName { kind: "Scale", version: "v1" });
    typed_body::decode(call, name, kind, &arena, body.as_str()).map(|typed| typed_body::to_value(&typed))
}

/// A Scale is of the version that is served, if it says so.
fn check_type(call: &RequestContext<'_>, scale: &Value) -> Outcome<()> {
    let text = |name: &str| scale.member(name).as_str().unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let expected = GivenType { api_version: "autoscaling/v1", kind: SCALE.name };
    let scheme = Kind::of(call.cluster, call.resource).go_scheme();
    expected.check(&call.cluster.schema, scheme, GivenType { api_version, kind })
}

/// The result of a patch in its typed form. Unknown fields are reported as the request wants.
fn typed_scale(
    write: Write<'_>,
    shown: &Value,
    patch_type: PatchType,
    patched: &Canonical,
) -> Outcome<Value> {
    let Some(kind) = scale_kind(write.call) else { return Ok(tree(patched)) };
    let arena = Arena::new();
    let refuse = |problem: &str| {
        let quoted = quoted(kind, shown, patch_type, write.call.body);
        invalid_patch(quoted.as_deref().unwrap_or(patched.as_str()), problem)
    };
    if let Err(failure) = check_type(write.call, &tree(patched)) {
        // Only what comes after the type is said of a patch.
        let (_, problem) = failure.message().split_once(": ").unwrap_or(("", failure.message()));
        return Err(refuse(problem));
    }
    let (typed, complaints) =
        decode_complete(kind, &arena, patched.as_str()).map_err(|problem| refuse(problem.message()))?;
    match write.options.field_validation {
        FieldValidation::Warn => complaints.into_iter().for_each(|complaint| write.call.warn(complaint)),
        FieldValidation::Strict if !complaints.is_empty() => {
            return Err(refuse(&format!("strict decoding error: {}", complaints.join(", "))));
        }
        _ => {}
    }
    Ok(typed_body::to_value(&typed))
}

/// A patched Scale as messages quote it: in the order of Go's fields, where the patch has not sorted it.
fn quoted(kind: BuiltinKind<'_>, shown: &Value, patch_type: PatchType, patch: &[u8]) -> Option<String> {
    let mut scale = kind.in_go_order(OrderedJson::read(shown.to_string().as_bytes())?);
    let patch = OrderedJson::read(patch)?;
    match patch_type {
        PatchType::Json => scale.apply(&patch)?,
        _ => scale.merge(&patch),
    }
    Some(scale.to_text())
}

/// The rules of a Scale; a schema of the user's own may not have it.
fn scale_kind<'c>(call: &RequestContext<'c>) -> Option<BuiltinKind<'c>> {
    BuiltinKind::find(&call.cluster.schema, "autoscaling/v1", "Scale")
}

/// A body is a Scale of the object in the path.
fn check_body(call: &RequestContext<'_>, body: &Value) -> Outcome<()> {
    let text = |pointer: &str| body.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let (name, namespace) = (text("/metadata/name"), text("/metadata/namespace"));
    if name.is_empty() {
        return Err(bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.name()
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
fn paths(call: &RequestContext<'_>) -> ScalePaths {
    let custom = call.resource.custom().and_then(|version| version.rules.scale().cloned());
    custom.unwrap_or(ScalePaths {
        spec_replicas: ".spec.replicas".into(),
        status_replicas: ".status.replicas".into(),
        label_selector: None,
    })
}

/// The Scale of an object at a version.
fn scale(object: &Map<'_>, revision: Option<Revision>, paths: &ScalePaths) -> Outcome<Value> {
    let replicas = find(object, &paths.spec_replicas);
    let selector = match &paths.label_selector {
        Some(path) => find(object, path).and_then(|found| found.as_str().map(str::to_string)),
        // Built-in kinds keep a selector object, which Scale shows as text.
        None => find(object, ".spec.selector").map(|selector| selector_text(&selector)),
    };
    let mut metadata = json!({"name": metadata_text(object, Field::Name)});
    for field in [Field::Namespace, Field::Uid, Field::CreationTimestamp] {
        if has_metadata(object, field) {
            metadata.set_member(field.name(), metadata_text(object, field).into());
        }
    }
    if let Some(revision) = revision {
        metadata.set_member("resourceVersion", revision.to_string().into());
    }
    let mut status = json!({"replicas": find(object, &paths.status_replicas).unwrap_or(json!(0))});
    if let Some(selector) = selector.filter(|selector| !selector.is_empty()) {
        status.set_member("selector", selector.into());
    }
    // Upstream: a custom resource without the field has no Scale, and this is its message.
    let replicas = replicas.ok_or_else(|| {
        unclassified(format!("the spec replicas field {:?} does not exist", paths.spec_replicas))
    })?;
    // Go leaves out a zero here.
    let spec = if replicas == 0 { json!({}) } else { json!({"replicas": replicas}) };
    Ok(
        json!({"kind": "Scale", "apiVersion": "autoscaling/v1", "metadata": metadata, "spec": spec, "status": status}),
    )
}

/// Computes a new Scale from the current one and copies its replicas to the object.
fn change<'w>(
    write: Write<'w>,
    paths: &ScalePaths,
    compute: impl Fn(&Value, &Ownership) -> Outcome<Rescaled>,
) -> Outcome<Reply> {
    let call = write.call;
    let rescaled = |old: Old<'w>| {
        // The Scale has the resourceVersion of the object, which a client may send back.
        let current = scale(old.tree, Some(old.stored.revision), paths)?;
        let Rescaled { scale: wanted, ownership } = compute(&current, old.ownership())?;
        check(call, old, &wanted)?;
        // Absent means that the client does not care what was there.
        let version = wanted.pointer("/metadata/resourceVersion").and_then(Value::as_str).unwrap_or_default();
        check_version(call, version, old.stored, Permission::Granted)?;
        let replicas = wanted.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or_default();
        let mut new = old.tree.copy_in(write.arena);
        set_replicas(&mut new, &names(&paths.spec_replicas), replicas);
        Ok(Draft::new(new).owned(ownership))
    };
    let done = sequence::change(write, rescaled)?;
    let shown = done.shown();
    let arena = Arena::new();
    let kind = write.kind;
    let object = kind.served(shown.record, &arena);
    // A dry run has no new revision.
    present(call, scale(&object, Some(shown.revision.unwrap_or_default()), paths)?)
}

/// Answers a Scale in the form the client wants.
fn present(call: &RequestContext<'_>, scale: Value) -> Outcome<Reply> {
    match call.form {
        Form::Whole => Ok(Reply::value(200, &scale)),
        Form::Partial(version) => Ok(Reply::value(200, &table::partial(&scale, version))),
        Form::PartialList(_) => Err(not_acceptable(&[JSON])),
        Form::Table(version, include) => {
            let columns = scale_kind(call).map(BuiltinKind::columns).unwrap_or_default();
            let now = call.cluster.clock.now();
            Ok(Reply::value(200, &table::of_value(&columns, scale, version, include, now)))
        }
    }
}

/// Sets the replicas at a path, making the maps on the way.
fn set_replicas(object: &mut Map<'_>, path: &[&str], replicas: i64) {
    let Some((last, parents)) = path.split_last() else { return };
    let arena = object.arena();
    let parent = parents.iter().fold(object, |at, name| at.ensure_map(arena.alloc_str(name)));
    parent.set(arena.alloc_str(last), replicas);
}

fn check(call: &RequestContext<'_>, old: Old<'_>, wanted: &Value) -> Outcome<()> {
    let uid = wanted.pointer("/metadata/uid").and_then(Value::as_str).unwrap_or_default();
    if !uid.is_empty() && uid != old.uid() {
        let own = old.uid();
        let text = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: {own}");
        return Err(conflict(call.resource.qualified(), call.name(), &text));
    }
    // Null is 0 in Go, as a field that is left out.
    let replicas = wanted.pointer("/spec/replicas").filter(|it| !it.is_null()).cloned().unwrap_or(json!(0));
    let why = match replicas.as_i64() {
        Some(0..=MAX_REPLICAS) => return Ok(()),
        Some(..0) => "must be greater than or equal to 0",
        Some(_) => "must be a 32-bit integer",
        None => "must be an integer",
    };
    let error = FieldError::invalid("spec.replicas", &replicas, why);
    Err(invalid(SCALE, call.name(), &[error]))
}

/// The value at a path.
fn find(object: &Map<'_>, path: &str) -> Option<Value> {
    let names = names(path);
    let (last, parents) = names.split_last()?;
    let parent = parents.iter().try_fold(object, |at, name| at.map(name))?;
    // What was written is JSON.
    let found = serde_json::from_str(&parent.get(last)?.to_text()).unwrap_or_default();
    Some(found).filter(|found: &Value| !found.is_null())
}
