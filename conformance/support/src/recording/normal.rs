//! Removes from answers what differs between any two servers: uids, times, versions, allocated addresses.

use serde_json::{Map, Value};

/// Placeholder for the uid of an object, in bodies that are sent and in answers that are compared.
pub const UID: &str = "@UID@";
/// Placeholder for the resource version of an object in bodies that are sent.
pub const RESOURCE_VERSION: &str = "@RV@";
/// Placeholders for allocated addresses, allocated ports and times.
const ADDRESS: &str = "@IP@";
const PORT: &str = "@PORT@";
const TIME: &str = "@TIME@";

/// What differs between two servers about one stored object.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its uid.
    pub uid: String,
    /// Its resource version.
    pub resource_version: String,
}

impl Identity {
    /// Reads the identity of an object in an answer.
    pub fn of(object: &Value) -> Identity {
        let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_string();
        Identity { uid: text("uid"), resource_version: text("resourceVersion") }
    }
}

/// Members of `metadata` that no comparison looks at.
const SERVER_METADATA: [&str; 4] = ["uid", "resourceVersion", "creationTimestamp", "selfLink"];

/// Whether the owners of fields are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    /// `metadata.managedFields` are removed.
    #[default]
    Ignored,
    /// They are compared, without times and sorted by manager.
    Compared,
}

/// Node ports are allocated from here on.
const FIRST_NODE_PORT: i64 = 30_000;

/// Length of the random part of a generated name.
const SUFFIX_LENGTH: usize = 5;

/// Normalises a body in place.
pub fn normalise(body: &mut Value, identity: &Identity, owners: Owners) {
    let own = Identity::of(body);
    // Bodies are masked member by member; only the texts of a Status have addresses inside.
    let is_about_service = body["details"]["kind"] == "Service";
    let generated = generated_name(body);
    sort_conflicts(body);
    move_approval(body);
    mask_token(body);
    walk(body, owners, &mut |text| {
        for uid in [&own.uid, &identity.uid] {
            if !uid.is_empty() {
                *text = text.replace(uid.as_str(), UID);
            }
        }
        if let Some(name) = &generated {
            *text = text.replace(name.as_str(), "@GENERATED@");
        }
        *text = mask(text, UUID_LENGTH, is_random_uuid, UID);
        *text = mask(text, TOKEN_VOLUME.len() + SUFFIX_LENGTH, is_token_volume, "@TOKEN-VOLUME@");
        if is_about_service {
            // Messages quote allocated addresses; the longest form is tried first.
            for length in (8..=12).rev() {
                *text = mask(text, length, is_cluster_address, ADDRESS);
            }
        }
        *text = without_type_number(text);
        if !identity.resource_version.is_empty() {
            *text =
                text.replace(&format!("({})", identity.resource_version), &format!("({RESOURCE_VERSION})"));
        }
        if is_recent_time(text) {
            *text = TIME.to_string();
        }
        if text.contains("Invalid value: \"{") {
            *text = mask_quoted_object(text, &identity.resource_version);
        }
        if text.contains("errors:\n") {
            *text = sort_typed_errors(text);
        }
    });
}

/// The type of `self` in expressions has a number that differs from call to call.
pub fn without_type_number(text: &str) -> String {
    const NAME: &str = "selfType";
    let mut parts = text.split(NAME);
    let mut found = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        found.push_str(NAME);
        found.push_str(part.trim_start_matches(|char: char| char.is_ascii_digit()));
    }
    found
}

/// Masks versions and times in an object that a message quotes.
fn mask_quoted_object(text: &str, version: &str) -> String {
    let quoted = |version: &str| format!("\\\":\\\"{version}\\\"");
    let mut masked = text.to_string();
    if !version.is_empty() {
        masked = masked.replace(&quoted(version), &quoted(RESOURCE_VERSION));
    }
    if masked.contains(&quoted("Service")) {
        for length in (8..=12).rev() {
            masked = mask(&masked, length, is_cluster_address, ADDRESS);
        }
    }
    mask(&masked, TIME_LENGTH, |bytes| std::str::from_utf8(bytes).is_ok_and(is_recent_second), TIME)
}

/// A token has its time and its number inside.
fn mask_token(body: &mut Value) {
    if body["kind"] == "TokenRequest"
        && let Some(token) = body.pointer_mut("/status/token").filter(|token| *token != "")
    {
        *token = "@TOKEN@".into();
    }
}

/// Conflicts with several managers are in the order of a Go map.
fn sort_conflicts(body: &mut Value) {
    let is_conflict = |cause: &Value| cause["reason"] == "FieldManagerConflict";
    let causes = body.pointer_mut("/details/causes").and_then(Value::as_array_mut);
    if let Some(causes) = causes.filter(|causes| causes.iter().all(is_conflict)) {
        causes.sort_by_key(ToString::to_string);
    }
}

/// Errors of a configuration are in the order of a Go map, which is another one each time.
fn sort_typed_errors(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    if let Some(rest) = lines.get_mut(1..) {
        rest.sort_unstable();
    }
    lines.join("\n")
}

/// Two controllers write conditions of definitions, whoever comes first.
fn move_approval(body: &mut Value) {
    if body["kind"] == "CustomResourceDefinition"
        && let Some(conditions) = body.pointer_mut("/status/conditions").and_then(Value::as_array_mut)
    {
        conditions.sort_by_key(|condition| condition["type"] != "KubernetesAPIApprovalPolicyConformant");
    }
}

const TIME_LENGTH: usize = 20;

/// A recent time in the form `2026-11-16T05:09:08Z`.
fn is_recent_second(text: &str) -> bool {
    text.ends_with('Z') && is_recent_time(text)
}

const UUID_LENGTH: usize = 36;

/// Volumes with the token of a service account have a random name.
const TOKEN_VOLUME: &str = "kube-api-access-";

fn is_token_volume(bytes: &[u8]) -> bool {
    bytes.starts_with(TOKEN_VOLUME.as_bytes())
}

/// Replaces all parts of a text that have a length and a form.
fn mask(text: &str, length: usize, has_form: fn(&[u8]) -> bool, mark: &str) -> String {
    let bytes = text.as_bytes();
    let mut masked = String::new();
    let mut start = 0;
    while let Some(found) = bytes[start..].windows(length).position(has_form) {
        masked.push_str(&text[start..start + found]);
        masked.push_str(mark);
        start += found + length;
    }
    masked.push_str(&text[start..]);
    masked
}

/// Servers make random uids; those of requests have another version.
fn is_random_uuid(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        // The version.
        14 => *byte == b'4',
        _ => byte.is_ascii_hexdigit(),
    })
}

/// An address of the service range of the servers that are compared.
fn is_cluster_address(bytes: &[u8]) -> bool {
    bytes.starts_with(b"10.0.")
        && bytes.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        && bytes.iter().filter(|byte| **byte == b'.').count() == 3
        && bytes.last().is_some_and(u8::is_ascii_digit)
}

fn generated_name(body: &Value) -> Option<String> {
    let prefix = body["metadata"]["generateName"].as_str()?;
    let name = body["metadata"]["name"].as_str()?;
    (name.len() == prefix.len() + SUFFIX_LENGTH && name.starts_with(prefix)).then(|| name.to_string())
}

fn walk(value: &mut Value, owners: Owners, text: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(string) => text(string),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, owners, text)),
        Value::Object(map) => {
            normalise_members(map, owners);
            map.values_mut().for_each(|member| walk(member, owners, text));
        }
        _ => {}
    }
}

fn normalise_members(map: &mut Map<String, Value>, owners: Owners) {
    if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
        SERVER_METADATA.iter().for_each(|name| drop(metadata.remove(*name)));
        match metadata.get_mut("managedFields").and_then(Value::as_array_mut) {
            Some(entries) if owners == Owners::Compared => normalise_entries(entries),
            _ => drop(metadata.remove("managedFields")),
        }
    }
    // Alphabetical order of keys and nothing else: an address is whatever the allocator had.
    for name in ["clusterIP", "clusterIPs"] {
        if let Some(value) = map.get_mut(name).filter(|value| **value != "None") {
            mask_addresses(value);
        }
    }
    for name in ["nodePort", "healthCheckNodePort"] {
        let allocated = map.get(name).and_then(Value::as_i64).is_some_and(|port| port >= FIRST_NODE_PORT);
        if allocated {
            map.insert(name.to_string(), PORT.into());
        }
    }
}

/// Entries are sorted by time, which differs from run to run.
fn normalise_entries(entries: &mut [Value]) {
    for entry in entries.iter_mut().filter_map(Value::as_object_mut) {
        entry.remove("time");
    }
    let key = |entry: &Value| {
        ["operation", "manager", "subresource", "apiVersion"]
            .map(|name| entry[name].as_str().unwrap_or_default().to_string())
    };
    entries.sort_by_key(key);
}

fn mask_addresses(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(mask_addresses),
        Value::String(text) if !text.is_empty() && text != "None" => *text = ADDRESS.to_string(),
        _ => {}
    }
}

/// Times of this year's run; times in the requests themselves are older.
fn is_recent_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let looks_like_time = bytes.len() >= 20 && bytes[4] == b'-' && bytes[10] == b'T' && bytes[13] == b':';
    looks_like_time && !text.starts_with("2026-01-02") && text.starts_with("20")
}

/// A normalised object as a body for any server: without what the server fills in itself.
pub fn template(object: &Value) -> Value {
    let mut object = object.clone();
    drop_filled_in(&mut object);
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".to_string(), RESOURCE_VERSION.into());
    }
    object
}

fn drop_filled_in(value: &mut Value) {
    let filled_in = |value: &Value| [ADDRESS, PORT, TIME].iter().any(|mark| value == mark);
    match value {
        Value::Object(map) => {
            map.retain(|_, member| {
                !filled_in(member) && !member.as_array().is_some_and(|items| items.iter().any(filled_in))
            });
            map.values_mut().for_each(drop_filled_in);
        }
        Value::Array(items) => items.iter_mut().for_each(drop_filled_in),
        _ => {}
    }
}

/// Removes the ages of a table, which differ from run to run, and the descriptions of its columns, which are
/// sentences of Kubernetes' documentation.
pub fn normalise_table(body: &mut Value) {
    let ages: Vec<usize> = body["columnDefinitions"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .filter(|(_, column)| {
            ["Age", "Duration", "Last Seen", "First Seen", "TimeAdded"]
                .contains(&column["name"].as_str().unwrap_or_default())
        })
        .map(|(index, _)| index)
        .collect();
    let columns = body["columnDefinitions"].as_array().map_or(usize::MAX, Vec::len);
    for column in body.get_mut("columnDefinitions").and_then(Value::as_array_mut).into_iter().flatten() {
        column.as_object_mut().map(|column| column.remove("description"));
    }
    for row in body.get_mut("rows").and_then(Value::as_array_mut).into_iter().flatten() {
        let cells = row.get_mut("cells").and_then(Value::as_array_mut).into_iter().flatten();
        for (index, cell) in cells.enumerate() {
            mask_allocations(cell);
            // Upstream: the age of an IPAddress has no column.
            if index >= columns {
                *cell = "AGE".into();
            }
        }
        for index in &ages {
            if let Some(cell) =
                row.get_mut("cells").and_then(|cells| cells.get_mut(*index)).filter(|cell| cell.is_string())
            {
                *cell = "AGE".into();
            }
        }
    }
}

/// Cluster addresses and node ports in a cell, such as `80:31234/TCP`.
fn mask_allocations(cell: &mut Value) {
    let Value::String(text) = cell else { return };
    if text.starts_with("10.0.") && text.split('.').count() == 4 {
        *text = ADDRESS.to_string();
    }
    let masked: Vec<String> = text
        .split(',')
        .map(|port| match (port.split_once(':'), port.split_once('/')) {
            (Some((port, _)), Some((_, protocol))) => format!("{port}:{PORT}/{protocol}"),
            _ => port.to_string(),
        })
        .collect();
    let looks_like_ports = ["/TCP", "/UDP", "/SCTP"].iter().any(|protocol| text.contains(protocol));
    if looks_like_ports {
        *text = masked.join(",");
    }
}

/// Removes descriptions, which OpenAPI documents are compared without, and hashes of documents with descriptions.
pub fn without_descriptions(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(end) = text.find("?hash=") {
                text.truncate(end);
            }
        }
        Value::Object(map) => {
            // A property may be called `description`; only texts are descriptions.
            if map.get("description").is_some_and(Value::is_string) {
                map.remove("description");
            }
            map.values_mut().for_each(without_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(without_descriptions),
        _ => {}
    }
}
