//! Invariants of ARCHITECTURE.md and CONTRIBUTING.md that a search can check.

use super::complaint::Complaint;
use super::repository::{Repository, TextFile};
use super::rust::lexer::{TokenKind, tokens, without_tests};

/// What every library denies outside its tests, as it is written in its `lib.rs`: no panics, no output of its own,
/// and nothing that clippy.toml disallows.
const LIBRARY_LINTS: &str = "\
#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
";
const NO_UNSAFE: &str = "#![forbid(unsafe_code)]\n";
/// The only package with `unsafe` code, which its `scan/simd.rs` alone allows.
const HAS_UNSAFE: &str = "crates/kubemerge-value/";
/// The only file that knows how directives are spelled.
const DIRECTIVES_ALLOWED: &str = "crates/kubemerge-strategic/src/directive.rs";
/// Findings, explanations and the command show directives to users.
const SHOWS_DIRECTIVES: [&str; 2] = ["crates/kubemerge-inspect/", "crates/kubemerge-cli/"];
const DIRECTIVES: [&str; 4] = ["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"];
/// Documents that every user looks for.
const REQUIRED: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"];
const MAX_ARCHITECTURE_LINES: usize = 199;
const MAX_ARCHITECTURE_WIDTH: usize = 200;

/// Hosts of package registries: builds use whatever the machine is set up for. Written in halves, so that
/// this file passes its own check.
const REGISTRY_HOSTS: [&str; 6] = [
    concat!("crates", ".io"),
    concat!("npmjs", ".org"),
    concat!("npmjs", ".com"),
    concat!("pypi", ".org"),
    concat!("python", "hosted.org"),
    concat!("proxy.", "golang.org"),
];
/// Folders that exist on one machine only.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/", "work/"), concat!("/", "home/"), concat!("/", "root/"), concat!("/", "Users/")];
/// Marks of unfinished work.
const LEFT_OVERS: [&str; 2] = [concat!("FIX", "ME"), concat!("TO", "DO:")];

/// Runs every search.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = missing_documents(repository);
    for file in &repository.files {
        if file.path.ends_with(".rs") {
            complaints.extend(module_without_doc(file));
            complaints.extend(library_lints(file));
            complaints.extend(directives(file));
        }
        // Lock files name where packages came from.
        if !file.path.ends_with(".lock") && !file.path.ends_with("go.sum") {
            complaints.extend(forbidden_texts(file));
        }
    }
    complaints
}

fn missing_documents(repository: &Repository) -> Vec<Complaint> {
    let missing = REQUIRED.iter().filter(|path| repository.file(path).is_none());
    let mut complaints: Vec<Complaint> = missing.map(|path| Complaint::new(*path, "is missing")).collect();
    complaints.extend(repository.file("ARCHITECTURE.md").into_iter().flat_map(too_long));
    complaints
}

/// ARCHITECTURE.md is read from top to bottom, in any editor.
fn too_long(file: &TextFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let lines = file.text.lines().count();
    if lines > MAX_ARCHITECTURE_LINES {
        let what = format!("has {lines} lines, more than {MAX_ARCHITECTURE_LINES}");
        complaints.push(Complaint::new(&file.path, what));
    }
    for (at, line) in file.text.lines().enumerate() {
        if line.chars().count() > MAX_ARCHITECTURE_WIDTH {
            let what = format!("more than {MAX_ARCHITECTURE_WIDTH} characters");
            complaints.push(Complaint::on_line(&file.path, at + 1, what));
        }
    }
    complaints
}

fn module_without_doc(file: &TextFile) -> Option<Complaint> {
    let documented = file.text.lines().any(|line| line.starts_with("//!"));
    (!documented)
        .then(|| Complaint::new(&file.path, "a module starts with `//!`: what it does and where it is used"))
}

fn library_lints(file: &TextFile) -> Option<Complaint> {
    let is_next = file.path.starts_with("crates/kubemerge-server/");
    if is_next || !file.path.starts_with("crates/") || !file.path.ends_with("/src/lib.rs") {
        return None;
    }
    let forbids_unsafe = file.text.contains(NO_UNSAFE) || file.path.starts_with(HAS_UNSAFE);
    let is_complete = file.text.contains(LIBRARY_LINTS) && forbids_unsafe;
    (!is_complete)
        .then(|| Complaint::new(&file.path, "a library denies LIBRARY_LINTS and forbids unsafe code"))
}

/// Directive names as string literals, outside tests.
fn directives(file: &TextFile) -> Vec<Complaint> {
    let is_source = file.path.starts_with("crates/") && file.path.contains("/src/");
    let may_spell = file.path == DIRECTIVES_ALLOWED
        || SHOWS_DIRECTIVES.iter().any(|folder| file.path.starts_with(folder));
    if !is_source || may_spell || !file.text.contains('$') {
        return Vec::new();
    }
    let all = tokens(&file.text);
    let (code, _) = without_tests(&all);
    let literals =
        code.iter().filter(|token| matches!(token.kind, TokenKind::Text(text) if is_directive(text)));
    literals
        .map(|token| {
            Complaint::on_line(
                &file.path,
                token.line,
                format!("a directive is spelled outside {DIRECTIVES_ALLOWED}"),
            )
        })
        .collect()
}

fn is_directive(text: &str) -> bool {
    let name = text.split('/').next().unwrap_or(text);
    DIRECTIVES.contains(&name)
}

fn forbidden_texts(file: &TextFile) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let all = [&LEFT_OVERS[..], &REGISTRY_HOSTS, &MACHINE_PATHS];
    // Nearly every file has none of them, which is faster to tell for the whole text than line by line.
    if !all.into_iter().flatten().any(|word| file.text.contains(word)) {
        return complaints;
    }
    for (at, line) in file.text.lines().enumerate() {
        let has = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let mut complain = |what: &str| complaints.push(Complaint::on_line(&file.path, at + 1, what));
        if has(&LEFT_OVERS) {
            complain("a mark of unfinished work");
        }
        if has(&REGISTRY_HOSTS) {
            complain("the host of a package registry");
        }
        if MACHINE_PATHS.iter().any(|path| starts_path(line, path)) {
            complain("a path of one machine");
        }
    }
    complaints
}

/// Whether an absolute path with this start is in the line: nothing of a longer path or address before it.
fn starts_path(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | '*' | '>'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn libraries_deny_panics_and_unsafe_code() {
        let path = "crates/x/src/lib.rs";
        assert!(library_lints(&file(path, LIBRARY_LINTS)).is_some());
        assert!(library_lints(&file(path, NO_UNSAFE)).is_some());
        assert_eq!(library_lints(&file(path, &format!("{LIBRARY_LINTS}{NO_UNSAFE}"))), None);
        assert_eq!(library_lints(&file("crates/x/src/main.rs", "")), None);
    }

    #[test]
    fn directives_are_spelled_in_one_file() {
        let text = "fn f() { g(\"$patch\"); g(\"$setElementOrder/ports\"); g(\"$patch is wrong\") }";
        let path = "crates/kubemerge-strategic/src/apply/map.rs";
        assert_eq!(directives(&file(path, text)).len(), 2);
        assert_eq!(directives(&file(DIRECTIVES_ALLOWED, text)), []);
        assert_eq!(directives(&file(path, &format!("#[cfg(test)] mod tests {{ {text} }}"))), []);
    }

    #[test]
    fn the_architecture_has_short_lines() {
        let text = format!("short\n{}", "x".repeat(MAX_ARCHITECTURE_WIDTH + 1));
        let found: Vec<String> = too_long(&file("a.md", &text)).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["a.md:2: more than 200 characters"]);
    }

    #[test]
    fn a_module_without_doc_is_found() {
        assert!(module_without_doc(&file("a.rs", "fn f() {}")).is_some());
    }

    #[test]
    fn hosts_and_machine_paths_are_found() {
        let text =
            format!("see {}\nin {}x\nbut not a{}x", REGISTRY_HOSTS[0], MACHINE_PATHS[1], MACHINE_PATHS[1]);
        let wanted = ["a.md:1: the host of a package registry", "a.md:2: a path of one machine"];
        let found: Vec<String> =
            forbidden_texts(&file("a.md", &text)).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted);
    }
}
