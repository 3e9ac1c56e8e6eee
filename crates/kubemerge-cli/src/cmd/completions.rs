//! `kubemerge completions` and `kubemerge man`: shell completions and manual pages.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use kubemerge_schema::{Dialect, Schema, builtin};

use crate::output::Stdout;
use crate::report::{Notice, Outcome, Result, plain};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge completions bash > /etc/bash_completion.d/kubemerge
  kubemerge completions zsh > \"${fpath[1]}/_kubemerge\"")]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge man | man -l -
  kubemerge man --dir /usr/local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Write a page for every command into this folder, instead of the main page to stdout
    #[arg(long, value_name = "FOLDER")]
    dir: Option<PathBuf>,
}

pub(crate) fn run(args: &CompletionsArgs, mut command: Command) -> Result {
    let mut text = Vec::new();
    // Only for the script: the command itself accepts other values.
    command = with_known_values(command);
    clap_complete::generate(args.shell, &mut command, "kubemerge", &mut text);
    let mut out = Stdout::new();
    out.bytes(&text)?;
    out.finish()?;
    Ok(Outcome::Done)
}

/// The command with the values that shells can complete: versions and kinds. Parsing allows others as well, such
/// as kinds of a schema file.
fn with_known_values(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let command =
        names.into_iter().fold(command, |command, name| command.mut_subcommand(name, with_known_values));
    command.mut_args(|option| match option.get_id().as_str() {
        "kubernetes" => option.value_parser(PossibleValuesParser::new(versions())),
        "kind" | "target" => option.value_parser(PossibleValuesParser::new(kinds())),
        _ => option,
    })
}

fn versions() -> Vec<String> {
    builtin::releases().into_iter().map(|release| release.version.to_string()).collect()
}

fn kinds() -> Vec<String> {
    let schema = Schema::builtin(builtin::NEWEST, Dialect::Upstream);
    let mut kinds: Vec<String> = schema
        .map_or(Vec::new(), |schema| schema.resources().map(|resource| resource.kind().to_owned()).collect());
    kinds.sort();
    kinds.dedup();
    kinds
}

pub(crate) fn run_man(args: &ManArgs, command: Command) -> Result {
    if let Some(dir) = &args.dir {
        let written = std::fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
        return written.map(|()| Outcome::Done).map_err(|error| {
            Notice::error(format!("cannot write to {}: {}", dir.display(), plain(&error))).into()
        });
    }
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let _ = Man::new(command).render(&mut text);
    let mut out = Stdout::new();
    out.bytes(&text)?;
    out.finish()?;
    Ok(Outcome::Done)
}
