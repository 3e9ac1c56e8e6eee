//! `cargo xtask release-check`: what a release needs and a build does not ask for.

use std::fs;
use std::process::ExitCode;

use crate::krew;

pub(crate) const HELP: &str = "\
Refuse a release that lacks its address, its section in the changelog, or one version everywhere

usage: cargo xtask release-check

Reads Cargo.toml, CHANGELOG.md and the manifests of the packages for other languages. Prints what is missing, with the
file, and exits 1.
";

/// Manifests outside of the workspace, and how the line with their version begins.
const OTHER_MANIFESTS: [(&str, &str); 3] = [
    ("bindings/python/Cargo.toml", "version = "),
    ("bindings/wasm/Cargo.toml", "version = "),
    ("bindings/js/package.json", "  \"version\": "),
];

/// Runs the task.
pub(crate) fn run(_: &[String]) -> ExitCode {
    let missing = missing(env!("CARGO_PKG_VERSION"), &|file| {
        fs::read_to_string(kubemerge_test_support::root().join(file)).map_err(|error| error.to_string())
    });
    for line in &missing {
        eprintln!("xtask release-check: {line}");
    }
    if missing.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What a release of this version lacks, by what is in the files of the repository.
fn missing(version: &str, read: &dyn Fn(&str) -> Result<String, String>) -> Vec<String> {
    let mut missing = Vec::new();
    let mut demand = |file: &str, cure: &str, holds: &dyn Fn(&str) -> bool| match read(file) {
        Ok(text) if holds(&text) => {}
        Ok(_) => missing.push(format!("{file}: {cure}")),
        Err(error) => missing.push(format!("{file}: {error}")),
    };
    demand("Cargo.toml", "fill in `repository` in [workspace.package]", &|text| {
        krew::repository_of(text).is_some()
    });
    // A heading such as `## 0.1.0 (2027-01-31)`; one that says "not released yet" has no date.
    demand("CHANGELOG.md", &format!("write a section `## {version} (date of the release)`"), &|text| {
        let heading = format!("## {version} (");
        let dates = text.lines().filter_map(|line| line.strip_prefix(&heading));
        dates.filter_map(|date| date.chars().next()).any(|first| first.is_ascii_digit())
    });
    for (file, name) in OTHER_MANIFESTS {
        demand(file, &format!("its version is to be {version}"), &|text| {
            let found = text.lines().find_map(|line| line.strip_prefix(name));
            found.is_some_and(|found| found.trim_end_matches(',').trim_matches('"') == version)
        });
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(repository: &str, heading: &str, version: &str) -> impl Fn(&str) -> Result<String, String> {
        let [manifest, changelog, package] = [
            format!("[workspace.package]\nrepository = \"{repository}\"\nversion = \"{version}\"\n"),
            format!("# Changelog\n\n{heading}\n"),
            format!("{{\n  \"version\": \"{version}\",\n}}\n"),
        ];
        move |file| match file {
            "CHANGELOG.md" => Ok(changelog.clone()),
            _ if file.ends_with(".json") => Ok(package.clone()),
            _ => Ok(manifest.clone()),
        }
    }

    #[test]
    fn a_complete_release_passes() {
        let read = files("https://git.example/kubemerge", "## 1.2.3 (2027-01-31)", "1.2.3");
        assert_eq!(missing("1.2.3", &read), Vec::<String>::new());
    }

    #[test]
    fn what_is_missing_is_named_with_its_file() {
        let read = files("", "## 1.2.3 (not released yet)", "1.2.2");
        let found = missing("1.2.3", &read);
        let files: Vec<&str> = found.iter().map(|line| line.split(':').next().unwrap_or_default()).collect();
        let wanted = ["Cargo.toml", "CHANGELOG.md"].into_iter().chain(OTHER_MANIFESTS.map(|(file, _)| file));
        assert_eq!(files, wanted.collect::<Vec<_>>());
    }
}
