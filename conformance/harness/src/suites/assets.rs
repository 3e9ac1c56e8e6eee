//! The folders that `KUBEBUILDER_ASSETS` names: ours, and one with kube-apiserver and etcd.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::servers;
use crate::apiserver;

/// Whose programs a suite starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Ours,
    Theirs,
}

impl Side {
    pub(super) fn name(self) -> &'static str {
        match self {
            Side::Ours => "kubemerge",
            Side::Theirs => "kube-apiserver",
        }
    }

    /// The folder with the programs of this side.
    pub(super) fn folder(self) -> PathBuf {
        servers::folder().join("assets").join(self.name())
    }
}

/// Makes our folder as users do, with `kubemerge envtest`.
pub(super) fn make_ours(program: &Path) -> Result<(), String> {
    let made = Command::new(program).arg("envtest").arg(Side::Ours.folder()).output();
    let made = made.map_err(|error| format!("{}: {error}", program.display()))?;
    if made.status.success() {
        Ok(())
    } else {
        Err(format!("kubemerge envtest: {}", String::from_utf8_lossy(&made.stderr).trim()))
    }
}

/// Links to the programs that `cargo xtask apiserver build` has built, and to the kubectl that is linked in ours.
pub(super) fn make_theirs() -> Result<(), String> {
    let folder = Side::Theirs.folder();
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let kubectl = Side::Ours.folder().join("kubectl");
    for (name, target) in [
        ("kube-apiserver", apiserver::program("kube-apiserver")?),
        ("etcd", apiserver::program("etcd")?),
        ("kubectl", kubectl),
    ] {
        let target = target.canonicalize().map_err(|error| format!("{}: {error}", target.display()))?;
        link(&target, &folder.join(name)).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    Ok(())
}

fn link(target: &Path, place: &Path) -> std::io::Result<()> {
    // One of an earlier run, whose target may be gone.
    drop(fs::remove_file(place));
    std::os::unix::fs::symlink(target, place)
}
