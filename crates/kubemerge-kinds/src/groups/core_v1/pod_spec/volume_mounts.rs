//! Mounts of volumes and block devices in containers.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::descending_path;
use super::volumes::Volumes;
use crate::field::Field;

/// Names and paths of mounts or devices; of two with one name the last counts.
struct Used<'t> {
    names: BTreeSet<&'t str>,
    paths: BTreeSet<&'t str>,
}

impl<'t> Used<'t> {
    fn of(list: Field<'t>, path: &'t str) -> Used<'t> {
        let items = list.items().map(|item| (item.field("name").str(), item.field(path).str()));
        // Upstream keeps a map by name, so an earlier path of the same name is forgotten.
        let by_name: BTreeMap<&str, &str> = items.collect();
        Used { names: by_name.keys().copied().collect(), paths: by_name.into_values().collect() }
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn has_path(&self, path: &str) -> bool {
        self.paths.contains(path)
    }
}

pub(super) fn volume_mounts<'t>(container: Field<'t>, volumes: &Volumes<'t>) {
    let mounts = container.field("volumeMounts");
    let devices = Used::of(container.field("volumeDevices"), "devicePath");
    let mut paths = BTreeSet::new();
    for mount in mounts.items() {
        let (name, path) = (mount.field("name"), mount.field("mountPath"));
        name.require("");
        // Volumes with errors of their own are not in the map, so mounts of them are reported too.
        if !volumes.contains_key(name.str()) {
            name.not_found();
        }
        path.require("");
        if !paths.insert(path.str()) {
            path.invalid("must be unique");
        }
        if devices.has_name(name.str()) {
            name.invalid("must not already exist in volumeDevices");
        }
        if devices.has_path(path.str()) {
            path.invalid("must not already exist as a path in volumeDevices");
        }
        sub_paths(mount, mounts);
        propagation(mount, mounts, container);
        recursive_read_only(mount, mounts);
        bind_options(mount, volumes);
    }
}

/// Upstream reports problems of these paths at the list of mounts.
fn sub_paths<'t>(mount: Field<'t>, mounts: Field<'t>) {
    let (path, expression) = (mount.field("subPath"), mount.field("subPathExpr"));
    if !path.is_empty() {
        descending_path(path.reported_at(mounts.field("subPath")));
    }
    if !expression.is_empty() {
        if !path.is_empty() {
            expression.invalid("subPathExpr and subPath are mutually exclusive");
        }
        descending_path(expression.reported_at(mounts.field("subPathExpr")));
    }
}

fn propagation<'t>(mount: Field<'t>, mounts: Field<'t>, container: Field<'t>) {
    let mode = mount.field("mountPropagation").reported_at(mounts.field("mountPropagation"));
    if !mode.is_set() {
        return;
    }
    mode.one_of(&["Bidirectional", "HostToContainer", "None"]);
    let is_privileged = container.fields(["securityContext", "privileged"]).bool();
    // Such mounts change the file system of the host.
    if mode.str() == "Bidirectional" && !is_privileged {
        mode.forbidden("Bidirectional mount propagation is available only to privileged containers");
    }
}

fn recursive_read_only<'t>(mount: Field<'t>, mounts: Field<'t>) {
    let mode = mount.field("recursiveReadOnly").reported_at(mounts.field("recursiveReadOnly"));
    match mode.str() {
        _ if !mode.is_set() => {}
        "Disabled" => {}
        "Enabled" | "IfPossible" => {
            if !mount.field("readOnly").bool() {
                mode.forbidden("may only be specified when readOnly is true");
            }
            let propagation = mount.field("mountPropagation");
            if propagation.is_set() && propagation.str() != "None" {
                mode.forbidden("may only be specified when mountPropagation is None or not specified");
            }
        }
        _ => mode.not_supported(&["Disabled", "Enabled", "IfPossible"]),
    }
}

fn bind_options<'t>(mount: Field<'t>, volumes: &Volumes<'t>) {
    let options = mount.field("bindMountOptions");
    let mut seen = BTreeSet::new();
    for option in options.items() {
        option.one_of(&["nodev", "noexec", "nosuid"]);
        if !seen.insert(option.str()) {
            option.duplicate();
        }
    }
    let volume = volumes.get(mount.field("name").str());
    if !options.is_empty() && volume.is_some_and(|volume| volume.field("image").is_set()) {
        options.invalid("bindMountOptions may not be used with image volumes");
    }
}

pub(super) fn volume_devices<'t>(container: Field<'t>, volumes: &Volumes<'t>) {
    let mounts = Used::of(container.field("volumeMounts"), "mountPath");
    let (mut names, mut paths) = (BTreeSet::new(), BTreeSet::new());
    for device in container.field("volumeDevices").items() {
        let (name, path) = (device.field("name"), device.field("devicePath"));
        name.require("");
        if names.contains(name.str()) {
            name.invalid("must be unique");
        }
        match volumes.get(name.str()) {
            // Raw devices exist for storage that is claimed only.
            Some(volume) if !is_claim(*volume) => name.invalid(
                "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
            ),
            Some(_) => {}
            None => name.not_found(),
        }
        path.require("");
        if paths.contains(path.str()) {
            path.invalid("must be unique");
        }
        if path.str().split('/').any(|part| part == "..") {
            // Upstream: such a path is not noted, so that a second one is no duplicate.
            path.invalid("can not contain backsteps ('..')");
        } else {
            paths.insert(path.str());
        }
        if mounts.has_name(name.str()) {
            name.invalid("must not already exist in volumeMounts");
        }
        if mounts.has_path(path.str()) {
            path.invalid("must not already exist as a path in volumeMounts");
        }
        if !name.is_empty() {
            names.insert(name.str());
        }
    }
}

fn is_claim(volume: Field<'_>) -> bool {
    volume.field("persistentVolumeClaim").is_set() || volume.field("ephemeral").is_set()
}
