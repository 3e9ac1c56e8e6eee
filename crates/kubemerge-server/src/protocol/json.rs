//! Between JSON text and trees.

use kubemerge_value::{Canonical, Document, Node, to_canonical, to_value};
use serde_json::{Map, Value};

use crate::protocol::status::{Outcome, bad_request};

/// Members of trees whose type is known only when the server runs. Nothing here panics, whatever the tree is.
pub(crate) trait Members {
    /// A member; null if there is none.
    fn member(&self, name: &str) -> &Value;
    /// A member to be changed; a tree that is no map becomes one.
    fn member_mut(&mut self, name: &str) -> &mut Value;
    /// Sets a member.
    fn set_member(&mut self, name: &str, value: Value) {
        *self.member_mut(name) = value;
    }
}

impl Members for Value {
    fn member(&self, name: &str) -> &Value {
        self.get(name).unwrap_or(&Value::Null)
    }

    fn member_mut(&mut self, name: &str) -> &mut Value {
        if !self.is_object() {
            *self = Value::Object(Map::new());
        }
        match self {
            Value::Object(members) => members.entry(name).or_insert(Value::Null),
            other => other,
        }
    }
}

/// The canonical text of a tree.
pub(crate) fn canonical(value: &Value) -> Outcome<Canonical> {
    let node = Node::from_value(value).map_err(|error| bad_request(error.to_string()))?;
    Ok(to_canonical(node))
}

/// The tree of any text; none if it is not JSON.
pub(crate) fn any_tree(text: &[u8]) -> Option<Value> {
    Some(tree(&Document::check(text).ok()?))
}

/// The tree of text that one of our writers wrote, which is JSON.
pub(crate) fn written_tree(text: &[u8]) -> Value {
    any_tree(text).unwrap_or_default()
}

/// The tree of canonical text.
pub(crate) fn tree<'t>(text: impl Into<Node<'t>>) -> Value {
    // Only text that is nested too deep fails, which no request can send.
    to_value(text.into()).unwrap_or_default()
}
