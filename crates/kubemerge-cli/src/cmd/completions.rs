//! `kubemerge completions` and `kubemerge man`: shell completions and manual pages.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;

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
    clap_complete::generate(args.shell, &mut command, "kubemerge", &mut text);
    let mut out = Stdout::new();
    out.bytes(&text)?;
    out.finish()?;
    Ok(Outcome::Done)
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
