//! SARIF output: what its results say. `conformance/sarif` holds it to the schema of SARIF.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

fn sarif(file: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
        .args(["lint", "-o", "sarif", "-f", file])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn results_have_ends_rules_and_related_locations() {
    let written = sarif("service.yaml");
    let run = &written["runs"][0];
    let region = &run["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert!(region["endColumn"].as_u64() > region["startColumn"].as_u64(), "{region}");
    let rule = &run["tool"]["driver"]["rules"][0];
    assert_eq!(rule["id"], "shared-merge-key");
    assert!(rule["shortDescription"]["text"].is_string() && rule["helpUri"].is_string(), "{rule}");
    assert_eq!(run["results"][0]["relatedLocations"][0]["message"]["text"], "the other entry");
}
