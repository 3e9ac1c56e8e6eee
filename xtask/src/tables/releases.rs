//! The releases whose documents the tables have: `releases.txt` of the schema crate, newest first.

use std::{error::Error, fs};

use kubemerge_test_support::root;

const LIST: &str = "crates/kubemerge-schema/src/builtin/releases.txt";

/// All of them, such as `1.37.1`.
pub(super) fn read() -> Result<Vec<String>, Box<dyn Error>> {
    let text = fs::read_to_string(root().join(LIST)).map_err(|error| format!("{LIST}: {error}"))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The newest, of which everything recorded and compared is.
pub(super) fn newest() -> Result<String, Box<dyn Error>> {
    read()?.into_iter().next().ok_or_else(|| format!("{LIST} is empty").into())
}

/// Makes a release the newest: it takes the place of an older patch of its minor version, and newer ones go.
pub(super) fn set_newest(release: &str) -> Result<(), Box<dyn Error>> {
    let releases =
        with_newest(&read()?, release).ok_or_else(|| format!("{release} is no release such as 1.37.1"))?;
    Ok(fs::write(root().join(LIST), releases.join("\n") + "\n")?)
}

fn with_newest(releases: &[String], release: &str) -> Option<Vec<String>> {
    let (minor, _) = numbers(release)?;
    let older = releases.iter().filter(|one| numbers(one).is_some_and(|(other, _)| other < minor));
    Some([release.to_owned()].iter().chain(older).cloned().collect())
}

/// 37 and 1 of `1.37.1`.
pub(super) fn numbers(release: &str) -> Option<(u32, u32)> {
    let (minor, patch) = release.strip_prefix("1.")?.split_once('.')?;
    Some((minor.parse().ok()?, patch.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_takes_its_place() {
        let releases = ["1.37.1", "1.36.10", "1.9.4"].map(str::to_owned);
        assert_eq!(with_newest(&releases, "1.38.0").unwrap(), ["1.38.0", "1.37.1", "1.36.10", "1.9.4"]);
        assert_eq!(with_newest(&releases, "1.37.2").unwrap(), ["1.37.2", "1.36.10", "1.9.4"]);
        assert_eq!(with_newest(&releases, "1.36.4").unwrap(), ["1.36.4", "1.9.4"]);
        assert_eq!(with_newest(&releases, "1.38"), None);
        assert_eq!(with_newest(&releases, "v1.38.0"), None);
    }
}
