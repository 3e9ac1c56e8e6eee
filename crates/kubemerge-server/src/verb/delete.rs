//! DELETE of an object or of a collection.

use serde_json::{Value, json};

use crate::{
    call::Call,
    catalog::{
        Resource,
        rules::{DeleteAnswer, Propagation},
    },
    collector::{FOREGROUND, ORPHAN},
    decode,
    ledger::Ledger,
    media::{self, Encoding},
    namespace,
    object::{Object, tree},
    present::{self, Shown},
    query::{DryRun, ListOptions, Query, dry_run},
    reply::Reply,
    status::{FieldError, Outcome, Qualified, conflict, invalid, not_found, success},
    store::{Mismatch, Stored},
    verb::list,
    write::{is_namespace, nothing_holds},
};

/// How an object is to be deleted.
#[derive(Clone, Debug)]
pub(crate) struct DeleteOptions {
    pub(crate) grace_period: Option<i64>,
    pub(crate) preconditions: Preconditions,
    /// What happens to dependents; the kind's default if unset.
    pub(crate) propagation: Option<Propagation>,
    pub(crate) dry_run: DryRun,
    /// `orphanDependents: false` was said, for which the answer differs.
    pub(crate) orphans_refused: bool,
}

/// What must be true of the object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Preconditions {
    pub(crate) uid: Option<String>,
    pub(crate) resource_version: Option<String>,
}

impl Default for DeleteOptions {
    fn default() -> Self {
        DeleteOptions {
            grace_period: None,
            preconditions: Preconditions::default(),
            propagation: None,
            dry_run: DryRun::No,
            orphans_refused: false,
        }
    }
}

/// How a deletion ended.
pub(crate) enum Deleted {
    /// The object is gone; its last state.
    Gone(Stored),
    /// The object is there until something lets it go.
    Waiting(Stored),
}

/// Deletes one object.
pub(crate) fn handle(call: &Call<'_>) -> Outcome<Reply> {
    let options = DeleteOptions::read(call)?;
    match delete(call.ledger, call.resource, &call.key(), &options)? {
        Deleted::Gone(stored) if call.resource.rules.delete_answer == DeleteAnswer::Status => {
            let uid = Object::of(&stored).metadata.uid().to_string();
            Ok(Reply::value(200, &success(call.resource.qualified(), call.name(), &uid)))
        }
        Deleted::Gone(stored) => present::object(call, 200, Shown::stored(&stored)),
        Deleted::Waiting(stored) => {
            let code = if options.orphans_refused { 202 } else { 200 };
            present::object(call, code, Shown::stored(&stored))
        }
    }
}

/// Deletes every object that the selectors name; answers those that were found.
pub(crate) fn handle_collection(call: &Call<'_>) -> Outcome<Reply> {
    let options = DeleteOptions::read(call)?;
    let found = list::find(call, &ListOptions::for_list(call.query)?)?;
    for (key, _) in &found.items {
        match delete(call.ledger, call.resource, key, &options) {
            Err(failure) if failure.code() != 404 => return Err(failure),
            _ => {}
        }
    }
    let shown: Vec<Shown<'_>> = found.items.iter().map(|(_, stored)| Shown::stored(stored)).collect();
    present::list(call, &shown, &found.meta)
}

/// Deletes the object under a key, or begins to.
pub(crate) fn delete(
    ledger: &Ledger<'_>,
    resource: &Resource,
    key: &str,
    options: &DeleteOptions,
) -> Outcome<Deleted> {
    let name = key.rsplit('/').next().unwrap_or_default();
    let gone = || not_found(resource.qualified(), name);
    if is_namespace(resource) {
        namespace::check_deletable(name)?;
    }
    let mut current = ledger.app.store.get(key).ok_or_else(gone)?;
    loop {
        let old = Object::of(&current);
        check_preconditions(resource, &old, &options.preconditions)?;
        let new = marked(ledger, resource, &old, options)?;
        let outcome = match new {
            _ if options.dry_run == DryRun::All => return Ok(rehearsed(resource, &current, new)),
            None => ledger.remove(resource, key, &current).map(Deleted::Gone),
            Some(new) => mark(ledger, resource, key, &current, &new),
        };
        match outcome {
            Ok(deleted) => return Ok(deleted),
            Err(Mismatch(newer)) => current = newer.ok_or_else(gone)?,
        }
    }
}

fn mark(
    ledger: &Ledger<'_>,
    resource: &Resource,
    key: &str,
    current: &Stored,
    new: &Object,
) -> Result<Deleted, Mismatch> {
    let record = new.record();
    if record.canonical() == current.record.canonical() {
        return Ok(Deleted::Waiting(current.clone()));
    }
    Ok(Deleted::Waiting(ledger.update(resource, key, record, current)?))
}

fn rehearsed(resource: &Resource, current: &Stored, new: Option<Object>) -> Deleted {
    match new {
        Some(new) if !nothing_holds(resource, &new) => {
            Deleted::Waiting(Stored { record: new.record(), revision: current.revision })
        }
        _ => Deleted::Gone(current.clone()),
    }
}

/// The object as it waits for its end; none if nothing holds it.
fn marked(
    ledger: &Ledger<'_>,
    resource: &Resource,
    old: &Object,
    options: &DeleteOptions,
) -> Outcome<Option<Object>> {
    let mut new = old.clone();
    new.metadata.set_finalizers(collection_finalizers(resource, old, options.propagation));
    let grace = grace_period(ledger, resource, old, options);
    let held = !new.metadata.finalizers().is_empty() || is_namespace(resource);
    if grace == 0 && !held {
        return Ok(None);
    }
    let was_terminating = old.metadata.is_terminating();
    let shortened = old.metadata.grace_period().is_none_or(|before| grace < before);
    if !was_terminating || shortened {
        let end = ledger.app.clock.now().plus(grace);
        new.metadata.set("deletionTimestamp", end.to_string());
        new.metadata.set("deletionGracePeriodSeconds", grace);
    }
    if !was_terminating && old.metadata.generation() > 0 {
        new.metadata.set("generation", old.metadata.generation().saturating_add(1));
    }
    if is_namespace(resource) {
        new.set_at(&["status", "phase"], json!("Terminating"))?;
    }
    Ok(Some(new).filter(|new| !nothing_holds(resource, new)))
}

/// The finalizers with those of garbage collection as the request, the object or the kind has it.
fn collection_finalizers(resource: &Resource, old: &Object, wanted: Option<Propagation>) -> Vec<String> {
    let before = old.metadata.finalizers();
    let default = resource.rules.default_propagation;
    if default == Propagation::Unsupported {
        return before;
    }
    let has = |name: &str| before.iter().any(|one| one == name);
    let policy = wanted.unwrap_or(if has(ORPHAN) {
        Propagation::Orphan
    } else if has(FOREGROUND) {
        Propagation::Foreground
    } else {
        default
    });
    let mut after: Vec<String> =
        before.iter().filter(|one| *one != ORPHAN && *one != FOREGROUND).cloned().collect();
    match policy {
        Propagation::Orphan => after.push(ORPHAN.into()),
        Propagation::Foreground => after.push(FOREGROUND.into()),
        Propagation::Background | Propagation::Unsupported => {}
    }
    after
}

/// Only pods are deleted gracefully: those that run somewhere.
fn grace_period(ledger: &Ledger<'_>, resource: &Resource, old: &Object, options: &DeleteOptions) -> i64 {
    if !(resource.group.is_empty() && resource.kind == "Pod") || ledger.app.settings.pods_end_at_once {
        return 0;
    }
    let text = |path: &[&str]| old.at(path).and_then(|value| value.as_str().map(str::to_string));
    let finished = matches!(text(&["status", "phase"]).as_deref(), Some("Succeeded" | "Failed"));
    if text(&["spec", "nodeName"]).is_none_or(|node| node.is_empty()) || finished {
        return 0;
    }
    let own = old.at(&["spec", "terminationGracePeriodSeconds"]).and_then(|value| value.as_i64());
    let wanted = options.grace_period.or(own).unwrap_or(0);
    let wanted = if wanted < 0 { 1 } else { wanted };
    // A second request may only shorten the period.
    old.metadata.grace_period().map_or(wanted, |before| wanted.min(before))
}

fn check_preconditions(resource: &Resource, old: &Object, wanted: &Preconditions) -> Outcome<()> {
    let metadata = &old.metadata;
    let refuse = |text: String| Err(conflict(resource.qualified(), metadata.name(), &text));
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| *uid != metadata.uid()) {
        return refuse(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
             deleted and then recreated",
            metadata.uid()
        ));
    }
    let held = metadata.resource_version();
    if let Some(version) = wanted.resource_version.as_ref().filter(|version| *version != held) {
        return refuse(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record \
             ({held}). The object might have been modified"
        ));
    }
    Ok(())
}

impl DeleteOptions {
    /// At once, dependents later.
    pub(crate) fn background() -> DeleteOptions {
        DeleteOptions { propagation: Some(Propagation::Background), grace_period: Some(0), ..Self::default() }
    }

    /// Reads the body, or the query if there is none.
    fn read(call: &Call<'_>) -> Outcome<DeleteOptions> {
        if call.body.is_empty() {
            return Self::from_value(&from_query(call.query));
        }
        let document = match media::body_encoding(call.headers, true)? {
            Encoding::Protobuf => crate::protobuf::to_canonical(call.body, &call.app().schema)?,
            _ => decode::body(call)?,
        };
        Self::from_value(&tree(&document))
    }

    pub(crate) fn from_value(value: &Value) -> Outcome<DeleteOptions> {
        let mut errors = Vec::new();
        let dry = value.get("dryRun").and_then(Value::as_array).into_iter().flatten();
        let dry_run = dry_run(dry.filter_map(Value::as_str), &mut errors);
        let orphan = value.get("orphanDependents").and_then(Value::as_bool);
        let policy = value.get("propagationPolicy").and_then(Value::as_str).filter(|text| !text.is_empty());
        if orphan.is_some() && policy.is_some() {
            let why = "orphanDependents and deletionPropagation cannot be both set";
            errors.push(FieldError::invalid("propagationPolicy", &json!(policy), why));
        }
        let propagation = propagation(orphan, policy, &mut errors);
        if !errors.is_empty() {
            let kind = Qualified { group: "meta.k8s.io", name: "DeleteOptions" };
            return Err(invalid(kind, "", &errors));
        }
        let text = |key: &str| {
            let found = value.get("preconditions").and_then(|wanted| wanted.get(key)).and_then(Value::as_str);
            found.map(str::to_string)
        };
        Ok(DeleteOptions {
            grace_period: value.get("gracePeriodSeconds").and_then(Value::as_i64),
            preconditions: Preconditions { uid: text("uid"), resource_version: text("resourceVersion") },
            propagation,
            dry_run,
            orphans_refused: orphan == Some(false),
        })
    }
}

fn propagation(
    orphan: Option<bool>,
    policy: Option<&str>,
    errors: &mut Vec<FieldError>,
) -> Option<Propagation> {
    match (orphan, policy) {
        (Some(true), _) => Some(Propagation::Orphan),
        (Some(false), _) => Some(Propagation::Background),
        (None, None) => None,
        (None, Some("Orphan")) => Some(Propagation::Orphan),
        (None, Some("Foreground")) => Some(Propagation::Foreground),
        (None, Some("Background")) => Some(Propagation::Background),
        (None, Some(other)) => {
            let supported = ["Background", "Foreground", "Orphan"].map(str::to_string);
            errors.push(FieldError::not_supported("propagationPolicy", &json!(other), &supported));
            None
        }
    }
}

fn from_query(query: &Query) -> Value {
    let mut options = json!({"dryRun": query.all("dryRun").collect::<Vec<_>>()});
    if let Some(policy) = query.get("propagationPolicy") {
        options["propagationPolicy"] = policy.into();
    }
    if let Some(seconds) = query.get("gracePeriodSeconds").and_then(|text| text.parse::<i64>().ok()) {
        options["gracePeriodSeconds"] = seconds.into();
    }
    if query.get("orphanDependents").is_some() {
        options["orphanDependents"] = query.flag("orphanDependents").into();
    }
    options
}
