//! The types that Kubernetes validates: its internal ones, whose JSON error messages show.
//!
//! Validation runs on internal types, and messages print values of structs as JSON by the names of their Go
//! fields. The table lists these fields in order, with the name that the same field has in the API.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Internal packages and the version whose fields they are matched with.
const GROUPS: [(&str, &str); 18] = [
    ("core", "core/v1"),
    ("apps", "apps/v1"),
    ("batch", "batch/v1"),
    ("networking", "networking/v1"),
    ("policy", "policy/v1"),
    ("rbac", "rbac/v1"),
    ("storage", "storage/v1"),
    ("autoscaling", "autoscaling/v2"),
    ("admissionregistration", "admissionregistration/v1"),
    ("discovery", "discovery/v1"),
    ("scheduling", "scheduling/v1"),
    ("coordination", "coordination/v1"),
    ("flowcontrol", "flowcontrol/v1"),
    ("certificates", "certificates/v1"),
    ("resource", "resource/v1"),
    ("node", "node/v1"),
    ("storagemigration", "storagemigration/v1"),
    ("authorization", "authorization/v1"),
];

/// A field as a Go file declares it.
#[derive(Clone, Default)]
pub(super) struct Declared {
    name: String,
    pub(super) type_name: String,
    /// The JSON tag, with its options.
    pub(super) tag: Option<String>,
    pub(super) is_embedded: bool,
}

/// The types of one package.
#[derive(Default)]
pub(super) struct Package {
    pub(super) structs: BTreeMap<String, Vec<Declared>>,
    /// Names for other types, such as `type Protocol string`.
    names: BTreeMap<String, String>,
}

/// The folders of the Go modules that types are read from.
pub(super) struct Modules {
    pub(super) kubernetes: PathBuf,
    pub(super) api: PathBuf,
    pub(super) machinery: PathBuf,
    pub(super) extensions: PathBuf,
}

/// The table of all types.
pub(super) fn table(modules: &Modules) -> Result<String, Box<dyn Error>> {
    let Modules { kubernetes, api, machinery, extensions } = modules;
    let mut internal = BTreeMap::new();
    let mut versioned = BTreeMap::new();
    for (group, version) in GROUPS {
        internal.insert(group.to_owned(), read_package(&kubernetes.join("pkg/apis").join(group), group)?);
        versioned.insert(group.to_owned(), read_package(&api.join(version), group)?);
    }
    // Definitions live in a module of their own.
    let definitions = extensions.join("pkg/apis/apiextensions");
    internal.insert("apiextensions".to_owned(), read_package(&definitions, "apiextensions")?);
    versioned.insert("apiextensions".to_owned(), read_package(&definitions.join("v1"), "apiextensions")?);
    // Metadata has no internal form: its versioned types take both places.
    let meta = machinery.join("pkg/apis/meta/v1");
    internal.insert("metav1".to_owned(), read_package(&meta, "metav1")?);
    versioned.insert("metav1".to_owned(), read_package(&meta, "metav1")?);
    let table = Table { internal, versioned };
    let mut text = String::new();
    for (group, package) in &table.internal {
        for name in package.structs.keys().filter(|name| is_wanted(group, name)) {
            table.write_struct(group, name, &mut text)?;
        }
    }
    Ok(text)
}

/// Lists and the like are never part of a message.
fn is_wanted(group: &str, name: &str) -> bool {
    const META: [&str; 9] = [
        "ObjectMeta",
        "OwnerReference",
        "ManagedFieldsEntry",
        "LabelSelector",
        "LabelSelectorRequirement",
        "Condition",
        "GroupResource",
        "FieldSelectorRequirement",
        "TypeMeta",
    ];
    match group {
        "metav1" => META.contains(&name),
        _ => !name.ends_with("List") && !name.starts_with("Serialized"),
    }
}

struct Table {
    internal: BTreeMap<String, Package>,
    versioned: BTreeMap<String, Package>,
}

impl Table {
    fn write_struct(&self, group: &str, name: &str, text: &mut String) -> Result<(), Box<dyn Error>> {
        let mut fields = Vec::new();
        self.flatten(group, name, "", &mut fields);
        if fields.is_empty() {
            return Ok(());
        }
        write!(text, "{group}.{name}")?;
        for (printed, path, kind) in fields {
            write!(text, " {printed}:{path}:{kind}")?;
        }
        text.push('\n');
        Ok(())
    }

    /// Printed name, path in the API, type.
    fn flatten(&self, group: &str, name: &str, prefix: &str, fields: &mut Vec<(String, String, String)>) {
        let Some(declared) = self.internal.get(group).and_then(|package| package.structs.get(name)) else {
            return;
        };
        let mut of_version = BTreeMap::new();
        self.version_names(group, name, &mut of_version);
        for field in declared {
            let (tag, options) = match &field.tag {
                Some(tag) => tag.split_once(',').unwrap_or((tag, "")),
                None => ("", ""),
            };
            if field.is_embedded && tag.is_empty() {
                let (package, name) = qualified(group, &field.type_name);
                // Go prints the fields of an embedded struct as if they were the outer one's.
                let prefix = if name == "ObjectMeta" { "metadata/" } else { prefix };
                self.flatten(package, name, prefix, fields);
                continue;
            }
            if tag == "-" {
                continue;
            }
            // Internal types have no JSON tags; the versioned ones of the same name name the field in the API.
            let json = of_version.get(&field.name).cloned().unwrap_or_else(|| lower_first(&field.name));
            let mark = match (options.contains("omitempty"), options.contains("omitzero")) {
                (_, true) => "!",
                (true, false) => "?",
                (false, false) => "",
            };
            let printed = if tag.is_empty() { &field.name } else { tag };
            // The usual path is the printed name with a small letter; it is left out.
            let path = format!("{prefix}{json}");
            let path = if path == lower_first(printed) { String::new() } else { path };
            fields.push((format!("{printed}{mark}"), path, self.kind(group, &field.type_name)));
        }
    }

    /// JSON names of the fields of the same struct in the API, by their Go names.
    fn version_names(&self, group: &str, name: &str, names: &mut BTreeMap<String, String>) {
        let declared = self.versioned.get(group).and_then(|package| package.structs.get(name));
        for field in declared.into_iter().flatten() {
            let tag = field.tag.as_deref().unwrap_or_default().split(',').next().unwrap_or_default();
            if field.is_embedded && tag.is_empty() {
                let (package, name) = qualified(group, &field.type_name);
                self.version_names(package, name, names);
            } else if !tag.is_empty() {
                names.insert(field.name.clone(), tag.to_owned());
            }
        }
    }

    /// A type in the letters of the table.
    fn kind(&self, group: &str, type_name: &str) -> String {
        if let Some(rest) = type_name.strip_prefix('*') {
            return format!("*{}", self.kind(group, rest));
        }
        if type_name == "[]byte" {
            // Before lists: Go prints bytes in another way than a list of numbers.
            return "y".to_owned();
        }
        if let Some(rest) = type_name.strip_prefix("[]") {
            return format!("[{}", self.kind(group, rest));
        }
        if let Some((_, rest)) = type_name.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return format!("{{{}", self.kind(group, rest));
        }
        match type_name {
            "string" | "types.UID" | "types.NodeName" | "types.NamespacedName" => return "s".to_owned(),
            "bool" => return "b".to_owned(),
            "int" | "int8" | "int16" | "int32" | "int64" | "uint32" | "uint64" | "uint8" => {
                return "i".to_owned();
            }
            "float32" | "float64" => return "f".to_owned(),
            "resource.Quantity" => return "q".to_owned(),
            "metav1.Time" | "metav1.MicroTime" => return "t".to_owned(),
            "metav1.Duration" => return "d".to_owned(),
            "intstr.IntOrString" => return "o".to_owned(),
            _ => {}
        }
        let (package, name) = qualified(group, type_name);
        let found = self.internal.get(package);
        match found.and_then(|found| found.names.get(name)) {
            Some(underlying) => self.kind(package, underlying),
            None if found.is_some_and(|found| found.structs.contains_key(name)) => {
                format!("S{package}.{name}")
            }
            None => "j".to_owned(),
        }
    }
}

pub(super) fn qualified<'a>(group: &'a str, type_name: &'a str) -> (&'a str, &'a str) {
    type_name.trim_start_matches('*').split_once('.').unwrap_or((group, type_name.trim_start_matches('*')))
}

fn lower_first(name: &str) -> String {
    let mut chars = name.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}

pub(super) fn read_package(folder: &Path, group: &str) -> Result<Package, Box<dyn Error>> {
    let mut package = Package::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".go") && !name.ends_with("_test.go") && !name.contains("generated") {
            read_file(&fs::read_to_string(&path)?, group, &mut package);
        }
    }
    Ok(package)
}

fn read_file(source: &str, group: &str, package: &mut Package) {
    let imports: BTreeMap<&str, String> = source.lines().filter_map(import).collect();
    let mut current: Option<(String, Vec<Declared>)> = None;
    for line in source.lines() {
        match &mut current {
            None => {
                let Some(declaration) = line.strip_prefix("type ") else { continue };
                if let Some(name) = declaration.strip_suffix(" struct {") {
                    current = Some((name.to_owned(), Vec::new()));
                } else if let Some((name, underlying)) = declaration.split_once(' ') {
                    package.names.insert(name.to_owned(), resolve(underlying.trim(), group, &imports));
                }
            }
            Some(_) if line.starts_with('}') => package.structs.extend(current.take()),
            Some((_, fields)) => fields.extend(field(line, group, &imports)),
        }
    }
}

fn field(line: &str, group: &str, imports: &BTreeMap<&str, String>) -> Option<Declared> {
    let line = line.trim();
    if line.is_empty() || line.starts_with("//") {
        return None;
    }
    let (declaration, tag) = line.split_once('`').unwrap_or((line, ""));
    let tag =
        tag.split_once("json:\"").and_then(|(_, rest)| rest.split_once('"')).map(|(tag, _)| tag.to_owned());
    // Some fields have their comment on the same line.
    let declaration = declaration.split("//").next().unwrap_or_default();
    let words: Vec<&str> = declaration.split_whitespace().collect();
    match words.as_slice() {
        [embedded] => {
            let type_name = resolve(embedded, group, imports);
            Some(Declared { name: String::new(), type_name, tag, is_embedded: true })
        }
        [name, type_name] => Some(Declared {
            name: (*name).to_owned(),
            type_name: resolve(type_name, group, imports),
            tag,
            is_embedded: false,
        }),
        _ => None,
    }
}

/// A type with the name of its package as the table has it.
fn resolve(type_name: &str, group: &str, imports: &BTreeMap<&str, String>) -> String {
    for prefix in ["*", "[]"] {
        if let Some(rest) = type_name.strip_prefix(prefix) {
            return format!("{prefix}{}", resolve(rest, group, imports));
        }
    }
    if let Some((key, rest)) = type_name.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
        return format!("map[{key}]{}", resolve(rest, group, imports));
    }
    match type_name.split_once('.') {
        Some((alias, name)) => {
            format!("{}.{name}", imports.get(alias).map_or(alias, String::as_str))
        }
        None if type_name == "byte" || type_name.starts_with(|first: char| first.is_ascii_lowercase()) => {
            type_name.to_owned()
        }
        // In apimachinery's own package, times and durations have no prefix.
        None => format!("{group}.{type_name}"),
    }
}

fn import(line: &str) -> Option<(&str, String)> {
    let (before, path) = line.trim().strip_suffix('"')?.split_once('"')?;
    let last = path.rsplit('/').next()?;
    let alias = before.trim_start_matches("import").trim();
    let real = match path {
        // Its folder is called v1, as is that of every group.
        "k8s.io/apimachinery/pkg/apis/meta/v1" => "metav1".to_owned(),
        // The table names packages by group: the folder above the version.
        _ if path.starts_with("k8s.io/api/") => path.rsplit('/').nth(1)?.to_owned(),
        _ => last.to_owned(),
    };
    let is_word = alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then_some((if alias.is_empty() { last } else { alias }, real))
}
