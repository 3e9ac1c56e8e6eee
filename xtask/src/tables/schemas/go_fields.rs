//! What no document publishes about the fields of Kubernetes' Go types: pointers, `omitempty`, `omitzero` and
//! the names of types such as `v1.Protocol`, which error texts quote.
//!
//! A line scanner is enough for these sources: every type of the API is `type Name struct {`, one field to a
//! line with its JSON name in the tag, `}` at the start of a line.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use kubemerge_schema::builtin::encode::{GoFieldFacts, GoFields};

/// The modules that hold the types, and the start of their definitions' names.
pub(super) const MODULES: [&str; 4] = ["api", "apimachinery", "apiextensions-apiserver", "kube-aggregator"];

/// Adds the fields of every package below a folder.
pub(super) fn scan(folder: &Path, prefix: &str, fields: &mut GoFields) -> Result<(), Box<dyn Error>> {
    let mut structs = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            scan(&path, &format!("{prefix}.{name}"), fields)?;
        } else if is_source(name) {
            let package = prefix.rsplit('.').next().unwrap_or_default();
            Source::new(&fs::read_to_string(&path)?, package).read_structs(&mut structs);
        }
    }
    for name in structs.keys() {
        let mut own = Vec::new();
        // Only now: a struct may inline one that another file of its package declares.
        collect(&structs, name, 0, &mut own);
        fields.extend(own.into_iter().map(|(field, facts)| ((format!("{prefix}.{name}"), field), facts)));
    }
    Ok(())
}

fn is_source(name: &str) -> bool {
    // Generated files repeat the types for other purposes: protobuf, apply configurations.
    name.ends_with(".go") && !name.ends_with("_test.go") && !name.contains("generated")
}

/// What matters about a struct.
#[derive(Default)]
struct Struct {
    fields: Vec<(String, GoFieldFacts)>,
    /// Structs whose fields appear as its own.
    inlined: Vec<String>,
}

/// One Go file.
struct Source<'t> {
    text: &'t str,
    package: &'t str,
    /// Names of imported packages in this file, and their real names.
    imports: BTreeMap<&'t str, &'t str>,
}

impl<'t> Source<'t> {
    fn new(text: &'t str, package: &'t str) -> Source<'t> {
        Source { text, package, imports: text.lines().filter_map(import).collect() }
    }

    fn read_structs(&self, structs: &mut BTreeMap<String, Struct>) {
        let mut current: Option<(String, Struct)> = None;
        for line in self.text.lines() {
            match &mut current {
                None => {
                    // gofmt's layout is enough of a parser: a declaration starts and ends at the first
                    // column.
                    let name = line.strip_prefix("type ").and_then(|rest| rest.strip_suffix(" struct {"));
                    current = name.map(|name| (name.to_owned(), Struct::default()));
                }
                Some(_) if line.starts_with('}') => structs.extend(current.take()),
                Some((_, one)) => self.read_field(line, one),
            }
        }
    }

    fn read_field(&self, line: &str, one: &mut Struct) {
        let Some((declaration, tag)) = line.split_once('`') else { return };
        let Some((json, _)) = tag.split_once("json:\"").and_then(|(_, rest)| rest.split_once('"')) else {
            return;
        };
        let words: Vec<&str> = declaration.split_whitespace().collect();
        let mut options = json.split(',');
        let name = options.next().unwrap_or_default();
        match words.as_slice() {
            // An embedded struct without a JSON name, with or without the word `inline`.
            [embedded] | [_, embedded] if name.is_empty() => {
                one.inlined.push(embedded.trim_start_matches('*').to_owned());
            }
            // A field of JSON name `-` is not part of the API.
            [_, kind] if name != "-" => {
                let options: Vec<&str> = options.collect();
                let facts = GoFieldFacts {
                    is_pointer: kind.starts_with('*'),
                    omit_empty: options.contains(&"omitempty"),
                    omit_zero: options.contains(&"omitzero"),
                    type_name: self.qualified(kind.trim_start_matches('*')),
                };
                one.fields.push((name.to_owned(), facts));
            }
            _ => {}
        }
    }

    /// A type as Go prints it: with the real name of its package.
    fn qualified(&self, kind: &str) -> String {
        if let Some(item) = kind.strip_prefix("[]") {
            return format!("[]{}", self.qualified(item));
        }
        if let Some((key, value)) = kind.strip_prefix("map[").and_then(|rest| rest.split_once(']')) {
            return format!("map[{}]{}", self.qualified(key), self.qualified(value));
        }
        match kind.split_once('.') {
            Some((alias, name)) => format!("{}.{name}", self.imports.get(alias).unwrap_or(&alias)),
            // Small letters are Go's own types, which belong to no package.
            None if kind.starts_with(|first: char| first.is_ascii_uppercase()) => {
                format!("{}.{kind}", self.package)
            }
            None => kind.to_owned(),
        }
    }
}

/// The name that an import line gives to a package, and the package's own name.
fn import(line: &str) -> Option<(&str, &str)> {
    let (before, rest) = line.trim().strip_suffix('"')?.split_once('"')?;
    let real = rest.rsplit('/').next()?;
    let alias = before.trim_start_matches("import").trim();
    let is_word = alias.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_word.then_some((if alias.is_empty() { real } else { alias }, real))
}

/// The fields of a struct and of those of its package that it inlines.
fn collect(
    structs: &BTreeMap<String, Struct>,
    name: &str,
    depth: usize,
    fields: &mut Vec<(String, GoFieldFacts)>,
) {
    // Structs of other packages, such as TypeMeta, are left out: the OpenAPI documents have their fields.
    let Some(one) = structs.get(name).filter(|_| depth < 8) else { return };
    fields.extend(one.fields.iter().cloned());
    one.inlined.iter().for_each(|inlined| collect(structs, inlined, depth + 1, fields));
}
