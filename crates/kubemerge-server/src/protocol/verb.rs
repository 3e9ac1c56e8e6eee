//! The verbs of the API.

use std::fmt;

use http::Method;

use crate::protocol::{query::Query, target::Named};

/// What a request for objects asks to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    List,
    Watch,
    Create,
    Update,
    Patch,
    Delete,
    DeleteCollection,
}

impl Verb {
    /// The verb of a request; none if the method does not fit the path.
    pub(crate) fn of(method: &Method, address: &Named<'_>, query: &Query) -> Option<Verb> {
        let named = address.name.is_some();
        match *method {
            Method::GET | Method::HEAD if address.subresource.is_some() => Some(Verb::Get),
            // A watch of one object has its name in the path, so that this comes before `get`.
            Method::GET | Method::HEAD if query.flag("watch") => Some(Verb::Watch),
            Method::GET | Method::HEAD if named => Some(Verb::Get),
            Method::GET | Method::HEAD => Some(Verb::List),
            Method::POST if !named || address.subresource.is_some() => Some(Verb::Create),
            Method::PUT if named => Some(Verb::Update),
            Method::PATCH if named => Some(Verb::Patch),
            Method::DELETE if named => Some(Verb::Delete),
            Method::DELETE => Some(Verb::DeleteCollection),
            _ => None,
        }
    }

    /// The name in discovery and in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Verb::Get => "get",
            Verb::List => "list",
            Verb::Watch => "watch",
            Verb::Create => "create",
            Verb::Update => "update",
            Verb::Patch => "patch",
            Verb::Delete => "delete",
            Verb::DeleteCollection => "deletecollection",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
