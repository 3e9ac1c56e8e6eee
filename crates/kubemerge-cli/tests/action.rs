//! The GitHub Action: its steps run as a runner runs them, with a release in a folder in the place of the network.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kubemerge_yaml as yaml;
use serde_json::Value;

const ARCHIVE: &str = "kubemerge-x86_64-unknown-linux-musl.tar.gz";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The script of a step of `action.yml`.
fn script(step: &str) -> String {
    let text = std::fs::read(repository().join("action.yml")).unwrap();
    let documents = yaml::parse(&text, &yaml::Options::default()).unwrap();
    let action: Value = serde_json::from_slice(&documents[0].to_json().unwrap()).unwrap();
    let steps = action["runs"]["steps"].as_array().unwrap();
    let step = steps.iter().find(|found| found["name"] == step).unwrap();
    step["run"].as_str().unwrap().to_owned()
}

fn executable(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A runner with an empty temporary folder, and with a release that `curl` finds.
struct Runner {
    folder: PathBuf,
}

impl Runner {
    fn new(test: &str) -> Runner {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = std::fs::remove_dir_all(&folder);
        for name in ["bin", "release", "temp"] {
            std::fs::create_dir_all(folder.join(name)).unwrap();
        }
        // The last word of the command is the address.
        let release = folder.join("release");
        let curl = format!("#!/bin/sh\nfor word; do :; done\ncp \"{}/${{word##*/}}\" .\n", release.display());
        executable(&folder.join("bin/curl"), &curl);
        let runner = Runner { folder };
        runner.release();
        runner
    }

    /// What the release workflow makes, with a script in the place of the binary.
    fn release(&self) {
        let kubemerge = format!("#!/bin/sh\nexec '{}' \"$@\"\n", env!("CARGO_BIN_EXE_kubemerge"));
        executable(&self.folder.join("release/kubemerge"), &kubemerge);
        let pack = format!("cd release && tar -czf {ARCHIVE} kubemerge && sha256sum {ARCHIVE} > SHA256SUMS");
        assert!(self.run(&pack, &[]).status.success());
    }

    fn run(&self, script: &str, environment: &[(&str, &str)]) -> Output {
        let added = std::fs::read_to_string(self.folder.join("path")).unwrap_or_default();
        let folders = [added.trim().into(), self.folder.join("bin").display().to_string()];
        let path = std::env::var("PATH").unwrap_or_default();
        Command::new("bash")
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(&self.folder)
            .env("PATH", format!("{}:{path}", folders.join(":")))
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", "X64")
            .env("RUNNER_TEMP", self.folder.join("temp"))
            .env("GITHUB_PATH", self.folder.join("path"))
            .envs(environment.iter().copied())
            .output()
            .unwrap()
    }

    fn install(&self) -> Output {
        let place = [("SERVER", "https://example.com"), ("REPOSITORY", "shop/tools"), ("VERSION", "v1")];
        self.run(&script("install kubemerge"), &place)
    }
}

#[test]
fn the_action_installs_the_release_and_annotates_files() {
    let runner = Runner::new("action");
    let installed = runner.install();
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let paths = repository().join("examples/lint");
    let inputs = [("PATHS", paths.to_str().unwrap()), ("ARGUMENTS", "--min-severity error")];
    let linted = runner.run(&script("kubemerge lint"), &inputs);
    let told = String::from_utf8_lossy(&linted.stdout);
    assert_eq!(linted.status.code(), Some(1), "{told}");
    assert!(told.contains("::error file=") && told.contains("NO is read as the boolean false"), "{told}");
}

#[test]
fn names_of_files_are_neither_options_nor_patterns() {
    let runner = Runner::new("action_names");
    executable(&runner.folder.join("bin/kubemerge"), "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    std::fs::write(runner.folder.join("a.yaml"), "").unwrap();
    let inputs = [("PATHS", "--help *.yaml  b"), ("ARGUMENTS", "--exclude *")];
    let linted = runner.run(&script("kubemerge lint"), &inputs);
    let given = String::from_utf8_lossy(&linted.stdout);
    let words = ["lint", "-R", "-o", "github", "--exclude", "*", "--", "--help", "*.yaml", "b"];
    assert_eq!(given.lines().collect::<Vec<_>>(), words);
}

#[test]
fn an_archive_that_was_changed_is_not_installed() {
    let runner = Runner::new("action_changed");
    std::fs::write(runner.folder.join("release").join(ARCHIVE), "something else").unwrap();
    assert!(!runner.install().status.success());
    assert!(!runner.folder.join("path").exists());
}
