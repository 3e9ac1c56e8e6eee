//! What configurations would overwrite: fields that they and other clients changed in different ways.

use kubemerge::{Change, Conflict, KubectlApplied, LAST_APPLIED, Schema, Versions, conflicts};
use kubemerge_inspect::short;
use kubemerge_schema::StrategicPatch;
use kubemerge_value::{Document, Node};

use super::applied;
use crate::load::Manifest;
use crate::render::Table;
use crate::report::{Notice, Result};

/// Conflicts, each with the object it is in.
#[derive(Default)]
pub(super) struct Conflicts(Vec<(String, Conflict)>);

impl Conflicts {
    pub(super) fn find(&mut self, schema: &Schema, config: &Manifest<'_>, current: &Vec<u8>) -> Result<()> {
        let found = overwritten(schema, config, current)?;
        self.0.extend(found.into_iter().map(|conflict| (config.identity.to_string(), conflict)));
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A row for each; the objects are named if there are several.
    pub(super) fn table(&self, objects: usize) -> Table {
        let names = ["OBJECT", "FIELD", "CONFIGURATION", "LIVE OBJECT"];
        // The column of objects says nothing if there is one.
        let from = usize::from(objects <= 1);
        let mut table = Table::new(&names[from..]);
        for (object, conflict) in &self.0 {
            let Conflict { path, wanted, current } = conflict;
            table.row(&[object.clone(), path.clone(), words(wanted), words(current)][from..]);
        }
        table
    }
}

/// What the configuration and other clients changed in different ways.
fn overwritten(schema: &Schema, config: &Manifest<'_>, current: &Vec<u8>) -> Result<Vec<Conflict>> {
    let original = last_applied(current)?;
    let modified = with_annotation(schema, config)?;
    let versions = Versions { original: &original, modified: &modified, current };
    let mut found = match schema.type_of(&config.identity.api_version, &config.identity.kind) {
        Some(ty) if ty.strategic_patch() == StrategicPatch::Accepted => {
            conflicts(ty, &versions).map_err(|error| config.fault(&error))?
        }
        _ => {
            warn_of_merge_patch(config);
            Vec::new()
        }
    };
    // kubectl changes its own annotation with every apply.
    found.retain(|conflict| !conflict.path.contains(LAST_APPLIED));
    Ok(found)
}

fn warn_of_merge_patch(config: &Manifest<'_>) {
    let kind = &config.identity.kind;
    Notice::warning(format!("--no-overwrite does nothing for {kind}"))
        .reason("kubectl sends a merge patch, which overwrites changes by other clients")
        .help("give its definition with --schema FILE, and --dialect spec")
        .print();
}

/// The configuration as kubectl sends it: what it would create.
fn with_annotation(schema: &Schema, config: &Manifest<'_>) -> Result<Vec<u8>> {
    match applied(schema, config, None)? {
        KubectlApplied::Created(object) => Ok(object),
        KubectlApplied::Configured { .. } | KubectlApplied::Unchanged => Ok(config.json.clone()),
    }
}

/// The last applied configuration in the annotation of a live object, or an empty one.
fn last_applied(live: &[u8]) -> Result<Vec<u8>> {
    let document = Document::check(live).map_err(|error| Notice::error(error.to_string()))?;
    let annotations = document.node().get("metadata").and_then(|metadata| metadata.get("annotations"));
    let text = annotations.and_then(|annotations| annotations.get(LAST_APPLIED)).and_then(Node::as_str);
    Ok(text.map_or_else(|| b"{}".to_vec(), |text| text.text().as_bytes().to_vec()))
}

fn words(change: &Change) -> String {
    match change {
        Change::Set(value) => format!("sets {}", short(value.node())),
        Change::Remove => "removes it".to_owned(),
        Change::Delete(value) => format!("deletes {}", short(value.node())),
        Change::Replace(value) => format!("replaces it by {}", short(value.node())),
    }
}
