//! What a console block cannot show: closed pipes, full disks and files that cannot be read.

#![cfg(unix)]

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

fn kubemerge() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kubemerge"))
}

/// A fresh folder with a copy of an example.
fn folder_with(test: &str, example: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(examples().join(example), folder.join(example)).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child =
        kubemerge().args(["schema", "export"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_that_cannot_be_read_is_named() {
    let output = kubemerge().args(["patch", "-f", "/proc/self/mem", "-p", "{}"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "error: cannot read /proc/self/mem: Input/output error\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error_on_standard_output() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = kubemerge().args(["schema", "stats"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stderr(&output), "error: cannot write to stdout: No space left on device\n");
}

/// A limit on the size of files replaces a full disk: writing the new text fails half-way.
#[test]
fn a_full_disk_leaves_the_file_as_it_was() {
    let folder = folder_with("a_full_disk_leaves_the_file_as_it_was", "deployment.yaml");
    // 4,096 bytes fit, and the patch makes the text longer than that.
    let script = format!(
        "trap '' XFSZ; ulimit -f 8; exec {} patch -f deployment.yaml -i -p \"$PATCH\"",
        env!("CARGO_BIN_EXE_kubemerge")
    );
    let patch = format!("{{metadata: {{annotations: {{note: {}}}}}}}", "x".repeat(10_000));
    let output =
        Command::new("sh").args(["-c", &script]).env("PATCH", patch).current_dir(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let expected = "error: cannot rewrite deployment.yaml: File too large\nhelp: no file has changed\n";
    assert_eq!(stderr(&output), expected);
    assert_eq!(names(&folder), ["deployment.yaml"]);
    let text = |folder: &Path| std::fs::read(folder.join("deployment.yaml")).unwrap();
    assert!(text(&folder) == text(&examples()));
}

/// The second file is broken, so the first one must not change either.
#[test]
fn an_error_in_one_file_leaves_all_files_as_they_were() {
    let folder = folder_with("an_error_in_one_file_leaves_all_files_as_they_were", "deployment.yaml");
    std::fs::write(folder.join("z.yaml"), "spec: [").unwrap();
    let patch = "{metadata: {labels: {a: b}}}";
    let output = kubemerge()
        .args(["patch", "-f", ".", "--all", "-i", "-p", patch])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert_eq!(names(&folder), ["deployment.yaml", "z.yaml"]);
    let text = |folder: &Path| std::fs::read(folder.join("deployment.yaml")).unwrap();
    assert!(text(&folder) == text(&examples()));
}

#[test]
fn permissions_and_links_survive_a_change_in_place() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with("permissions_and_links_survive_a_change_in_place", "service.yaml");
    let real = folder.join("service.yaml");
    let link = folder.join("link.yaml");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("service.yaml", &link).unwrap();
    let patch = "{spec: {type: NodePort}}";
    let output =
        kubemerge().args(["patch", "-f", "link.yaml", "-i", "-p", patch]).current_dir(&folder).output();
    assert_eq!(output.unwrap().status.code(), Some(0));
    assert!(std::fs::read_to_string(&real).unwrap().contains("type: NodePort"));
    assert!(std::fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

/// Two ways to one file are one file: it is patched once.
#[test]
fn a_file_is_patched_once() {
    let folder = folder_with("a_file_is_patched_once", "service.yaml");
    std::os::unix::fs::symlink("service.yaml", folder.join("link.yaml")).unwrap();
    let operation = r#"[{"op": "add", "path": "/spec/ports/-", "value": {"name": "web", "port": 80}}]"#;
    let output = kubemerge()
        .args(["patch", "-f", ".", "-f", "./service.yaml", "--all", "-i", "--type", "json", "-p", operation])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(stderr(&output), "1 of 1 object changed, in 1 file\n");
    assert_eq!(names(&folder), ["link.yaml", "service.yaml"]);
    let text = std::fs::read_to_string(folder.join("service.yaml")).unwrap();
    assert_eq!(text.matches("port: 80").count(), 1, "{text}");
}

#[test]
fn a_file_that_may_not_be_written_is_not_replaced() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with("a_file_that_may_not_be_written_is_not_replaced", "service.yaml");
    let file = folder.join("service.yaml");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::File::options().write(true).open(&file).is_ok() {
        eprintln!("skipped a_file_that_may_not_be_written_is_not_replaced: this user may write everything");
        return;
    }
    let patch = "{spec: {type: NodePort}}";
    let output =
        kubemerge().args(["patch", "-f", "service.yaml", "-i", "-p", patch]).current_dir(&folder).output();
    let expected = "error: cannot rewrite service.yaml: Permission denied\nhelp: no file has changed\n";
    assert_eq!(stderr(&output.unwrap()), expected);
    assert_eq!(names(&folder), ["service.yaml"]);
}

/// Several runs add an element to one list at the same time: every run that succeeds has its element in the file.
#[test]
fn no_edit_of_a_run_that_succeeds_is_lost() {
    let folder = folder_with("lost_edits", "service.yaml");
    let file = folder.join("service.yaml");
    let add = |name: &str| {
        let patch = format!(r#"[{{"op":"add","path":"/metadata/labels/{name}","value":"x"}}]"#);
        let mut command = kubemerge();
        command.args(["patch", "--in-place", "--type", "json", "-p", &patch, "-f"]).arg(&file);
        command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let patch = r#"{"metadata":{"labels":{"first":"x"}}}"#;
    let first = kubemerge().args(["patch", "-i", "-p", patch, "-f"]).arg(&file).output().unwrap();
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    let mut confirmed = Vec::new();
    for round in 0..10 {
        let names: Vec<String> = (0..8).map(|run| format!("r{round}x{run}y")).collect();
        let runs: Vec<_> = names.iter().map(|name| (name, add(name))).collect();
        for (name, run) in runs {
            let output = run.wait_with_output().unwrap();
            match output.status.code() {
                Some(0) => confirmed.push(name.clone()),
                code => {
                    assert_eq!(code, Some(2));
                    assert!(stderr(&output).contains("has changed since it was read"), "{}", stderr(&output));
                }
            }
        }
    }
    let text = std::fs::read_to_string(&file).unwrap();
    let lost: Vec<&String> = confirmed.iter().filter(|name| !text.contains(&format!("{name}: "))).collect();
    assert!(lost.is_empty() && confirmed.len() >= 10, "{lost:?} of {}", confirmed.len());
    assert_eq!(names(&folder), ["service.yaml"]);
}

#[test]
fn leftovers_of_a_killed_run_are_removed_and_named() {
    let folder = folder_with("leftovers", "service.yaml");
    std::fs::write(folder.join(".a.yaml.kubemerge-old"), "old").unwrap();
    std::fs::write(folder.join(".b.yaml.kubemerge-new"), "new").unwrap();
    let patch = r#"{"kind":"Service"}"#;
    let output = kubemerge().args(["patch", "-i", "-p", patch, "-f"]).arg(&folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("changed: a.yaml; not changed: b.yaml"), "{}", stderr(&output));
    assert_eq!(names(&folder), ["service.yaml"]);
}

/// Names, keys and values that would colour a terminal, move its cursor, or be a command to a CI system.
const HOSTILE: &str = "x\\n::error::y\\e[31mz\\x9b2J\\u202e";

/// What every output keeps to, whatever is in the files.
fn assert_harmless(what: &str, text: &str) {
    // Results are data, in which only what the format escapes is escaped.
    let is_data = ["yaml", "json", "sarif"].iter().any(|format| what.ends_with(&format!("-o {format}")));
    for line in text.lines() {
        let is_harmless = |char: char| {
            if is_data {
                !char.is_ascii_control()
            } else {
                !char.is_control() && !('\u{202a}'..='\u{202e}').contains(&char)
            }
        };
        assert!(line.chars().all(is_harmless), "{what}: {line:?}");
        assert!(!line.trim_start().starts_with("::error::y"), "{what}: {line:?}");
    }
}

#[test]
fn no_output_obeys_what_is_in_files() {
    let folder = folder_with("hostile", "service.yaml");
    let write = |name: &str, text: String| std::fs::write(folder.join(name), text).unwrap();
    let object = |replicas: u8| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: \"{HOSTILE}\"\n  namespace: \"{HOSTILE}\"\n  \
             labels: {{\"{HOSTILE}\": \"{HOSTILE}{replicas}\"}}\n  \
             managedFields:\n  - {{manager: \"{HOSTILE}\", operation: Update, apiVersion: apps/v1, time: null, \
             fieldsType: FieldsV1, fieldsV1: {{\"f:metadata\": {{\"f:labels\": {{\"f:{HOSTILE}\": {{}}}}}}}}}}\n\
             spec:\n  \"{HOSTILE}\": NO\n  replicas: {replicas}\n  selector: {{}}\n  template:\n    spec:\n      \
             containers:\n      - {{name: \"{HOSTILE}\", image: \"{HOSTILE}{replicas}\", ports: \"{HOSTILE}\"}}\n"
        )
    };
    write("old.yaml", object(1));
    write("new.yaml", object(2));
    write("patch.yaml", format!("metadata: {{labels: {{\"{HOSTILE}\": b}}}}\nspec: {{\"{HOSTILE}\": 1}}\n"));
    let commands: [&[&str]; 14] = [
        &["diff", "old.yaml", "new.yaml", "-o", "text"],
        &["diff", "old.yaml", "service.yaml", "-o", "text"],
        &["diff", "old.yaml", "new.yaml", "-o", "yaml"],
        &["explain", "-f", "old.yaml", "--patch-file", "patch.yaml"],
        &["explain", "-f", "old.yaml", "-p", "{metadata: {labels: 7}}"],
        &["lint", "-f", "old.yaml", "-f", "patch.yaml"],
        &["lint", "-f", "old.yaml", "-o", "json"],
        &["lint", "-f", "old.yaml", "-o", "sarif"],
        &["owners", "-f", "old.yaml"],
        &["owners", "-f", "old.yaml", "-o", "yaml"],
        &["patch", "-f", "old.yaml", "--patch-file", "patch.yaml", "--check"],
        &["patch", "-f", "old.yaml", "--patch-file", "patch.yaml", "-o", "json"],
        &["patch", "-f", "old.yaml", "--target", "Deployment/none", "-p", "{}"],
        &["skew", "old.yaml", "new.yaml", "--client", "1.37", "--server", "1.30"],
    ];
    for words in commands {
        let output = kubemerge().args(words).current_dir(&folder).output().unwrap();
        let (out, errors) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
        assert!(!errors.contains("Usage:"), "{words:?}: {errors}");
        assert!(!out.is_empty() || !errors.is_empty(), "{words:?} shows something");
        assert_harmless(&words.join(" "), &format!("{out}{errors}"));
    }
    let output = kubemerge().args(["lint", "-f", "old.yaml", "-o", "github"]).current_dir(&folder).output();
    let commands = String::from_utf8_lossy(&output.unwrap().stdout).into_owned();
    assert_harmless("lint -o github", &commands);
    assert!(commands.lines().all(|line| line.contains("file=old.yaml,")), "{commands}");
}
