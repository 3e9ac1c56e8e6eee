//! The `kubemerge` command: what will Kubernetes make of this object and this patch?
//!
//! Words become arguments (`args`), arguments become loaded things (`input`, `job`), a command works on them
//! (`cmd`), and what it found is written (`render`) to standard output. Everything said to the user, from
//! errors to warnings, is a [`notice::Notice`] on standard error.

mod args;
mod cmd;
mod compare;
mod config;
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

use clap::{CommandFactory, FromArgMatches};

fn main() -> ExitCode {
    failure::exit_code(run())
}

fn run() -> failure::Result {
    let command = config::Config::nearest()?.defaults(args::Args::command());
    let args = args::Args::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
    input::decide_duplicate_keys(args.duplicate_keys.into());
    cmd::run(args)
}
