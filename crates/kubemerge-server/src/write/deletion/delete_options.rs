//! DeleteOptions: from the body or the query of a request to what a deletion must know.

use kubemerge_kinds::{
    field_error::{FieldError, quoted},
    strategy::Propagation,
};
use serde_json::{Value, json};

use crate::{
    catalog::request_context::RequestContext,
    protocol::{
        json::{Members, tree},
        media::{self, Encoding},
        query::{DryRun, Query, dry_run, go_number},
        status::{Outcome, Qualified, bad_request, invalid},
    },
    write::decode::body,
};

/// A member, what its value must be, and Go's name for that.
type Member = (&'static str, fn(&Value) -> bool, &'static str);

const MEMBERS: &[Member] = &[
    ("/dryRun", is_list_of_text, "[]string"),
    ("/gracePeriodSeconds", Value::is_i64, "int64"),
    ("/orphanDependents", Value::is_boolean, "bool"),
    ("/preconditions", Value::is_object, "v1.Preconditions"),
    ("/preconditions/resourceVersion", Value::is_string, "string"),
    ("/preconditions/uid", Value::is_string, "types.UID"),
    ("/propagationPolicy", Value::is_string, "v1.DeletionPropagation"),
];

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

impl DeleteOptions {
    /// At once, dependents later.
    pub(crate) fn background() -> DeleteOptions {
        DeleteOptions { propagation: Some(Propagation::Background), grace_period: Some(0), ..Self::default() }
    }

    /// Reads the body, or the query if there is none.
    pub(crate) fn read(call: &RequestContext<'_>) -> Outcome<DeleteOptions> {
        // Upstream: a body wins over the query.
        if call.body.is_empty() {
            return Self::from_value(&from_query(call.query)?);
        }
        let document = match media::body_encoding(call.headers, true)? {
            // Custom resources take no protobuf, but DeleteOptions always may be.
            Encoding::Protobuf => crate::protocol::protobuf::to_canonical(call.body, &call.cluster.schema)?,
            _ => body::canonical_body(call)?,
        };
        Self::from_value(&tree(&document))
    }

    pub(crate) fn from_value(value: &Value) -> Outcome<DeleteOptions> {
        check_types(value)?;
        let mut errors = Vec::new();
        let dry = value.get("dryRun").and_then(Value::as_array).into_iter().flatten();
        let dry_run = dry_run(dry.filter_map(Value::as_str), &mut errors);
        let orphan = value.get("orphanDependents").and_then(Value::as_bool);
        let policy = value.get("propagationPolicy").and_then(Value::as_str);
        // The old and the new way to say the same thing.
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
        // Said with the old field, it never meant foreground.
        (Some(false), _) => Some(Propagation::Background),
        (None, None) => None,
        (None, Some("Orphan")) => Some(Propagation::Orphan),
        (None, Some("Foreground")) => Some(Propagation::Foreground),
        (None, Some("Background")) => Some(Propagation::Background),
        (None, Some(other)) => {
            // Upstream: the word for no policy is listed, and refused as well.
            let supported = ["Foreground", "Background", "Orphan", "nil"].map(str::to_string);
            errors.push(FieldError::not_supported("propagationPolicy", &json!(other), &supported));
            None
        }
    }
}

/// A value of the wrong type must not pass for one that was never given.
fn check_types(value: &Value) -> Outcome<()> {
    check_names(value)?;
    for (pointer, fits, wanted) in MEMBERS {
        let given = value.pointer(pointer).filter(|given| !given.is_null());
        if let Some(given) = given.filter(|given| !fits(given)) {
            return Err(bad_request(mismatch(pointer, given, wanted)));
        }
    }
    Ok(())
}

/// Whether this is an object with names of a type, which are read first, and those of DeleteOptions.
fn check_names(value: &Value) -> Outcome<()> {
    let refuse =
        |why: String| Err(bad_request(format!("couldn't get version/kind; json parse error: {why}")));
    if !value.is_object() && !value.is_null() {
        let fields = ["APIVersion", "Kind"].map(|name| {
            let member = if name == "Kind" { "kind" } else { "apiVersion" };
            format!("{name} string {}", quoted(&format!("json:\"{member},omitempty\"")))
        });
        let found = go_name(value);
        return refuse(format!(
            "json: cannot unmarshal {found} into Go value of type struct {{ {} }}",
            fields.join("; ")
        ));
    }
    for name in ["apiVersion", "kind"] {
        if let Some(given) = value.get(name).filter(|given| !given.is_string() && !given.is_null()) {
            let found = go_name(given);
            return refuse(format!(
                "json: cannot unmarshal {found} into Go struct field .{name} of type string"
            ));
        }
    }
    let Some(kind) = value.get("kind").and_then(Value::as_str).filter(|kind| !is_kind(kind)) else {
        return Ok(());
    };
    let version = value.get("apiVersion").and_then(Value::as_str).filter(|version| !version.is_empty());
    Err(bad_request(format!(
        "no kind {} is registered for version {} in scheme \"pkg/runtime/scheme.go:111\"",
        quoted(kind),
        quoted(version.unwrap_or("meta.k8s.io/v1"))
    )))
}

/// What Go says about a member that does not fit; of a list of texts it names the item.
fn mismatch(pointer: &str, given: &Value, wanted: &str) -> String {
    let (given, wanted) = match given.as_array().and_then(|list| list.iter().find(|item| !item.is_string())) {
        Some(item) if wanted.starts_with("[]") => (item, wanted.trim_start_matches("[]")),
        _ => (given, wanted),
    };
    let field = pointer.trim_start_matches('/').replace('/', ".");
    let owner = if field.contains('.') { "Preconditions" } else { "DeleteOptions" };
    let found = match given {
        Value::Number(number) if wanted == "int64" => format!("number {number}"),
        other => go_name(other).to_owned(),
    };
    format!("json: cannot unmarshal {found} into Go struct field {owner}.{field} of type {wanted}")
}

/// What Go calls a value of JSON.
fn go_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn is_kind(kind: &str) -> bool {
    matches!(kind, "" | "DeleteOptions")
}

fn is_list_of_text(value: &Value) -> bool {
    value.as_array().is_some_and(|list| list.iter().all(Value::is_string))
}

fn from_query(query: &Query) -> Outcome<Value> {
    let mut options = json!({"dryRun": query.all("dryRun").collect::<Vec<_>>()});
    let first = |name| query.all(name).next();
    if let Some(policy) = first("propagationPolicy") {
        options.set_member("propagationPolicy", policy.into());
    }
    if let Some(seconds) = first("gracePeriodSeconds") {
        let seconds: i64 = go_number("ParseInt", seconds).map_err(bad_request)?;
        options.set_member("gracePeriodSeconds", seconds.into());
    }
    if query.has("orphanDependents") {
        options.set_member("orphanDependents", query.flag("orphanDependents").into());
    }
    let wanted = ["uid", "resourceVersion"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), first(name)?.into())));
    let wanted: serde_json::Map<String, Value> = wanted.collect();
    if !wanted.is_empty() {
        options.set_member("preconditions", wanted.into());
    }
    Ok(options)
}
