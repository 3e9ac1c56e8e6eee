//! Builds the programs of `conformance/apiserver` with Go, each only once.

use std::{
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use kubemerge_schema::builtin::{NEWEST_MINOR, NEWEST_RELEASE};
use kubemerge_test_support::reference::Unavailable;

use super::paths::directory;

/// A program: its file in `bin/`, the module that builds it, its package.
struct Program {
    name: &'static str,
    module: &'static str,
    package: &'static str,
}

const PROGRAMS: &[Program] = &[
    Program { name: "oracle", module: "apiserver", package: "./oracle" },
    Program { name: "kube-apiserver", module: "apiserver", package: "k8s.io/kubernetes/cmd/kube-apiserver" },
    Program { name: "etcd", module: "apiserver/etcd", package: "go.etcd.io/etcd/server/v3" },
    Program { name: "kubectl", module: "apiserver", package: "k8s.io/kubernetes/cmd/kubectl" },
    Program {
        name: "kube-controller-manager",
        module: "apiserver",
        package: "k8s.io/kubernetes/cmd/kube-controller-manager",
    },
    Program { name: "kube-scheduler", module: "apiserver", package: "k8s.io/kubernetes/cmd/kube-scheduler" },
];

/// Builds the named programs, or all; Go's own cache makes a second run short.
pub(super) fn run(names: &[String]) -> ExitCode {
    if let Some(unknown) = names.iter().find(|name| PROGRAMS.iter().all(|program| program.name != **name)) {
        eprintln!("apiserver: there is no program `{unknown}`");
        return ExitCode::from(2);
    }
    let wanted = |program: &&Program| names.is_empty() || names.iter().any(|name| name == program.name);
    for program in PROGRAMS.iter().filter(wanted) {
        match build(program) {
            Ok(path) => println!("{}", path.display()),
            Err(unavailable) => return unavailable.report(),
        }
    }
    ExitCode::SUCCESS
}

/// The path of a program, built where it is missing.
pub(crate) fn program(name: &str) -> Result<PathBuf, String> {
    let path = binary(name);
    if path.exists() {
        return Ok(path);
    }
    Err(format!("{} is missing: run `cargo xtask apiserver build` first", path.display()))
}

fn binary(name: &str) -> PathBuf {
    directory().join("bin").join(name)
}

fn build(program: &Program) -> Result<PathBuf, Unavailable> {
    let path = binary(program.name);
    let status = Command::new("go")
        .args(["build", "-ldflags", &linker_flags(), "-o"])
        .arg(&path)
        .arg(program.package)
        // Without cgo the programs run on any machine of this architecture.
        .env("CGO_ENABLED", "0")
        .current_dir(module(program.module))
        .status();
    match status {
        Ok(status) if status.success() => Ok(path),
        Ok(status) => Err(Unavailable::Broken(format!("`go build {}`: {status}", program.package))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Unavailable::NoGo),
        Err(error) => Err(Unavailable::Broken(error.to_string())),
    }
}

/// Sets the version that `/version` and the feature gates report.
fn linker_flags() -> String {
    let version = "k8s.io/component-base/version";
    format!(
        "-s -w -X {version}.gitVersion=v{NEWEST_RELEASE} -X {version}.gitMajor=1 -X {version}.gitMinor={NEWEST_MINOR}"
    )
}

fn module(folder: &str) -> PathBuf {
    Path::new(&kubemerge_test_support::root()).join("conformance").join(folder)
}
