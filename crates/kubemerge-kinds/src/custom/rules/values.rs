//! Trees as values of CEL: the schema says which texts are times, which numbers are floats, and which members there are.

use base64::Engine;
use kubemerge_cel::{
    timestamp::CelTimestamp,
    value::{CelList, CelListView, CelMap, CelMapView, CelText, CelValue, ListKind},
};
use kubemerge_schema::{Additional, ListType, ValueType};
use kubemerge_value::go_duration;

use super::names::escape;
use crate::tree::{Map, Value, ValueRef};

/// The value of an expression's variable, which reads the tree where the expression asks for a part of it.
pub(super) fn value_of<'v>(value: ValueRef<'v>, schema: ValueType<'v>) -> CelValue<'v> {
    match value {
        // `1` of type number is a double: comparing it with `1.0` must work.
        ValueRef::Int(number) if schema.only_type() == Some("number") => CelValue::Double(number as f64),
        ValueRef::Str(text) => text_value(text, schema),
        ValueRef::List(items) => CelValue::List(CelList::view(TypedList { items, schema })),
        ValueRef::Map(members) => CelValue::Map(CelMap::view(TypedMap { members, schema })),
        value => value.into(),
    }
}

fn text_value<'v>(text: &'v str, schema: ValueType<'_>) -> CelValue<'v> {
    // Texts that do not have their format are reported by the schema; rules still see them.
    formatted(text, schema).unwrap_or(CelValue::String(CelText::Borrowed(text)))
}

fn formatted<'v>(text: &str, schema: ValueType<'_>) -> Option<CelValue<'v>> {
    match schema.format().filter(|_| schema.only_type() == Some("string"))? {
        "byte" => {
            let decoded = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
            Some(CelValue::Bytes(decoded.into()))
        }
        "date-time" => CelTimestamp::parse(text).map(CelValue::Timestamp),
        "date" => CelTimestamp::parse_date(text).map(CelValue::Timestamp),
        "duration" => go_duration::parse(text).map(CelValue::Duration),
        _ => None,
    }
}

#[derive(Debug)]
struct TypedList<'v> {
    items: &'v [Value<'v>],
    schema: ValueType<'v>,
}

impl<'v> CelListView<'v> for TypedList<'v> {
    fn len(&self) -> usize {
        self.items.len()
    }

    fn get(&self, index: usize) -> Option<CelValue<'v>> {
        let item = ValueRef::from(self.items.get(index)?);
        Some(match self.schema.items() {
            Some(schema) => value_of(item, schema),
            None => item.into(),
        })
    }

    fn kind(&self) -> ListKind<'v> {
        match self.schema.list_type() {
            ListType::Unset | ListType::Atomic => ListKind::Atomic,
            ListType::Set => ListKind::Set,
            ListType::Map => ListKind::Map(self.schema.list_map_keys().collect()),
        }
    }
}

#[derive(Debug)]
struct TypedMap<'v> {
    members: &'v Map<'v>,
    schema: ValueType<'v>,
}

impl<'v> TypedMap<'v> {
    /// Whether it is an object with fields, or else a map whose keys are data.
    fn is_object(&self) -> bool {
        self.schema.properties_in_rules().len() > 0
    }

    /// The schema of a member; none if the member is not declared.
    fn member_schema(&self, name: &str) -> Option<ValueType<'v>> {
        match self.schema.additional() {
            _ if self.is_object() => self.schema.property_in_rules(name),
            Additional::Schema(values) => Some(values),
            Additional::Unset | Additional::Allowed | Additional::Refused => None,
        }
    }

    /// The member that expressions call by a name: names of fields are escaped.
    fn find(&self, written: &str) -> Option<(&'v Value<'v>, ValueType<'v>)> {
        if !self.is_object() || escape(written).as_deref() == Some(written) {
            return Some((self.members.get(written)?, self.member_schema(written)?));
        }
        let mut fields = self.schema.properties_in_rules();
        let (name, schema) = fields.find(|(name, _)| escape(name).as_deref() == Some(written))?;
        Some((self.members.get(name)?, schema))
    }
}

impl<'v> CelMapView<'v> for TypedMap<'v> {
    fn len(&self) -> usize {
        self.members.len()
    }

    fn get(&self, name: &str) -> Option<CelValue<'v>> {
        let (value, schema) = self.find(name)?;
        // A field that is null is as good as absent.
        let is_absent = self.is_object() && ValueRef::from(value).is_null();
        (!is_absent).then(|| value_of(value.into(), schema))
    }

    fn names(&self) -> Vec<CelText<'v>> {
        let declared = self.members.iter().filter(|(name, _)| self.member_schema(name).is_some());
        let written = |(name, _): (&'v str, _)| match escape(name).filter(|_| self.is_object()) {
            Some(escaped) if escaped != name => CelText::Shared(escaped.into()),
            _ => CelText::Borrowed(name),
        };
        declared.map(written).collect()
    }

    fn undeclared(&self) -> Vec<(&'v str, CelValue<'v>)> {
        let undeclared = self.members.iter().filter(|(name, _)| self.member_schema(name).is_none());
        undeclared.map(|(name, value)| (name, ValueRef::from(value).into())).collect()
    }
}
