//! `cargo xtask krew SHA256SUMS`: the manifest of the plugin for kubectl's plugin manager, from the files of a release.

use std::fs;
use std::process::ExitCode;

pub(crate) const HELP: &str = "\
Write the manifest for krew, kubectl's plugin manager

usage: cargo xtask krew SHA256SUMS

Reads the checksums of a release and the address of the repository (repository in the root Cargo.toml), and prints
the manifest. Exits 1 while the address is empty.
";

/// What a release has for each platform that krew knows.
const PLATFORMS: [(&str, &str, &str); 5] = [
    ("linux", "amd64", "x86_64-unknown-linux-musl"),
    ("linux", "arm64", "aarch64-unknown-linux-musl"),
    ("darwin", "arm64", "aarch64-apple-darwin"),
    ("darwin", "amd64", "x86_64-apple-darwin"),
    ("windows", "amd64", "x86_64-pc-windows-msvc"),
];

/// Runs the task.
pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let [checksums] = arguments else {
        eprint!("{HELP}");
        return ExitCode::from(2);
    };
    let read = |path: &std::path::Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let made = read(&kubemerge_test_support::root().join("Cargo.toml")).and_then(|workspace| {
        let address = repository_of(&workspace).ok_or("the address of the repository is empty")?;
        manifest(address, env!("CARGO_PKG_VERSION"), &read(checksums.as_ref())?)
    });
    match made {
        Ok(text) => {
            print!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("xtask krew: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The address in the root manifest; none while it is empty.
pub(crate) fn repository_of(workspace: &str) -> Option<&str> {
    let address = workspace.lines().find_map(|line| line.strip_prefix("repository = "))?;
    Some(address.trim_matches('"')).filter(|address| !address.is_empty())
}

fn manifest(address: &str, version: &str, checksums: &str) -> Result<String, String> {
    let mut text = format!(
        "apiVersion: krew.googlecontainertools.github.com/v1alpha2\nkind: Plugin\nmetadata:\n  name: kubemerge\nspec:\n  \
         version: v{version}\n  homepage: {address}\n  shortDescription: Show what a patch will do, and why\n  \
         platforms:\n"
    );
    for (system, machine, target) in PLATFORMS {
        let file = format!("kubemerge-{target}.tar.gz");
        let sum = checksums.lines().find_map(|line| line.strip_suffix(&file)).map(str::trim);
        let sum = sum.ok_or_else(|| format!("there is no checksum of {file}"))?;
        let command = if system == "windows" { "kubemerge.exe" } else { "kubemerge" };
        text += &format!(
            "  - selector:\n      matchLabels: {{os: {system}, arch: {machine}}}\n    \
             uri: {address}/releases/download/v{version}/{file}\n    sha256: {sum}\n    bin: {command}\n"
        );
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_has_every_platform() {
        let sums: String =
            PLATFORMS.map(|(_, _, target)| format!("abc  kubemerge-{target}.tar.gz\n")).concat();
        let text = manifest("https://git.example/kubemerge", "1.2.3", &sums).unwrap();
        assert!(
            text.contains("uri: https://git.example/kubemerge/releases/download/v1.2.3/kubemerge-x86_64-"),
            "{text}"
        );
        assert_eq!(text.matches("sha256: abc").count(), PLATFORMS.len());
        assert!(manifest("https://git.example/kubemerge", "1.2.3", "").is_err());
    }

    #[test]
    fn without_an_address_there_is_no_manifest() {
        assert_eq!(repository_of("[workspace.package]\nrepository = \"\"\n"), None);
        let text = "[workspace.package]\nrepository = \"https://git.example/kubemerge\"\n";
        assert_eq!(repository_of(text), Some("https://git.example/kubemerge"));
    }
}
