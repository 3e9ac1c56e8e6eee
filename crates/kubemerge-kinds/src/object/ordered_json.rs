//! JSON whose members keep an order, and the two patches that Kubernetes applies to such text.
//!
//! kube-apiserver encodes an object in the order of its Go fields and patches the encoded text. Maps that a patch
//! enters come out sorted, all others as they were. Only messages that quote the result need this: objects
//! themselves are patched by the engine.

use std::collections::HashSet;

use kubemerge_schema::{GoKind, GoTypes, GoValue, Schema, StructId};
use kubemerge_value::part::item_at_mut;
use kubemerge_value::{Arena, PullReader, Start, TextForm, deep, write::write_escaped};

use crate::typed::field_order;

/// A JSON value with ordered members.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum OrderedJson {
    /// Anything but a list or a map, as text.
    Scalar(Vec<u8>),
    /// A list.
    List(Vec<OrderedJson>),
    /// A map.
    Map(Vec<(String, OrderedJson)>),
}

const NULL: &[u8] = b"null";

impl OrderedJson {
    /// Reads a text; none if it is not JSON.
    pub fn read(text: &[u8]) -> Option<OrderedJson> {
        let arena = Arena::new();
        let mut reader = PullReader::of_bytes(text, &arena);
        let value = OrderedJson::next(&mut reader);
        (reader.finish() < TextForm::NotJson).then_some(value)
    }

    fn next(reader: &mut PullReader<'_>) -> OrderedJson {
        match reader.start() {
            Start::Map => deep(|| OrderedJson::next_map(reader)),
            Start::List => deep(|| {
                let (mut items, mut list) = (Vec::new(), reader.open_list());
                while reader.item(&mut list) {
                    items.push(OrderedJson::next(reader));
                }
                OrderedJson::List(items)
            }),
            _ => OrderedJson::Scalar(reader.pass().as_bytes().to_vec()),
        }
    }

    fn next_map(reader: &mut PullReader<'_>) -> OrderedJson {
        let (mut members, mut map) = (Vec::new(), reader.open_map());
        while let Some(name) = reader.name(&mut map) {
            members.push((name.to_owned(), OrderedJson::next(reader)));
        }
        if !map.is_sorted() {
            keep_last(&mut members);
        }
        OrderedJson::Map(members)
    }

    fn is_null(&self) -> bool {
        matches!(self, OrderedJson::Scalar(text) if text == NULL)
    }

    fn sort(&mut self) {
        if let OrderedJson::Map(members) = self {
            members.sort_by(|one, other| one.0.cmp(&other.0));
        }
    }

    fn get(&self, name: &str) -> Option<&OrderedJson> {
        let OrderedJson::Map(members) = self else { return None };
        members.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    fn str(&self, name: &str) -> Option<String> {
        let OrderedJson::Scalar(text) = self.get(name)? else { return None };
        serde_json::from_slice(text).ok()
    }

    /// The text as Go writes it: compact, with `<`, `>` and `&` escaped.
    pub fn to_text(&self) -> String {
        let mut out = Vec::new();
        self.write(&mut out);
        let text = String::from_utf8(out).unwrap_or_default();
        // Outside of strings none of these occur.
        let escapes = [('<', "\\u003c"), ('>', "\\u003e"), ('&', "\\u0026")];
        escapes.into_iter().fold(text, |text, (character, escape)| text.replace(character, escape))
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            OrderedJson::Scalar(text) => out.extend_from_slice(text),
            OrderedJson::List(items) => {
                out.push(b'[');
                for (number, item) in items.iter().enumerate() {
                    separate(number, out);
                    deep(|| item.write(out));
                }
                out.push(b']');
            }
            OrderedJson::Map(members) => {
                out.push(b'{');
                for (number, (name, value)) in members.iter().enumerate() {
                    separate(number, out);
                    write_escaped(name.as_bytes(), out);
                    out.push(b':');
                    deep(|| value.write(out));
                }
                out.push(b'}');
            }
        }
    }

    /// Puts the fields of a Go struct in their order, at all depths.
    pub fn in_go_order(mut self, schema: &Schema, root: StructId) -> OrderedJson {
        order_struct(&mut self, schema.go_types(), root);
        self
    }

    /// Applies a merge patch. Maps that it enters are sorted.
    pub fn merge(&mut self, patch: &OrderedJson) {
        match (&mut *self, patch) {
            (OrderedJson::Map(_), OrderedJson::Map(changes)) => {
                self.sort();
                changes.iter().for_each(|(name, value)| self.merge_member(name, value));
            }
            (OrderedJson::Map(_), other) => *self = other.clone(),
            (_, other) => *self = without_nulls(other),
        }
    }

    fn merge_member(&mut self, name: &str, value: &OrderedJson) {
        let OrderedJson::Map(members) = self else { return };
        let place = members.binary_search_by(|(key, _)| key.as_str().cmp(name));
        match place {
            Ok(at) if value.is_null() => drop(members.remove(at)),
            Ok(at) => match &mut item_at_mut(members, at).1 {
                known if known.is_null() => *known = without_nulls(value),
                known => deep(|| known.merge(value)),
            },
            Err(_) if value.is_null() => {}
            Err(at) => members.insert(at, (name.to_owned(), without_nulls(value))),
        }
    }

    /// Applies a JSON patch; none if an operation does not fit. Maps on the way to a place are sorted.
    pub fn apply(&mut self, operations: &OrderedJson) -> Option<()> {
        let OrderedJson::List(operations) = operations else { return None };
        self.sort();
        operations.iter().try_for_each(|operation| self.operate(operation))
    }

    fn operate(&mut self, operation: &OrderedJson) -> Option<()> {
        let path = operation.str("path")?;
        let value = || operation.get("value").cloned().unwrap_or(OrderedJson::Scalar(NULL.to_vec()));
        match operation.str("op")?.as_str() {
            "add" => self.add(&path, value()),
            "replace" => {
                *self.find(&path)? = value();
                Some(())
            }
            "remove" => self.take(&path).map(drop),
            "move" => {
                let moved = self.take(&operation.str("from")?)?;
                self.add(&path, moved)
            }
            "copy" => {
                let copied = self.find(&operation.str("from")?)?.clone();
                self.add(&path, copied)
            }
            "test" => Some(()),
            _ => None,
        }
    }

    /// The map or list that holds a place, and the last step to it.
    fn holder(&mut self, path: &str) -> Option<(&mut OrderedJson, String)> {
        let path = path.strip_prefix('/')?;
        let (parents, last) = path.rsplit_once('/').unwrap_or(("", path));
        let mut holder = self;
        for step in parents.split('/').filter(|step| !step.is_empty()) {
            holder = holder.child(&unescaped(step))?;
            holder.sort();
        }
        Some((holder, unescaped(last)))
    }

    fn child(&mut self, step: &str) -> Option<&mut OrderedJson> {
        match self {
            OrderedJson::Map(members) => {
                members.iter_mut().find(|(key, _)| key == step).map(|(_, value)| value)
            }
            OrderedJson::List(items) => items.get_mut(step.parse::<usize>().ok()?),
            OrderedJson::Scalar(_) => None,
        }
    }

    fn find(&mut self, path: &str) -> Option<&mut OrderedJson> {
        let (holder, step) = self.holder(path)?;
        holder.child(&step)
    }

    fn take(&mut self, path: &str) -> Option<OrderedJson> {
        match self.holder(path)? {
            (OrderedJson::Map(members), step) => {
                let at = members.iter().position(|(key, _)| *key == step)?;
                Some(members.remove(at).1)
            }
            (OrderedJson::List(items), step) => {
                let at = step.parse::<usize>().ok().filter(|at| *at < items.len())?;
                Some(items.remove(at))
            }
            _ => None,
        }
    }

    fn add(&mut self, path: &str, value: OrderedJson) -> Option<()> {
        let (holder, step) = self.holder(path)?;
        match holder {
            OrderedJson::Map(members) => {
                members.retain(|(key, _)| *key != step);
                members.push((step, value));
                holder.sort();
            }
            OrderedJson::List(items) => {
                let at = if step == "-" { items.len() } else { step.parse().ok()? };
                if at > items.len() {
                    return None;
                }
                items.insert(at, value);
            }
            OrderedJson::Scalar(_) => return None,
        }
        Some(())
    }
}

/// Of repeated members keeps the last.
fn keep_last(members: &mut Vec<(String, OrderedJson)>) {
    let mut seen = HashSet::new();
    let mut is_last: Vec<bool> = members.iter().rev().map(|(name, _)| seen.insert(name.as_str())).collect();
    members.retain(|_| is_last.pop().unwrap_or_default());
}

fn separate(number: usize, out: &mut Vec<u8>) {
    if number > 0 {
        out.push(b',');
    }
}

/// A step of a JSON pointer.
fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// A value that a merge patch adds: nulls in maps remove nothing, so they are dropped.
fn without_nulls(value: &OrderedJson) -> OrderedJson {
    match value {
        OrderedJson::Map(members) => deep(|| {
            let members = members.iter().filter(|(_, value)| !value.is_null());
            let mut map =
                OrderedJson::Map(members.map(|(name, value)| (name.clone(), without_nulls(value))).collect());
            map.sort();
            map
        }),
        OrderedJson::List(items) => deep(|| OrderedJson::List(items.iter().map(without_nulls).collect())),
        OrderedJson::Scalar(_) => value.clone(),
    }
}

fn order_struct(value: &mut OrderedJson, types: GoTypes<'_>, id: StructId) {
    let OrderedJson::Map(members) = value else { return };
    let struct_type = types.of(id);
    if let Some(fields) = field_order::fields(struct_type.definition_name()) {
        members.sort_by_cached_key(|(name, _)| field_order::place(fields, name));
    }
    for (name, value) in members {
        if let Some(field) = struct_type.named(name) {
            deep(|| order_value(value, types, field.value));
        }
    }
}

fn order_value(value: &mut OrderedJson, types: GoTypes<'_>, ty: GoValue) {
    match (ty.kind, value) {
        (GoKind::Struct(id) | GoKind::StructOr(_, id), value @ OrderedJson::Map(_)) => {
            order_struct(value, types, id);
        }
        (GoKind::StructOr(_, id), OrderedJson::List(items)) => {
            items.iter_mut().for_each(|item| order_struct(item, types, id));
        }
        (GoKind::List(item), OrderedJson::List(items)) => {
            items.iter_mut().for_each(|one| order_value(one, types, types.value(item)));
        }
        (GoKind::Map(item), OrderedJson::Map(members)) => {
            members.iter_mut().for_each(|(_, one)| order_value(one, types, types.value(item)));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> OrderedJson {
        OrderedJson::read(text.as_bytes()).expect("the text is JSON")
    }

    #[test]
    fn fields_are_in_the_order_of_their_declaration() {
        let schema = Schema::builtin("1.37", kubemerge_schema::Dialect::Upstream).expect("a known version");
        let root = schema.go_struct("v1", "ConfigMap").expect("a built-in kind");
        let text = r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"creationTimestamp":null,"name":"a","uid":"u"}}"#;
        let expected = r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","uid":"u","creationTimestamp":null}}"#;
        assert_eq!(read(text).in_go_order(&schema, root).to_text(), expected);
    }

    #[test]
    fn texts_are_read_as_they_are() {
        let text = r#"{"c":[1.50,"a\/b"],"b":2,"a":null,"d":{}}"#;
        assert_eq!(read(text).to_text(), text);
        assert_eq!(read(r#"{"b":1,"c":2,"b":3}"#).to_text(), r#"{"c":2,"b":3}"#);
        assert_eq!(OrderedJson::read(b"[1,]"), None);
    }

    #[test]
    fn maps_that_a_merge_patch_enters_are_sorted() {
        let mut document = read(r#"{"b":{"d":1,"c":{"z":1,"y":2}},"a":1}"#);
        document.merge(&read(r#"{"b":{"e":{"n":null,"m":"<"}},"a":null}"#));
        assert_eq!(document.to_text(), r#"{"b":{"c":{"z":1,"y":2},"d":1,"e":{"m":"\u003c"}}}"#);
    }

    #[test]
    fn maps_on_the_way_of_a_json_patch_are_sorted() {
        let mut document = read(r#"{"b":{"d":[1,2],"c":{"z":1,"y":2}},"a":1}"#);
        let patch = r#"[{"op":"remove","path":"/a"},{"op":"add","path":"/b/d/-","value":{"q":1,"p":2}}]"#;
        assert_eq!(document.apply(&read(patch)), Some(()));
        assert_eq!(document.to_text(), r#"{"b":{"c":{"z":1,"y":2},"d":[1,2,{"q":1,"p":2}]}}"#);
        assert_eq!(document.apply(&read(r#"[{"op":"remove","path":"/nothing"}]"#)), None);
    }
}
