//! Walks over maps and lists that read only what an operation needs, for callers that would otherwise expand
//! a large document: members by name, items by key, two versions of a map, and the edits found on the way.
//!
//! Each gives the same answers as [`Node::entries`](crate::Node::entries) and
//! [`Node::elements`](crate::Node::elements); where it cannot, it says so and the caller expands.

mod items;
mod members;
mod pairs;

pub use crate::node::TextEdits;
pub use items::{ItemFields, ItemKey, ItemScan, KeysUnsorted, ListItem};
pub use members::{MemberWalk, Walked};
pub use pairs::{MemberPair, pair_members};
