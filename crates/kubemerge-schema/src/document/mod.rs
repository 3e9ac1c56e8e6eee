//! Documents as JSON, before anything is loaded: which format a document has, where its schemas are, and
//! paths into it for messages.

mod format;
mod path;
mod value;

pub use format::kubernetes_version;
pub(crate) use format::{
    DocumentFormat, V2_SCHEMAS, V3_SCHEMAS, crd_schema, crd_versions, v2_schemas, v3_schemas,
};
pub(crate) use path::DocumentPath;
pub(crate) use value::{MAX_REFERENCE_CHAIN, MAX_SCHEMA_DEPTH, is_true, object, refuse_depth, value_kind};
