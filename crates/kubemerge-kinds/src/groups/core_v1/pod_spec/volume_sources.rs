//! Where the contents of volumes come from.

use kubemerge_value::part::text_of;

use super::env::downward_api_file;
use super::handlers::pull_policy;
use super::paths::{descending_path, file_mode, local_path, no_backsteps, user};
use super::projected::projected;
use crate::field::Field;
use crate::format::{dns1123_label, dns1123_subdomain};
use crate::groups::core_v1::claim_spec;

/// Validates a source that is given by its name.
pub(crate) fn source(name: &str, source: Field<'_>) {
    match name {
        "emptyDir" => empty_dir(source),
        "hostPath" => host_path(source),
        "gitRepo" => {
            source.field("repository").require("");
            descending_path(source.field("directory"));
        }
        "secret" => file_items(source, "secretName"),
        "configMap" => file_items(source, "name"),
        "nfs" => nfs(source),
        "persistentVolumeClaim" => required(source, &["claimName"]),
        "downwardAPI" => {
            file_owner_and_mode(source);
            source.field("items").items().for_each(|file| downward_api_file(file, source));
        }
        "projected" => projected(source),
        "csi" => csi(source),
        "ephemeral" => {
            let template = source.field("volumeClaimTemplate");
            if template.is_set() {
                claim_spec::validate_template(template);
            } else {
                template.required("");
            }
        }
        "image" => {
            source.field("reference").require("");
            pull_policy(source.field("pullPolicy"));
        }
        other => storage_system(other, source),
    }
}

fn required<'t>(source: Field<'t>, names: &[&'t str]) {
    for name in names {
        source.field(name).require("");
    }
}

/// Sources of particular storage systems.
fn storage_system(name: &str, source: Field<'_>) {
    match name {
        "gcePersistentDisk" => {
            // Upstream reports it under a name that no field has.
            let disk = source.renamed("persistentDisk");
            required(disk, &["pdName"]);
            partition(disk);
        }
        "awsElasticBlockStore" => {
            required(source, &["volumeID"]);
            partition(source);
        }
        "iscsi" => iscsi(source),
        "glusterfs" => required(source, &["endpoints", "path"]),
        "flocker" => flocker(source),
        "rbd" => required(source, &["monitors", "image"]),
        "cinder" => {
            required(source, &["volumeID"]);
            secret_name(source, "secretRef");
        }
        "cephfs" => required(source, &["monitors"]),
        "quobyte" => quobyte(source),
        "fc" => fibre_channel(source),
        "flexVolume" => flex_volume(source),
        "azureFile" => required(source, &["secretName", "shareName"]),
        "azureDisk" => azure_disk(source),
        "vsphereVolume" => required(source, &["volumePath"]),
        "photonPersistentDisk" => required(source, &["pdID"]),
        "portworxVolume" => required(source, &["volumeID"]),
        "scaleIO" => required(source, &["gateway", "system", "volumeName"]),
        // The caller passes names of its table only, and this is the one left.
        _ => storage_os(source),
    }
}

fn empty_dir(source: Field<'_>) {
    let (limit, mode) = (source.field("sizeLimit"), source.field("mode"));
    // Only the sign is left to check: the decoder has parsed the quantity.
    if limit.quantity().sign() < 0 {
        limit.forbidden("SizeLimit field must be a valid resource quantity");
    }
    if !(0..=0o1777).contains(&mode.int()) {
        mode.invalid("must be a number between 0 and 01777 (octal), both inclusive");
    }
}

fn host_path(source: Field<'_>) {
    // Without a path, upstream does not look at the type.
    if source.field("path").require("") {
        return;
    }
    no_backsteps(source.field("path"));
    let kind = source.field("type");
    if kind.is_set() {
        kind.one_of(&[
            "",
            "BlockDevice",
            "CharDevice",
            "Directory",
            "DirectoryOrCreate",
            "File",
            "FileOrCreate",
            "Socket",
        ]);
    }
}

/// Files from the keys of a Secret or ConfigMap.
fn file_items<'t>(source: Field<'t>, name: &'t str) {
    source.field(name).require("");
    file_owner_and_mode(source);
    source.field("items").items().for_each(key_to_path);
}

pub(super) fn file_owner_and_mode(source: Field<'_>) {
    file_mode(source.field("defaultMode"));
    user(source.field("defaultUser"));
}

pub(super) fn key_to_path(item: Field<'_>) {
    required(item, &["key", "path"]);
    local_path(item.field("path"));
    file_mode(item.field("mode"));
    user(item.field("user"));
}

fn nfs(source: Field<'_>) {
    required(source, &["server", "path"]);
    if !source.field("path").str().starts_with('/') {
        source.field("path").invalid("must be an absolute path");
    }
}

fn csi(source: Field<'_>) {
    csi_driver_name(source.field("driver"));
    let reference = source.field("nodePublishSecretRef");
    let name = reference.field("name");
    if reference.is_set() && !name.require("") {
        // Upstream reports this at the name of a source, which is absent.
        name.reported_at(source.field("name")).check(dns1123_subdomain);
    }
}

/// The name of a CSI driver: a subdomain, in any case of letters.
pub(crate) fn csi_driver_name(driver: Field<'_>) {
    const MAX_DRIVER_NAME: usize = 63;
    if driver.require("") {
        return;
    }
    if driver.str().len() > MAX_DRIVER_NAME {
        driver.too_long(MAX_DRIVER_NAME);
    }
    // Upstream: capital letters are accepted here, though a subdomain has none.
    driver.report_problems(dns1123_subdomain(&driver.str().to_lowercase()));
}

fn partition(source: Field<'_>) {
    let partition = source.field("partition");
    if !(0..=255).contains(&partition.int()) {
        // Upstream: zero, which means the whole disk, is accepted although the text says otherwise.
        partition.invalid("must be between 1 and 255, inclusive");
    }
}

fn secret_name<'t>(source: Field<'t>, name: &'t str) {
    let reference = source.field(name);
    if reference.is_set() {
        reference.field("name").require("");
    }
}

fn iscsi(source: Field<'_>) {
    required(source, &["targetPortal"]);
    let (iqn, initiator) = (source.field("iqn"), source.field("initiatorName"));
    if !iqn.require("") {
        iscsi_name(iqn);
    }
    source.field("lun").check_range(0, 255);
    let authenticates = source.field("chapAuthDiscovery").bool() || source.field("chapAuthSession").bool();
    if authenticates && !source.field("secretRef").is_set() {
        source.field("secretRef").required("");
    }
    if initiator.is_set() {
        // Upstream writes the field in lower case.
        iscsi_name(initiator.reported_at(source.field("initiatorname")));
    }
}

fn iscsi_name(name: Field<'_>) {
    if !["iqn", "eui", "naa"].iter().any(|prefix| name.str().starts_with(prefix)) {
        name.invalid("must be valid format starting with iqn, eui, or naa");
    } else if !is_iscsi_name(name.str()) {
        name.invalid("must be valid format");
    }
}

/// Whether a text names an initiator or a target.
pub(crate) fn is_iscsi_name(text: &str) -> bool {
    let is_word =
        |text: &str, len: usize| text.len() == len && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // Upstream allows any character for the dot after the prefix.
    let mut rest = text.get(3..).unwrap_or_default().chars();
    let has_separator = rest.next().is_some_and(|char| char != '\n');
    match text.get(..3) {
        Some("iqn") => {
            text.match_indices("iqn.").any(|(at, prefix)| is_iqn(text_of(text, at + prefix.len()..)))
        }
        Some("eui") => has_separator && is_word(rest.as_str(), 16),
        Some("naa") => has_separator && is_word(rest.as_str(), 32),
        _ => false,
    }
}

/// `2001-04.com.example:anything` without some special characters.
fn is_iqn(text: &str) -> bool {
    let Some((date, name)) = text.split_at_checked(8) else { return false };
    let is_date = date.bytes().enumerate().all(|(at, byte)| match at {
        4 => byte == b'-',
        7 => byte == b'.',
        _ => byte.is_ascii_digit(),
    });
    let Some((authority, rest)) = name.split_once(':') else { return false };
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let is_special = |char: char| ",;*&$| \t\n\r\u{c}".contains(char);
    is_date
        && !authority.is_empty()
        && authority.bytes().all(is_word)
        && !rest.is_empty()
        && !rest.contains(is_special)
}

fn flocker(source: Field<'_>) {
    let (name, uuid) = (source.field("datasetName"), source.field("datasetUUID"));
    match (name.is_empty(), uuid.is_empty()) {
        (true, true) => source.required("one of datasetName and datasetUUID is required"),
        (false, false) => {
            source.invalid_as("resource", "datasetName and datasetUUID can not be specified simultaneously");
        }
        _ => {}
    }
    if name.str().contains('/') {
        name.invalid("must not contain '/'");
    }
}

fn quobyte(source: Field<'_>) {
    const MESSAGE: &str = "must be a host:port pair or multiple pairs separated by commas";
    const MAX_TENANT: usize = 64;
    let (registry, tenant) = (source.field("registry"), source.field("tenant"));
    if registry.is_empty() {
        registry.required(MESSAGE);
    } else if tenant.str().len() > MAX_TENANT {
        tenant.required("must be a UUID and may not exceed a length of 64 characters");
    } else {
        let is_pair = |pair: &str| pair.matches(':').count() == 1;
        // One error for every pair that is wrong, all with the whole text.
        registry.str().split(',').filter(|pair| !is_pair(pair)).for_each(|_| registry.invalid(MESSAGE));
    }
    source.field("volume").require("");
}

fn fibre_channel(source: Field<'_>) {
    let (targets, ids, lun) = (source.field("targetWWNs"), source.field("wwids"), source.field("lun"));
    match (targets.is_empty(), ids.is_empty()) {
        (true, true) => targets.required("must specify either targetWWNs or wwids, but not both"),
        (false, false) => targets.invalid("targetWWNs and wwids can not be specified simultaneously"),
        _ => {}
    }
    if !targets.is_empty() {
        if lun.is_set() {
            lun.check_range(0, 255);
        } else {
            // World wide identifiers name a unit already; target names do not.
            lun.required("lun is required if targetWWNs is specified");
        }
    }
}

fn flex_volume(source: Field<'_>) {
    source.field("driver").require("");
    for (key, option) in source.field("options").entries() {
        // The dot makes the domain itself match as well as its subdomains.
        let domain = format!(".{}", key.split('/').next().unwrap_or_default().to_lowercase());
        if domain.ends_with(".kubernetes.io") || domain.ends_with(".k8s.io") {
            option.invalid_as(key, "kubernetes.io and k8s.io namespaces are reserved");
        }
    }
}

fn azure_disk(source: Field<'_>) {
    required(source, &["diskName", "diskURI"]);
    let (mode, kind, uri) = (source.field("cachingMode"), source.field("kind"), source.field("diskURI"));
    if mode.is_set() {
        mode.one_of(&["None", "ReadOnly", "ReadWrite"]);
    }
    if kind.is_set() {
        kind.one_of(&["Dedicated", "Managed", "Shared"]);
        // Each kind of disk has an address of its own form; only the beginning is checked.
        let managed =
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
        let blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
        let (prefix, form) =
            if kind.str() == "Managed" { ("/subscriptions/", managed) } else { ("https://", blob) };
        if !uri.str().starts_with(prefix) {
            uri.not_supported(&[form]);
        }
    }
}

fn storage_os(source: Field<'_>) {
    let (name, namespace) = (source.field("volumeName"), source.field("volumeNamespace"));
    if !name.require("") {
        name.check(dns1123_label);
    }
    if !namespace.is_empty() {
        namespace.check(dns1123_label);
    }
    secret_name(source, "secretRef");
}
