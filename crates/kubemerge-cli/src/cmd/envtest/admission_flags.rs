//! `--enable-admission-plugins` and `--disable-admission-plugins`.

use kubemerge_server::AdmissionPlugin;

use super::flags::Flags;

/// The plugins that can be switched; as in kube-apiserver they are on unless it is told otherwise.
const SWITCHED: [(&str, AdmissionPlugin); 3] = [
    ("LimitRanger", AdmissionPlugin::LimitRanger),
    ("ResourceQuota", AdmissionPlugin::ResourceQuota),
    ("ServiceAccount", AdmissionPlugin::ServiceAccount),
];

const ENABLE: &str = "enable-admission-plugins";
const DISABLE: &str = "disable-admission-plugins";

/// The plugins that are on.
pub(super) fn plugins(flags: &Flags) -> Vec<AdmissionPlugin> {
    let is_off = |name| flags.values(DISABLE).any(|one| one == name);
    let on = SWITCHED.into_iter().filter(|(name, _)| !is_off(*name));
    on.map(|(_, plugin)| plugin).collect()
}

/// The plugins that are named and not switched.
pub(super) fn without_effect(flags: &Flags) -> Vec<&str> {
    let named = flags.values(ENABLE).chain(flags.values(DISABLE));
    named.filter(|name| SWITCHED.iter().all(|(known, ..)| known != name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(words: &[&str]) -> Flags {
        Flags::read(words.iter().map(|word| word.to_string()))
    }

    #[test]
    fn plugins_are_on_as_in_kubernetes_unless_named() {
        use AdmissionPlugin::{LimitRanger, ResourceQuota, ServiceAccount};
        assert_eq!(plugins(&flags(&[])), [LimitRanger, ResourceQuota, ServiceAccount]);
        let chosen = flags(&[
            "--disable-admission-plugins=ServiceAccount,LimitRanger",
            "--enable-admission-plugins=ResourceQuota",
        ]);
        assert_eq!(plugins(&chosen), [ResourceQuota]);
        assert!(without_effect(&chosen).is_empty());
    }

    #[test]
    fn other_plugins_are_named() {
        let flags = flags(&[
            "--enable-admission-plugins=NodeRestriction,LimitRanger",
            "--disable-admission-plugins",
            "Priority",
        ]);
        assert_eq!(without_effect(&flags), ["NodeRestriction", "Priority"]);
    }
}
