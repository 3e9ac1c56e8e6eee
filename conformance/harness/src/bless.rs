//! `cargo xtask bless [--check]`: takes what the `upstream` dialect must answer from Kubernetes' own code, and what
//! the `kustomize` dialect must answer from kustomize.
//!
//! Only lines that start with `upstream:` or `kustomize:` change. A case that Kubernetes answers in more than one
//! way keeps its line as long as that is one of the ways; a case marked `differs:` is left alone
//! (`conformance/DIFFERENCES.md` has the reason). The tests of YAML hold answers of Go's library, which are
//! taken from it again.

mod recorded;
mod scenarios;

use std::process::ExitCode;

use serde_json::{Value, json};

use kubemerge_test_support::{
    corpus::{self, Case, CaseFile},
    reference::Reference,
    verdict::{Verdict, on_one_line},
};

pub(crate) const HELP: &str = "\
Take the upstream expectations of the corpus from Kubernetes' code (needs Go)

usage: cargo xtask bless [--check]

Asks the reference program for the answer to every case and rewrites the lines that start with `upstream:` and
`kustomize:`.
Cases marked `differs:` stay as they are. Exits 1 if an expectation is not among Kubernetes' answers.

options:
  --check   print what would change and change nothing
  --api     record the answers of kube-apiserver instead (--api --help lists the options)
";

/// The dialects whose answers the reference program knows.
const JUDGED: [&str; 2] = ["upstream", "kustomize"];

/// How often each case is asked, to find answers that are not stable.
const REPEAT: &str = "12";

/// Blesses the corpus; `--check` only says what would change.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if let Some(("--api", rest)) = arguments.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        return crate::api::bless::run(rest);
    }
    let check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => {
            eprint!("{HELP}");
            return ExitCode::from(2);
        }
    };
    let mut reference = match Reference::start() {
        Ok(reference) => reference,
        Err(unavailable) => return unavailable.report(),
    };
    match bless_all(&mut reference, check) {
        Ok(report) => report.print(check),
        Err(complaint) => {
            eprintln!("bless: {complaint}");
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Report {
    asked: usize,
    changed: Vec<String>,
    undecided: Vec<String>,
}

impl Report {
    fn print(&self, check: bool) -> ExitCode {
        for place in &self.changed {
            println!("{place}: {}", if check { "would change" } else { "changed" });
        }
        for complaint in &self.undecided {
            eprintln!("bless: {complaint}");
        }
        println!(
            "{} cases asked, {} changed, {} undecided",
            self.asked,
            self.changed.len(),
            self.undecided.len()
        );
        let clean = self.undecided.is_empty() && (!check || self.changed.is_empty());
        if clean { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn bless_all(reference: &mut Reference, check: bool) -> Result<Report, String> {
    let mut report = Report::default();
    for file in corpus::load()? {
        let text = bless_file(reference, &file, &mut report)?;
        if !check && text != file.text {
            std::fs::write(&file.path, text).map_err(|error| format!("{}: {error}", file.path.display()))?;
        }
    }
    recorded::bless_all(reference, check, &mut report)?;
    scenarios::bless_all(reference, check, &mut report)?;
    Ok(report)
}

fn bless_file(reference: &mut Reference, file: &CaseFile, report: &mut Report) -> Result<String, String> {
    let mut lines: Vec<String> = file.text.lines().map(str::to_string).collect();
    for dialect in JUDGED {
        bless_dialect(reference, file, dialect, &mut lines, report)?;
    }
    Ok(lines.join("\n") + "\n")
}

fn bless_dialect(
    reference: &mut Reference,
    file: &CaseFile,
    dialect: &str,
    lines: &mut [String],
    report: &mut Report,
) -> Result<(), String> {
    let asked: Vec<&Case> = file.cases.iter().filter(|case| wants_blessing(case, dialect)).collect();
    let requests: Vec<String> =
        asked.iter().map(|case| case.request(dialect, &[("repeat", REPEAT)])).collect();
    let replies = reference.ask(&requests)?;
    for (case, reply) in asked.into_iter().zip(replies) {
        report.asked += 1;
        let reply: Value =
            serde_json::from_str(&reply).map_err(|error| format!("{}: {error}", case.place))?;
        match decide(case, dialect, &reply) {
            Ok(wanted) => {
                let field =
                    case.fields.iter().find(|field| field.key == dialect).ok_or("no line of the dialect")?;
                let line = format!("  {dialect}: {wanted}");
                // Lines are numbered from one in messages.
                if lines[field.line - 1] != line {
                    report.changed.push(case.place.clone());
                    lines[field.line - 1] = line;
                }
            }
            Err(complaint) => report.undecided.push(format!("{}: {complaint}", case.place)),
        }
    }
    Ok(())
}

fn wants_blessing(case: &Case, dialect: &str) -> bool {
    case.get(dialect).is_some() && case.get("differs").is_none()
}

/// The text of the line: the one answer, or the one that the case had among several.
fn decide(case: &Case, dialect: &str, reply: &Value) -> Result<String, String> {
    let had = case.expected(dialect).ok_or("no expectation")?;
    let Some(variants) = reply.get("variants").and_then(Value::as_array) else {
        let is_open = leaves_the_message_open(&had, reply);
        return if is_open { Ok(line_of(case, dialect)) } else { expectation(reply) };
    };
    let chosen = variants.iter().find(|variant| Verdict::of(variant).is_some_and(|it| had.agrees(&it)));
    match chosen {
        Some(variant) => expectation(variant),
        None => {
            Err(format!("Kubernetes has {} answers; write the fixed one by hand: {reply}", variants.len()))
        }
    }
}

/// Where a message depends on the iteration of a map, the case leaves it out by hand.
fn leaves_the_message_open(had: &Verdict, reply: &Value) -> bool {
    let silent = matches!(had, Verdict::Error(fault) if fault.message.is_none() && !fault.panic);
    silent && Verdict::of(reply).is_some_and(|given| had.agrees(&given))
}

fn line_of(case: &Case, dialect: &str) -> String {
    case.get(dialect).unwrap_or_default().to_string()
}

fn expectation(reply: &Value) -> Result<String, String> {
    match Verdict::of(reply) {
        Some(Verdict::Result(_)) => Ok(on_one_line(&json!({ "result": reply["result"] }))),
        Some(Verdict::Error(fault))
            if fault.kind == "bad-request" || fault.kind.starts_with("unknown-upstream") =>
        {
            Err(format!("{}: {}", fault.kind, fault.message.unwrap_or_default()))
        }
        // What Go prints of a panic depends on addresses and lines of code.
        Some(Verdict::Error(fault)) if fault.panic => {
            Ok(on_one_line(&json!({ "error": { "kind": fault.kind, "panic": true } })))
        }
        // The message has both documents as Go prints maps, in any order.
        Some(Verdict::Error(fault)) if fault.kind == "conflict" => {
            Ok(on_one_line(&json!({ "error": { "kind": fault.kind } })))
        }
        Some(Verdict::Error(fault)) => {
            Ok(on_one_line(&json!({ "error": { "kind": fault.kind, "message": fault.message } })))
        }
        None => Err(format!("no reply: {reply}")),
    }
}
