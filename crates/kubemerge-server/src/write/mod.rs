//! How objects get into the store.
//!
//! Every write of a client goes through the steps of [`sequence`], in this order:
//!
//! | step | place | what it does |
//! |---|---|---|
//! | decode | `decode/` | text to object: bodies, results of patches and applies; fields that the kind does not have |
//! | default | the kind | missing defaults |
//! | track | `track/`, `decode/apply.rs` | who owns which fields |
//! | admit | `create`, `namespace`, `admission/` | whether the object may be created where it is; what plugins change |
//! | prepare | `prepare/`, `identity` | what the server owns: identity, addresses, status, generation |
//! | validate | `validate`, `admission/` | every complaint about the object |
//! | commit | `commit/` | compare-and-swap in the store |
//! | delete | `deletion/` | finalizers and grace periods; namespaces and definitions that are emptied first |
//! | follow-ups | `followups/`, `definition` | garbage collection, names of definitions, conditions |
//!
//! Each step asks the contract of the kind ([`crate::kind`]); none knows what sort of kind it is.

pub(crate) mod admission;
pub(crate) mod commit;
pub(crate) mod create;
pub(crate) mod decode;
pub(crate) mod definition;
pub(crate) mod deletion;
pub(crate) mod followups;
pub(crate) mod identity;
pub(crate) mod namespace;
pub(crate) mod part;
pub(crate) mod prepare;
pub(crate) mod request;
pub(crate) mod rewrite;
pub(crate) mod sequence;
pub(crate) mod settings;
pub(crate) mod storage_protection;
pub(crate) mod track;
mod unions;
pub(crate) mod validate;
