//! The tests of the crate from outside: one binary, which is linked once.

mod conversions;
mod depth;
mod every_verb_depth;
mod forms;
mod json_patch;
mod laws;
mod merge_patch;
mod server_side_apply;
mod strategic;
