//! What documents of a type look like: the generators' own view of a schema.
//!
//! Synthetic schemas are made here and written as OpenAPI; shapes of built-in kinds come from `kinds`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Map, Value, json};

use crate::rng::Rng;

/// Index of a shape in its [`Shapes`].
pub(crate) type Id = usize;

/// A value's place in a schema.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// Text, numbers, truth values.
    Scalar(ScalarKind),
    /// An object with known fields.
    Object(Vec<Field>),
    /// An object with any names.
    Map(Id),
    /// A list and how it merges.
    List(Id, Merge),
    /// Anything: the schema is silent.
    Free,
}

/// What a scalar field holds when it is valid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ScalarKind {
    Text,
    Int,
    Float,
    Bool,
    IntOrText,
}

/// How a list merges.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Merge {
    Atomic,
    Scalars,
    Keyed(String),
    /// Atomic upstream; keyed by these fields in `spec`, which reads list-type.
    ListMap(Vec<String>),
    /// Atomic upstream; a set in `spec`.
    ListSet,
    /// Keyed by all of these fields in kustomize: they have a patch strategy beside them.
    KeySet(Vec<String>),
}

fn list_map(keys: &[&str]) -> Merge {
    Merge::ListMap(keys.iter().map(ToString::to_string).collect())
}

impl Merge {
    /// The fields that an item is known by.
    pub(crate) fn keys(&self) -> Vec<&str> {
        match self {
            Merge::Keyed(key) => vec![key],
            Merge::ListMap(keys) | Merge::KeySet(keys) => keys.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// A field of an object.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) shape: Id,
    /// Strategy of a map field: `replace`, `retainKeys` or none. Lists: `retainKeys` for their items.
    pub(crate) strategy: Option<&'static str>,
}

/// Shapes that refer to each other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    pub(crate) all: Vec<Shape>,
}

impl Shapes {
    /// The shape of an index.
    pub(crate) fn get(&self, id: Id) -> &Shape {
        &self.all[id]
    }

    /// Takes a shape in.
    pub(crate) fn add(&mut self, shape: Shape) -> Id {
        self.all.push(shape);
        self.all.len() - 1
    }
}

/// A schema for the run: its shapes and the document that says so, or none for built-in kinds.
pub(crate) struct Subject {
    pub(crate) type_name: String,
    pub(crate) schema: Option<SchemaFile>,
    pub(crate) shapes: Shapes,
    pub(crate) root: Id,
}

/// A schema document in a file of its own, for as long as trials use it. Both sides read
/// it once; sent with every case it would be most of the traffic.
pub(crate) struct SchemaFile(PathBuf);

impl SchemaFile {
    fn new(document: &Value, name: u64) -> Result<SchemaFile, String> {
        // Tests make the same schemas at the same time, and each removes its own file.
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let (process, file) = (std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(format!("kubemerge-conformance-{process}-{file}-{name:x}.json"));
        std::fs::write(&path, document.to_string())
            .map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(SchemaFile(path))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> String {
        self.0.display().to_string()
    }

    /// What it holds.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.0).unwrap_or_default()
    }
}

impl Drop for SchemaFile {
    fn drop(&mut self) {
        // A file that is left in the temporary folder does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Makes a schema that mixes every rule.
pub(crate) fn synthetic(rng: &mut Rng) -> Result<Subject, String> {
    let mut shapes = Shapes::default();
    let root = object(rng, &mut shapes, 0, &[]);
    let form = Form::pick(rng);
    written(rng, form, shapes, root)
}

/// A schema for kustomize: an OpenAPI v2 document in which lists of maps merge by all of their keys.
pub(crate) fn synthetic_for_kustomize(rng: &mut Rng) -> Result<Subject, String> {
    let mut shapes = Shapes::default();
    let root = object(rng, &mut shapes, 0, &[]);
    for shape in &mut shapes.all {
        if let Shape::List(_, merge) = shape
            && let Merge::ListMap(keys) = merge
        {
            *merge = Merge::KeySet(std::mem::take(keys));
        }
    }
    written(rng, Form::V2, shapes, root)
}

fn written(rng: &mut Rng, form: Form, shapes: Shapes, root: Id) -> Result<Subject, String> {
    let document = form.document(&shapes, root);
    let schema = Some(SchemaFile::new(&document, rng.bits())?);
    Ok(Subject { type_name: "Root".into(), schema, shapes, root })
}

const NAMES: &[&str] = &["a", "b", "c", "list", "items", "env", "spec", "x/y", "é", "x.y", "A", "$odd"];

fn object(rng: &mut Rng, shapes: &mut Shapes, depth: usize, keys: &[(&str, ScalarKind)]) -> Id {
    let mut fields = Vec::new();
    for (name, kind) in keys {
        let shape = shapes.add(Shape::Scalar(*kind));
        fields.push(Field { name: (*name).into(), shape, strategy: None });
    }
    for name in NAMES {
        if rng.chance(if depth == 0 { 70 } else { 40 }) {
            fields.push(field(rng, shapes, name, depth));
        }
    }
    shapes.add(Shape::Object(fields))
}

fn field(rng: &mut Rng, shapes: &mut Shapes, name: &str, depth: usize) -> Field {
    // Four levels hold every combination of rules, and small cases are read more easily.
    let leaf = depth >= 3;
    let (shape, strategy) = match rng.below(if leaf { 4 } else { 11 }) {
        0 | 1 => (scalar(rng, shapes), None),
        2 => (scalar_list(rng, shapes), None),
        3 => (string_map(shapes), strategy_of_map(rng)),
        4..=6 => keyed_list(rng, shapes, depth),
        7 => (unmerged_list(rng, shapes, depth), None),
        8 => (shapes.add(Shape::Free), None),
        _ => (object(rng, shapes, depth + 1, &[]), strategy_of_map(rng)),
    };
    Field { name: name.into(), shape, strategy }
}

fn scalar(rng: &mut Rng, shapes: &mut Shapes) -> Id {
    use ScalarKind::{Bool, Float, Int, Text};
    let kind = *rng.pick(&[Text, Text, Int, Float, Bool]);
    shapes.add(Shape::Scalar(kind))
}

fn scalar_list(rng: &mut Rng, shapes: &mut Shapes) -> Id {
    let item = scalar(rng, shapes);
    let merge = rng.pick(&[Merge::Scalars, Merge::Scalars, Merge::Atomic, Merge::ListSet]).clone();
    shapes.add(Shape::List(item, merge))
}

/// A list of objects that upstream replaces.
fn unmerged_list(rng: &mut Rng, shapes: &mut Shapes, depth: usize) -> Id {
    let keys = [("name", ScalarKind::Text), ("port", ScalarKind::Int)];
    let item = object(rng, shapes, depth + 1, &keys);
    let merge = rng.pick(&[Merge::Atomic, list_map(&["name"]), list_map(&["name", "port"])]).clone();
    shapes.add(Shape::List(item, merge))
}

fn string_map(shapes: &mut Shapes) -> Id {
    let value = shapes.add(Shape::Scalar(ScalarKind::Text));
    shapes.add(Shape::Map(value))
}

fn keyed_list(rng: &mut Rng, shapes: &mut Shapes, depth: usize) -> (Id, Option<&'static str>) {
    use ScalarKind::{Bool, Float, Int, IntOrText, Text};
    let (key, kind) = *rng.pick(&[
        ("name", Text),
        ("name", Text),
        ("port", Int),
        ("weight", Float),
        ("enabled", Bool),
        ("id", IntOrText),
    ]);
    let item = object(rng, shapes, depth + 1, &[(key, kind)]);
    let list = shapes.add(Shape::List(item, Merge::Keyed(key.into())));
    (list, rng.chance(25).then_some("retainKeys"))
}

fn strategy_of_map(rng: &mut Rng) -> Option<&'static str> {
    *rng.pick(&[None, None, Some("retainKeys"), Some("replace"), Some("merge")])
}

/// The kind of document that a schema is written as.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    V2,
    V3,
}

impl Form {
    fn pick(rng: &mut Rng) -> Form {
        *rng.pick(&[Form::V3, Form::V3, Form::V2])
    }

    /// Objects become definitions, so that references and the extensions beside them are exercised.
    fn document(self, shapes: &Shapes, root: Id) -> Value {
        let mut definitions = Map::new();
        for (id, shape) in shapes.all.iter().enumerate() {
            if let Shape::Object(fields) = shape {
                let properties: Map<String, Value> =
                    fields.iter().map(|field| (field.name.clone(), self.property(shapes, field))).collect();
                let name = if id == root { "Root".to_string() } else { format!("T{id}") };
                definitions.insert(name, json!({ "type": "object", "properties": properties }));
            }
        }
        match self {
            Form::V2 => {
                json!({ "swagger": "2.0", "info": { "title": "t", "version": "1" }, "paths": {}, "definitions": definitions })
            }
            Form::V3 => {
                json!({ "openapi": "3.0.0", "info": { "title": "t", "version": "1" }, "paths": {}, "components": { "schemas": definitions } })
            }
        }
    }

    fn property(self, shapes: &Shapes, field: &Field) -> Value {
        let mut property = self.value(shapes, field.shape);
        let mut words: Vec<&str> = field.strategy.into_iter().collect();
        if let Shape::List(_, merge) = shapes.get(field.shape) {
            match merge {
                Merge::Atomic => {}
                Merge::Scalars => words.insert(0, "merge"),
                Merge::Keyed(key) => {
                    words.insert(0, "merge");
                    property["x-kubernetes-patch-merge-key"] = json!(key);
                }
                Merge::ListMap(keys) => {
                    property["x-kubernetes-list-type"] = json!("map");
                    property["x-kubernetes-list-map-keys"] = json!(keys);
                }
                Merge::ListSet => property["x-kubernetes-list-type"] = json!("set"),
                Merge::KeySet(keys) => {
                    words.insert(0, "merge");
                    property["x-kubernetes-patch-merge-key"] = json!(keys[0]);
                    property["x-kubernetes-list-map-keys"] = json!(keys);
                }
            }
        }
        if !words.is_empty() {
            property["x-kubernetes-patch-strategy"] = json!(words.join(","));
        }
        property
    }

    fn value(self, shapes: &Shapes, id: Id) -> Value {
        match shapes.get(id) {
            Shape::Scalar(kind) => scalar_schema(*kind),
            Shape::Object(_) if self == Form::V2 => json!({ "$ref": format!("#/definitions/T{id}") }),
            // Kubernetes' documents of version 3 write references this way, to have extensions beside them.
            Shape::Object(_) => json!({ "allOf": [{ "$ref": format!("#/components/schemas/T{id}") }] }),
            Shape::Map(value) => {
                json!({ "type": "object", "additionalProperties": self.value(shapes, *value) })
            }
            Shape::List(item, _) => json!({ "type": "array", "items": self.value(shapes, *item) }),
            Shape::Free => json!({}),
        }
    }
}

fn scalar_schema(kind: ScalarKind) -> Value {
    match kind {
        ScalarKind::Text => json!({ "type": "string" }),
        ScalarKind::Int => json!({ "type": "integer" }),
        ScalarKind::Float => json!({ "type": "number" }),
        ScalarKind::Bool => json!({ "type": "boolean" }),
        // As Kubernetes' documents have it, though numbers are allowed.
        ScalarKind::IntOrText => json!({ "type": "string", "format": "int-or-string" }),
    }
}
