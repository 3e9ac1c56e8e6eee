//! What Kubernetes knows about its own kinds, without HTTP and without a store.
//!
//! Everything here is a pure function of a schema and objects, so that the library, the command and the API
//! server share it. Facts that only a store has (which addresses are taken, which namespaces exist) are
//! arguments.

pub mod go_text;
pub mod tree;
pub mod typed;
