//! What a request for the API does: dispatch, one handler per verb, subresources, discovery and OpenAPI.

mod authentication;
mod create;
mod delete;
mod discovery;
mod dispatch;
mod get;
pub(crate) mod handler;
mod health;
pub(crate) mod hooks;
mod list;
pub(crate) mod metrics;
pub(crate) mod openapi;
mod openid;
pub(crate) mod patch;
pub(crate) mod pod_logs;
pub(crate) mod state;
#[cfg(feature = "serve")]
pub(crate) mod streams;
mod subresource;
mod update;
mod watch;
pub(crate) mod watch_settings;
#[cfg(feature = "serve")]
pub(crate) mod websocket;
