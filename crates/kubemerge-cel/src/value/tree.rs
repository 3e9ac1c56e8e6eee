//! Trees as values: what expressions see of an object that has no schema.

use kubemerge_value::tree::{Map as TreeMap, Value as TreeValue, ValueRef};

use super::{CelList, CelListView, CelMap, CelMapView, CelText, CelValue, ListKind, Strictness};

impl<'v> From<ValueRef<'v>> for CelValue<'v> {
    fn from(value: ValueRef<'v>) -> CelValue<'v> {
        match value {
            ValueRef::Null => CelValue::Null,
            ValueRef::Bool(truth) => CelValue::Bool(truth),
            ValueRef::Int(number) => CelValue::Int(number),
            ValueRef::Float(number) => CelValue::Double(number),
            ValueRef::Str(text) => CelValue::String(CelText::Borrowed(text)),
            ValueRef::List(items) => CelValue::List(CelList::view(PlainList(items))),
            ValueRef::Map(members) => CelValue::Map(CelMap::view(PlainMap(members))),
        }
    }
}

#[derive(Debug)]
struct PlainList<'v>(&'v [TreeValue<'v>]);

impl<'v> CelListView<'v> for PlainList<'v> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, index: usize) -> Option<CelValue<'v>> {
        self.0.get(index).map(|item| ValueRef::from(item).into())
    }

    fn kind(&self) -> ListKind<'v> {
        ListKind::Atomic
    }

    fn strictness(&self) -> Strictness {
        Strictness::Lenient
    }
}

#[derive(Debug)]
struct PlainMap<'v>(&'v TreeMap<'v>);

impl<'v> CelMapView<'v> for PlainMap<'v> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn get(&self, name: &str) -> Option<CelValue<'v>> {
        self.0.get(name).map(|member| ValueRef::from(member).into())
    }

    fn names(&self) -> Vec<CelText<'v>> {
        self.0.iter().map(|(name, _)| CelText::Borrowed(name)).collect()
    }

    fn undeclared(&self) -> Vec<(&'v str, CelValue<'v>)> {
        Vec::new()
    }

    fn strictness(&self) -> Strictness {
        Strictness::Lenient
    }
}
