//! The names of time zones, from the database that Go is distributed with: kube-apiserver has it built in.
//!
//! The database is a ZIP file, whose directory at the end lists the names.

use std::{error::Error, fs, path::PathBuf, process::Command};

/// The names, sorted, one to a line.
pub(super) fn table() -> Result<String, Box<dyn Error>> {
    let output = Command::new("go").args(["env", "GOROOT"]).output()?;
    let path = PathBuf::from(String::from_utf8(output.stdout)?.trim()).join("lib/time/zoneinfo.zip");
    let archive = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut names =
        names(&archive).ok_or_else(|| format!("{}: the directory cannot be read", path.display()))?;
    names.sort();
    Ok(names.concat())
}

/// The names of files in a ZIP archive, each with a line feed.
fn names(archive: &[u8]) -> Option<Vec<String>> {
    const END: &[u8] = b"PK\x05\x06";
    const ENTRY: &[u8] = b"PK\x01\x02";
    let number = |at: usize, length: usize| {
        let bytes = archive.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)))
    };
    let end = archive.windows(END.len()).rposition(|window| window == END)?;
    let (count, mut at) = (number(end + 10, 2)?, number(end + 16, 4)?);
    let mut names = Vec::new();
    for _ in 0..count {
        archive.get(at..)?.starts_with(ENTRY).then_some(())?;
        let [name, extra, comment] = [number(at + 28, 2)?, number(at + 30, 2)?, number(at + 32, 2)?];
        let text = std::str::from_utf8(archive.get(at + 46..at + 46 + name)?).ok()?;
        // Names of folders end with a slash.
        if !text.ends_with('/') {
            names.push(format!("{text}\n"));
        }
        at += 46 + name + extra + comment;
    }
    Some(names)
}
