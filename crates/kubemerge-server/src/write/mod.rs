//! How objects get into the store.
//!
//! Every write of a client goes through the steps of [`sequence`], in this order:
//!
//! | step | file | what it does |
//! |---|---|---|
//! | decode | `body`, `decode`, `patch`, `apply`, `undecodable` | text to object; fields that the kind does not have |
//! | default | the kind | missing defaults |
//! | track | `track`, `apply` | who owns which fields |
//! | admit | `create`, `namespace`, `admission` | whether the object may be created where it is; what plugins change |
//! | prepare | `prepare`, `identity`, `allocation` | what the server owns: identity, addresses, status, generation |
//! | validate | `validate`, `admission` | every complaint about the object |
//! | commit | `commit`, `transaction` | compare-and-swap in the store |
//! | follow-ups | `followup`, `collector`, `definition`, `controller_status`, `recovery` | garbage collection, namespaces and definitions that are deleted, names of definitions, conditions |
//!
//! Each step asks the contract of the kind ([`crate::kind`]); none knows what sort of kind it is.

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
pub(crate) mod definition;
mod definition_deletion;
pub(crate) mod delete;
pub(crate) mod delete_options;
pub(crate) mod followup;
mod identity;
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
pub(crate) mod track;
pub(crate) mod track_answer;
pub(crate) mod track_scale;
pub(crate) mod transaction;
pub(crate) mod undecodable;
pub(crate) mod validate;
