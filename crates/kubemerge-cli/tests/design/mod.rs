//! The requirements of the design documents, as data in `conformance/design`: each is executed.
//!
//! A file per document lists its requirements; `entry.rs` has the form of an entry. Commands are run by a shell in
//! a folder with the files of the entry, requests are sent to a `kubemerge serve` that reads the same files. An
//! answer under `upstream` or `spec` holds for that dialect (`$DIALECT` in commands and arguments), one under
//! `both` for each of the two, one under `any` where no dialect is named. Nothing can be left out: an entry
//! without command and request, a field that does not exist, and an answer that says nothing are errors.

#![cfg(unix)]

mod answer;
mod entry;
mod run;

use entry::Document;
use std::collections::BTreeSet;

#[test]
fn key_sets() {
    check("key-sets");
}

#[test]
fn retain_keys() {
    check("retain-keys");
}

#[test]
fn element_order() {
    check("element-order");
}

#[test]
fn openapi_extensions() {
    check("openapi-extensions");
}

#[test]
fn schema_driven_merge() {
    check("schema-driven-merge");
}

#[test]
fn the_documentation_counts_the_requirements() {
    let page = std::fs::read_to_string(entry::repository().join("docs/fidelity.md")).unwrap();
    for name in ["key-sets", "retain-keys", "element-order", "openapi-extensions", "schema-driven-merge"] {
        let row = format!("| `{name}` | {} |", entry::read(name).requirements.len());
        assert!(page.contains(&row), "docs/fidelity.md lacks {row}");
    }
}

/// Executes all entries of a document.
fn check(name: &str) {
    let document = entry::read(name);
    assert!(!document.requirements.is_empty(), "{name}.yaml has no requirements");
    check_ids(name, &document);
    let stage = run::Stage::new(&document);
    let complaints: Vec<String> = document.requirements.iter().flat_map(|one| stage.execute(one)).collect();
    assert!(complaints.is_empty(), "{} answers differ:\n{}", complaints.len(), complaints.join("\n"));
}

/// Every id names its document and is used once.
fn check_ids(name: &str, document: &Document) {
    let ids: BTreeSet<&str> = document.requirements.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids.len(), document.requirements.len(), "{name}.yaml uses an id twice");
    let number = |id: &str| id.strip_prefix(name)?.strip_prefix('/')?.parse::<u32>().ok();
    let wrong = ids.iter().find(|id| number(id).is_none());
    assert_eq!(wrong, None, "an id is `{name}/` and a number");
    let silent = document.requirements.iter().find(|one| one.says.is_empty() || one.section.is_empty());
    assert_eq!(silent.map(|one| &one.id), None, "an entry needs a section and a sentence");
}
