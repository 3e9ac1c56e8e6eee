//! A lazy JSON value: text, text with edits, a borrowed [`serde_json::Value`], or something built in an arena.
//!
//! A [`Node`] is expanded one level at a time, on demand. What no caller reads stays a span or a borrow and is
//! written out as it came in. `repr.rs` defines the sources, `read.rs` reads all of them alike; `built.rs` and
//! `edited.rs` are the two results of an edit.

mod built;
mod edited;
mod entry;
mod equal;
mod read;
mod repr;
mod scalar;

pub(crate) use built::{Built, NO_GAP, OpenEnd, Order, Piece, Tail};
pub use edited::TextEdits;
pub(crate) use edited::{Edited, Part};
pub(crate) use entry::{is_surely_unique, sort_entries};
pub use equal::deep_equal;
pub(crate) use repr::Repr;
pub use repr::{Entry, Node};
pub use scalar::{Kind, Scalar};
