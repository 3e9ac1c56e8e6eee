//! How a command ends: done, something found, or failed.

use std::io;
use std::process::ExitCode;

use crate::input::plain;
use crate::notice::Notice;

/// How a command that did its work ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing to report: exit code 0.
    Done,
    /// A difference, a conflict or a finding: exit code 1.
    Found,
}

/// Why a command could not do its work: exit code 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something the user has to know.
    Told(Box<Notice>),
    /// Whoever reads standard output has gone: nothing is wrong.
    ClosedPipe,
}

pub(crate) type Result<T = Outcome> = std::result::Result<T, Failure>;

impl From<Notice> for Failure {
    fn from(notice: Notice) -> Failure {
        Failure::Told(Box::new(notice))
    }
}

impl Failure {
    /// Standard output could not be written.
    pub(crate) fn of_output(error: &io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Notice::error(format!("cannot write to standard output: {}", plain(error))).into(),
        }
    }
}

/// Says what is to be said and chooses the exit code.
pub(crate) fn exit_code(result: Result) -> ExitCode {
    match result {
        Ok(Outcome::Done) | Err(Failure::ClosedPipe) => ExitCode::SUCCESS,
        Ok(Outcome::Found) => ExitCode::from(1),
        Err(Failure::Told(notice)) => {
            notice.say();
            ExitCode::from(2)
        }
    }
}
