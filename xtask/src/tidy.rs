//! Rules of the repository that no compiler checks.
//!
//! Every rule is a function from the tracked files to a list of complaints.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

/// Only these files may hold `unsafe` code.
const UNSAFE_ALLOWED: &[&str] = &["crates/kubemerge-value/src/scan/simd.rs"];

/// Runs every rule; complaints go to standard error.
pub(crate) fn run(_arguments: &[String]) -> ExitCode {
    let mut complaints = complaints(&repository_root());
    complaints.extend(crate::corpus::complaints());
    for complaint in &complaints {
        eprintln!("tidy: {complaint}");
    }
    if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn repository_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_path_buf()
}

fn complaints(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in tracked_files(root) {
        let Ok(text) = std::fs::read_to_string(root.join(&file)) else { continue };
        if file.ends_with(".rs") {
            found.extend(module_without_doc(&file, &text));
            found.extend(unsafe_outside_its_module(&file, &text));
        }
        found.extend(left_overs(&file, &text));
    }
    found
}

fn tracked_files(root: &Path) -> Vec<String> {
    let output = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output().expect("git runs");
    String::from_utf8_lossy(&output.stdout)
        .split('\0')
        .filter(|f| !f.is_empty())
        .map(str::to_string)
        .collect()
}

fn module_without_doc(file: &str, text: &str) -> Option<String> {
    let documented = text.lines().any(|line| line.starts_with("//!"));
    (!documented).then(|| format!("{file}: a module starts with `//!`: what it does and where it stands"))
}

fn unsafe_outside_its_module(file: &str, text: &str) -> Option<String> {
    let keyword = concat!("unsafe", " ");
    let line = text.lines().position(|line| {
        let code = line.split("//").next().unwrap_or_default();
        code.contains(&format!("{keyword}{{"))
            || code.contains(&format!("{keyword}fn"))
            || code.contains(&format!("{keyword}impl"))
    })?;
    (!UNSAFE_ALLOWED.contains(&file))
        .then(|| format!("{file}:{}: unsafe code outside its one module", line + 1))
}

fn left_overs(file: &str, text: &str) -> Vec<String> {
    let marks = [concat!("FIX", "ME"), concat!("TO", "DO:"), concat!("dbg", "!(")];
    text.lines()
        .enumerate()
        .filter(|(_, line)| marks.iter().any(|mark| line.contains(mark)))
        .map(|(at, _)| format!("{file}:{}: a left-over mark", at + 1))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        assert_eq!(complaints(&repository_root()), Vec::<String>::new());
    }

    #[test]
    fn every_rule_has_a_case() {
        assert_eq!(crate::corpus::complaints(), Vec::<String>::new());
    }

    #[test]
    fn an_unsafe_block_elsewhere_is_found() {
        let text = concat!("//! m\nfn f() { unsafe", " { } }");
        assert!(unsafe_outside_its_module("crates/x/src/lib.rs", text).is_some());
    }

    #[test]
    fn a_module_without_doc_is_found() {
        assert!(module_without_doc("a.rs", "fn f() {}").is_some());
    }
}
