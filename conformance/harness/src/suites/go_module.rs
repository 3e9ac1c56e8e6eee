//! Suites of Go modules that use envtest: fetched from the module proxy, compiled once and run with the programs of each side.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::Value;

use super::{
    assets::Side,
    measured::{self, Ending, Figures},
    outcome::{Outcome, Outcomes},
    reports, servers,
};

/// A module and those of its packages whose tests start a control plane.
pub(super) struct GoSuite {
    pub(super) name: &'static str,
    module: &'static str,
    pub(super) version: &'static str,
    /// Modules in folders of this one, which the proxy has separately, of the same version.
    nested: &'static [&'static str],
    /// Build tags without which the tests are not compiled.
    tags: &'static str,
    pub(super) packages: &'static [&'static str],
}

pub(super) const SUITES: &[GoSuite] = &[
    // Left out: pkg/client/apiutil, which downloads binaries itself, and pkg/webhook, which is about webhooks.
    GoSuite {
        name: "controller-runtime",
        module: "sigs.k8s.io/controller-runtime",
        version: "v0.25.2",
        nested: &[],
        tags: "",
        packages: &[
            "pkg/builder",
            "pkg/cache",
            "pkg/client",
            "pkg/cluster",
            "pkg/controller",
            "pkg/controller/controllerutil",
            "pkg/envtest",
            "pkg/handler",
            "pkg/internal/controller",
            "pkg/internal/recorder",
            "pkg/internal/testing/controlplane",
            "pkg/manager",
            "pkg/manager/internal/integration",
            "pkg/metrics/filters",
            "pkg/source",
        ],
    },
    // The ten packages with the most lines of tests, of those that start a control plane.
    GoSuite {
        name: "karpenter",
        module: "sigs.k8s.io/karpenter",
        version: "v1.14.1",
        nested: &[],
        tags: "",
        packages: &[
            "pkg/controllers/disruption",
            "pkg/controllers/provisioning/scheduling",
            "pkg/scheduling/dynamicresources",
            "pkg/controllers/provisioning",
            "pkg/controllers/nodeoverlay",
            "pkg/controllers/state",
            "pkg/controllers/nodeclaim/lifecycle",
            "pkg/apis/v1",
            "pkg/controllers/capacitybuffer",
            "pkg/controllers/dynamicresources/deviceallocation",
        ],
    },
    GoSuite {
        name: "gatekeeper",
        module: "github.com/open-policy-agent/gatekeeper/v3",
        version: "v3.23.1",
        nested: &[],
        tags: "",
        packages: &[
            "pkg/controller/config",
            "pkg/controller/connectionstatus",
            "pkg/controller/export",
            "pkg/controller/mutators/core",
            "pkg/readiness",
            "pkg/watch",
        ],
    },
    GoSuite {
        name: "kro",
        module: "github.com/kubernetes-sigs/kro",
        version: "v0.9.4",
        nested: &[],
        tags: "",
        packages: &["test/integration/suites/core"],
    },
    GoSuite {
        name: "eck",
        module: "github.com/elastic/cloud-on-k8s/v3",
        version: "v3.5.0",
        nested: &[],
        tags: "integration",
        packages: &[
            "pkg/controller/common/certificates",
            "pkg/controller/common/watches",
            "pkg/controller/elasticsearch/driver/shared",
            "pkg/controller/kibana",
            "pkg/controller/license",
            "pkg/controller/license/trial",
        ],
    },
    GoSuite {
        name: "cluster-api",
        module: "sigs.k8s.io/cluster-api",
        version: "v1.14.2",
        nested: &["api"],
        tags: "",
        packages: &[
            "controllers/clustercache",
            "controllers/crdmigrator",
            "core/reconcilers/clusterresourceset",
            "core/reconcilers/machinehealthcheck",
            "internal/util/ssa/test",
            "util/controller",
            "util/patch/test",
        ],
    },
];

/// The suite of a name.
pub(super) fn named(name: &str) -> Option<&'static GoSuite> {
    SUITES.iter().find(|suite| suite.name == name)
}

/// What the tests of a package did with the programs of one side.
pub(super) struct Run {
    pub(super) outcomes: Outcomes,
    pub(super) figures: Figures,
}

/// The tests of a package as a program.
pub(super) struct Tests<'a> {
    suite: &'a GoSuite,
    package: &'a str,
    sources: PathBuf,
    program: PathBuf,
}

impl<'a> Tests<'a> {
    /// Fetches the module and compiles the tests of the package.
    pub(super) fn compile(suite: &'a GoSuite, package: &'a str) -> Result<Tests<'a>, String> {
        let sources = sources(suite)?;
        let program = place(suite, package, "test");
        let mut command = Command::new("go");
        command.args(["test", "-c", "-tags", suite.tags, "-o"]).arg(&program).arg(format!("./{package}"));
        // Without cgo nothing but Go is needed.
        let done = command.env("CGO_ENABLED", "0").current_dir(&sources).status();
        match done {
            Ok(status) if status.success() => Ok(Tests { suite, package, sources, program }),
            Ok(status) => Err(format!("go test -c ./{package} in {}: {status}", sources.display())),
            Err(error) => Err(format!("go: {error}")),
        }
    }

    /// Runs the tests with the programs of a side; log and report are beside the program.
    pub(super) fn run(&self, side: Side, limit: Duration) -> Result<Run, String> {
        let log_file = place(self.suite, self.package, &format!("{}.log", side.name()));
        let report_file = log_file.with_extension("json");
        // A report of an earlier run must not be taken for one of this run.
        drop(fs::remove_file(&report_file));
        let log = File::create(&log_file).map_err(|error| format!("{}: {error}", log_file.display()))?;
        let mut command = Command::new(&self.program);
        command.args(["-test.v", "-test.timeout=0"]);
        if self.uses_ginkgo()? {
            command.arg("-ginkgo.timeout=24h").arg(format!("-ginkgo.json-report={}", report_file.display()));
        }
        command.env("KUBEBUILDER_ASSETS", side.folder()).current_dir(self.sources.join(self.package));
        let log_too = log.try_clone().map_err(|error| error.to_string())?;
        command.stdin(Stdio::null()).stdout(log_too).stderr(log);
        let (figures, ending) = measured::run(command, limit)?;
        let mut outcomes = self.outcomes(&log_file, &report_file)?;
        match ending {
            Ending::TimedOut => outcomes.add(format!("{}: the end in time", self.package), Outcome::Failed),
            // It did not get as far as its first test.
            Ending::Own if outcomes.len() == 0 => {
                outcomes.add(format!("{}: the start of the tests", self.package), Outcome::Failed);
            }
            Ending::Own => {}
        }
        Ok(Run { outcomes, figures })
    }

    fn outcomes(&self, log: &Path, report: &Path) -> Result<Outcomes, String> {
        let mut outcomes = Outcomes::default();
        let text = fs::read(log).map_err(|error| format!("{}: {error}", log.display()))?;
        reports::read_log(self.package, &String::from_utf8_lossy(&text), &mut outcomes);
        // Without Ginkgo there is none, and none is written by a run that was ended.
        if let Ok(text) = fs::read(report) {
            reports::read_report(self.package, &text, &mut outcomes)?;
        }
        Ok(outcomes)
    }

    /// Whether the program knows the flags of Ginkgo: names of packages are part of it.
    fn uses_ginkgo(&self) -> Result<bool, String> {
        let mut search = Command::new("grep");
        search.args(["-qaF", "github.com/onsi/ginkgo/v2/reporters"]).arg(&self.program);
        search.status().map(|status| status.success()).map_err(|error| format!("grep: {error}"))
    }
}

/// A file of a package below the folder of its suite.
fn place(suite: &GoSuite, package: &str, extension: &str) -> PathBuf {
    servers::folder().join(suite.name).join(format!("{}.{extension}", package.replace('/', "-")))
}

/// A copy of the module, because Go's cache is read-only and tests write beside their sources.
fn sources(suite: &GoSuite) -> Result<PathBuf, String> {
    let folder = servers::folder().join(format!("{}-{}", suite.name, suite.version));
    if folder.exists() {
        return Ok(folder);
    }
    fetch(suite.module, suite.version, &folder)?;
    for nested in suite.nested {
        fetch(&format!("{}/{nested}", suite.module), suite.version, &folder.join(nested))?;
    }
    Ok(folder)
}

fn fetch(module: &str, version: &str, folder: &Path) -> Result<(), String> {
    let output =
        Command::new("go").args(["mod", "download", "-json", &format!("{module}@{version}")]).output();
    let output = output.map_err(|error| format!("go: {error}"))?;
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("go: {error}"))?;
    let source = answer["Dir"].as_str().ok_or_else(|| format!("go mod download: {}", answer["Error"]))?;
    copy(Path::new(source), folder).map_err(|error| format!("{source}: {error}"))
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
