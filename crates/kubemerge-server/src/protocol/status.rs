//! Failures as Kubernetes reports them: a `Status` object with code, reason, message, details and causes.
//!
//! Every error of a request is a [`Failure`]; no layer above uses another type of error.

use std::fmt;

use kubemerge_kinds::field_error::{FieldError, quoted};
use serde_json::{Map, Value, json};

use crate::protocol::json::Members;
use crate::protocol::reason::Reason;

/// What every step of a request answers.
pub(crate) type Outcome<T> = Result<T, Failure>;

/// A request that was refused, with everything its `Status` body says.
#[derive(Clone, Debug)]
#[must_use]
pub struct Failure(Box<Parts>);

#[derive(Clone, Debug)]
struct Parts {
    code: u16,
    reason: Reason,
    message: String,
    details: Map<String, Value>,
    continue_token: Option<String>,
}

/// A resource or a kind with its group, as messages name it: `deployments.apps`, `Pod`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Qualified<'a> {
    pub(crate) group: &'a str,
    pub(crate) name: &'a str,
}

impl fmt::Display for Qualified<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// One cause inside the details of a failure.
#[derive(Clone, Debug)]
pub(crate) struct Cause {
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    pub(crate) field: String,
}

impl Failure {
    /// A failure without details.
    pub fn new(code: u16, reason: impl Into<Reason>, message: impl Into<String>) -> Self {
        let (reason, message) = (reason.into(), message.into());
        Failure(Box::new(Parts { code, reason, message, details: Map::new(), continue_token: None }))
    }

    /// The HTTP code.
    pub fn code(&self) -> u16 {
        self.0.code
    }

    /// The machine-readable reason, such as [`Reason::NotFound`].
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// The text for people.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Adds what the `Retry-After` header and `details.retryAfterSeconds` say.
    pub fn retry_after(mut self, seconds: u32) -> Self {
        self.0.details.insert("retryAfterSeconds".into(), seconds.into());
        self
    }

    pub(crate) fn retry_after_seconds(&self) -> Option<u64> {
        self.0.details.get("retryAfterSeconds").and_then(Value::as_u64)
    }

    pub(crate) fn continue_with(mut self, token: String) -> Self {
        self.0.continue_token = Some(token);
        self
    }

    /// Names the object the failure is about.
    pub(crate) fn about(mut self, what: Qualified<'_>, name: &str) -> Self {
        let details = &mut self.0.details;
        // Upstream: `kind` has the plural name where the message is about a resource.
        for (key, text) in [("name", name), ("group", what.group), ("kind", what.name)] {
            if !text.is_empty() {
                details.insert(key.into(), text.into());
            }
        }
        self
    }

    pub(crate) fn causes(mut self, causes: Vec<Cause>) -> Self {
        if !causes.is_empty() {
            let list = causes.into_iter().map(Cause::into_value).collect();
            self.0.details.insert("causes".into(), Value::Array(list));
        }
        self
    }

    pub(crate) fn cause(self, reason: &'static str, message: impl Into<String>) -> Self {
        self.causes(vec![Cause { reason, message: message.into(), field: String::new() }])
    }

    /// The `Status` object.
    pub fn to_value(&self) -> Value {
        let parts = &*self.0;
        let mut metadata = Map::new();
        if let Some(token) = &parts.continue_token {
            metadata.insert("continue".into(), token.as_str().into());
        }
        let mut status = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": metadata,
            "status": "Failure", "message": parts.message, "code": parts.code,
        });
        // Errors without an API status have no reason; clients then see `Unknown`.
        if parts.reason != Reason::None {
            status.set_member("reason", parts.reason.as_str().into());
        }
        // Upstream: a path that is not there, or has no such method, has details and nothing in them.
        let is_about_path = matches!(parts.reason, Reason::MethodNotAllowed | Reason::NotFound);
        if !parts.details.is_empty() || is_about_path {
            status.set_member("details", Value::Object(parts.details.clone()));
        }
        status
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.0.code, self.0.reason, self.0.message)
    }
}

impl std::error::Error for Failure {}

impl Cause {
    fn of(error: &FieldError) -> Self {
        Cause { reason: error.kind.reason(), message: error.message(), field: error.field.clone() }
    }

    fn into_value(self) -> Value {
        let mut cause = Map::new();
        for (key, text) in
            [("reason", self.reason.to_string()), ("message", self.message), ("field", self.field)]
        {
            if !text.is_empty() {
                cause.insert(key.into(), text.into());
            }
        }
        Value::Object(cause)
    }
}

/// The body of a successful delete that does not answer the object.
pub(crate) fn success(what: Qualified<'_>, name: &str, uid: &str) -> Value {
    let mut details = Map::new();
    for (key, text) in [("name", name), ("group", what.group), ("kind", what.name), ("uid", uid)] {
        if !text.is_empty() {
            details.insert(key.into(), text.into());
        }
    }
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details})
}

/// The body of a subresource action that succeeded, such as an eviction.
pub(crate) fn done() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}

/// A `Status` with its members in the order in which Kubernetes writes them, and a newline at the end.
pub(crate) fn status_text(status: &Value) -> String {
    const MEMBERS: [&str; 8] =
        ["kind", "apiVersion", "metadata", "status", "message", "reason", "details", "code"];
    // Clients do not care, but recorded replies are compared byte by byte.
    const DETAILS: [&str; 6] = ["name", "group", "kind", "uid", "causes", "retryAfterSeconds"];
    const CAUSE: [&str; 3] = ["reason", "message", "field"];
    in_order(status, &MEMBERS, |name, value| match (name, value) {
        ("details", details) => in_order(details, &DETAILS, |name, value| match (name, value) {
            ("causes", Value::Array(causes)) => {
                let causes = causes.iter().map(|cause| in_order(cause, &CAUSE, |_, value| value.to_string()));
                format!("[{}]", causes.collect::<Vec<_>>().join(","))
            }
            _ => value.to_string(),
        }),
        _ => value.to_string(),
    }) + "\n"
}

fn in_order(value: &Value, names: &[&str], text: impl Fn(&str, &Value) -> String) -> String {
    let members = names.iter().filter_map(|name| {
        let value = value.get(name)?;
        Some(format!("\"{name}\":{}", text(name, value)))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

pub(crate) fn bad_request(message: impl Into<String>) -> Failure {
    Failure::new(400, Reason::BadRequest, message)
}

/// A path that belongs to nothing that is served.
pub(crate) fn no_such_path() -> Failure {
    Failure::new(404, Reason::NotFound, "the server could not find the requested resource")
}

pub(crate) fn not_found(resource: Qualified<'_>, name: &str) -> Failure {
    Failure::new(404, Reason::NotFound, format!("{resource} {} not found", quoted(name)))
        .about(resource, name)
}

pub(crate) fn already_exists(resource: Qualified<'_>, name: &str, prefix: &str) -> Failure {
    let message = format!("{prefix}{resource} {} already exists", quoted(name));
    Failure::new(409, Reason::AlreadyExists, message).about(resource, name)
}

pub(crate) fn conflict(resource: Qualified<'_>, name: &str, text: &str) -> Failure {
    let message = format!("Operation cannot be fulfilled on {resource} {}: {text}", quoted(name));
    Failure::new(409, Reason::Conflict, message).about(resource, name)
}

pub(crate) fn forbidden(resource: Qualified<'_>, name: &str, text: &str) -> Failure {
    // Requests for a collection have no name to quote.
    let message = if name.is_empty() {
        format!("{resource} is forbidden: {text}")
    } else {
        format!("{resource} {} is forbidden: {text}", quoted(name))
    };
    Failure::new(403, Reason::Forbidden, message).about(resource, name)
}

pub(crate) fn method_not_allowed(resource: Qualified<'_>, verb: &str) -> Failure {
    let message = format!("{verb} is not supported on resources of kind \"{resource}\"");
    Failure::new(405, Reason::MethodNotAllowed, message).about(resource, "")
}

/// A path that is served, with another method.
pub(crate) fn no_such_method() -> Failure {
    let text = "the server does not allow this method on the requested resource";
    Failure::new(405, Reason::MethodNotAllowed, text)
}

pub(crate) fn unsupported_media_type(accepted: &[&str]) -> Failure {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        accepted.join(", ")
    );
    Failure::new(415, Reason::UnsupportedMediaType, message)
}

pub(crate) fn not_acceptable(accepted: &[&str]) -> Failure {
    let message = format!("only the following media types are accepted: {}", accepted.join(", "));
    Failure::new(406, Reason::NotAcceptable, message)
}

pub(crate) fn too_large(text: impl fmt::Display) -> Failure {
    Failure::new(413, Reason::RequestEntityTooLarge, format!("Request entity too large: {text}"))
}

pub(crate) fn expired(message: impl Into<String>) -> Failure {
    Failure::new(410, Reason::Expired, message)
}

pub(crate) fn internal(text: impl fmt::Display) -> Failure {
    let text = text.to_string();
    // Upstream repeats the text as a cause without a reason.
    Failure::new(500, Reason::InternalError, format!("Internal error occurred: {text}")).cause("", text)
}

/// An error that has no API status: code 500, no reason, the text as it is.
pub(crate) fn unclassified(message: impl Into<String>) -> Failure {
    Failure::new(500, Reason::None, message)
}

pub(crate) fn too_large_resource_version(asked: u64, current: u64) -> Failure {
    // kube-apiserver waits three seconds for the version to appear; nothing can appear here.
    let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
    Failure::new(504, Reason::Timeout, message)
        .retry_after(1)
        .cause("ResourceVersionTooLarge", "Too large resource version")
}

/// 422 for an object or an options object of the kind.
pub(crate) fn invalid(kind: Qualified<'_>, name: &str, errors: &[FieldError]) -> Failure {
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    // Upstream: one error is shown without brackets.
    let list = match &texts[..] {
        [one] => one.clone(),
        all => format!("[{}]", all.join(", ")),
    };
    let message = format!("{kind} {} is invalid: {list}", quoted(name));
    Failure::new(422, Reason::Invalid, message)
        .about(kind, name)
        .causes(errors.iter().map(Cause::of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: Qualified<'static> = Qualified { group: "", name: "pods" };
    const DEPLOYMENT: Qualified<'static> = Qualified { group: "apps", name: "Deployment" };

    #[test]
    fn not_found_names_the_resource() {
        let status = not_found(Qualified { group: "apps", name: "deployments" }, "web").to_value();
        assert_eq!(
            status,
            json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 404,
                "message": "deployments.apps \"web\" not found", "reason": "NotFound",
                "details": {"name": "web", "group": "apps", "kind": "deployments"}})
        );
    }

    #[test]
    fn one_invalid_field_stands_alone_and_several_in_brackets() {
        let one = [FieldError::required("spec.x", "must be set")];
        assert_eq!(
            invalid(DEPLOYMENT, "web", &one).message(),
            "Deployment.apps \"web\" is invalid: spec.x: Required value: must be set"
        );
        let two = [FieldError::required("a", ""), FieldError::invalid("b", &json!(0), "too small")];
        let failure = invalid(DEPLOYMENT, "web", &two);
        assert_eq!(
            failure.message(),
            "Deployment.apps \"web\" is invalid: [a: Required value, b: Invalid value: 0: too small]"
        );
        assert_eq!(
            failure.to_value()["details"]["causes"][1],
            json!({"reason": "FieldValueInvalid", "message": "Invalid value: 0: too small", "field": "b"})
        );
    }

    #[test]
    fn a_status_is_written_in_the_order_of_kubernetes() {
        let errors = [FieldError::required("spec.x", "")];
        assert_eq!(
            status_text(&invalid(DEPLOYMENT, "web", &errors).to_value()),
            concat!(
                r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","#,
                r#""message":"Deployment.apps \"web\" is invalid: spec.x: Required value","reason":"Invalid","#,
                r#""details":{"name":"web","group":"apps","kind":"Deployment","causes":["#,
                r#"{"reason":"FieldValueRequired","message":"Required value","field":"spec.x"}]},"code":422}"#,
                "\n"
            )
        );
    }

    #[test]
    fn core_resources_have_no_suffix() {
        assert_eq!(already_exists(PODS, "p", "").message(), "pods \"p\" already exists");
    }
}
