//! Documents of a shape, and edits of them.

use serde_json::{Map, Value, json};

use super::shape::{Field, Id, Merge, ScalarKind, Shape, Shapes};
use crate::rng::Rng;

/// How much of a document is at fault or unusual.
#[derive(Clone, Copy)]
pub(crate) struct FaultRates {
    /// Percent of values that are of the wrong kind, null, or lack their key.
    pub(crate) faults: usize,
    /// Percent of list items that repeat an earlier one's key.
    pub(crate) repeats: usize,
    /// Whether lists may be long.
    pub(crate) long_lists: bool,
    /// Whether floats may be whole: a reply prints 2.0 as `2`, so it cannot be asked about again.
    pub(crate) whole_floats: bool,
}

/// Makes values of a shape.
pub(crate) struct Writer<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) shapes: &'a Shapes,
    pub(crate) rates: FaultRates,
}

const TEXTS: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "10",
    "9",
    "true",
    "",
    "é",
    "x/y",
    "a.b",
    "<&>",
    "\u{2028}",
    "\"q\\",
    "\u{1f600}",
    "\t",
];
const FLOATS: &[f64] = &[1.5, 2.0, 80.0, 1e21, 1e-7, -0.5, 1e6];
const MAX_DEPTH: usize = 7;

impl Writer<'_> {
    /// A value of a shape; the root of a document is never at fault.
    pub(crate) fn document(&mut self, root: Id) -> Value {
        self.well_formed(root, 0)
    }

    /// A value of a shape, or one of another shape.
    pub(crate) fn value(&mut self, id: Id, depth: usize) -> Value {
        if self.rng.chance(self.rates.faults) {
            return self.fault();
        }
        self.well_formed(id, depth)
    }

    fn well_formed(&mut self, id: Id, depth: usize) -> Value {
        match self.shapes.get(id) {
            Shape::Scalar(kind) => self.scalar(*kind),
            Shape::Object(fields) => self.object(fields, depth),
            Shape::Map(value) => self.map(*value, depth),
            Shape::List(item, merge) => self.list(*item, merge, depth),
            Shape::Free => self.free(depth),
        }
    }

    /// Something that no schema asked for.
    pub(crate) fn fault(&mut self) -> Value {
        match self.rng.below(9) {
            0 | 1 => Value::Null,
            2 => json!(7),
            3 => json!("s"),
            4 => json!({ "a": 1 }),
            5 => json!([1, 2]),
            6 => json!([null]),
            7 => json!([[1]]),
            _ => json!({}),
        }
    }

    /// A scalar out of a small pool, so that values meet again.
    pub(crate) fn scalar(&mut self, kind: ScalarKind) -> Value {
        match kind {
            ScalarKind::Text => json!(self.rng.pick(TEXTS)),
            ScalarKind::Int => json!(*self.rng.pick(&[0, 1, 2, 3, 9, 10, 80, 443, -1, 53, 8080])),
            ScalarKind::Float if self.rates.whole_floats => json!(*self.rng.pick(FLOATS)),
            ScalarKind::Float => json!(*self.rng.pick(&[1.5, 2.25, -0.5, 1e-7])),
            ScalarKind::Bool => json!(self.rng.chance(50)),
            ScalarKind::IntOrText if self.rng.chance(50) => json!(self.rng.pick(&["80", "a", "b"])),
            ScalarKind::IntOrText if self.rates.whole_floats && self.rng.chance(20) => json!(80.0),
            ScalarKind::IntOrText => json!(*self.rng.pick(&[80, 1, 2])),
        }
    }

    fn object(&mut self, fields: &[Field], depth: usize) -> Value {
        // Fewer fields the deeper: types of Kubernetes contain each other, and documents must end.
        let share = [60, 60, 50, 40, 30, 20, 10, 0][depth.min(MAX_DEPTH)];
        let mut members = Map::new();
        for field in fields {
            // At most about forty fields: those of a pod's spec would fill the document.
            if self.rng.chance(share.min(4000 / fields.len().max(1))) {
                members.insert(field.name.clone(), self.value(field.shape, depth + 1));
            }
        }
        if self.rng.chance(self.rates.faults) {
            members.insert("unknown".into(), self.fault());
        }
        Value::Object(members)
    }

    fn map(&mut self, value: Id, depth: usize) -> Value {
        let count = self.rng.below(4);
        (0..count).map(|_| (self.rng.pick(TEXTS).to_string(), self.value(value, depth + 1))).collect()
    }

    fn list(&mut self, item: Id, merge: &Merge, depth: usize) -> Value {
        let count = if self.rates.long_lists && self.rng.chance(20) {
            self.rng.below(40)
        } else {
            self.rng.below(if depth > 4 { 2 } else { 5 })
        };
        let mut items: Vec<Value> = Vec::new();
        for _ in 0..count {
            let next = self.item(item, merge, depth + 1);
            let repeated = items.iter().any(|other| same_identity(other, &next, merge));
            if !repeated || self.rng.chance(self.rates.repeats) {
                items.push(next);
            }
        }
        Value::Array(items)
    }

    /// An item with its key, unless by mistake.
    pub(crate) fn item(&mut self, item: Id, merge: &Merge, depth: usize) -> Value {
        let mut value = self.value(item, depth);
        if let Value::Object(members) = &mut value {
            for key in merge.keys() {
                if !self.rng.chance(self.rates.faults) {
                    let kind = self.key_kind(item, key);
                    members.insert(key.into(), self.key_value(kind));
                }
            }
        }
        value
    }

    fn key_value(&mut self, kind: ScalarKind) -> Value {
        if self.rates.long_lists && kind == ScalarKind::Text {
            // More keys than the pool of texts has, so that long lists are not full of repeats.
            return json!(format!("k{}", self.rng.below(60)));
        }
        if self.rng.chance(self.rates.faults / 2) {
            return self.fault();
        }
        self.scalar(kind)
    }

    fn key_kind(&self, item: Id, key: &str) -> ScalarKind {
        let Shape::Object(fields) = self.shapes.get(item) else { return ScalarKind::Text };
        let shape = fields.iter().find(|field| field.name == key).map(|field| self.shapes.get(field.shape));
        match shape {
            Some(Shape::Scalar(kind)) => *kind,
            _ => ScalarKind::Text,
        }
    }

    fn free(&mut self, depth: usize) -> Value {
        match self.rng.below(if depth > 4 { 3 } else { 5 }) {
            0 => json!("f"),
            1 => json!(1),
            2 => json!([1, "b"]),
            3 => json!({ "m": { "a": 1 }, "l": [1] }),
            _ => json!({ "m": self.free(depth + 1), "l": [self.free(depth + 1)] }),
        }
    }

    /// Changes a document as a person with an editor would: some fields, items and orders.
    pub(crate) fn edit(&mut self, id: Id, value: &Value, depth: usize) -> Value {
        // Now and then a new value, whose kind may be another one.
        if self.rng.chance(8) {
            return self.value(id, depth);
        }
        match (self.shapes.get(id), value) {
            (Shape::Object(fields), Value::Object(members)) => self.edit_object(fields, members, depth),
            (Shape::Map(below), Value::Object(members)) => self.edit_map(*below, members, depth),
            (Shape::List(item, merge), Value::Array(items)) => self.edit_list(*item, merge, items, depth),
            _ if self.rng.chance(25) => self.value(id, depth),
            _ => value.clone(),
        }
    }

    fn edit_object(&mut self, fields: &[Field], members: &Map<String, Value>, depth: usize) -> Value {
        let mut edited = Map::new();
        for (name, value) in members {
            let field = fields.iter().find(|field| &field.name == name);
            match (field, self.rng.below(10)) {
                // A tenth of the fields is removed, half of them are edited below.
                (_, 0) => {}
                (Some(field), 1..=5) => {
                    drop(edited.insert(name.clone(), self.edit(field.shape, value, depth + 1)));
                }
                _ => drop(edited.insert(name.clone(), value.clone())),
            }
        }
        if !fields.is_empty() && self.rng.chance(30) && depth < MAX_DEPTH {
            let field = self.rng.pick(fields).clone();
            edited.insert(field.name, self.value(field.shape, depth + 1));
        }
        Value::Object(edited)
    }

    fn edit_map(&mut self, below: Id, members: &Map<String, Value>, depth: usize) -> Value {
        let mut edited: Map<String, Value> = members.clone();
        edited.retain(|_, _| !self.rng.chance(20));
        if self.rng.chance(40) {
            edited.insert(self.rng.pick(TEXTS).to_string(), self.value(below, depth + 1));
        }
        Value::Object(edited)
    }

    fn edit_list(&mut self, item: Id, merge: &Merge, items: &[Value], depth: usize) -> Value {
        let mut edited: Vec<Value> = Vec::new();
        for value in items {
            match self.rng.below(10) {
                0 | 1 => {}
                2..=4 => edited.push(self.edit_item(item, merge, value, depth + 1)),
                _ => edited.push(value.clone()),
            }
        }
        if self.rng.chance(40) {
            let next = self.item(item, merge, depth + 1);
            let repeated = edited.iter().any(|other| same_identity(other, &next, merge));
            if !repeated || self.rng.chance(self.rates.repeats) {
                let at = self.rng.below(edited.len() + 1);
                edited.insert(at, next);
            }
        }
        // Edited items may have taken the key of another one.
        if self.rates.repeats == 0 {
            edited = without_repeats(edited, merge);
        }
        if self.rng.chance(25) {
            self.rng.shuffle(&mut edited);
        }
        Value::Array(edited)
    }

    fn edit_item(&mut self, item: Id, merge: &Merge, value: &Value, depth: usize) -> Value {
        let mut edited = self.edit(item, value, depth);
        for key in merge.keys() {
            if let (Value::Object(members), Some(identity)) = (&mut edited, value.get(key))
                // With another key it would be another item, which is rarely what an edit does.
                && !self.rng.chance(self.rates.faults)
            {
                members.insert(key.into(), identity.clone());
            }
        }
        edited
    }
}

fn without_repeats(items: Vec<Value>, merge: &Merge) -> Vec<Value> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        if !kept.iter().any(|other| same_identity(other, &item, merge)) {
            kept.push(item);
        }
    }
    kept
}

/// Whether two items of a list would be one in a merge.
pub(crate) fn same_identity(one: &Value, other: &Value, merge: &Merge) -> bool {
    match merge {
        Merge::Scalars | Merge::ListSet => one == other,
        Merge::Atomic => false,
        keyed => keyed.keys().iter().all(|key| one.get(key).is_some() && one.get(key) == other.get(key)),
    }
}
