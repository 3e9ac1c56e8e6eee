//! Every rule of the linter is documented with an example.

use std::path::Path;
use std::process::Command;

#[test]
fn every_rule_has_a_section_with_an_example() {
    let output =
        Command::new(env!("CARGO_BIN_EXE_kubemerge")).args(["lint", "--list-rules"]).output().unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let rules: Vec<&str> = listed.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/lint.md");
    let page = std::fs::read_to_string(page).unwrap();
    let sections: Vec<&str> = page.split("\n## ").skip(1).collect();
    let documented: Vec<&str> = sections.iter().filter_map(|section| section.lines().next()).collect();
    assert_eq!(documented, rules);
    for section in sections {
        let rule = section.lines().next().unwrap();
        let shown = section.contains(&format!("title={rule}::")) && section.contains("```console");
        assert!(shown, "the section of {rule} has no example that finds it");
    }
}
