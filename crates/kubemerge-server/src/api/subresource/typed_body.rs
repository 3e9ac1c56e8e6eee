//! Bodies of actions and reviews: decoded as their kind, and never stored.

use kubemerge_kinds::{
    BuiltinKind,
    field_error::quoted,
    tree::{Arena, Map},
};

use serde_json::Value;

use super::parent::write_options;
use crate::{
    catalog::request_context::RequestContext,
    kind::decode_complete,
    protocol::{
        query::FieldValidation,
        status::{Failure, Outcome, bad_request},
    },
};

/// The name of a kind in messages.
#[derive(Clone, Copy)]
pub(super) struct KindName<'k> {
    pub(super) kind: &'k str,
    pub(super) version: &'k str,
}

/// The typed form of a body. Unknown fields are reported as the request wants.
pub(super) fn decode<'a>(
    call: &RequestContext<'_>,
    name: KindName<'_>,
    kind: BuiltinKind<'a>,
    arena: &'a Arena,
    text: &'a str,
) -> Outcome<Map<'a>> {
    let (typed, complaints) =
        decode_complete(kind, arena, text).map_err(|problem| undecodable(name, problem.message()))?;
    match write_options(call.query)?.field_validation {
        FieldValidation::Warn => complaints.into_iter().for_each(|complaint| call.warn(complaint)),
        FieldValidation::Strict if !complaints.is_empty() => {
            return Err(undecodable(name, &format!("strict decoding error: {}", complaints.join(", "))));
        }
        _ => {}
    }
    Ok(typed)
}

fn undecodable(KindName { kind, version }: KindName<'_>, problem: &str) -> Failure {
    bad_request(format!("{kind} in version {} cannot be handled as a {kind}: {problem}", quoted(version)))
}

/// An object in its typed form as JSON.
pub(super) fn to_value(typed: &Map<'_>) -> Value {
    // What was written is JSON, and bodies that are nested too deep are refused before.
    serde_json::from_str(&typed.to_text()).unwrap_or_default()
}
