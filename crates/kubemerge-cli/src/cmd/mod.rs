//! The command line and its commands, one file or folder each.
//!
//! `patch_output` and `named` are shared by the commands that generate patches, `refusal` and `repeated` by those that
//! compute objects. Every command goes one way: words
//! (`args`), texts (`input`), loaded things (`load`), results (`render`, `output`).

pub(crate) mod apply;
pub(crate) mod completions;
pub(crate) mod compose;
pub(crate) mod convert;
pub(crate) mod diff;
#[cfg(feature = "serve")]
pub(crate) mod dump;
#[cfg(feature = "serve")]
pub(crate) mod envtest;
pub(crate) mod explain;
pub(crate) mod lint;
mod named;
pub(crate) mod owners;
pub(crate) mod patch;
mod patch_output;
mod refusal;
mod repeated;
pub(crate) mod schema;
#[cfg(feature = "serve")]
pub(crate) mod serve;
pub(crate) mod skew;
#[cfg(feature = "serve")]
mod store;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};

use crate::args::DuplicateKeysArg;
use crate::input::{Inputs, Secrets};
use crate::report::{Colours, Result, choose_colours};

/// Shows what Kubernetes does with an object and a patch, offline, for every kind.
#[derive(Debug, Parser)]
#[command(name = "kubemerge", version, max_term_width = 100, subcommand_required = true)]
#[command(after_help = "Exit codes: 0 success, 1 a difference, conflict or finding, 2 an error.")]
pub(crate) struct CommandLine {
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

/// A command that reads manifests or patches.
#[derive(Debug, Args)]
struct Reading<T: Args> {
    #[command(flatten)]
    args: T,
    /// How to handle duplicate keys in a map
    #[arg(long, value_enum, default_value_t, value_name = "RULE", help_heading = "Input")]
    duplicate_keys: DuplicateKeysArg,
}

/// The commands about schemas, which read documents.
#[derive(Debug, Args)]
struct SchemaCommand {
    #[command(subcommand)]
    verb: schema::Verb,
    /// How to handle duplicate keys in a map
    #[arg(long, global = true, value_enum, default_value_t, value_name = "RULE", help_heading = "Input")]
    duplicate_keys: DuplicateKeysArg,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Apply a patch to objects in files
    Patch(Reading<patch::PatchArgs>),
    /// Generate the patch from one object to another
    Diff(Reading<diff::DiffArgs>),
    /// Show what `kubectl apply` would send, and the resulting object
    Apply(Reading<apply::ApplyArgs>),
    /// Generate a patch of another type with the same effect
    Convert(Reading<convert::ConvertArgs>),
    /// Combine several patches into one
    Compose(Reading<compose::ComposeArgs>),
    /// Generate a patch that undoes another
    Invert(Reading<convert::InvertArgs>),
    /// Show what a patch does to each field, which rule applies, and where the dialects differ
    Explain(Reading<explain::ExplainArgs>),
    /// Show which manager owns which field
    Owners(Reading<owners::OwnersArgs>),
    /// Find common mistakes in manifests and patches
    Lint(Reading<lint::LintArgs>),
    /// Compare the result of a change across client and server versions
    Skew(Reading<skew::SkewArgs>),
    /// Show how the fields of every kind merge, and why
    Schema(SchemaCommand),
    /// Generate shell completions
    Completions(completions::CompletionsArgs),
    /// Generate the manual page
    Man(completions::ManArgs),
    #[cfg(feature = "serve")]
    /// Run a test API server for kubectl and other clients
    Serve(Box<Reading<serve::ServeArgs>>),
    #[cfg(feature = "serve")]
    /// Make a folder that takes the place of envtest's binaries (KUBEBUILDER_ASSETS)
    Envtest(envtest::EnvtestArgs),
    #[cfg(feature = "serve")]
    /// Write the objects of a store as YAML
    Dump(dump::DumpArgs),
    #[cfg(feature = "serve")]
    /// Fill a store with the objects of a dump
    Restore(Reading<dump::RestoreArgs>),
}

/// Runs the command that was given.
pub(crate) fn run(line: CommandLine) -> Result {
    match line.color {
        // Decided for each stream: stdout may be a file while stderr is a terminal.
        ColorArg::Auto => {}
        ColorArg::Always => choose_colours(Colours::On),
        ColorArg::Never => choose_colours(Colours::Off),
    }
    let secrets = if line.show_secrets { Secrets::Shown } else { Secrets::Masked };
    // One set of inputs a run, so that a pipe is read once whichever options name it.
    let read = |rule: DuplicateKeysArg| Inputs::new(rule.into(), secrets);
    match line.command {
        Command::Diff(one) => diff::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Apply(one) => apply::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Convert(one) => convert::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Compose(one) => compose::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Invert(one) => convert::run_invert(&one.args, &mut read(one.duplicate_keys)),
        Command::Explain(one) => explain::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Owners(one) => owners::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Lint(one) => lint::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Patch(one) => patch::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Skew(one) => skew::run(&one.args, &mut read(one.duplicate_keys)),
        Command::Schema(one) => schema::run(one.verb, &mut read(one.duplicate_keys)),
        Command::Completions(args) => completions::run(&args, CommandLine::command()),
        Command::Man(args) => completions::run_man(&args, CommandLine::command()),
        #[cfg(feature = "serve")]
        Command::Envtest(args) => envtest::run(&args),
        #[cfg(feature = "serve")]
        Command::Dump(args) => dump::run_dump(&args),
        #[cfg(feature = "serve")]
        Command::Restore(one) => dump::run_restore(&one.args, &mut read(one.duplicate_keys)),
        #[cfg(feature = "serve")]
        Command::Serve(one) => serve::run(&one.args, &mut read(one.duplicate_keys)),
    }
}
