//! The `kubemerge` command: what does Kubernetes make of this object and this patch?
//!
//! Data goes one way: words of the command line (`args`), texts (`input`), loaded objects, patches and schemas
//! (`load`), results as text (`render`) on stdout or in files (`output`). `cmd` has one file or folder a command.
//! Errors and warnings are [`report::Notice`]s on stderr.

mod args;
mod cmd;
mod config;
mod input;
mod load;
mod output;
mod render;
mod report;

use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};

fn main() -> ExitCode {
    report::exit_code(run())
}

fn run() -> report::Result {
    // Links in a folder of `kubemerge envtest`: the name decides before anything else is read.
    #[cfg(feature = "serve")]
    if let Some(program) = cmd::envtest::Program::of_this_process() {
        return program.run();
    }
    // Defaults of the project are part of the command, so that --help shows them.
    let command = config::Config::nearest()?.defaults(cmd::CommandLine::command());
    let matches = command.try_get_matches().unwrap_or_else(|error| suggest_filename(error).exit());
    let line = cmd::CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    cmd::run(line)
}

/// `kubemerge patch svc.yaml` lacks `-f`, which the parser cannot know.
fn suggest_filename(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidArg) else { return error };
    // A file that does not exist yet is still meant as one.
    let is_file = std::path::Path::new(word).exists() || word.ends_with(".yaml") || word.ends_with(".json");
    if error.kind() == ErrorKind::UnknownArgument && is_file {
        let tip = format!("to give a file, use '-f {word}'").into();
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
