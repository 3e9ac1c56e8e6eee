//! Which versions of the built-in groups are served.

use std::collections::BTreeMap;

use kubemerge_schema::Schema;

/// Which versions of the built-in groups are served: the default of kube-apiserver, and what a caller chose otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServedVersions {
    /// From the least to the most important one.
    choices: Vec<(Choice, bool)>,
}

/// What a choice is about, from the least to the most important.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Choice {
    All,
    Stable,
    Beta,
    Alpha,
    Version { group: String, version: String },
    Resource { group: String, version: String, plural: String },
}

const ALL: &str = "api/all";

impl ServedVersions {
    /// Alpha and beta versions, too.
    pub(crate) fn all() -> ServedVersions {
        ServedVersions { choices: vec![(Choice::All, true)] }
    }

    /// Reads a list like `api/beta=true,batch/v1=false`: the value of `--runtime-config`. Errors are worded as
    /// kube-apiserver words them.
    pub(crate) fn parse(text: &str) -> Result<ServedVersions, String> {
        let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
        let words = words.map(|word| word.split_once('=').map_or((word, ""), |(key, value)| (key, value)));
        // Of a key that is given twice the last value counts.
        let keys: BTreeMap<&str, &str> = words.map(|(key, value)| (key.trim(), value.trim())).collect();
        if keys.len() == 1 && keys.get(ALL) == Some(&"false") {
            return Err(format!("invalid runtime-config with only {ALL}=false"));
        }
        let mut choices = Vec::new();
        for (key, value) in keys {
            choices.push(choice(key, value)?);
        }
        choices.sort();
        Ok(ServedVersions { choices })
    }

    /// Refuses choices for groups that are not built in.
    pub(crate) fn check(&self, schema: &Schema) -> Result<(), String> {
        let is_known = |group: &str| schema.resources().any(|resource| resource.group() == group);
        let unknown = self.choices.iter().filter_map(|(choice, _)| match choice {
            Choice::Version { group, version } | Choice::Resource { group, version, .. } => {
                (!is_known(group)).then(|| format!("{group}/{version}"))
            }
            _ => None,
        });
        let unknown: Vec<String> = unknown.collect();
        if unknown.is_empty() { Ok(()) } else { Err(format!("unknown api groups {}", unknown.join(","))) }
    }

    pub(super) fn include(&self, group: &str, version: &str, plural: &str) -> bool {
        if !is_built_in(group) {
            return true;
        }
        let mut chosen =
            self.choices.iter().rev().filter(|(choice, _)| choice.is_about(group, version, plural));
        chosen.next().map_or_else(
            || !is_alpha(version) && !is_beta(version) || is_old_beta(group, plural),
            |(_, is_served)| *is_served,
        )
    }
}

impl Choice {
    fn is_about(&self, group: &str, version: &str, plural: &str) -> bool {
        match self {
            Choice::All => true,
            Choice::Stable => !is_alpha(version) && !is_beta(version),
            Choice::Beta => is_beta(version),
            Choice::Alpha => is_alpha(version),
            Choice::Version { group: own_group, version: own } => own_group == group && own == version,
            Choice::Resource { group: own_group, version: own, plural: own_plural } => {
                own_group == group && own == version && own_plural == plural
            }
        }
    }
}

fn choice(key: &str, value: &str) -> Result<(Choice, bool), String> {
    let many = match key {
        ALL => Some(Choice::All),
        "api/ga" => Some(Choice::Stable),
        "api/beta" => Some(Choice::Beta),
        "api/alpha" => Some(Choice::Alpha),
        _ => None,
    };
    if let Some(choice) = many {
        return match value {
            "true" => Ok((choice, true)),
            "false" => Ok((choice, false)),
            _ => Err(format!("invalid value {key}={value}")),
        };
    }
    let parts: Vec<String> = key.split('/').map(str::to_owned).collect();
    let choice = match <[String; 2]>::try_from(parts) {
        Ok([group, version]) => Choice::Version { group, version },
        Err(parts) => match <[String; 3]>::try_from(parts) {
            Ok([.., plural]) if plural != plural.to_lowercase() => {
                return Err(format!(
                    "invalid key {key}: group/version/resource and resource is always lowercase plural, not {plural:?}"
                ));
            }
            Ok([group, version, plural]) => Choice::Resource { group, version, plural },
            Err(_) => return Err(format!("runtime-config invalid key {key}")),
        },
    };
    Ok((choice, go_bool(key, value)?))
}

/// A value as Go reads one; none means true.
fn go_bool(key: &str, value: &str) -> Result<bool, String> {
    match value {
        "" | "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(true),
        "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(false),
        _ => Err(format!(
            "invalid value of {key}: {value}, err: strconv.ParseBool: parsing {value:?}: invalid syntax"
        )),
    }
}

fn is_alpha(version: &str) -> bool {
    version.contains("alpha")
}

fn is_beta(version: &str) -> bool {
    version.contains("beta")
}

/// Groups of a user's OpenAPI document are served in all their versions.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// Beta versions that were served by default before Kubernetes 1.24 stayed so until they were removed.
fn is_old_beta(group: &str, plural: &str) -> bool {
    matches!(
        (group, plural),
        ("autoscaling" | "flowcontrol.apiserver.k8s.io" | "policy", _)
            | ("storage.k8s.io", "csistoragecapacities")
            | ("batch", "cronjobs")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stable_versions_of_built_in_groups_are_served_by_default() {
        let served = |group, version, plural| {
            [ServedVersions::default(), ServedVersions::all()].map(|one| one.include(group, version, plural))
        };
        assert_eq!(served("apps", "v1", "deployments"), [true, true]);
        assert_eq!(served("resource.k8s.io", "v1beta1", "resourceclaims"), [false, true]);
        assert_eq!(served("flowcontrol.apiserver.k8s.io", "v1beta3", "flowschemas"), [true, true]);
        assert_eq!(served("example.com", "v1alpha1", "widgets"), [true, true]);
    }

    #[test]
    fn the_most_specific_choice_counts() {
        let served = |text: &str, group: &str, version: &str| {
            ServedVersions::parse(text).unwrap().include(group, version, "resourceclaims")
        };
        let group = "resource.k8s.io";
        for (text, alpha, beta, stable) in [
            ("", false, false, true),
            ("api/all=true", true, true, true),
            ("api/beta=true", false, true, true),
            ("api/all=false,api/alpha=true", true, false, false),
            ("resource.k8s.io/v1beta1", false, true, true),
            ("api/all=true, resource.k8s.io/v1beta1=false", true, false, true),
            ("resource.k8s.io/v1alpha3/resourceclaims=true", true, false, true),
            ("resource.k8s.io/v1alpha3/devicetaintrules=true", false, false, true),
            ("resource.k8s.io/v1=true,resource.k8s.io/v1=0", false, false, false),
        ] {
            let found = ["v1alpha3", "v1beta1", "v1"].map(|version| served(text, group, version));
            assert_eq!(found, [alpha, beta, stable], "{text}");
        }
        assert!(served("api/all=false,api/ga=false", "example.com", "v1"));
    }

    #[test]
    fn faults_are_worded_as_kubernetes_does() {
        for (text, message) in [
            ("api/all=false", "invalid runtime-config with only api/all=false"),
            ("v1", "runtime-config invalid key v1"),
            ("api/beta", "invalid value api/beta="),
            (
                "batch/v1=maybe",
                "invalid value of batch/v1: maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (
                "batch/v1/Jobs",
                "invalid key batch/v1/Jobs: group/version/resource and resource is always lowercase plural, not \"Jobs\"",
            ),
        ] {
            assert_eq!(ServedVersions::parse(text).unwrap_err(), message);
        }
    }
}
