//! Tells when the API server would refuse a result: shared by the commands that compute objects.

use clap::Args;
use kubemerge_inspect::RefusalCause;

use crate::input::{Inputs, Secrets};
use crate::load::Identity;
use crate::report::{Notice, Outcome, Severity};

/// More causes than this of one object are counted only.
const MAX_SHOWN_CAUSES: usize = 20;

#[derive(Debug, Args)]
pub(super) struct RefusalOptions {
    /// Exit 1 if the API server would refuse a result, and write no result
    #[arg(long)]
    strict: bool,
}

/// A result that the API server would refuse.
pub(super) struct RefusedResult {
    /// What is refused, as messages name it.
    pub(super) title: String,
    pub(super) causes: Vec<RefusalCause>,
}

/// Whether results may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Write,
    Stop,
}

impl RefusalOptions {
    /// Prints what the API server would say, as warnings or, if it stops the command, as errors.
    pub(super) fn report(&self, refused: &[RefusedResult]) -> Verdict {
        let severity = if self.strict { Severity::Error } else { Severity::Warning };
        for RefusedResult { title, causes } in refused {
            for cause in causes.iter().take(MAX_SHOWN_CAUSES) {
                let said = sentence(cause);
                let refuser = cause.refuser();
                Notice::new(severity, format!("{title}: {refuser} would refuse the result: {said}")).print();
            }
            if let more @ 1.. = causes.len().saturating_sub(MAX_SHOWN_CAUSES) {
                Notice::new(severity, format!("{title}: and {more} more")).print();
            }
        }
        if self.strict && !refused.is_empty() { Verdict::Stop } else { Verdict::Write }
    }

    /// Prints what a merge does not do as the design documents want it: as warnings or, if it stops the command, as
    /// errors.
    pub(super) fn report_findings(&self, findings: Vec<Notice>) -> Verdict {
        let stops = self.strict && !findings.is_empty();
        let severity = if stops { Severity::Error } else { Severity::Warning };
        findings.into_iter().for_each(|finding| Notice { severity, ..finding }.print());
        if stops { Verdict::Stop } else { Verdict::Write }
    }

    /// How a command ends that has shown the refusals itself.
    pub(super) fn outcome(&self, refused: bool) -> Outcome {
        if self.strict && refused { Outcome::Found } else { Outcome::Done }
    }
}

/// The API server's words, with the field that they are about.
pub(super) fn sentence(cause: &RefusalCause) -> String {
    // Some messages go on with a diff of Go's structs, which machine-readable output has in full.
    let words = cause.message.lines().next().unwrap_or_default();
    match cause.field.as_str() {
        "" => words.to_owned(),
        field => format!("{field}: {words}"),
    }
}

/// Hides the values of Secrets, which messages may repeat.
pub(super) fn mask(mut causes: Vec<RefusalCause>, inputs: &Inputs, object: &Identity) -> Vec<RefusalCause> {
    if inputs.secrets() == Secrets::Masked && object.is_secret() {
        causes.iter_mut().for_each(|cause| cause.message = format!("{} (***)", cause.reason));
    }
    causes
}
