//! `kubemerge owners`: which manager owns which field, from the managedFields of exported objects.

use std::collections::{BTreeMap, HashMap};

use clap::{Args, ValueEnum};
use kubemerge::{ManagerId, OwnedField};
use kubemerge_ssa::managed_fields::append_name;
use kubemerge_value::{Canonical, deep};
use kubemerge_yaml as yaml;
use serde_json::{Value, json};

use crate::args::FileOptions;
use crate::input::Inputs;
use crate::load::Manifest;
use crate::output::Stdout;
use crate::render::{self, Table};
use crate::report::{Notice, Outcome, Result, sanitize};

#[derive(Debug, Args)]
#[command(after_help = "\
Exits 1 if an object has no managedFields.

Examples:
  kubectl get deployment shop -o yaml --show-managed-fields | kubemerge owners -f -
  kubemerge owners -f live.yaml -o yaml")]
pub(crate) struct OwnersArgs {
    #[command(flatten)]
    files: FileOptions,
    /// Output format
    #[arg(long, short, value_enum, default_value_t)]
    output: OwnersOutput,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum OwnersOutput {
    /// A line for each field
    #[default]
    Table,
    /// The object as YAML, with the owners of each field in a comment
    Yaml,
    /// JSON
    Json,
}

pub(crate) fn run(args: &OwnersArgs, inputs: &mut Inputs) -> Result {
    let sources = inputs.manifests(&args.files, &[])?;
    let objects = Manifest::all_of(&sources)?;
    let (mut texts, mut outcome) = (Vec::new(), Outcome::Done);
    for object in &objects {
        let text = String::from_utf8_lossy(&object.json);
        let owned = kubemerge::owners(&text).map_err(|error| {
            Notice::error(error.to_string()).at(object.excerpt("metadata.managedFields", ""))
        })?;
        if owned.is_empty() {
            outcome = Outcome::Found;
            Notice::warning(format!("{} has no managedFields", object.title()))
                .help("export it with --show-managed-fields")
                .print();
        }
        texts.push(match args.output {
            OwnersOutput::Table => table(object, &owned, objects.len()),
            OwnersOutput::Yaml => annotated(object, &owned)?,
            OwnersOutput::Json => json_lines(object, &owned),
        });
    }
    let between = match args.output {
        OwnersOutput::Table => "\n",
        OwnersOutput::Yaml => "---\n",
        OwnersOutput::Json => "",
    };
    let mut out = Stdout::new();
    out.text(texts.join(between))?;
    out.finish()?;
    Ok(outcome)
}

/// `kubectl (Apply)`, and the subresource if there is one.
pub(super) fn words(owner: &ManagerId) -> String {
    match &*owner.subresource {
        "" => format!("{} ({})", sanitize(&owner.manager), owner.operation.word()),
        subresource => {
            let manager = sanitize(&owner.manager);
            format!("{manager} ({} {})", owner.operation.word(), sanitize(subresource))
        }
    }
}

pub(super) fn all_words(owners: &[ManagerId]) -> String {
    owners.iter().map(words).collect::<Vec<_>>().join(", ")
}

fn table(object: &Manifest<'_>, owned: &[OwnedField], objects: usize) -> String {
    let mut table = Table::new(&["FIELD", "OWNERS"]);
    for field in owned {
        table.row(&[field.path.clone(), all_words(&field.owners)]);
    }
    if objects > 1 { format!("# {}\n{table}", object.title()) } else { table.to_string() }
}

fn json_lines(object: &Manifest<'_>, owned: &[OwnedField]) -> String {
    let owner = |owner: &ManagerId| json!({"manager": *owner.manager, "operation": owner.operation.word(), "subresource": *owner.subresource});
    let field = |field: &OwnedField| json!({"path": field.path, "owners": field.owners.iter().map(owner).collect::<Vec<_>>()});
    let fields: Vec<Value> = owned.iter().map(field).collect();
    let answer = json!({"object": object.identity.in_full(), "fields": fields});
    render::pretty_json(answer.to_string().as_bytes())
}

/// The object without its managedFields, the owners of each field at the end of its line.
fn annotated(object: &Manifest<'_>, owned: &[OwnedField]) -> Result<String> {
    let failed = |error: &dyn std::fmt::Display| Notice::error(format!("{}: {error}", object.title()));
    // An object that is nested too deep for a tree is an error here, not an empty one.
    let mut value: Value = serde_json::from_slice(&object.json).map_err(|error| failed(&error))?;
    if let Some(metadata) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    let json = Canonical::from_bytes(value.to_string().as_bytes()).map_err(|error| failed(&error))?;
    let text = render::yaml(json.as_bytes());
    let comments = comments(&text, owned);
    let lines = text.lines().enumerate().map(|(number, line)| match comments.get(&(number + 1)) {
        Some(owners) => format!("{line}  # {owners}\n"),
        None => format!("{line}\n"),
    });
    Ok(lines.collect())
}

/// The owners of fields by the line of the field. Containers are left out where their content has owners.
fn comments(text: &str, owned: &[OwnedField]) -> BTreeMap<usize, String> {
    // Our own output can be read; without places there are just no comments.
    let Ok(documents) = yaml::parse(text.as_bytes(), &yaml::Options::default()) else {
        return BTreeMap::new();
    };
    let Some(document) = documents.first() else { return BTreeMap::new() };
    let mut lines = HashMap::new();
    let mut starts = Lines { text, offset: 0, line: 1 };
    walk(document.root(), &mut String::new(), &mut starts, &mut lines);
    let mut comments = BTreeMap::new();
    for (at, field) in owned.iter().enumerate() {
        // What is below a field follows it.
        let below = owned.get(at + 1).and_then(|next| next.path.strip_prefix(&field.path));
        let has_content = below.is_some_and(|rest| rest.starts_with(['.', '[']));
        let Some(place) = field.place.as_deref().filter(|_| !has_content) else { continue };
        if let Some(line) = lines.get(place) {
            comments.insert(*line, all_words(&field.owners));
        }
    }
    comments
}

/// Counts lines on the way through a text, since to count them from the start for each field would take too long.
struct Lines<'t> {
    text: &'t str,
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    /// The line of an offset, which is not before the last one.
    fn at(&mut self, offset: usize) -> usize {
        let passed = self.text.as_bytes().get(self.offset..offset).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.offset = self.offset.max(offset);
        self.line
    }
}

/// The line of every field of a document, by its place.
fn walk(
    at: yaml::Place<'_, '_>,
    place: &mut String,
    starts: &mut Lines<'_>,
    lines: &mut HashMap<String, usize>,
) {
    let length = place.len();
    for (key, value) in at.entries() {
        append_name(place, &key.key_text());
        lines.insert(place.clone(), starts.at(key.range().start));
        deep(|| walk(value, place, starts, lines));
        place.truncate(length);
    }
    for (index, item) in at.elements().enumerate() {
        place.push_str(&format!("[{index}]"));
        lines.insert(place.clone(), starts.at(item.range().start));
        deep(|| walk(item, place, starts, lines));
        place.truncate(length);
    }
}
