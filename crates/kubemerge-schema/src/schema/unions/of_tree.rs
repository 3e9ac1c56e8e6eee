//! Trees of objects, as unions read them.

use std::borrow::Cow;

use kubemerge_value::tree::ValueRef;

use super::{UnionTree, UnionTreeKind};

impl<'v> UnionTree<'v> for ValueRef<'v> {
    fn kind(self) -> UnionTreeKind {
        match self {
            ValueRef::Map(_) => UnionTreeKind::Map,
            ValueRef::List(_) => UnionTreeKind::List,
            ValueRef::Null => UnionTreeKind::Null,
            _ => UnionTreeKind::Scalar,
        }
    }

    fn text(self) -> Option<Cow<'v, str>> {
        match self {
            ValueRef::Str(text) => Some(Cow::Borrowed(text)),
            _ => None,
        }
    }

    fn scalar(self) -> Option<String> {
        match self {
            ValueRef::Bool(truth) => Some(truth.to_string()),
            ValueRef::Int(number) => Some(number.to_string()),
            ValueRef::Float(number) => Some(number.to_string()),
            ValueRef::Str(text) => Some(serde_json::Value::from(text).to_string()),
            ValueRef::Null | ValueRef::List(_) | ValueRef::Map(_) => None,
        }
    }

    fn members(self) -> Vec<(Cow<'v, str>, Self)> {
        let members = self.as_map().into_iter().flat_map(|map| map.iter());
        members.map(|(name, value)| (Cow::Borrowed(name), ValueRef::from(value))).collect()
    }

    fn items(self) -> Vec<Self> {
        self.as_list().unwrap_or_default().iter().map(ValueRef::from).collect()
    }
}
