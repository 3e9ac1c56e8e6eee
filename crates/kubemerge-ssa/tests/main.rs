//! The tests of the crate from outside: one binary, which is linked once.

mod corpus;
mod laws;
mod owners;
mod unions;
mod updater_laws;
mod widgets;
