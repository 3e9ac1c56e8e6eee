//! The tests of the crate from outside: one binary, which is linked once.

mod lint;
