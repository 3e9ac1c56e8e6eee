//! Reading JSON text step by step, without building anything.

mod canonical_only;

pub use canonical_only::Reader;
