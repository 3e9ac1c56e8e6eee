//! What test programs say about their tests: reports of Ginkgo and the log of Go's test runner.

use serde_json::Value;

use super::outcome::{Outcome, Outcomes};

/// Adds the tests that are not specs: `--- PASS: TestName (0.00s)`. The test that runs the specs is one of them.
pub(super) fn read_log(package: &str, log: &str, outcomes: &mut Outcomes) {
    for line in log.lines() {
        let line = line.trim_start();
        let outcome = match (line.strip_prefix("--- PASS: "), line.strip_prefix("--- FAIL: ")) {
            (Some(rest), _) => (rest, Outcome::Passed),
            (_, Some(rest)) => (rest, Outcome::Failed),
            _ => continue,
        };
        let name = outcome.0.split(' ').next().unwrap_or_default();
        outcomes.add(format!("{package}: {name}"), outcome.1);
    }
}

/// Adds the specs of a report of Ginkgo.
pub(super) fn read_report(package: &str, text: &[u8], outcomes: &mut Outcomes) -> Result<(), String> {
    let suites: Value = serde_json::from_slice(text).map_err(|error| format!("{package}: {error}"))?;
    let reports = suites.as_array().into_iter().flatten().filter_map(|suite| suite["SpecReports"].as_array());
    for report in reports.flatten() {
        let outcome = match report["State"].as_str().unwrap_or_default() {
            // Set-ups have no text; they count where they fail.
            "passed" if report["LeafNodeType"] != "It" => continue,
            "passed" => Outcome::Passed,
            "skipped" | "pending" => continue,
            _ => Outcome::Failed,
        };
        outcomes.add(format!("{package}: {}", spec_name(report)), outcome);
    }
    Ok(())
}

/// The texts around a spec and its own, or what else it is, such as the set-up of its suite.
fn spec_name(report: &Value) -> String {
    let around = report["ContainerHierarchyTexts"].as_array().cloned().unwrap_or_default();
    let mut words: Vec<&str> = around.iter().filter_map(Value::as_str).collect();
    let own = report["LeafNodeText"].as_str().unwrap_or_default();
    words.push(if own.is_empty() { report["LeafNodeType"].as_str().unwrap_or_default() } else { own });
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_of_ginkgo_are_read() {
        let spec = |texts: &[&str], state: &str| json!({"ContainerHierarchyTexts": texts, "LeafNodeType": "It", "LeafNodeText": "works", "State": state});
        let set_up = |state: &str| json!({"LeafNodeType": "BeforeSuite", "LeafNodeText": "", "State": state});
        let report = json!([{"SpecReports":
            [spec(&["Client", "Get"], "passed"), spec(&["x"], "skipped"), set_up("failed"), set_up("passed")]}]);
        let mut outcomes = Outcomes::default();
        read_report("pkg/client", report.to_string().as_bytes(), &mut outcomes).unwrap();
        assert_eq!((outcomes.passed(), outcomes.len()), (1, 2));
        assert_eq!(outcomes.failed().collect::<Vec<_>>(), ["pkg/client: BeforeSuite"]);
        let log = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/sub (0.01s)\n";
        read_log("pkg/client", log, &mut outcomes);
        assert_eq!((outcomes.passed(), outcomes.len()), (2, 4));
    }
}
