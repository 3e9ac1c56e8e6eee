//! The programs that this command is under another name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{api_server, etcd, flags::Flags};
use crate::report::{Failure, Notice, Outcome, Result};

/// A program of envtest's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    ApiServer,
    Etcd,
    Kubectl,
}

impl Program {
    pub(super) const ALL: [Program; 3] = [Program::ApiServer, Program::Etcd, Program::Kubectl];

    pub(super) fn name(self) -> &'static str {
        match self {
            Program::ApiServer => "kube-apiserver",
            Program::Etcd => "etcd",
            Program::Kubectl => "kubectl",
        }
    }

    /// The program whose name this process was started with, through a link or as a copy.
    pub(crate) fn of_this_process() -> Option<Program> {
        let started = started_as()?;
        let name = started.file_stem()?;
        Program::ALL.into_iter().find(|program| name == program.name())
    }

    /// Runs until it is told to stop.
    pub(crate) fn run(self) -> Result {
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let flags = Flags::read(words.iter().map(|word| word.to_string_lossy().into_owned()));
        exit_1_on_error(match self {
            Program::ApiServer => api_server::run(&flags, started_as().as_deref().unwrap_or(Path::new(""))),
            Program::Etcd => etcd::run(&flags),
            Program::Kubectl => Err(Notice::error("there is no kubectl here")
                .help("install kubectl, and run `kubemerge envtest` again: it links to the one in PATH")
                .into()),
        })
    }
}

/// The path of the link or copy that was started: a bare name was found in PATH.
fn started_as() -> Option<PathBuf> {
    let name = PathBuf::from(std::env::args_os().next()?);
    if name.components().count() > 1 {
        return Some(name);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|place| place.join(&name)).find(|one| one.is_file());
    Some(found.unwrap_or(name))
}

/// These programs end with 1 on errors, as those do whose place they take.
pub(super) fn exit_1_on_error(result: Result) -> Result {
    match result {
        Err(Failure::Error(notice)) => {
            notice.print();
            Ok(Outcome::Found)
        }
        other => other,
    }
}
