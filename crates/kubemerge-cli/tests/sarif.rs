//! SARIF output against the types that serde-sarif generates from the schema of SARIF 2.1.0.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use serde_sarif::sarif::Sarif;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn sarif(file: &str) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_kubemerge"))
        .args(["lint", "-o", "sarif", file])
        .current_dir(examples())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Fields that are missing fail to parse, and unknown ones would be lost on the way back.
#[test]
fn every_field_is_one_of_the_schema() {
    for file in ["lint/deployment.yaml", "service.yaml"] {
        let written = sarif(file);
        let log: Sarif = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(serde_json::to_value(log).unwrap(), written, "{file}");
    }
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
