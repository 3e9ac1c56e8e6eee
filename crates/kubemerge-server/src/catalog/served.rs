//! Which versions of the built-in groups are served.

/// Which versions of the built-in groups are served.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ServedVersions {
    /// Those that kube-apiserver serves unless it is told otherwise.
    #[default]
    Default,
    /// Alpha and beta versions, too.
    All,
}

impl ServedVersions {
    pub(super) fn include(self, group: &str, version: &str, plural: &str) -> bool {
        self == ServedVersions::All
            || !is_unstable(version)
            || !is_built_in(group)
            || is_old_beta(group, plural)
    }
}

fn is_unstable(version: &str) -> bool {
    version.contains("alpha") || version.contains("beta")
}

/// Groups of a user's OpenAPI document are served in all their versions.
fn is_built_in(group: &str) -> bool {
    !group.contains('.') || group.ends_with(".k8s.io")
}

/// Beta versions that were served by default before Kubernetes 1.24 stayed so until they were removed.
fn is_old_beta(group: &str, plural: &str) -> bool {
    matches!(
        (group, plural),
        ("autoscaling", _)
            | ("flowcontrol.apiserver.k8s.io", _)
            | ("storage.k8s.io", "csistoragecapacities")
            | ("batch", "cronjobs")
            | ("policy", _)
    )
}

#[cfg(test)]
mod tests {
    use super::ServedVersions;

    #[test]
    fn only_stable_versions_of_built_in_groups_are_served_by_default() {
        let served = |group, version, plural| {
            [ServedVersions::Default, ServedVersions::All].map(|one| one.include(group, version, plural))
        };
        assert_eq!(served("apps", "v1", "deployments"), [true, true]);
        assert_eq!(served("resource.k8s.io", "v1beta1", "resourceclaims"), [false, true]);
        assert_eq!(served("flowcontrol.apiserver.k8s.io", "v1beta3", "flowschemas"), [true, true]);
        assert_eq!(served("example.com", "v1alpha1", "widgets"), [true, true]);
    }
}
