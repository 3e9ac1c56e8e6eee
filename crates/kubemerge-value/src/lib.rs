//! Values of Kubernetes documents: bytes to nodes and back.
//!
//! A [`Node`] is a lazy JSON value. It comes from checked bytes ([`Document`]), from bytes in Go's canonical
//! form ([`Canonical`]) or from a borrowed [`serde_json::Value`]; results are built in an [`Arena`]. What
//! no caller reads stays a span or a borrow and is copied verbatim by the writers.
//!
//! This crate knows nothing of schemas and patches. It does no input or output.
//!
//! ```
//! use kubemerge_value::{Arena, Document, MapEdit, Node, to_bytes};
//!
//! let arena = Arena::new();
//! let document = Document::check(br#"{"kind": "Pod", "spec": {"nodeName": "a"}}"#)?;
//! let mut edit = MapEdit::new(document.node(), &arena);
//! if edit.seek("kind".into()).is_some() {
//!     edit.replace(Node::string("Node"));
//! }
//! assert_eq!(to_bytes(edit.finish()), br#"{"kind":"Node", "spec": {"nodeName": "a"}}"#);
//! # Ok::<(), kubemerge_value::ParseError>(())
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]

pub mod base64_bytes;
pub mod calendar;
mod canonicalize;
mod check;
mod document;
mod error;
pub mod format;
pub mod go_duration;
mod go_quoted;
mod list_view;
mod map_edit;
mod node;
mod number;
pub mod part;
pub mod path;
pub mod quantity;
mod reader;
mod scan;
pub mod shared;
mod stack;
mod string;
mod text;
pub mod timestamp;
pub mod tree;
pub mod walk;
pub mod write;

pub use document::{Canonical, Document};
pub use error::{ParseError, ParseErrorKind};
pub use list_view::{ListView, Pick, list, map};
pub use map_edit::MapEdit;
pub use node::{Entry, Kind, Node, Scalar, deep_equal};
pub use path::{Path, Side};
pub use reader::{Expected, Level, NumberText, PullReader, Start, TextFault, TextForm};
pub use scan::{quote_or_backslash, string_length};
pub use shared::SharedValue;
pub use stack::deep;
pub use string::Str;
pub use write::{to_bytes, to_canonical, to_value};

/// Where results are built. Dropping it drops them all at once, however deep they are nested.
pub type Arena = bumpalo::Bump;

/// How deep a document in bytes may be nested.
// The stack of a WebAssembly instance cannot grow, and browsers give it room for a few thousand levels.
pub const MAX_DEPTH: usize = if cfg!(target_family = "wasm") { 1_000 } else { 10_000 };

/// How deep a [`serde_json::Value`] may be nested: beyond this, dropping one may overflow the stack.
pub const MAX_VALUE_DEPTH: usize = 128;
