//! The commands, one file or folder each; `making` and `named` are what those that make patches share.

pub(crate) mod apply;
pub(crate) mod completions;
pub(crate) mod compose;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod lint;
mod making;
mod named;
pub(crate) mod patch;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod skew;

use crate::args::{Args, Command};
use crate::failure::Result;

/// Runs the command that the words ask for.
pub(crate) fn run(args: Args) -> Result {
    match args.command {
        Command::Diff(args) => diff::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Compose(args) => compose::run(&args),
        Command::Invert(args) => convert::run_invert(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Patch(args) => patch::run(&args),
        Command::Skew(args) => skew::run(&args),
        Command::Schema(verb) => schema::run(verb),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => completions::run_man(&args),
        Command::Serve(args) => serve::run(&args),
    }
}
