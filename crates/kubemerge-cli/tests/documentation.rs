//! The documentation is complete: links lead somewhere, the book has every page, the reference every command.

use std::path::{Path, PathBuf};
use std::process::Command;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages in docs/, and the texts that link to them.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    pages.sort();
    pages
}

/// The READMEs of the crates are tested where they are (doctests of kubemerge, tests of the server).
#[test]
fn examples_in_rust_are_those_of_the_crates() {
    let of_crate = |name: &str| read(&repository().join("crates").join(name).join("README.md"));
    let tested = [of_crate("kubemerge"), of_crate("kubemerge-server")].concat();
    let readme = read(&repository().join("README.md"));
    let examples: Vec<&str> =
        readme.split("\n```rust").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert!(examples.iter().any(|example| tested.contains(example)), "README has no example of a crate");
    let foreign: Vec<&&str> = examples
        .iter()
        // The first lines of the server's example, shown where README begins.
        .filter(|example| !example.contains("kubemerge_server::ApiServer::builder()"))
        .filter(|example| !tested.contains(**example))
        .collect();
    assert!(foreign.is_empty(), "not in the README of a crate: {foreign:#?}");
}

#[test]
fn links_lead_somewhere() {
    let others = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "bindings/js/README.md"];
    let others = others.into_iter().chain(["bindings/python/README.md", "bindings/go/README.md"]);
    let mut broken = Vec::new();
    for page in pages().into_iter().chain(others.map(|name| repository().join(name))) {
        for link in links(&read(&page)) {
            if !leads_somewhere(&page, &link) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The targets of `[text](target)` outside of code.
fn links(text: &str) -> Vec<String> {
    let mut is_code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if !is_code {
            let targets = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            found.extend(targets.map(|(target, _)| target.to_owned()));
        }
    }
    found
}

fn leads_somewhere(page: &Path, link: &str) -> bool {
    if link.contains("://") || link.starts_with("mailto:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if file.is_empty() { page.to_owned() } else { page.parent().unwrap().join(file) };
    if anchor.is_empty() || target.extension().is_none_or(|ending| ending != "md") {
        return target.exists();
    }
    target.exists()
        && read(&target).lines().filter(|line| line.starts_with('#')).any(|line| slug(line) == anchor)
}

/// The anchor of a heading, as the sites that show Markdown make it.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

#[test]
fn the_book_has_every_page() {
    let summary = links(&read(&repository().join("docs/SUMMARY.md")));
    for page in pages() {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name == "SUMMARY.md" || summary.contains(&name), "docs/SUMMARY.md does not have {name}");
    }
}

#[test]
fn the_reference_has_every_command() {
    // The texts themselves are compared as all console blocks are.
    let reference = read(&repository().join("docs/reference.md"));
    for command in commands(&[]).into_iter().filter(|name| name != "help") {
        let below = if command == "schema" { commands(&["schema"]) } else { Vec::new() };
        for words in std::iter::once(command.clone()).chain(below.iter().map(|verb| format!("schema {verb}")))
        {
            let asked = format!("$ kubemerge {words} --help\n");
            assert!(
                words.ends_with("help") || reference.contains(&asked),
                "docs/reference.md lacks `{words}`"
            );
        }
    }
}

/// The names that a `--help` lists under `Commands:`.
fn commands(words: &[&str]) -> Vec<String> {
    let run = Command::new(env!("CARGO_BIN_EXE_kubemerge")).args(words).arg("--help").output().unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let lines = text.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<String> = lines
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .collect();
    assert!(!names.is_empty(), "{text}");
    names
}
