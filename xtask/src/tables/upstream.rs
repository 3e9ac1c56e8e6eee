//! The table of what decides about each kind in Kubernetes' sources: files, and a hash of what the kind reaches in each.
//!
//! After a new version the table shows which kinds changed and must be read again. A hash covers the declarations of a
//! file that those about the kind lead to in their package, without comments: a change of pods is one of `Pod`, not of
//! every kind with a pod template, whose validation is in another package.

mod declarations;

use std::{
    collections::{BTreeMap, BTreeSet},
    error::Error,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use declarations::Package;
use kubemerge_test_support::root;
use serde_json::Value;

const TABLE: &str = "conformance/upstream-files.txt";

/// Files with hashes, by kind, such as `apps/Deployment`.
pub(super) type Kinds = BTreeMap<String, BTreeMap<String, String>>;

/// The folders of the Go modules that are read.
pub(super) struct Modules {
    pub(super) kubernetes: PathBuf,
    /// Definitions and their rules.
    pub(super) extensions: PathBuf,
    /// APIServices and their rules.
    pub(super) aggregator: PathBuf,
}

/// The table of a version.
pub(super) fn read(modules: &Modules) -> Result<Kinds, Box<dyn Error>> {
    let mut kinds = Kinds::new();
    for ((group, kind), versions) in served(&modules.kubernetes.join("api/discovery"))? {
        let files = files_of(modules, &group, &kind, &versions)?;
        // Kinds without rules of their own, such as Scale, have nothing to read.
        if !files.is_empty() {
            kinds.insert(format!("{}/{kind}", if group.is_empty() { "core" } else { &group }), files);
        }
    }
    Ok(kinds)
}

/// The table in the repository.
pub(super) fn stored() -> Kinds {
    let text = fs::read_to_string(root().join(TABLE)).unwrap_or_default();
    let mut kinds = Kinds::new();
    let mut current = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("  ").and_then(|line| line.split_once(' ')) {
            Some((file, hash)) => {
                kinds.entry(current.clone()).or_default().insert(file.to_owned(), hash.to_owned());
            }
            None => current = line.to_owned(),
        }
    }
    kinds
}

/// Writes the table of a version.
pub(super) fn write(patch: &str, kinds: &Kinds) -> Result<(), Box<dyn Error>> {
    let mut text = format!(
        "# Files of Kubernetes {patch} that decide about each kind, with a hash of what it reaches in them.\n\
         # `cargo xtask kubernetes` writes it and lists the kinds that changed.\n"
    );
    for (kind, files) in kinds {
        writeln!(text, "{kind}")?;
        for (file, hash) in files {
            writeln!(text, "  {file} {hash}")?;
        }
    }
    Ok(fs::write(root().join(TABLE), text)?)
}

/// What is to be read again, as text: a kind a line, with the files that changed.
pub(super) fn difference(before: &Kinds, after: &Kinds) -> String {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let nothing = BTreeMap::new();
    let mut text = String::new();
    let (mut changed, mut same) = (0, 0);
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        let (old_files, new_files) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
        let files: BTreeSet<&String> = old_files.keys().chain(new_files.keys()).collect();
        let files: Vec<&str> = files
            .into_iter()
            .filter(|file| old_files.get(*file) != new_files.get(*file))
            .map(String::as_str)
            .collect();
        match (old, new) {
            _ if files.is_empty() => same += 1,
            (None, _) => _ = writeln!(text, "  {name}: new"),
            (_, None) => _ = writeln!(text, "  {name}: gone"),
            _ => _ = writeln!(text, "  {name}: {}", files.join(", ")),
        }
        changed += usize::from(!files.is_empty());
    }
    format!("{changed} kinds changed and must be read again, {same} did not:\n{text}")
}

/// Group and kind of everything that is served, with the versions.
fn served(discovery: &Path) -> Result<BTreeMap<(String, String), BTreeSet<String>>, Box<dyn Error>> {
    let mut found: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for entry in fs::read_dir(discovery)? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let document: Value = serde_json::from_slice(&fs::read(&path)?)?;
        let group_version = document["groupVersion"].as_str().unwrap_or_default();
        let (group, version) = group_version.rsplit_once('/').unwrap_or(("", group_version));
        for resource in document["resources"].as_array().into_iter().flatten() {
            let name = resource["name"].as_str().unwrap_or_default();
            let kind = resource["kind"].as_str().unwrap_or_default();
            if !name.contains('/') {
                found.entry((group.to_owned(), kind.to_owned())).or_default().insert(version.to_owned());
            }
        }
    }
    Ok(found)
}

/// Where a group has its rules: the module, its name for messages, and the folder of the group.
fn home<'m>(modules: &'m Modules, group: &str) -> (&'m Path, &'static str, String) {
    match group {
        "apiextensions.k8s.io" => {
            (&modules.extensions, "apiextensions-apiserver/", "apiextensions".to_owned())
        }
        "apiregistration.k8s.io" => (&modules.aggregator, "kube-aggregator/", "apiregistration".to_owned()),
        "" => (&modules.kubernetes, "", "core".to_owned()),
        "internal.apiserver.k8s.io" => (&modules.kubernetes, "", "apiserverinternal".to_owned()),
        // The core group has the types of both.
        "events.k8s.io" => (&modules.kubernetes, "", "core".to_owned()),
        _ => (&modules.kubernetes, "", group.split('.').next().unwrap_or(group).to_owned()),
    }
}

/// The folder of a kind in the registry.
fn registry_folder(module: &str, group_folder: &str, kind: &str) -> String {
    let folder = match kind {
        "Endpoints" => "endpoint".to_owned(),
        "CertificateSigningRequest" => "certificates".to_owned(),
        "StorageVersionMigration" => "storagemigration".to_owned(),
        _ => kind.to_lowercase(),
    };
    match module {
        "" => format!("pkg/registry/{group_folder}/{folder}"),
        _ => format!("pkg/registry/{folder}"),
    }
}

fn files_of(
    modules: &Modules,
    group: &str,
    kind: &str,
    versions: &BTreeSet<String>,
) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let (module, module_name, folder) = home(modules, group);
    let mut files = BTreeMap::new();
    let mut add = |folder: &str, is_root: &dyn Fn(&str) -> bool| -> Result<(), Box<dyn Error>> {
        for (file, text) in Package::read(&module.join(folder))?.reached(is_root) {
            files.insert(format!("{module_name}{folder}/{file}"), hash(&text));
        }
        Ok(())
    };
    let registry = registry_folder(module_name, &folder, kind);
    add(&registry, &|_| true)?;
    add(&format!("{registry}/storage"), &|_| true)?;
    let apis = format!("pkg/apis/{folder}");
    let validates = format!("Validate{kind}");
    add(&format!("{apis}/validation"), &|name| name.starts_with(&validates))?;
    let (of_kind, converts) = (format!("_{kind}"), format!("_{kind}_To_"));
    for version in versions {
        add(&format!("{apis}/{version}"), &|name| name.ends_with(&of_kind) || name.contains(&converts))?;
    }
    // Types alone decide nothing that the tables of fields do not have.
    if !files.is_empty() {
        for (file, text) in Package::read(&module.join(&apis))?.reached(|name| name == kind) {
            files.insert(format!("{module_name}{apis}/{file}"), hash(&text));
        }
    }
    Ok(files)
}

/// FNV-1a: the same on every machine; nothing depends on its being hard to forge.
fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(rows: &[(&str, &[(&str, &str)])]) -> Kinds {
        let files = |files: &[(&str, &str)]| {
            files.iter().map(|(file, hash)| ((*file).to_owned(), (*hash).to_owned())).collect()
        };
        rows.iter().map(|(kind, rows)| ((*kind).to_owned(), files(rows))).collect()
    }

    #[test]
    fn changed_new_and_lost_kinds_are_listed() {
        let before = kinds(&[
            ("a/A", &[("x.go", "1"), ("y.go", "1")]),
            ("a/B", &[("x.go", "1")]),
            ("a/C", &[("x.go", "1")]),
        ]);
        let after = kinds(&[
            ("a/A", &[("x.go", "2"), ("y.go", "1")]),
            ("a/C", &[("x.go", "1")]),
            ("a/D", &[("x.go", "1")]),
        ]);
        let wanted =
            "3 kinds changed and must be read again, 1 did not:\n  a/A: x.go\n  a/B: gone\n  a/D: new\n";
        assert_eq!(difference(&before, &after), wanted);
    }

    #[test]
    fn the_table_names_every_kind_with_rules() {
        let kinds = stored();
        for kind in ["core/Pod", "apps/Deployment", "apiextensions.k8s.io/CustomResourceDefinition"] {
            let files = kinds.get(kind).unwrap_or_else(|| panic!("{kind} is not in {TABLE}"));
            let has = |part: &str| files.keys().any(|file| file.contains(part));
            assert!(
                has("strategy.go") && has("validation") && has("types.go") && has("defaults"),
                "{kind}: {files:?}"
            );
        }
    }
}
