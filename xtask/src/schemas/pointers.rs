//! Which fields of Kubernetes' Go types are pointers: the one fact about them that no document publishes.
//!
//! A line scanner is enough for these sources: every type of the API is `type Name struct {`, one field to a
//! line with its JSON name in the tag, `}` at the start of a line.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;

/// The modules that hold the types, and the start of their definitions' names.
pub(super) const MODULES: [&str; 4] = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/// Definitions and fields, e.g. `io.k8s.api.core.v1.PodSpec` and `securityContext`.
pub(super) type Pointers = BTreeSet<(String, String)>;

/// Adds the pointers of every package below a folder.
pub(super) fn scan(folder: &Path, prefix: &str, pointers: &mut Pointers) -> Result<(), Box<dyn Error>> {
    let mut structs = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            scan(&path, &format!("{prefix}.{name}"), pointers)?;
        } else if is_source(name) {
            read_structs(&fs::read_to_string(&path)?, &mut structs);
        }
    }
    for name in structs.keys() {
        let mut fields = Vec::new();
        collect(&structs, name, 0, &mut fields);
        pointers.extend(fields.into_iter().map(|field| (format!("{prefix}.{name}"), field)));
    }
    Ok(())
}

fn is_source(name: &str) -> bool {
    name.ends_with(".go") && !name.ends_with("_test.go") && !name.contains("generated")
}

/// What matters about a struct.
#[derive(Default)]
struct Struct {
    pointers: Vec<String>,
    /// Structs whose fields appear as its own.
    inlined: Vec<String>,
}

fn read_structs(source: &str, structs: &mut BTreeMap<String, Struct>) {
    let mut current: Option<(String, Struct)> = None;
    for line in source.lines() {
        match &mut current {
            None => {
                let name = line.strip_prefix("type ").and_then(|rest| rest.strip_suffix(" struct {"));
                current = name.map(|name| (name.to_owned(), Struct::default()));
            }
            Some(_) if line.starts_with('}') => structs.extend(current.take()),
            Some((_, one)) => read_field(line, one),
        }
    }
}

fn read_field(line: &str, one: &mut Struct) {
    let Some((declaration, tag)) = line.split_once('`') else { return };
    let Some(json) = tag.split_once("json:\"").and_then(|(_, rest)| rest.split_once('"')) else { return };
    let words: Vec<&str> = declaration.split_whitespace().collect();
    let name = json.0.split(',').next().unwrap_or_default();
    match words.as_slice() {
        // An embedded struct without a JSON name, with or without the word `inline`.
        [embedded] | [_, embedded] if name.is_empty() => {
            one.inlined.push(embedded.trim_start_matches('*').to_owned());
        }
        [_, kind] if kind.starts_with('*') && name != "-" => one.pointers.push(name.to_owned()),
        _ => {}
    }
}

/// The pointers of a struct and of those of its package that it inlines.
fn collect(structs: &BTreeMap<String, Struct>, name: &str, depth: usize, fields: &mut Vec<String>) {
    let Some(one) = structs.get(name).filter(|_| depth < 8) else { return };
    fields.extend(one.pointers.iter().cloned());
    one.inlined.iter().for_each(|inlined| collect(structs, inlined, depth + 1, fields));
}
