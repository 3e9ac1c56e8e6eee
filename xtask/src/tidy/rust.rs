//! Rust source as text: tokens, the items of a file, and the modules of a crate with their references.

pub(crate) mod lexer;
pub(crate) mod modules;
pub(crate) mod source;
