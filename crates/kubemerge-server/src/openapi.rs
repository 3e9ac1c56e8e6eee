//! OpenAPI documents (first form).

use http::HeaderMap;
use serde_json::json;

use crate::{
    app::App,
    reply::Reply,
    status::{Outcome, no_such_path},
};

pub(crate) fn v2(_: &App, _: &HeaderMap) -> Reply {
    Reply::bytes(200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "")
}

pub(crate) fn v3_index(_: &App) -> Reply {
    Reply::value(200, &json!({"paths": {}}))
}

pub(crate) fn v3(_: &App, _: &str, _: Option<&str>) -> Outcome<Reply> {
    Err(no_such_path())
}
