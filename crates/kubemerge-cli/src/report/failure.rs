//! How a command ends: done, something found, or failed.

use std::io;
use std::process::ExitCode;

use super::notice::Notice;

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to report: exit code 0.
    Done,
    /// A difference, a conflict or a finding: exit code 1.
    Found,
    /// Some inputs could not be read, which was reported already: exit code 2.
    Incomplete,
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something the user has to know.
    Error(Box<Notice>),
    /// The reader of stdout has closed it, as `head` does: no error.
    ClosedPipe,
}

pub(crate) type Result<T = Outcome> = std::result::Result<T, Failure>;

impl From<Notice> for Failure {
    fn from(notice: Notice) -> Failure {
        Failure::Error(Box::new(notice))
    }
}

impl Failure {
    /// Stdout could not be written.
    pub(crate) fn of_output(error: &io::Error) -> Failure {
        match error.kind() {
            // `| head` has read enough, which is no error.
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Notice::error(format!("cannot write to stdout: {}", plain(error))).into(),
        }
    }
}

/// The text of the operating system's error, without its number.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    // The number helps no user.
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Prints the error, if there is one, and chooses the exit code.
pub(crate) fn exit_code(result: Result) -> ExitCode {
    match result {
        Ok(Outcome::Done) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Ok(Outcome::Incomplete) => ExitCode::from(2),
        Err(Failure::Error(notice)) => {
            notice.print();
            ExitCode::from(2)
        }
    }
}
