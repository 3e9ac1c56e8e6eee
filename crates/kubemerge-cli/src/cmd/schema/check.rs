//! `kubemerge schema check`: what is wrong in OpenAPI documents and custom resource definitions.

use std::path::PathBuf;

use clap::Args;
use kubemerge_schema::check::{self, Finding, Severity};
use kubemerge_schema::{LoadErrorKind, SchemaBuilder};
use serde::Serialize;
use serde_json::Value;

use crate::args::Format;
use crate::failure::{Outcome, Result};
use crate::input::{Recurse, find, read};
use crate::job::SchemaDocument;
use crate::notice::{self, Notice};
use crate::output::Output;
use crate::render::{drawn, facts};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge schema check crd.yaml
  kubemerge schema check -R config/crd -o json")]
pub(crate) struct CheckArgs {
    /// OpenAPI documents and CustomResourceDefinitions: files, folders, globs or - for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Look into folders inside folders, too
    #[arg(long, short = 'R')]
    recursive: bool,
    /// How to write the findings
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
}

/// The most findings of one document that are told: each has to be looked up in the text.
const MOST: usize = 100;

/// A finding and its place in a file.
#[derive(Debug, Serialize)]
struct Placed {
    file: String,
    line: usize,
    column: usize,
    severity: &'static str,
    rule: &'static str,
    path: String,
    message: String,
    #[serde(skip)]
    notice: Notice,
}

pub(crate) fn run(args: &CheckArgs) -> Result {
    let recurse = if args.recursive { Recurse::Yes } else { Recurse::No };
    let mut placed = Vec::new();
    for origin in find(&args.files, recurse)? {
        let source = read(&origin)?;
        for document in SchemaDocument::all(&source)? {
            placed.extend(told(findings(&document.value)).iter().map(|finding| place(&document, finding)));
        }
    }
    let mut out = Output::new();
    out.text(facts(args.output, &placed, |placed| drawn(placed.iter().map(|one| &one.notice))))?;
    out.finish()?;
    Ok(if placed.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// What the check finds, and why the document does not load if that is something else.
fn findings(document: &Value) -> Vec<Finding> {
    let mut findings = check::document(document);
    if let Err(error) = SchemaBuilder::new().document(document)
        && error.kind() != LoadErrorKind::BrokenRule
    {
        let (path, message) = (error.path().to_owned(), error.message().to_owned());
        findings.push(Finding { severity: Severity::Error, path, rule: error.kind().name(), message });
    }
    findings
}

/// The first findings, and how many more there are.
fn told(mut findings: Vec<Finding>) -> Vec<Finding> {
    let untold = findings.len().saturating_sub(MOST);
    findings.truncate(MOST + 1);
    if let Some(first_untold) = findings.get_mut(MOST) {
        first_untold.rule = "more-findings";
        first_untold.message = format!("from here on there are more findings ({untold})");
    }
    findings
}

fn place(document: &SchemaDocument<'_>, finding: &Finding) -> Placed {
    let excerpt = document.excerpt(&finding.path);
    let position = excerpt.position();
    let (severity, word) = match finding.severity {
        Severity::Warning => (notice::Severity::Warning, "warning"),
        Severity::Error => (notice::Severity::Error, "error"),
    };
    let notice = Notice::new(severity, finding.message.as_str()).code(finding.rule).at(excerpt);
    Placed {
        file: document.name().to_owned(),
        line: position.line,
        column: position.column,
        severity: word,
        rule: finding.rule,
        path: finding.path.clone(),
        message: finding.message.clone(),
        notice,
    }
}
