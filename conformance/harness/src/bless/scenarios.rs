//! The scenarios of server-side apply: one answer per step.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::Report;
use kubemerge_test_support::reference::Reference;
use kubemerge_test_support::scenario::cases::{self, CaseFile};

#[derive(Deserialize)]
struct Reply<'a> {
    #[serde(borrow, default)]
    result: Vec<&'a RawValue>,
}

/// Takes the answer to every step from the reference program.
pub(super) fn bless_all(reference: &mut Reference, check: bool, report: &mut Report) -> Result<(), String> {
    let conformance = kubemerge_test_support::root().join("conformance");
    let schema = conformance.join("ssa-schema.json");
    let schema =
        std::fs::read_to_string(&schema).map_err(|error| format!("{}: {error}", schema.display()))?;
    let schema: serde_json::Value = serde_json::from_str(&schema).map_err(|error| error.to_string())?;
    for mut file in cases::load(&conformance) {
        let before = file.lines.clone();
        bless_file(reference, &schema, &mut file, report)?;
        if !check && file.lines != before {
            let text = file.lines.join("\n") + "\n";
            std::fs::write(&file.path, text).map_err(|error| format!("{}: {error}", file.path.display()))?;
        }
    }
    Ok(())
}

fn bless_file(
    reference: &mut Reference,
    schema: &serde_json::Value,
    file: &mut CaseFile,
    report: &mut Report,
) -> Result<(), String> {
    let request = |scenario| json!({"op": "ssa", "schema": schema, "scenario": scenario}).to_string();
    let requests: Vec<String> = file.cases.iter().map(|case| request(&case.scenario)).collect();
    for (case, reply) in file.cases.iter().zip(reference.ask(&requests)?) {
        report.asked += 1;
        let answers = serde_json::from_str::<Reply<'_>>(&reply).map_err(|error| error.to_string())?.result;
        // The program stopped at a step that the case does not expect to fail.
        if answers.len() != case.answers.len() {
            report.undecided.push(format!("{}: {reply}", case.place));
            continue;
        }
        let mut has_changed = false;
        for (line, answer) in case.answers.iter().zip(answers) {
            let wanted = format!("  upstream: {}", answer.get());
            has_changed |= file.lines[*line] != wanted;
            file.lines[*line] = wanted;
        }
        if has_changed {
            report.changed.push(case.place.clone());
        }
    }
    Ok(())
}
