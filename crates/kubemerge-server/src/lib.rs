//! A Kubernetes API server inside the test process, with a listener for kubectl.
//!
//! One handler over one store ([`Store`]) answers as Kubernetes does: in process it is a `tower::Service` for
//! `kube::Client`, without a socket; through a listener the same object serves kubectl and the clients of other
//! languages.
//!
//! ```
//! # #[cfg(feature = "client")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use k8s_openapi::api::core::v1::ConfigMap;
//! use kube::{Api, api::{Patch, PatchParams}};
//! use kubemerge_server::ApiServer;
//! use serde_json::json;
//!
//! let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "1"}});
//! let server = ApiServer::builder().objects([object]).build()?;
//! let maps: Api<ConfigMap> = Api::default_namespaced(server.client());
//! let patch = Patch::Merge(json!({"data": {"k": "2"}}));
//! let patched = maps.patch("a", &PatchParams::default(), &patch).await?;
//! assert_eq!(patched.data.unwrap()["k"], "2");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "client"))]
//! # fn main() {}
//! ```
//!
//! For tests of controllers and operators that need the answers of a real API server (merges, server-side apply,
//! validation, watches, conflicts, garbage collection) without a cluster, a container or a download.
//!
//! # Features
//!
//! | feature | for |
//! |---|---|
//! | `client` (default) | [`ApiServer::client`]: a `kube::Client` of kube 5 |
//! | `cel` | rules in `x-kubernetes-validations`; without it objects of definitions with rules are refused |
//! | `serve` | [`ApiServer::serve`]: a listener for kubectl and other languages; exec, attach and port-forward |
//! | `tls` | HTTPS and client certificates for `serve` |
//!
//! # Other versions of kube
//!
//! [`ApiServer::service`] is a `tower::Service` of the crate `http` 1, so it needs no version of kube: with kube 4 (and
//! `default-features = false` here) a client is `kube::Client::new(server.service(), "default")`.
//!
//! # Limits
//!
//! No controllers run but garbage collection and namespace deletion; webhooks are not called; users and permissions
//! are not enforced. The list of differences from kube-apiserver is docs/fidelity.md of the repository.

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
#![forbid(unsafe_code)]

mod api;
mod apply;
mod builder;
mod catalog;
mod dump;
mod fixtures;
mod fresh_cluster;
mod given;
mod kind;
mod load;
mod object;
mod object_handle;
mod protocol;
mod read;
mod server;
pub mod store;
mod testing;
mod transport;
#[cfg(feature = "client")]
mod typed_handle;
mod write;

pub use api::patch::CustomStrategicMerge;
#[cfg(feature = "serve")]
pub use api::streams::{ExecProcess, ForwardedPort, TerminalSize};
pub use builder::Builder;
pub use catalog::{Scope, cluster::Validation};
pub use given::BuildError;
pub use kubemerge::{Dialect, Overlay, OverlayRule};
pub use kubemerge_kinds::timestamp::Timestamp;
pub use kubemerge_ssa::managed_fields::{ManagerId, Operation, OwnedField};
pub use object_handle::ObjectHandle;
pub use protocol::{
    clock::Clock,
    reason::Reason,
    reply::Body,
    status::Failure,
    target::Address,
    verb::{UnknownVerb, Verb},
};
pub use server::{ApiServer, Restore, Snapshot};
pub use store::{ManagedFieldsView, Store};
pub use testing::{
    fault::{Fault, FaultRule, On},
    intercept::{
        AnyRequest, CreateRequest, DeleteRequest, GetRequest, InterceptedAnswer, Interceptor, ListRequest,
        PatchRequest, TypedRequest, UpdateRequest, WatchRequest,
    },
    log::{LoggedRequest, Transition},
    owners::FieldOwners,
};
#[cfg(feature = "tls")]
pub use transport::given_certificate::{CertificateError, ClientAuthentication, ServerCertificate};
pub use transport::service::Service;
#[cfg(feature = "serve")]
pub use transport::{access_log::AccessLogEntry, listener::Serving, options::ServeOptions};
#[cfg(feature = "client")]
pub use typed_handle::TypedObjectHandle;
pub use write::settings::{AdmissionPlugin, Controller, GarbageCollection};
