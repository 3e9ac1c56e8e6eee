//! `kubemerge schema`: how the fields of every kind merge, and why.

mod check;
mod diff;
mod export;
mod kinds;
mod show;
mod stats;

use clap::Subcommand;

use crate::failure::Result;

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// List every kind
    Kinds(kinds::KindsArgs),
    /// Tell in words how a field merges in each dialect, and why
    Show(show::ShowArgs),
    /// Count definitions and merge metadata
    Stats(stats::StatsArgs),
    /// Find metadata that contradicts itself, or that the API server refuses
    Check(check::CheckArgs),
    /// Tell which fields merge differently in two versions
    Diff(diff::DiffArgs),
    /// Write the rules in force as an OpenAPI document, for kustomize
    Export(export::ExportArgs),
}

pub(crate) fn run(verb: Verb) -> Result {
    match verb {
        Verb::Kinds(args) => kinds::run(&args),
        Verb::Show(args) => show::run(&args),
        Verb::Stats(args) => stats::run(&args),
        Verb::Check(args) => check::run(&args),
        Verb::Diff(args) => diff::run(&args),
        Verb::Export(args) => export::run(&args),
    }
}
