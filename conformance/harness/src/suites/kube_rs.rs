//! kube-rs: the ignored tests of its crates, which need a cluster.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use serde_json::Value;

use super::{
    go_module::copy,
    outcome::{Outcome, Outcomes},
    servers::{self, FreshServer},
};

const VERSION: &str = "5.0.0";

/// The crates with such tests, and the features that these need.
const CRATES: [(&str, &str); 3] = [
    ("kube", "client,config,derive,runtime,rustls-tls,ring,ws,jsonpatch"),
    ("kube-client", "client,config,rustls-tls,ring,ws,jsonpatch,unstable-client"),
    ("kube-runtime", "unstable-runtime"),
];

/// Runs the tests of the wanted crates, each against a fresh server.
pub(super) fn run<S: FreshServer>(
    checkout: Option<&Path>,
    wanted: impl Fn(&str) -> bool,
) -> Result<Outcomes, String> {
    let mut outcomes = Outcomes::default();
    for (name, features) in CRATES.into_iter().filter(|(name, _)| wanted(name)) {
        let folder = match checkout {
            Some(checkout) => checkout.join(name),
            None => packaged(name)?,
        };
        let output = S::with(|kubeconfig| test(&folder, features, kubeconfig))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let log = servers::folder().join(format!("{}-{name}.log", S::NAME));
        let whole = [&output.stdout[..], &output.stderr[..]].concat();
        fs::write(&log, whole).map_err(|error| format!("{}: {error}", log.display()))?;
        if !text.contains("test result:") {
            return Err(format!("the tests of {name} did not run; see {}", log.display()));
        }
        read_lines(name, &text, &mut outcomes);
    }
    Ok(outcomes)
}

/// Runs the ignored tests of a crate.
fn test(folder: &Path, features: &str, kubeconfig: &Path) -> Result<Output, String> {
    Command::new("cargo")
        .args(["test", "--lib", "--no-fail-fast", "--features", features])
        .args(["--", "--ignored", "--test-threads=4"])
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", servers::folder().join("target"))
        .env("KUBECONFIG", kubeconfig)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo: {error}"))
}

/// The sources of a crate as Cargo has unpacked them, copied because Cargo writes a lock file beside them.
fn packaged(name: &str) -> Result<PathBuf, String> {
    let folder = servers::folder().join(format!("{name}-{VERSION}"));
    if folder.exists() {
        return Ok(folder);
    }
    // Cargo unpacks what a package depends on: this one exists for that.
    let scratch = servers::folder().join("fetch");
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n\
         [dependencies]\nkube = {{ version = \"={VERSION}\", features = [\"runtime\"] }}\n\
         k8s-openapi = {{ version = \"*\", features = [\"latest\"] }}\n"
    );
    fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
    fs::write(scratch.join("Cargo.toml"), manifest).map_err(|error| error.to_string())?;
    fs::write(scratch.join("lib.rs"), "").map_err(|error| error.to_string())?;
    let output =
        Command::new("cargo").args(["metadata", "--format-version=1"]).current_dir(&scratch).output();
    let output = output.map_err(|error| format!("cargo: {error}"))?;
    let metadata: Value = serde_json::from_slice(&output.stdout)
        .map_err(|_| format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)))?;
    let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
    let package = packages.iter().find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let source = manifest.and_then(|path| Path::new(path).parent());
    let source = source.ok_or_else(|| format!("{name} {VERSION} cannot be fetched"))?;
    copy(source, &folder).map_err(|error| format!("{}: {error}", source.display()))?;
    // The lock file may name versions that a mirror of the registry lacks.
    let _ = fs::remove_file(folder.join("Cargo.lock"));
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest).map_err(|error| error.to_string())?;
    fs::write(&manifest, completed(name, &text)).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// The manifest of a packaged crate as its checkout has it.
fn completed(name: &str, manifest: &str) -> String {
    // Beside our workspace it must be one of its own.
    let own = format!("{manifest}\n[workspace]\n");
    if name == "kube" {
        return own;
    }
    // Packages lose what they only need for tests from beside them: here `kube`, which is to use this very crate.
    format!(
        "{own}\n[dev-dependencies.kube]\nversion = \"={VERSION}\"\nfeatures = [\"derive\", \"client\", \"runtime\", \"ws\"]\n\
         \n[patch.crates-io]\n{name} = {{ path = \".\" }}\n"
    )
}

/// Adds the tests of a run: `test api::test::name ... ok`.
fn read_lines(name: &str, text: &str, outcomes: &mut Outcomes) {
    for line in text.lines() {
        let Some((test, result)) = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "))
        else {
            continue;
        };
        // Ignored tests have their reason after their name.
        let test = test.split(" - ").next().unwrap_or(test);
        let outcome = if result.starts_with("ok") { Outcome::Passed } else { Outcome::Failed };
        outcomes.add(format!("{name}: {test}"), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_test_runner_are_read() {
        let text =
            "running 2 tests\ntest api::a ... ok\ntest api::b ... FAILED\n\ntest result: FAILED. 1 passed\n";
        let mut outcomes = Outcomes::default();
        read_lines("kube", text, &mut outcomes);
        assert_eq!(outcomes.summary("s"), "1 of 2 tests pass on s");
        assert_eq!(outcomes.failed().collect::<Vec<_>>(), ["kube: api::b"]);
    }
}
