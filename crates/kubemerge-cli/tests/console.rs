//! Executes the `console` blocks of the documentation and of `tests/console`, and compares what is printed.
//!
//! Lines that start with `$ ` are run by a shell in a fresh folder that holds `examples` and `files` (from
//! `tests/files`); lines that start with `> ` continue them; the lines after them are the expected output, both
//! streams together, and `[exit code 1]` where it is not 0. With `KUBEMERGE_BLESS` set the files are
//! rewritten with what was printed. A command that does not end is stopped and named.

#![cfg(unix)]

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// How long a command may take, also on a busy machine.
const LIMIT: Duration = Duration::from_mins(5);

/// Definitions before every line: the command under other names.
const PRELUDE: &str = r#"
cargo() {
    while [ "$1" != "--" ]; do shift; done
    shift
    kubemerge "$@"
}
"#;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn the_readme_tells_the_truth() {
    check_file(&repository().join("README.md"));
}

#[test]
fn the_documentation_tells_the_truth() {
    check_folder(&repository().join("docs"));
}

#[test]
fn commands_answer_as_recorded() {
    check_folder(&repository().join("crates/kubemerge-cli/tests/console"));
}

#[test]
#[should_panic(expected = "hanging.md: `sleep 600 | cat` did not end within 100ms")]
fn a_command_that_hangs_is_named() {
    let stage = Stage { limit: Duration::from_millis(100), ..Stage::new(Path::new("hanging.md")) };
    stage.run("sleep 600 | cat");
}

fn check_folder(folder: &Path) {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no texts", folder.display());
    files.iter().for_each(|file| check_file(file));
}

/// Runs every block of a file and compares, or rewrites the file.
fn check_file(file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    let stage = Stage::new(file);
    let printed = rerun(&text, |command| stage.run(command));
    if std::env::var_os("KUBEMERGE_BLESS").is_some() {
        std::fs::write(file, printed).unwrap();
    } else {
        assert!(text == printed, "{} differs:\n{}", file.display(), difference(&text, &printed));
    }
}

/// The text with the output of every command as it is now.
fn rerun(text: &str, run: impl Fn(&str) -> String) -> String {
    let mut result = String::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        result.push_str(line);
        result.push('\n');
        if line != "```console" {
            continue;
        }
        while let Some(line) = lines.next_if(|line| *line != "```") {
            let Some(command) = line.strip_prefix("$ ") else { continue };
            let mut command = command.to_owned();
            result.push_str(&format!("{line}\n"));
            while let Some(more) = lines.next_if(|line| line.starts_with("> ")) {
                command.push_str(&format!("\n{}", &more[2..]));
                result.push_str(&format!("{more}\n"));
            }
            result.push_str(&run(&command));
        }
    }
    result
}

/// A folder in which commands run.
struct Stage {
    file: PathBuf,
    folder: PathBuf,
    limit: Duration,
}

impl Stage {
    fn new(file: &Path) -> Stage {
        // Files of different folders may have the same name, and run at the same time.
        let around = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let name = format!("{around}-{}", file.file_stem().unwrap().to_string_lossy());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("console-{name}"));
        let _ = std::fs::remove_dir_all(&folder);
        copy(&repository().join("examples"), &folder.join("examples"));
        copy(&repository().join("crates/kubemerge-cli/tests/files"), &folder.join("files"));
        Stage { file: file.to_owned(), folder, limit: LIMIT }
    }

    fn run(&self, command: &str) -> String {
        let binary = Path::new(env!("CARGO_BIN_EXE_kubemerge")).parent().unwrap();
        let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
        let child = Command::new("sh")
            .args(["-c", &format!("{PRELUDE}exec 2>&1\n{command}")])
            .current_dir(&self.folder)
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let (printed, code) = finish(child, self.limit).unwrap_or_else(|| {
            panic!("{}: `{command}` did not end within {:?}", self.file.display(), self.limit)
        });
        let mut text: String = printed.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        match code {
            Some(0) => {}
            Some(code) => text.push_str(&format!("[exit code {code}]\n")),
            None => text.push_str("[killed]\n"),
        }
        text
    }
}

/// What a command prints, and its exit code; `None` if it had to be stopped, with all that it started.
fn finish(mut child: Child, limit: Duration) -> Option<(String, Option<i32>)> {
    let mut pipe = child.stdout.take().unwrap();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes).map(|_| bytes);
        send.send(read)
    });
    let Ok(printed) = receive.recv_timeout(limit) else {
        let group = format!("-{}", child.id());
        Command::new("kill").args(["-KILL", "--", &group]).status().unwrap();
        child.wait().unwrap();
        return None;
    };
    let printed = String::from_utf8_lossy(&printed.unwrap()).into_owned();
    Some((printed, child.wait().unwrap().code()))
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The lines around the first difference.
fn difference(expected: &str, printed: &str) -> String {
    let expected: Vec<&str> = expected.lines().collect();
    let printed: Vec<&str> = printed.lines().collect();
    let same = expected.iter().zip(&printed).take_while(|(one, two)| one == two).count();
    let part = |lines: &[&str], mark: &str| {
        let end = (same + 12).min(lines.len());
        lines[same.min(end)..end].iter().map(|line| format!("{mark} {line}\n")).collect::<String>()
    };
    format!("line {}:\n{}{}", same + 1, part(&expected, "-"), part(&printed, "+"))
}
