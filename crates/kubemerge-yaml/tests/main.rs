//! The tests of the crate from outside: one binary, which is linked once.

mod edit;
mod places;
mod read;
mod write;
