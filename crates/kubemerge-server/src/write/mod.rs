//! How objects get into the store.
//!
//! Every write of a client goes through the steps of [`sequence`], in this order:
//!
//! | step | file | what it does |
//! |---|---|---|
//! | decode | `body`, `decode`, `template`, `patch`, `unknown_fields`, `undecodable` | text to object; fields that the kind does not have |
//! | default | `default` | missing defaults |
//! | track | `track`, `tracking`, `apply` | who owns which fields |
//! | admit | `create`, `namespace` | whether the object may be created where it is |
//! | prepare | `prepare` | what the server owns: identity, status, generation |
//! | validate | `validate` | every complaint about the object |
//! | commit | `commit`, `transaction` | compare-and-swap in the store |
//! | follow-ups | `followup`, `collector`, `definition`, `controller_status`, `recovery` | garbage collection, namespaces and definitions that are deleted, names of definitions, conditions |
//!
//! Admission plugins and allocators (`admission`, `allocation`) change objects of built-in kinds right before their rules.
//! The rules of built-in kinds take part in two places, both in [`kind_rules`]: decoding fills in their defaults, and
//! before the commit they prepare and validate. Everything else here is the same for all kinds.

pub(crate) mod admission;
pub(crate) mod allocation;
pub(crate) mod apply;
pub(crate) mod body;
mod cluster_addresses;
pub(crate) mod collector;
pub(crate) mod commit;
pub(crate) mod controller_status;
pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod default;
pub(crate) mod definition;
mod definition_deletion;
pub(crate) mod delete;
pub(crate) mod delete_options;
mod floats;
pub(crate) mod followup;
mod identity;
pub(crate) mod kind_rules;
pub(crate) mod namespace;
mod namespace_deletion;
pub(crate) mod part;
pub(crate) mod patch;
pub(crate) mod precondition;
pub(crate) mod prepare;
mod quota_status;
#[cfg(feature = "serve")]
pub(crate) mod recovery;
pub(crate) mod request;
mod rewrite;
pub(crate) mod sequence;
pub(crate) mod settings;
mod storage_protection;
mod times;
pub(crate) mod track;
pub(crate) mod track_answer;
pub(crate) mod track_scale;
pub(crate) mod tracking;
pub(crate) mod transaction;
pub(crate) mod undecodable;
pub(crate) mod unknown_fields;
pub(crate) mod validate;
