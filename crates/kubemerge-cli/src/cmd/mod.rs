//! The command line and its commands, one file or folder each.
//!
//! `patch_output` and `named` are shared by the commands that generate patches, `refusal` by those that compute
//! objects. Every command goes one way: words
//! (`args`), texts (`input`), loaded things (`job`), results (`render`, `output`).

pub(crate) mod apply;
pub(crate) mod completions;
pub(crate) mod compose;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod lint;
mod named;
pub(crate) mod owners;
pub(crate) mod patch;
mod patch_output;
mod refusal;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod skew;

use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::args::DuplicateKeysArg;
use crate::input::{Inputs, Secrets};
use crate::report::{Colours, Result, choose_colours};

/// Shows what Kubernetes does with an object and a patch, offline, for every kind.
#[derive(Debug, Parser)]
#[command(name = "kubemerge", version, max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Exit codes: 0 success, 1 a difference, conflict or finding, 2 an error.")]
pub(crate) struct CommandLine {
    /// How to handle duplicate keys in a map
    #[arg(long, global = true, value_enum, default_value_t, value_name = "RULE", help_heading = "Input")]
    duplicate_keys: DuplicateKeysArg,
    /// Show the values of Secrets in diffs, explanations and messages
    #[arg(long, global = true, help_heading = "Output")]
    show_secrets: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN", help_heading = "Output")]
    color: ColorArg,
    #[command(subcommand)]
    command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ColorArg {
    /// On a terminal; NO_COLOR and CLICOLOR_FORCE are respected
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Apply a patch to objects in files
    Patch(patch::PatchArgs),
    /// Generate the patch from one object to another
    Diff(diff::DiffArgs),
    /// Show what `kubectl apply` would send, and the resulting object
    Apply(apply::ApplyArgs),
    /// Generate a patch of another type with the same effect
    Convert(convert::ConvertArgs),
    /// Combine several patches into one
    Compose(compose::ComposeArgs),
    /// Generate a patch that undoes another
    Invert(convert::InvertArgs),
    /// Show what a patch does to each field, which rule applies, and where the dialects differ
    Explain(explain::ExplainArgs),
    /// Show which manager owns which field
    Owners(owners::OwnersArgs),
    /// Find common mistakes in manifests and patches
    Lint(lint::LintArgs),
    /// Compare the result of a change across client and server versions
    Skew(skew::SkewArgs),
    /// Show how the fields of every kind merge, and why
    #[command(subcommand)]
    Schema(schema::Verb),
    /// Generate shell completions
    Completions(completions::CompletionsArgs),
    /// Generate the manual page
    Man(completions::ManArgs),
    /// Run a test API server for kubectl and other clients
    Serve(Box<serve::ServeArgs>),
}

/// Runs the command that was given.
pub(crate) fn run(line: CommandLine) -> Result {
    match line.color {
        ColorArg::Auto => {}
        ColorArg::Always => choose_colours(Colours::On),
        ColorArg::Never => choose_colours(Colours::Off),
    }
    let secrets = if line.show_secrets { Secrets::Shown } else { Secrets::Masked };
    let mut inputs = Inputs::new(line.duplicate_keys.into(), secrets);
    let inputs = &mut inputs;
    match line.command {
        Command::Diff(args) => diff::run(&args, inputs),
        Command::Apply(args) => apply::run(&args, inputs),
        Command::Convert(args) => convert::run(&args, inputs),
        Command::Compose(args) => compose::run(&args, inputs),
        Command::Invert(args) => convert::run_invert(&args, inputs),
        Command::Explain(args) => explain::run(&args, inputs),
        Command::Owners(args) => owners::run(&args, inputs),
        Command::Lint(args) => lint::run(&args, inputs),
        Command::Patch(args) => patch::run(&args, inputs),
        Command::Skew(args) => skew::run(&args, inputs),
        Command::Schema(verb) => schema::run(verb, inputs),
        Command::Completions(args) => completions::run(&args, CommandLine::command()),
        Command::Man(args) => completions::run_man(&args, CommandLine::command()),
        Command::Serve(args) => serve::run(&args, inputs),
    }
}
