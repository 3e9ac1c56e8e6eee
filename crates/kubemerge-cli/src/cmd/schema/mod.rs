//! `kubemerge schema`: how the fields of every kind merge, and why.

mod check;
mod diff;
mod export;
mod kinds;
mod show;
mod stats;

use clap::Subcommand;

use crate::input::Inputs;
use crate::report::Result;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List every kind
    Kinds(kinds::KindsArgs),
    /// Show how a field merges in each dialect, and why
    Show(show::ShowArgs),
    /// Count definitions and merge metadata
    Stats(stats::StatsArgs),
    /// Find errors in OpenAPI documents and CustomResourceDefinitions
    Check(check::CheckArgs),
    /// Show which fields merge differently in two versions
    Diff(diff::DiffArgs),
    /// Export the merge rules as an OpenAPI document, for kustomize
    Export(export::ExportArgs),
}

pub(crate) fn run(verb: Verb, inputs: &mut Inputs) -> Result {
    match verb {
        Verb::Kinds(args) => kinds::run(&args, inputs),
        Verb::Show(args) => show::run(&args, inputs),
        Verb::Stats(args) => stats::run(&args, inputs),
        Verb::Check(args) => check::run(&args, inputs),
        Verb::Diff(args) => diff::run(&args, inputs),
        Verb::Export(args) => export::run(&args, inputs),
    }
}
