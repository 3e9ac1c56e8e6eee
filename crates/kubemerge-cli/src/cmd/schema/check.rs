//! `kubemerge schema check`: errors in OpenAPI documents and custom resource definitions.

use std::path::PathBuf;

use clap::Args;
use kubemerge_schema::check::{self, SchemaFinding, Severity};
use kubemerge_schema::{LoadErrorKind, SchemaBuilder};
use serde::Serialize;
use serde_json::Value;

use crate::args::{Format, Recurse};
use crate::input::Inputs;
use crate::load::SchemaDocument;
use crate::output::Stdout;
use crate::render::{facts, render_notices};
use crate::report::{self, Notice, Outcome, Result};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kubemerge schema check crd.yaml
  kubemerge schema check -R config/crd -o json")]
pub(crate) struct CheckArgs {
    /// OpenAPI documents and CustomResourceDefinitions: files, folders, globs or - for stdin
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Visit folders inside folders
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: Format,
}

/// The most findings of one document: each has to be looked up in the text, and no user reads more.
const MAX_FINDINGS: usize = 100;

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

pub(crate) fn run(args: &CheckArgs, inputs: &mut Inputs) -> Result {
    let mut placed = Vec::new();
    for source in inputs.read(&args.files, Recurse::from(args.recursive))? {
        for document in SchemaDocument::all(&source)? {
            placed.extend(limited(findings(&document.value)).iter().map(|finding| place(&document, finding)));
        }
    }
    let mut out = Stdout::new();
    out.text(facts(args.output, &placed, |placed| render_notices(placed.iter().map(|one| &one.notice))))?;
    out.finish()?;
    Ok(if placed.is_empty() { Outcome::Done } else { Outcome::Found })
}

/// What the check finds, and why the document does not load if that is something else.
fn findings(document: &Value) -> Vec<SchemaFinding> {
    let mut findings = check::document(document);
    // Broken rules were found by the check, with better places.
    if let Err(error) = SchemaBuilder::new().document(document)
        && error.kind() != LoadErrorKind::BrokenRule
    {
        let (path, message) = (error.path().to_owned(), error.message().to_owned());
        findings.push(SchemaFinding::new(Severity::Error, path, error.kind().name(), message));
    }
    findings
}

/// The first findings, and how many more there are.
fn limited(mut findings: Vec<SchemaFinding>) -> Vec<SchemaFinding> {
    let more = findings.len().saturating_sub(MAX_FINDINGS);
    findings.truncate(MAX_FINDINGS + 1);
    if let Some(first_more) = findings.get_mut(MAX_FINDINGS) {
        first_more.rule = "more-findings";
        first_more.message = format!("from here on there are more findings ({more})");
    }
    findings
}

fn place(document: &SchemaDocument<'_>, finding: &SchemaFinding) -> Placed {
    let excerpt = document.excerpt(&finding.path);
    let position = excerpt.position();
    let (severity, word) = match finding.severity {
        Severity::Warning => (report::Severity::Warning, "warning"),
        Severity::Error => (report::Severity::Error, "error"),
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
