//! Patches for a document: changes, removals and every directive, right and wrong.

use serde_json::{Map, Value, json};

use super::{
    document::{Writer, same_identity},
    shape::{Field, Id, Merge, Shape},
};

impl Writer<'_> {
    /// A patch for a live value of a shape.
    pub(crate) fn patch(&mut self, id: Id, live: &Value, depth: usize) -> Value {
        if depth > 0 && self.rng.chance(10) {
            return self.value(id, depth);
        }
        match self.shapes.get(id) {
            Shape::Object(fields) => self.patch_object(fields, live, depth),
            Shape::Map(below) => self.patch_map(*below, live, depth),
            Shape::List(item, merge) => self.patch_list(*item, merge, live, depth),
            _ => self.value(id, depth),
        }
    }

    fn patch_object(&mut self, fields: &[Field], live: &Value, depth: usize) -> Value {
        let mut patch = Map::new();
        // Less and less likely, so that a patch of a deep schema stays small.
        let likely = [60, 45, 40, 35, 30, 20, 10, 0][depth.min(7)];
        for field in fields {
            let chance = if live.get(&field.name).is_some() {
                likely
            } else {
                // Fields that live does not have are many in built-in kinds.
                (likely / 3).min(600 / fields.len().max(1))
            };
            if self.rng.chance(chance) {
                self.patch_field(field, live, &mut patch, depth);
            }
        }
        self.directives_of_map(live, &mut patch, depth);
        Value::Object(patch)
    }

    fn patch_field(&mut self, field: &Field, live: &Value, patch: &mut Map<String, Value>, depth: usize) {
        let below = live.get(&field.name).unwrap_or(&Value::Null);
        let value = match self.rng.below(12) {
            0 => Value::Null,
            1 => self.value(field.shape, depth + 1),
            _ => self.patch(field.shape, below, depth + 1),
        };
        if let Shape::List(_, merge) = self.shapes.get(field.shape) {
            self.parallel_lists(field, merge, below, &value, patch);
        }
        // Sometimes the lists beside a field come without its value.
        if !self.rng.chance(15) || patch.is_empty() {
            patch.insert(field.name.clone(), value);
        }
    }

    /// `$setElementOrder/…` and `$deleteFromPrimitiveList/…` of a list field.
    fn parallel_lists(
        &mut self,
        field: &Field,
        merge: &Merge,
        live: &Value,
        value: &Value,
        patch: &mut Map<String, Value>,
    ) {
        let wanted = if matches!(merge, Merge::Keyed(_) | Merge::Scalars) { 35 } else { self.rates.faults };
        if self.rng.chance(wanted) {
            let order = self.order_list(merge, live, value);
            patch.insert(format!("$setElementOrder/{}", field.name), order);
        }
        let wanted = if *merge == Merge::Scalars { 30 } else { self.rates.faults };
        if self.rng.chance(wanted) {
            let deleted = self.delete_list(live);
            patch.insert(format!("$deleteFromPrimitiveList/{}", field.name), deleted);
        }
    }

    /// Mostly an order that the patch list fits: its items and some of live's, patch items in their order.
    fn order_list(&mut self, merge: &Merge, live: &Value, value: &Value) -> Value {
        if self.rng.chance(self.rates.faults) {
            return self.fault();
        }
        let empty = Vec::new();
        let mut order: Vec<Value> = Vec::new();
        for item in value.as_array().unwrap_or(&empty) {
            if item.get("$patch").is_none() {
                order.push(identity(item, merge));
            }
        }
        for item in live.as_array().unwrap_or(&empty) {
            let named = order.iter().any(|entry| same_identity(entry, item, merge));
            if !named && self.rng.chance(70) {
                let at = self.rng.below(order.len() + 1);
                order.insert(at, identity(item, merge));
            }
        }
        if self.rng.chance(5) {
            self.rng.shuffle(&mut order);
        }
        if self.rng.chance(5) {
            order.truncate(self.rng.below(order.len() + 1));
        }
        Value::Array(order)
    }

    fn delete_list(&mut self, live: &Value) -> Value {
        if self.rng.chance(self.rates.faults) {
            return self.fault();
        }
        let empty = Vec::new();
        let elements = live.as_array().unwrap_or(&empty).clone();
        elements.into_iter().filter(|_| self.rng.chance(40)).collect()
    }

    fn directives_of_map(&mut self, live: &Value, patch: &mut Map<String, Value>, depth: usize) {
        // A directive at the root decides everything, which makes a case of little use.
        if self.rng.chance(6) && (depth > 0 || self.rng.chance(10)) {
            let word = self.patch_word();
            patch.insert("$patch".into(), word);
        }
        if self.rng.chance(6) {
            let kept = self.retained(live, patch);
            patch.insert("$retainKeys".into(), kept);
        }
        if self.rng.chance(self.rates.faults / 3) {
            let name = *self.rng.pick(&[
                "$setElementOrder",
                "$deleteFromPrimitiveList",
                "$setElementOrder/unknown",
                "$deleteFromPrimitiveList/",
                "$setElementOrderX/a",
                "$deleteFromPrimitiveListX/a",
            ]);
            patch.insert(name.into(), json!([1]));
        }
    }

    fn patch_word(&mut self) -> Value {
        match self.rng.below(20) {
            0..=8 => json!("replace"),
            9..=17 => json!("delete"),
            18 => json!("merge"),
            _ => self.rng.pick(&[json!("other"), json!(1), json!(null)]).clone(),
        }
    }

    fn retained(&mut self, live: &Value, patch: &Map<String, Value>) -> Value {
        if self.rng.chance(self.rates.faults) {
            return self.fault();
        }
        let live: Vec<&String> = live.as_object().map(|members| members.keys().collect()).unwrap_or_default();
        let mut names: Vec<Value> =
            patch.keys().filter(|name| !name.starts_with('$')).map(|name| json!(name)).collect();
        names.extend(live.into_iter().filter(|_| self.rng.chance(30)).map(|name| json!(name)));
        if self.rng.chance(self.rates.faults) && !names.is_empty() {
            let at = self.rng.below(names.len());
            names[at] = self.fault();
        }
        Value::Array(names)
    }

    fn patch_map(&mut self, below: Id, live: &Value, depth: usize) -> Value {
        let mut patch = Map::new();
        for (name, _) in live.as_object().into_iter().flatten() {
            match self.rng.below(4) {
                0 => drop(patch.insert(name.clone(), Value::Null)),
                1 => drop(patch.insert(name.clone(), self.value(below, depth + 1))),
                _ => {}
            }
        }
        if self.rng.chance(50) {
            patch.insert("new".into(), self.value(below, depth + 1));
        }
        self.directives_of_map(live, &mut patch, depth);
        Value::Object(patch)
    }

    fn patch_list(&mut self, item: Id, merge: &Merge, live: &Value, depth: usize) -> Value {
        if !matches!(merge, Merge::Keyed(_) | Merge::KeySet(_)) {
            return self.value_list(item, merge, live, depth);
        }
        let mut keys = merge.keys();
        let mut items: Vec<Value> = Vec::new();
        for value in live.as_array().into_iter().flatten() {
            if keys.len() > 1 && self.rng.chance(10) {
                // Items may be named by some of their keys only.
                keys.pop();
            }
            match self.rng.below(10) {
                0..=3 => {
                    let mut change = self.patch(item, value, depth + 1);
                    self.identify(&mut change, value, &keys);
                    items.push(change);
                }
                4 | 5 => items.push(self.delete_item(&keys, value)),
                _ => {}
            }
        }
        for _ in 0..self.rng.below(3) {
            let next = self.item(item, merge, depth + 1);
            let at = self.rng.below(items.len() + 1);
            items.insert(at, next);
        }
        if self.rng.chance(20) {
            self.rng.shuffle(&mut items);
        }
        if self.rng.chance(4) {
            let at = self.rng.below(items.len() + 1);
            items.insert(at, json!({ "$patch": "replace" }));
        }
        Value::Array(items)
    }

    /// Gives a change of an item the keys of the item, and mostly no directive.
    fn identify(&mut self, change: &mut Value, value: &Value, keys: &[&str]) {
        let Value::Object(members) = change else { return };
        let identity: Map<String, Value> =
            keys.iter().filter_map(|key| Some((key.to_string(), value.get(*key)?.clone()))).collect();
        if !identity.is_empty() && !self.rng.chance(10) {
            members.remove("$patch");
        }
        members.extend(identity);
    }

    fn delete_item(&mut self, keys: &[&str], value: &Value) -> Value {
        let mut item = json!({ "$patch": "delete" });
        for key in keys {
            if let (Some(identity), false) = (value.get(*key), self.rng.chance(self.rates.faults)) {
                item[*key] = identity.clone();
            }
        }
        item
    }

    fn value_list(&mut self, item: Id, merge: &Merge, live: &Value, depth: usize) -> Value {
        let empty = Vec::new();
        let mut values: Vec<Value> =
            live.as_array().unwrap_or(&empty).iter().filter(|_| self.rng.chance(35)).cloned().collect();
        for _ in 0..self.rng.below(3) {
            let next = self.item(item, merge, depth + 1);
            let at = self.rng.below(values.len() + 1);
            values.insert(at, next);
        }
        Value::Array(values)
    }
}

/// What an order list says about an item.
fn identity(item: &Value, merge: &Merge) -> Value {
    match (merge, item.as_object()) {
        (Merge::Keyed(key), Some(members)) => {
            members.get(key).map_or_else(|| json!({}), |value| json!({ key.as_str(): value }))
        }
        _ => item.clone(),
    }
}
