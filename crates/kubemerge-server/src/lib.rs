//! A Kubernetes API server inside the test process, and behind a socket for kubectl.
//!
//! One handler over one store ([`Store`]) answers as Kubernetes does: in process it is a `tower::Service` for
//! `kube::Client`, without a socket; behind a listener the same object serves kubectl and the clients of other
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
//! A request is read (`target`, `query`, `media`), becomes a call for a resource of the `catalog`, is carried
//! out by a `verb`, passes the gate before the store (`decode`, `strategy`, `admit`), is written through the
//! `ledger`, and is answered in the form the client wants (`present`).

mod admit;
mod app;
mod beginning;
mod builder;
mod call;
mod catalog;
mod clock;
mod collector;
mod columns;
mod custom;
mod decode;
mod defaults;
mod discovery;
mod duplicate;
mod entropy;
mod expect;
mod fault;
mod fields;
mod fixture;
mod ledger;
mod load;
mod log;
mod media;
mod members;
mod meta;
mod namespace;
mod object;
mod octets;
mod openapi;
mod pattern;
mod place;
mod pod_logs;
mod present;
mod protobuf;
mod query;
mod reply;
mod selector;
#[cfg(feature = "serve")]
mod serve;
mod server;
mod service;
mod status;
pub mod store;
mod strategy;
mod subresource;
mod successor;
mod table;
mod target;
mod verb;
mod view;
mod write;

pub use app::{CustomStrategicMerge, GarbageCollection};
pub use builder::{BuildError, Builder};
pub use catalog::Scope;
pub use clock::{Clock, Timestamp};
pub use fault::{Fault, On, Rule};
pub use log::{Entry, Transition};
pub use reply::Body;
#[cfg(feature = "serve")]
pub use serve::{ServeOptions, Serving};
pub use server::{ApiServer, Restore, Snapshot};
pub use service::Service;
pub use status::Failure;
pub use store::Store;
pub use target::Address;
