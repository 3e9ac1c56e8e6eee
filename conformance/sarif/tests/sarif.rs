//! SARIF output against the JSON schema of SARIF 2.1.0, which the crate serde-sarif ships, and against the types
//! that it generates from it. Asks the command that `KUBEMERGE` names.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use serde_sarif::sarif::Sarif;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn files() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/kubemerge-cli/tests/files")
}

fn sarif(file: &str) -> Value {
    sarif_of(&["-f", file], &examples())
}

fn sarif_of(arguments: &[&str], folder: &Path) -> Value {
    let output = Command::new(std::env::var_os("KUBEMERGE").expect("KUBEMERGE is the path of the command"))
        .args(["lint", "-o", "sarif"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The schema is a file of the crate, so cargo says where it is.
fn schema() -> Value {
    let version = cargo(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    // Crates of other systems have not been downloaded.
    let metadata = cargo(&["metadata", "--offline", "--format-version", "1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let package =
        metadata["packages"].as_array().unwrap().iter().find(|package| package["name"] == "serde-sarif");
    let manifest = Path::new(package.unwrap()["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    // These patterns have a bracket too many, which strict readers of regular expressions refuse. We write no
    // language.
    for definition in ["run", "toolComponent"] {
        let language = &mut schema["definitions"][definition]["properties"]["language"];
        language.as_object_mut().unwrap().remove("pattern");
    }
    schema
}

#[test]
fn logs_are_valid_by_the_schema() {
    let schema = jsonschema::options().should_validate_formats(true).build(&schema()).unwrap();
    let odd_name = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sarif of <é> 100%.yaml");
    std::fs::copy(examples().join("lint/deployment.yaml"), &odd_name).unwrap();
    let logs = [
        sarif("lint/deployment.yaml"),
        sarif("service.yaml"),
        sarif_of(&["-f", odd_name.to_str().unwrap()], &files()),
        sarif_of(&["--patch-file", "lint/patch.yaml"], &examples()),
        sarif_of(&["-f", "broken.yaml"], &files()),
    ];
    for log in &logs {
        let faults: Vec<String> =
            schema.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(faults.is_empty(), "{faults:?}\n{log}");
        assert!(!log["runs"][0]["results"].as_array().unwrap().is_empty(), "{log}");
    }
    // The schema does refuse what it does not know.
    let mut log = logs[0].clone();
    log["runs"][0]["results"][0]["level"] = "fatal".into();
    assert!(!schema.is_valid(&log));
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
