//! Paths of fields, sets of paths, and `fieldsV1`, the text form of a set.
//!
//! [`Element`] is one step of a path, [`FieldSet`] a set of paths as a trie of shared nodes (`node.rs`), which are
//! ordered by numbers first (`prefix.rs`). `SetBuilder` builds a set in order. `algebra.rs` has the operations on
//! sets, `read.rs` and `write.rs` the text form. Nothing here knows types, except `named.rs`.

mod algebra;
mod build;
mod element;
mod insert;
mod json_text;
mod label;
mod may_intersect;
mod named;
mod node;
mod prefix;
mod read;
mod set;
mod text_writer;
mod write;

pub(crate) use build::{PathStack, SetBuilder, TreeBuilder};
pub use element::{Element, FieldPath, KeyField};
pub(crate) use insert::with_all;
pub(crate) use may_intersect::{has_all, may_intersect};
pub use named::with_named_fields;
pub(crate) use node::{SetEntry, SetNode};
pub use read::FieldsError;
pub(crate) use set::Beside;
pub use set::FieldSet;
pub(crate) use text_writer::{FieldsWriter, Membership};
pub use write::FieldOrder;
