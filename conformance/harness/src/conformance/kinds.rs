//! Shapes of built-in kinds, from the tables of the schema crate.

use std::collections::HashMap;

use kubemerge_schema::{Dialect, ListType, Schema, Shape as Declared, Type, builtin::NEWEST};

use super::shape::{Field, Id, Merge, ScalarKind, Shape, Shapes, Subject};

/// The kinds that the run is about unless the options name one.
pub(crate) const KINDS: &[(&str, &str)] = &[
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "StatefulSet"),
    ("v1", "Service"),
    ("batch/v1", "Job"),
    ("batch/v1", "CronJob"),
    ("networking.k8s.io/v1", "Ingress"),
    ("policy/v1", "PodDisruptionBudget"),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
    ("v1", "Node"),
    ("v1", "ServiceAccount"),
    ("v1", "PersistentVolumeClaim"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
];

/// The shape of a kind of the newest tables; none where they do not have it.
pub(crate) fn subject(schema: &Schema, api_version: &str, kind: &str) -> Option<Subject> {
    let root = schema.type_of(api_version, kind)?;
    let mut reader = Reader { shapes: Shapes::default(), known: HashMap::new() };
    let root = reader.shape(root);
    Some(Subject { type_name: format!("{api_version}/{kind}"), schema: None, shapes: reader.shapes, root })
}

/// The tables that shapes are read from.
pub(crate) fn tables() -> Schema {
    Schema::builtin(NEWEST, Dialect::Upstream).expect("the built-in tables load")
}

/// The tables of kustomize.
pub(crate) fn kustomize_tables() -> Schema {
    Schema::builtin(NEWEST, Dialect::Kustomize).expect("the built-in tables load")
}

struct Reader<'s> {
    shapes: Shapes,
    /// Definitions that were met before: types may hold themselves.
    known: HashMap<&'s str, Id>,
}

impl<'s> Reader<'s> {
    fn shape(&mut self, ty: Type<'s>) -> Id {
        let Some(definition) = ty.reference() else { return self.described(ty) };
        if let Some(id) = self.known.get(definition.name()) {
            return *id;
        }
        let id = self.shapes.add(Shape::Free);
        self.known.insert(definition.name(), id);
        let described = self.described(definition.ty());
        self.shapes.all[id] = self.shapes.get(described).clone();
        id
    }

    fn described(&mut self, ty: Type<'s>) -> Id {
        let shape = match ty.shape() {
            Declared::Object => self.object(ty),
            Declared::List => {
                let item = ty.items().map(|item| self.shape(item));
                let item = item.unwrap_or_else(|| self.shapes.add(Shape::Free));
                Shape::List(item, merge(ty))
            }
            Declared::Integer => Shape::Scalar(ScalarKind::Int),
            Declared::Number => Shape::Scalar(ScalarKind::Float),
            Declared::Boolean => Shape::Scalar(ScalarKind::Bool),
            Declared::String if ty.is_int_or_string() => Shape::Scalar(ScalarKind::IntOrText),
            Declared::String => Shape::Scalar(ScalarKind::Text),
            Declared::Any => Shape::Free,
        };
        self.shapes.add(shape)
    }

    fn object(&mut self, ty: Type<'s>) -> Shape {
        if let Some(value) = ty.additional_properties() {
            return Shape::Map(self.shape(value));
        }
        let mut fields = Vec::new();
        for field in ty.fields() {
            let strategy = match field.ty.patch_strategy() {
                Some(words) if words.contains("retainKeys") => Some("retainKeys"),
                Some("replace") => Some("replace"),
                _ => None,
            };
            fields.push(Field { name: field.name.into(), shape: self.shape(field.ty), strategy });
        }
        Shape::Object(fields)
    }
}

fn merge(ty: Type<'_>) -> Merge {
    match (ty.patch_strategy(), ty.patch_merge_key()) {
        (Some(words), Some(key)) if words.contains("merge") => Merge::Keyed(key.into()),
        (Some(words), None) if words.contains("merge") => Merge::Scalars,
        (Some(_), _) => Merge::Atomic,
        (None, _) => match ty.list_type() {
            ListType::Map => Merge::ListMap(ty.list_map_keys().map(str::to_owned).collect()),
            ListType::Set => Merge::ListSet,
            ListType::Atomic | ListType::Unset => Merge::Atomic,
        },
    }
}
