//! Invariants of ARCHITECTURE.md and CONTRIBUTING.md that a search can check.

use super::complaint::Complaint;
use super::repository::{Repository, TextFile};
use super::rust::lexer::{Token, TokenKind, tokens, without_tests};

/// The only file of the workspace with `unsafe` code.
const UNSAFE_ALLOWED: &str = "crates/kubemerge-value/src/scan/simd.rs";
/// Outside the workspace: it shares memory with JavaScript, which no safe code can.
const WASM_BORDER: &str = "bindings/wasm/src/lib.rs";
/// The only file that knows how directives are spelled.
const DIRECTIVES_ALLOWED: &str = "crates/kubemerge-strategic/src/directive.rs";
/// Findings, explanations and the command show directives to users.
const SHOWS_DIRECTIVES: [&str; 2] = ["crates/kubemerge-inspect/", "crates/kubemerge-cli/"];
const DIRECTIVES: [&str; 4] = ["$patch", "$retainKeys", "$setElementOrder", "$deleteFromPrimitiveList"];
/// The only file of the server that asks for the time of day: a clock that jumps must not make anything old.
const CLOCK: &str = "crates/kubemerge-server/src/protocol/clock.rs";
const SERVER_SOURCES: &str = "crates/kubemerge-server/src/";
/// Documents that every user looks for.
const REQUIRED: [&str; 5] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"];
const MAX_ARCHITECTURE_LINES: usize = 200;

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
const LEFT_OVERS: [&str; 3] = [concat!("FIX", "ME"), concat!("TO", "DO:"), concat!("dbg", "!(")];

/// Runs every search.
pub(crate) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = missing_documents(repository);
    for file in &repository.files {
        if file.path.ends_with(".rs") {
            complaints.extend(module_without_doc(file));
            complaints.extend(unsafe_code(file));
            complaints.extend(directives(file));
            complaints.extend(time_of_day(file));
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
    let lines = repository.file("ARCHITECTURE.md").map_or(0, |file| file.text.lines().count());
    if lines > MAX_ARCHITECTURE_LINES {
        complaints.push(Complaint::new(
            "ARCHITECTURE.md",
            format!("has {lines} lines, more than {MAX_ARCHITECTURE_LINES}"),
        ));
    }
    complaints
}

fn module_without_doc(file: &TextFile) -> Option<Complaint> {
    let documented = file.text.lines().any(|line| line.starts_with("//!"));
    (!documented)
        .then(|| Complaint::new(&file.path, "a module starts with `//!`: what it does and where it is used"))
}

fn unsafe_code(file: &TextFile) -> Option<Complaint> {
    if !file.text.contains("unsafe") {
        return None;
    }
    let all = tokens(&file.text);
    let is_unsafe = |pair: &&[Token<'_>]| {
        // The word alone is also a lint's name and ordinary prose.
        let code = matches!(
            pair[1].kind,
            TokenKind::Symbol('{') | TokenKind::Word("fn" | "impl" | "extern" | "trait")
        );
        pair[0].word() == Some("unsafe") && code
    };
    let found = all.windows(2).find(is_unsafe)?;
    (file.path != UNSAFE_ALLOWED && file.path != WASM_BORDER).then(|| {
        Complaint::on_line(&file.path, found[0].line, format!("unsafe code outside {UNSAFE_ALLOWED}"))
    })
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

fn time_of_day(file: &TextFile) -> Option<Complaint> {
    if !file.path.starts_with(SERVER_SOURCES) || file.path == CLOCK || !file.text.contains("SystemTime") {
        return None;
    }
    let all = tokens(&file.text);
    let (code, _) = without_tests(&all);
    let found = code.iter().find(|token| token.word() == Some("SystemTime"))?;
    Some(Complaint::on_line(&file.path, found.line, format!("the time of day is asked for outside {CLOCK}")))
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
    fn unsafe_code_is_allowed_in_one_file() {
        let text = concat!("//! m\nfn f() { unsafe", " { } }");
        let wanted = "crates/x/src/lib.rs:2: unsafe code outside crates/kubemerge-value/src/scan/simd.rs";
        assert_eq!(unsafe_code(&file("crates/x/src/lib.rs", text)).unwrap().to_string(), wanted);
        assert_eq!(unsafe_code(&file(UNSAFE_ALLOWED, text)), None);
        assert_eq!(unsafe_code(&file(WASM_BORDER, text)), None);
        assert_eq!(unsafe_code(&file("a.rs", "// unsafe { }\n\"unsafe { }\"")), None);
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
    fn one_file_of_the_server_asks_for_the_time_of_day() {
        let text = "fn f() { SystemTime::now(); }";
        assert!(time_of_day(&file("crates/kubemerge-server/src/store/state.rs", text)).is_some());
        assert_eq!(time_of_day(&file(CLOCK, text)), None);
        assert_eq!(time_of_day(&file("crates/kubemerge-cli/src/main.rs", text)), None);
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
