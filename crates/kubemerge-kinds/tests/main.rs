//! The tests of the crate from outside: one binary, which is linked once.

mod entries;
mod laws;
mod older_versions;
mod recorded;
mod valid_objects;
