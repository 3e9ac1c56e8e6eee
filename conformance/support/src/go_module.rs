//! Sources of Go modules, from Go's module cache.

use std::{error::Error, path::PathBuf, process::Command};

use serde_json::Value;

/// The folder of a Go module such as `k8s.io/api@v0.37.0`, downloaded if need be.
pub fn download(module: &str) -> Result<PathBuf, Box<dyn Error>> {
    // Go checks the sums and keeps a cache, so that a second run needs no network.
    let output = Command::new("go").args(["mod", "download", "-json", module]).output()?;
    let answer: Value = serde_json::from_slice(&output.stdout)?;
    let dir = answer["Dir"].as_str().map(PathBuf::from);
    dir.ok_or_else(|| format!("go mod download {module}: {}", answer["Error"]).into())
}
