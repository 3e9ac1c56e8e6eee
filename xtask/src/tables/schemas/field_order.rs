//! The order of the fields of Kubernetes' Go types, which its JSON has and no document publishes.
//!
//! A message that quotes an object quotes it in this order. The table lists the structs of stable versions, package
//! by package; structs whose order is that of the alphabet are left out.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::internal_types::{Package, qualified, read_package};

/// The folders of the Go modules that types are read from.
pub(super) struct Modules {
    pub(super) api: PathBuf,
    pub(super) machinery: PathBuf,
    pub(super) extensions: PathBuf,
    pub(super) aggregator: PathBuf,
}

/// The table of all structs.
pub(super) fn table(modules: &Modules) -> Result<String, Box<dyn Error>> {
    let meta = read_package(&modules.machinery.join("pkg/apis/meta/v1"), "metav1")?;
    let mut text = String::new();
    write_package("io.k8s.apimachinery.pkg.apis.meta.v1", &meta, &meta, &mut text)?;
    for (group, version) in stable_versions(&modules.api)? {
        let package = read_package(&modules.api.join(&group).join(&version), &group)?;
        write_package(&format!("io.k8s.api.{group}.{version}"), &package, &meta, &mut text)?;
    }
    let definitions = modules.extensions.join("pkg/apis/apiextensions/v1");
    let name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
    write_package(name, &read_package(&definitions, "apiextensions")?, &meta, &mut text)?;
    let services = modules.aggregator.join("pkg/apis/apiregistration/v1");
    let name = "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1";
    write_package(name, &read_package(&services, "apiregistration")?, &meta, &mut text)?;
    Ok(text)
}

/// The group and version of every package such as `core/v1`, sorted.
fn stable_versions(api: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let mut found = Vec::new();
    for group in folders(api)? {
        for version in folders(&api.join(&group))? {
            // Beta and alpha versions have more letters.
            if version.starts_with('v') && version[1..].bytes().all(|byte| byte.is_ascii_digit()) {
                found.push((group.clone(), version));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn folders(parent: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        if entry.path().is_dir() {
            names.extend(entry.file_name().into_string());
        }
    }
    Ok(names)
}

fn write_package(
    name: &str,
    package: &Package,
    meta: &Package,
    text: &mut String,
) -> Result<(), Box<dyn Error>> {
    let mut structs = String::new();
    for struct_name in package.structs.keys().filter(|name| !name.ends_with("List")) {
        let mut fields = Vec::new();
        flatten(package, meta, struct_name, &mut fields);
        if !fields.is_sorted() {
            writeln!(structs, "{struct_name} {}", fields.join(" "))?;
        }
    }
    if !structs.is_empty() {
        write!(text, "= {name}\n{structs}")?;
    }
    Ok(())
}

/// The fields of a struct, with those of embedded structs in their place.
fn flatten(package: &Package, meta: &Package, name: &str, fields: &mut Vec<String>) {
    for field in package.structs.get(name).into_iter().flatten() {
        let tag = field.tag.as_deref().unwrap_or_default().split(',').next().unwrap_or_default();
        if field.is_embedded && tag.is_empty() {
            match qualified("", &field.type_name) {
                ("metav1", embedded) => flatten(meta, meta, embedded, fields),
                // Packages of the standard library have no JSON fields.
                (owner, embedded) if owner != "time" => flatten(package, meta, embedded, fields),
                _ => {}
            }
        } else if !tag.is_empty() && tag != "-" {
            fields.push(tag.to_owned());
        }
    }
}
