//! controller-runtime: the packages whose tests start a control plane, told to use an existing cluster.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::Value;

use super::{
    outcome::{Outcome, Outcomes},
    servers::{self, FreshServer},
};

const MODULE: &str = "sigs.k8s.io/controller-runtime";
const VERSION: &str = "v0.25.2";

/// Packages with tests that need a cluster. Webhooks are not called by our server, so that pkg/webhook is left out.
const PACKAGES: [&str; 15] = [
    "pkg/builder",
    "pkg/cache",
    "pkg/client",
    "pkg/client/apiutil",
    "pkg/cluster",
    "pkg/controller",
    "pkg/controller/controllerutil",
    "pkg/envtest",
    "pkg/handler",
    "pkg/internal/controller",
    "pkg/internal/recorder",
    "pkg/manager",
    "pkg/manager/internal/integration",
    "pkg/metrics/filters",
    "pkg/source",
];

/// Runs the wanted packages, each against a fresh server: they count objects, and leave some.
pub(super) fn run<S: FreshServer>(wanted: impl Fn(&str) -> bool) -> Result<Outcomes, String> {
    let sources = sources()?;
    let mut outcomes = Outcomes::default();
    for package in PACKAGES.into_iter().filter(|package| wanted(package)) {
        let report = servers::folder().join(format!("{}-{}.json", S::NAME, package.replace('/', "-")));
        // A report of an earlier run must not be taken for one of this run.
        drop(fs::remove_file(&report));
        let log_file = report.with_extension("log");
        S::with(|kubeconfig| test(&sources, package, &report, kubeconfig))?;
        match fs::read(&report) {
            Ok(text) => {
                read_report(package, &text, &mut outcomes)?;
                let log = fs::read(&log_file).map_err(|error| format!("{}: {error}", log_file.display()))?;
                read_log(package, &String::from_utf8_lossy(&log), &mut outcomes);
            }
            // Without a report nothing of the package passed: it did not compile, or it was stopped.
            Err(_) => outcomes.add(format!("{package} (no report)"), Outcome::Failed),
        }
    }
    Ok(outcomes)
}

/// Runs the tests of a package; the report and the log beside it say what became of them.
fn test(sources: &Path, package: &str, report: &Path, kubeconfig: &Path) -> Result<(), String> {
    let log = fs::File::create(report.with_extension("log")).map_err(|error| error.to_string())?;
    let status = Command::new("go")
        .args(["test", "-v", "-count=1", "-timeout=15m", &format!("./{package}"), "-args"])
        .arg(format!("-ginkgo.json-report={}", report.display()))
        .current_dir(sources)
        .env("USE_EXISTING_CLUSTER", "true")
        .env("KUBECONFIG", kubeconfig)
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(|error| error.to_string())?)
        .stderr(log)
        .status();
    // Tests that fail make Go fail, which the report shows better.
    status.map(drop).map_err(|error| format!("go: {error}"))
}

/// A copy of the module, because Go's cache is read-only and tests write beside their sources.
fn sources() -> Result<PathBuf, String> {
    let folder = servers::folder().join(format!("controller-runtime-{VERSION}"));
    if folder.exists() {
        return Ok(folder);
    }
    let output =
        Command::new("go").args(["mod", "download", "-json", &format!("{MODULE}@{VERSION}")]).output();
    let output = output.map_err(|error| format!("go: {error}"))?;
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("go: {error}"))?;
    let source = answer["Dir"].as_str().ok_or_else(|| format!("go mod download: {}", answer["Error"]))?;
    copy(Path::new(source), &folder).map_err(|error| format!("{source}: {error}"))?;
    Ok(folder)
}

/// Copies a folder; the copies can be written.
pub(super) fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::write(&target, fs::read(&path)?)?;
        }
    }
    Ok(())
}

/// Adds the tests that are not specs: `--- PASS: TestName (0.00s)`. The test that runs the specs is one of them.
fn read_log(package: &str, log: &str, outcomes: &mut Outcomes) {
    for line in log.lines() {
        let line = line.trim_start();
        let outcome = match (line.strip_prefix("--- PASS: "), line.strip_prefix("--- FAIL: ")) {
            (Some(rest), _) => (rest, Outcome::Passed),
            (_, Some(rest)) => (rest, Outcome::Failed),
            _ => continue,
        };
        let name = outcome.0.split(' ').next().unwrap_or_default();
        outcomes.add(format!("{package}: {name}"), outcome.1);
    }
}

/// Adds the specs of a report of Ginkgo.
fn read_report(package: &str, text: &[u8], outcomes: &mut Outcomes) -> Result<(), String> {
    let suites: Value = serde_json::from_slice(text).map_err(|error| format!("{package}: {error}"))?;
    let reports = suites.as_array().into_iter().flatten().flat_map(|suite| suite["SpecReports"].as_array());
    for report in reports.flatten() {
        let outcome = match report["State"].as_str().unwrap_or_default() {
            "passed" => Outcome::Passed,
            "skipped" | "pending" => continue,
            _ => Outcome::Failed,
        };
        outcomes.add(format!("{package}: {}", spec_name(report)), outcome);
    }
    Ok(())
}

/// The texts around a spec and its own, or what else it is, such as the set-up of its suite.
fn spec_name(report: &Value) -> String {
    let around = report["ContainerHierarchyTexts"].as_array().cloned().unwrap_or_default();
    let mut words: Vec<&str> = around.iter().filter_map(Value::as_str).collect();
    let own = report["LeafNodeText"].as_str().unwrap_or_default();
    words.push(if own.is_empty() { report["LeafNodeType"].as_str().unwrap_or_default() } else { own });
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reports_of_ginkgo_are_read() {
        let spec = |texts: &[&str], state: &str| json!({"ContainerHierarchyTexts": texts, "LeafNodeType": "It", "LeafNodeText": "works", "State": state});
        let set_up = json!({"LeafNodeType": "BeforeSuite", "LeafNodeText": "", "State": "failed"});
        let report =
            json!([{"SpecReports": [spec(&["Client", "Get"], "passed"), spec(&["x"], "skipped"), set_up]}]);
        let mut outcomes = Outcomes::default();
        read_report("pkg/client", report.to_string().as_bytes(), &mut outcomes).unwrap();
        assert_eq!(outcomes.summary("s"), "1 of 2 tests pass on s");
        assert_eq!(outcomes.failed().collect::<Vec<_>>(), ["pkg/client: BeforeSuite"]);
        let log = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestB/sub (0.01s)\n";
        read_log("pkg/client", log, &mut outcomes);
        assert_eq!(outcomes.summary("s"), "2 of 4 tests pass on s");
    }
}
