//! Objects from files: a file, a folder, or all files that a pattern matches.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use globset::GlobBuilder;
use walkdir::WalkDir;

use crate::{given::Given, protocol::yaml_documents};

/// The objects of all files that a path or a pattern means, each with its file and line.
pub(crate) fn objects(pattern: &Path) -> Result<Vec<Given>, String> {
    let mut objects = Vec::new();
    for path in files(pattern)? {
        let name = path.display();
        let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {name}: {error}"))?;
        let found = yaml_documents::located(&text).map_err(|error| format!("{name}: {error}"))?;
        objects.extend(found.into_iter().map(|one| {
            let source: Arc<str> = format!("{name}:{}", one.line).into();
            Given { value: one.value, source: Some(source) }
        }));
    }
    Ok(objects)
}

/// The files in the order of their names; none is an error, because it is nearly always a wrong path.
fn files(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let name = pattern.display();
    let files = match fs::metadata(pattern) {
        Ok(metadata) if metadata.is_dir() => walk(pattern, 1, is_manifest)?,
        Ok(_) => vec![pattern.to_owned()],
        Err(_) if is_glob(pattern) => matching(pattern)?,
        Err(error) => return Err(format!("cannot read {name}: {error}")),
    };
    if files.is_empty() {
        return Err(format!("there are no manifests at {name}"));
    }
    Ok(files)
}

/// What kubectl takes from a folder.
fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("yaml" | "yml" | "json"))
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, String> {
    let text = pattern.to_string_lossy();
    let glob = GlobBuilder::new(&text).literal_separator(true).build();
    let matcher = glob.map_err(|error| format!("bad pattern {text}: {}", error.kind()))?.compile_matcher();
    let parts: Vec<_> = pattern.components().collect();
    let fixed = parts.iter().position(|part| is_glob(part.as_ref())).unwrap_or(parts.len());
    let (folder, varying) = parts.split_at_checked(fixed).unwrap_or((&parts, &[]));
    let folder: PathBuf = folder.iter().collect();
    // `**` is any number of folders; otherwise the pattern has as many levels as it says.
    let is_deep = varying.iter().any(|part| part.as_os_str() == "**");
    let depth = if is_deep { usize::MAX } else { varying.len() };
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    walk(&folder, depth, |path| matcher.is_match(path.strip_prefix("./").unwrap_or(path)))
}

fn walk(folder: &Path, depth: usize, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    // Sorted, so that results and errors come in the same order on every machine.
    for entry in WalkDir::new(folder).max_depth(depth).follow_links(true).sort_by_file_name() {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.file_type().is_file() && wanted(entry.path()) {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}
