//! The tests of the command from outside: one binary, which is linked once.

mod action;
mod bad_input;
mod console;
mod depth;
mod design;
mod doc_blocks;
mod documentation;
mod envtest;
mod kubectl;
mod kustomize;
mod lint_rules;
mod picture;
mod pipes;
mod replicas;
mod sarif;
mod serve;
mod server_process;
mod sources;
mod stores;
