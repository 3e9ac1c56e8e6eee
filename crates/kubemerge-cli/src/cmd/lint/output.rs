//! Findings as text, JSON, SARIF or annotations.

use kubemerge_inspect::{FindingSeverity, RULES};
use serde::Serialize;

use super::LintFormat;
use crate::args::Format;
use crate::output::Stdout;
use crate::render::{Table, facts, github, render_notices, sarif};
use crate::report::{Excerpt, Notice, Result, Severity};

/// A finding for programs.
#[derive(Debug, Serialize)]
struct Fact<'n> {
    file: &'n str,
    line: usize,
    column: usize,
    severity: &'static str,
    code: &'static str,
    message: &'n str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'n str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'n str>,
}

pub(super) fn write(format: LintFormat, findings: &[Notice]) -> Result<()> {
    let mut out = Stdout::new();
    match format {
        LintFormat::Text => out.text(render_notices(findings.iter()))?,
        LintFormat::Json => {
            let listed: Vec<Fact<'_>> = findings.iter().map(fact).collect();
            out.text(facts(Format::Json, &listed, |_| String::new()))?;
        }
        LintFormat::Sarif => out.text(facts(Format::Json, &sarif(findings), |_| String::new()))?,
        LintFormat::Github => out.text(github(findings))?,
    }
    out.finish()
}

fn fact(notice: &Notice) -> Fact<'_> {
    // The first excerpt is the place of the finding; others are related.
    let excerpt = notice.excerpts.first();
    let position = excerpt.map(Excerpt::position);
    Fact {
        file: excerpt.map_or("", |excerpt| excerpt.name()),
        // Lines and columns count from 1, so 0 says that there is none.
        line: position.map_or(0, |position| position.line),
        column: position.map_or(0, |position| position.column),
        severity: if notice.severity == Severity::Error { "error" } else { "warning" },
        code: notice.code.unwrap_or_default(),
        message: &notice.title,
        reason: notice.reason.as_deref(),
        help: notice.help.as_deref(),
    }
}

pub(super) fn list_rules() -> Result<()> {
    let mut table = Table::new(&["RULE", "SEVERITY", "FINDS"]);
    for rule in RULES {
        let severity = match rule.severity {
            FindingSeverity::Warning => "warning",
            FindingSeverity::Error => "error",
        };
        table.row(&[rule.code, severity, rule.summary]);
    }
    let mut out = Stdout::new();
    out.text(table)?;
    out.finish()
}
