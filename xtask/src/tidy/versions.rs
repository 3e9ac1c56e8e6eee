//! One version of Kubernetes: the Go modules agree with the newest release in the list of the schema crate, and no code
//! but the tests names it.

use super::complaint::Complaint;
use super::repository::{Repository, TextFile};
use super::rust::lexer::{TokenKind, tokens, without_tests};

const LIST: &str = "crates/kubemerge-schema/src/builtin/releases.txt";
/// Minor versions of Kubernetes' own modules; others have not come that far.
const FIRST_MINOR: u32 = 20;

/// Complains about other versions in Go modules, and about the newest version in code.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let Some(newest) = repository.file(LIST).and_then(|file| file.text.lines().next()) else {
        return vec![Complaint::new(LIST, "is missing or empty")];
    };
    let mut complaints = modules(repository, newest);
    complaints.extend(repository.rust_files().flat_map(|file| literals(file, newest)));
    complaints
}

/// All modules have one version, which is a patch of the newest release's minor version.
fn modules(repository: &Repository, newest: &str) -> Vec<Complaint> {
    // The modules of a patch release may be published later than it, or never.
    let start = format!("v0.{}.", newest.split('.').nth(1).unwrap_or_default());
    let mut first = None;
    let mut complaints = Vec::new();
    for file in repository.files.iter().filter(|file| file.path.ends_with("go.mod")) {
        for (at, line) in file.text.lines().enumerate() {
            for version in versions(line) {
                let wanted = *first.get_or_insert(version);
                if version != wanted || !version.starts_with(&start) {
                    let message =
                        format!("{version} of Kubernetes; others have {wanted}, {LIST} has {newest}");
                    complaints.push(Complaint::on_line(&file.path, at + 1, message));
                }
            }
        }
    }
    complaints
}

/// The versions of Kubernetes' own modules in a line such as `k8s.io/api v0.37.1`.
fn versions(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split_whitespace();
    words.clone().zip(words.skip(1)).filter_map(|(module, version)| {
        let minor: u32 = version.strip_prefix("v0.")?.split('.').next()?.parse().ok()?;
        (module.starts_with("k8s.io/") && minor >= FIRST_MINOR).then_some(version)
    })
}

/// The newest version as a text in the code of a crate.
fn literals(file: &TextFile, newest: &str) -> Vec<Complaint> {
    let minor = newest.rsplit_once('.').map_or(newest, |(minor, _)| minor);
    let is_source = file.path.contains("/src/") && !file.path.starts_with("xtask/");
    if !is_source || !file.text.contains(minor) {
        return Vec::new();
    }
    let all = tokens(&file.text);
    let (code, _) = without_tests(&all);
    let is_version = |text: &str| [minor, newest].contains(&text.trim_start_matches('v'));
    let found = code.iter().filter(|token| matches!(token.kind, TokenKind::Text(text) if is_version(text)));
    found
        .map(|token| {
            Complaint::on_line(
                &file.path,
                token.line,
                "the newest version is builtin::NEWEST or NEWEST_RELEASE",
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn modules_have_one_version() {
        let repository = |other: &str| {
            let one =
                "require (\n\tk8s.io/api v0.37.1\n\tk8s.io/utils v0.0.0-2026\n\tk8s.io/klog/v2 v2.130.1\n)\n";
            let two = format!("replace k8s.io/api => k8s.io/api {other}\n");
            Repository::of(vec![
                file(LIST, "1.37.1\n1.36.4\n"),
                file("a/go.mod", one),
                file("b/go.mod", &two),
            ])
        };
        let found =
            |other: &str| check(&repository(other)).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(found("v0.37.1"), [""; 0]);
        let wanted = format!("b/go.mod:1: v0.37.2 of Kubernetes; others have v0.37.1, {LIST} has 1.37.1");
        assert_eq!(found("v0.37.2"), [wanted]);
    }

    #[test]
    fn code_does_not_name_the_newest_version() {
        let text = "fn f() { g(\"1.37\"); g(\"v1.37.1\"); g(\"1.36\"); } #[cfg(test)] mod tests { fn h() { g(\"1.37\") } }";
        assert_eq!(literals(&file("crates/x/src/lib.rs", text), "1.37.1").len(), 2);
        assert_eq!(literals(&file("crates/x/tests/a.rs", text), "1.37.1").len(), 0);
    }
}
