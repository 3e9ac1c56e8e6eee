//! What a request for the API does: dispatch, one handler per verb, subresources, discovery and OpenAPI.

pub(crate) mod app;
pub(crate) mod call;
pub(crate) mod discovery;
pub(crate) mod openapi;
pub(crate) mod pod_logs;
pub(crate) mod subresource;
pub(crate) mod verb;
