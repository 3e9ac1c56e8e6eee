//! The server through `kube::Client` and through plain requests, in process.
#![recursion_limit = "256"]

mod crud;
mod custom;
mod delete;
mod discovering;
mod listing;
mod patching;
mod subresources;
mod support;
mod watching;
