//! What rules are written with: the cursor over fields, errors in Kubernetes' words, metadata, certificates, and facts of a store.

pub mod disruption;
pub mod field;
pub mod field_error;
pub mod meta;
pub mod namespaces;
pub(crate) mod x509;
