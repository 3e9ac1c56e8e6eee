//! Tells in data and in words how a field merges, and why.

use crate::compile::{Rule, is_atomic, item_of, target};
use crate::cursor::Type;
use crate::model::{Flags, ListType, Model, NOWHERE, NodeId, Origin, Required, Shape};
use crate::path::{self, NoSuchField};
use crate::rule::{Dialect, ItemStrategy, ListStrategy, MapStrategy, MergeKey};
use crate::schema::Schema;

/// How a field merges in one dialect, and why.
#[derive(Clone, Debug)]
pub struct Explanation<'s> {
    /// The dialect.
    pub dialect: Dialect,
    /// The definition that holds the field, where it has a name.
    pub definition: Option<&'s str>,
    /// The field; empty for the root.
    pub field: String,
    /// What the schema says about the value.
    pub ty: Type<'s>,
    /// What the value is, e.g. `list of io.k8s.api.core.v1.ServicePort`.
    pub value: String,
    /// What becomes of it.
    pub merge: Merge<'s>,
    /// Whether generated patches name the fields to keep.
    pub retain_keys: bool,
    /// The metadata that decided, one fact each.
    pub because: Vec<String>,
}

/// What becomes of the value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Merge<'s> {
    /// It is neither a map nor a list: the new value counts.
    Scalar,
    /// It is a map.
    Map(MapStrategy),
    /// It is a list.
    List {
        /// How elements find each other.
        strategy: ListStrategy<'s>,
        /// What becomes of elements that both sides have.
        items: ItemStrategy,
        /// The keys that an item may lack, with the value that stands for them.
        optional: Vec<&'s MergeKey>,
    },
    /// Nothing is known about it.
    Untyped,
    /// Its metadata contradicts itself; every merge fails.
    Invalid,
}

impl Explanation<'_> {
    /// What becomes of the value, as a sentence without a full stop.
    pub fn sentence(&self) -> String {
        let mut text = self.merge.sentence();
        if self.retain_keys {
            text.push_str("; generated patches name the fields to keep ($retainKeys)");
        }
        text
    }
}

impl Merge<'_> {
    fn sentence(&self) -> String {
        match self {
            Merge::Scalar => "the value is replaced".to_owned(),
            Merge::Map(MapStrategy::Merge) => "the map merges field by field".to_owned(),
            Merge::Map(MapStrategy::Replace) => "the map is replaced as a whole".to_owned(),
            Merge::List { strategy, items, optional } => list_sentence(*strategy, *items, optional),
            Merge::Untyped => "maps merge field by field, lists are replaced as a whole".to_owned(),
            Merge::Invalid => "every merge fails: the patch strategy is invalid".to_owned(),
        }
    }
}

fn list_sentence(strategy: ListStrategy<'_>, items: ItemStrategy, optional: &[&MergeKey]) -> String {
    let mut text = match strategy {
        ListStrategy::Atomic => return "the list is replaced as a whole".to_owned(),
        ListStrategy::Scalars => "the list merges by value".to_owned(),
        ListStrategy::Set => "the list merges as a set".to_owned(),
        ListStrategy::Keyed(keys) => {
            let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
            format!("the list merges by {}", names.join(","))
        }
    };
    let defaults: Vec<String> = optional.iter().filter_map(|key| default_words(key)).collect();
    if !defaults.is_empty() {
        text.push_str(&format!(" ({})", defaults.join(", ")));
    }
    if items == ItemStrategy::Replace {
        text.push_str("; an item on both sides is replaced as a whole");
    }
    text
}

fn default_words(key: &MergeKey) -> Option<String> {
    let default = key.default.as_ref()?;
    let value = default.as_str().filter(|text| !text.is_empty()).map_or(default.to_string(), str::to_owned);
    Some(format!("{} defaults to {value}", key.name))
}

/// Why a field cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    message: String,
}

impl std::fmt::Display for FieldError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FieldError {}

impl From<NoSuchField> for FieldError {
    fn from(missing: NoSuchField) -> FieldError {
        FieldError { message: missing.to_string() }
    }
}

impl<'s> Type<'s> {
    /// Explains the field at a path such as `spec.ports`; an empty path means the root.
    ///
    /// Lists on the way are stepped through silently.
    pub fn explain(self, path: &str) -> Result<Explanation<'s>, FieldError> {
        if self.is_untyped() {
            return Err(FieldError { message: "nothing is known about an untyped value".to_owned() });
        }
        let model = self.model();
        let Some(place) = path::follow(model, self.node, path)? else {
            return Ok(explain(self.schema, NOWHERE, "", self.node));
        };
        Ok(explain(self.schema, place.parent, place.name, place.property))
    }
}

/// Explains a property of a parent; a root has no parent.
pub(crate) fn explain<'s>(
    schema: &'s Schema,
    parent: NodeId,
    field: &str,
    property: NodeId,
) -> Explanation<'s> {
    let model = schema.model();
    let rule = schema.rules().of(property);
    let is_root = parent == NOWHERE;
    let merge = if is_root { Merge::Map(MapStrategy::Merge) } else { merge(schema, property, rule) };
    Explanation {
        dialect: schema.dialect(),
        definition: (!is_root).then(|| model.owner_name(model.node(parent))).filter(|name| !name.is_empty()),
        field: field.to_owned(),
        ty: Type { schema, node: property },
        value: value_words(model, property),
        retain_keys: rule.retain_keys && !is_root,
        because: if is_root {
            vec!["the root of an object always merges".to_owned()]
        } else {
            because(schema, property, &merge)
        },
        merge,
    }
}

fn merge<'s>(schema: &'s Schema, property: NodeId, rule: Rule) -> Merge<'s> {
    let model = schema.model();
    let node = model.node(model.resolve(property));
    match node.shape {
        _ if rule.invalid => Merge::Invalid,
        Shape::List => Merge::List {
            strategy: schema.rules().list_strategy(rule),
            items: rule.items,
            optional: optional_keys(schema, property, rule),
        },
        Shape::Object => Merge::Map(rule.map),
        Shape::Any if node.flags.has(Flags::HAS_PROPERTIES) => Merge::Map(rule.map),
        Shape::Any if !(Type { schema, node: property }).is_int_or_string() => Merge::Untyped,
        _ => Merge::Scalar,
    }
}

/// Published documents give required fields a default too, which never comes into play.
fn optional_keys(schema: &Schema, property: NodeId, rule: Rule) -> Vec<&MergeKey> {
    let model = schema.model();
    let item = item_of(model, model.node(property)).map(|item| target(model, item));
    let is_optional = |key: &&MergeKey| {
        let field = item.and_then(|item| model.find_field(item, &key.name));
        field.is_some_and(|field| model.fields[field].required == Required::No)
    };
    schema.rules().keys_of(rule).iter().filter(is_optional).collect()
}

/// What a value is: a definition, a list or a map of something, or a scalar.
fn value_words(model: &Model, id: NodeId) -> String {
    let node = model.node(id);
    if let Some(definition) = model.definitions.get(node.refers_to as usize) {
        return model.text(definition.name).to_owned();
    }
    match node.shape {
        Shape::List if node.items != NOWHERE => format!("list of {}", value_words(model, node.items)),
        Shape::List => "list".to_owned(),
        Shape::Object if node.additional != NOWHERE => {
            format!("map of {}", value_words(model, node.additional))
        }
        Shape::Object => "map".to_owned(),
        _ if node.flags.has(Flags::INT_OR_STRING) => "integer or string".to_owned(),
        Shape::Any => "anything".to_owned(),
        shape if node.format.is_given() => format!("{} ({})", shape.word(), model.text(node.format)),
        shape => shape.word().to_owned(),
    }
}

/// The facts that decided, the deciding one first.
fn because(schema: &Schema, property: NodeId, merge: &Merge<'_>) -> Vec<String> {
    let model = schema.model();
    let facts = Facts { model, property, dialect: schema.dialect() };
    match merge {
        Merge::Scalar => vec!["scalars have no rule".to_owned()],
        Merge::Untyped => vec!["the schema does not describe the value".to_owned()],
        Merge::Invalid => vec![facts.strategy()],
        Merge::Map(_) | Merge::List { .. } if facts.drops_strategy() => {
            vec!["patch metadata of a custom resource definition is dropped by the API server".to_owned()]
        }
        Merge::Map(_) => facts.of_map(),
        Merge::List { .. } => facts.of_list(),
    }
}

/// The metadata of a property, as facts in words.
struct Facts<'m> {
    model: &'m Model,
    property: NodeId,
    dialect: Dialect,
}

impl Facts<'_> {
    fn node(&self) -> &crate::model::Node {
        self.model.node(self.property)
    }

    fn has_strategy(&self) -> bool {
        self.node().strategy.is_given()
    }

    fn drops_strategy(&self) -> bool {
        let owner = self.model.definitions.get(self.node().owner as usize);
        let is_custom = owner.is_some_and(|owner| owner.origin == Origin::CustomResource);
        is_custom && self.has_strategy() && self.dialect == Dialect::Upstream
    }

    fn strategy(&self) -> String {
        format!("x-kubernetes-patch-strategy: {}", self.model.text(self.node().strategy))
    }

    fn list_map_keys(&self) -> String {
        let keys: Vec<&str> =
            self.model.list_map_keys(self.node()).iter().map(|key| self.model.text(*key)).collect();
        format!("x-kubernetes-list-map-keys: {}", keys.join(","))
    }

    fn of_map(&self) -> Vec<String> {
        if self.has_strategy() {
            return vec![self.strategy()];
        }
        let atomic = is_atomic(self.model, self.node());
        match (atomic, self.dialect) {
            (true, Dialect::Spec) => vec!["x-kubernetes-map-type: atomic".to_owned()],
            (true, Dialect::Upstream) => vec![
                "no x-kubernetes-patch-strategy".to_owned(),
                "x-kubernetes-map-type: atomic does not count".to_owned(),
            ],
            (false, _) => vec!["no metadata says otherwise".to_owned()],
        }
    }

    fn of_list(&self) -> Vec<String> {
        match (self.has_strategy(), self.dialect) {
            (true, _) => self.of_patched_list(),
            (false, Dialect::Spec) => self.of_typed_list(),
            (false, Dialect::Upstream) => {
                let mut facts = vec!["no x-kubernetes-patch-strategy".to_owned()];
                if let Some(word) = self.node().list_type.word().filter(|word| *word != "atomic") {
                    facts.push(format!("x-kubernetes-list-type: {word} does not count"));
                }
                facts
            }
        }
    }

    fn of_patched_list(&self) -> Vec<String> {
        let node = self.node();
        let mut facts = vec![self.strategy()];
        let key = self.model.text(node.merge_key);
        if !key.is_empty() {
            let source =
                if node.flags.has(Flags::OVERLAID) { "overlay keys" } else { "x-kubernetes-patch-merge-key" };
            facts.push(format!("{source}: {key}"));
        }
        let count = self.model.list_map_keys(node).len();
        let widened = count > key.split(',').filter(|key| !key.is_empty()).count();
        if self.dialect == Dialect::Spec && widened && !node.flags.has(Flags::OVERLAID) {
            facts.push(format!("{} (they hold the merge key, so all of them count)", self.list_map_keys()));
        } else if self.dialect == Dialect::Upstream && widened {
            facts.push(format!("{} does not count", self.list_map_keys()));
        }
        facts
    }

    fn of_typed_list(&self) -> Vec<String> {
        let Some(word) = self.node().list_type.word() else {
            return vec!["no x-kubernetes-patch-strategy and no x-kubernetes-list-type".to_owned()];
        };
        let mut facts = vec![format!("x-kubernetes-list-type: {word}")];
        if self.node().list_type == ListType::Map {
            facts.push(self.list_map_keys());
        }
        facts
    }
}
