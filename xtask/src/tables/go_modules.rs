//! The Go modules of the repository: all of them are built with one version of Kubernetes.

use std::{error::Error, fs, path::Path, process::Command};

use kubemerge_test_support::root;

/// Modules of Kubernetes' repository had minor versions of two digits from 0.20 on; others have not come that far.
const FIRST_MINOR: u32 = 20;

/// The folders of modules that use Kubernetes.
pub(super) fn folders() -> Result<Vec<String>, Box<dyn Error>> {
    let output = Command::new("git").args(["ls-files", "*go.mod"]).current_dir(root()).output()?;
    let files = String::from_utf8(output.stdout)?;
    let folders = files.lines().filter_map(|file| file.strip_suffix("/go.mod")).map(str::to_owned);
    let uses = |folder: &String| {
        let text = fs::read_to_string(root().join(folder).join("go.mod")).unwrap_or_default();
        text.contains("k8s.io/")
    };
    Ok(folders.filter(uses).collect())
}

/// Requires a release everywhere: `k8s.io/kubernetes` of it, and the modules that are published for it.
pub(super) fn update(release: &str, published: &str) -> Result<(), Box<dyn Error>> {
    for folder in folders()? {
        let path = root().join(&folder).join("go.mod");
        let text = fs::read_to_string(&path)?;
        let new = required(&text, release, published);
        if new != text {
            fs::write(&path, new)?;
            eprintln!("updating {folder}");
            tidy(&root().join(&folder))?;
        }
    }
    Ok(())
}

fn tidy(folder: &Path) -> Result<(), Box<dyn Error>> {
    let status = Command::new("go").args(["mod", "tidy"]).current_dir(folder).status()?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("go mod tidy in {}: {status}", folder.display()).into())
    }
}

/// The text of a `go.mod` with other versions of Kubernetes' modules.
fn required(text: &str, release: &str, published: &str) -> String {
    let mut words: Vec<String> = text.split_inclusive([' ', '\n', '\t']).map(str::to_owned).collect();
    for at in 1..words.len() {
        let module = words[at - 1].trim_end().to_owned();
        let version = words[at].trim_end().to_owned();
        let new = match module.as_str() {
            "k8s.io/kubernetes" if version.starts_with("v1.") => format!("v{release}"),
            _ if module.starts_with("k8s.io/") && is_of_kubernetes(&version) => format!("v{published}"),
            _ => continue,
        };
        words[at] = words[at].replacen(&version, &new, 1);
    }
    words.concat()
}

/// Whether a version is one of Kubernetes' own modules: `v0.37.1`, and not that of a commit.
fn is_of_kubernetes(version: &str) -> bool {
    let minor = version.strip_prefix("v0.").and_then(|rest| rest.split('.').next());
    minor.and_then(|minor| minor.parse().ok()).is_some_and(|minor: u32| minor >= FIRST_MINOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_kubernetes_are_replaced_and_no_others() {
        let text = "require (\n\tk8s.io/api v0.37.1 // indirect\n\tk8s.io/klog/v2 v2.130.1\n\tk8s.io/kubernetes v1.37.1\n\
                    \tk8s.io/utils v0.0.0-20260626114624-be93311217bd\n\tgolang.org/x/text v0.37.1\n)\n\
                    replace k8s.io/api => k8s.io/api v0.37.1\n";
        let wanted = "require (\n\tk8s.io/api v0.38.0 // indirect\n\tk8s.io/klog/v2 v2.130.1\n\tk8s.io/kubernetes v1.38.2\n\
                      \tk8s.io/utils v0.0.0-20260626114624-be93311217bd\n\tgolang.org/x/text v0.37.1\n)\n\
                      replace k8s.io/api => k8s.io/api v0.38.0\n";
        assert_eq!(required(text, "1.38.2", "0.38.0"), wanted);
    }
}
