//! The `kubemerge` command: what will Kubernetes make of this object and this patch?
//!
//! Words become arguments (`args`), arguments become loaded things (`input`, `job`), a command works on them
//! (`cmd`), and what it found is written (`render`) to standard output. Everything said to the user, from
//! errors to warnings, is a [`notice::Notice`] on standard error.

mod args;
mod cmd;
mod compare;
mod each_file;
mod excerpt;
mod failure;
mod input;
mod job;
mod nearest;
mod notice;
mod output;
mod render;
mod staged;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let args = args::Args::parse();
    failure::exit_code(cmd::run(args))
}
