//! The `kubemerge` command: what does Kubernetes make of this object and this patch?
//!
//! Data goes one way: words of the command line (`args`), texts (`input`), loaded objects, patches and schemas
//! (`job`), results as text (`render`) on stdout or in files (`output`). `cmd` has one file or folder a command.
//! Errors and warnings are [`report::Notice`]s on stderr.

mod args;
mod cmd;
mod config;
mod input;
mod job;
mod output;
mod render;
mod report;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches};

fn main() -> ExitCode {
    report::exit_code(run())
}

fn run() -> report::Result {
    let command = config::Config::nearest()?.defaults(cmd::CommandLine::command());
    let line =
        cmd::CommandLine::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit());
    cmd::run(line)
}
