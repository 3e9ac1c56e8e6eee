//! The tests of the crate from outside: one binary, which is linked once.

mod builtin;
mod check;
mod crd;
mod explain;
mod loading;
mod lookup;
mod overlay;
mod patterns;
mod robustness;
mod unions;
