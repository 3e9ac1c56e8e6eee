//! The server through `kube::Client` and through plain requests, in process.

mod admitting;
mod allocating;
mod applying;
mod bodies;
mod building;
mod corpus;
mod crud;
mod custom;
mod definitions;
mod delete;
mod discovering;
mod events;
mod exactness;
mod fixtures;
mod guide;
mod http;
mod intercepting;
mod limits;
mod listing;
mod patching;
mod pod_logs;
mod protobuf;
mod readme;
mod reliability;
mod robustness;
mod runtime;
mod sources;
mod streams;
mod subresources;
mod support;
#[cfg(feature = "tls")]
mod tls;
mod typos;
mod unavailable;
mod waiting;
mod watching;
