//! The verbs of the API.

use std::fmt;

use http::Method;

use crate::protocol::{query::Query, target::Named};

/// What a request for objects asks to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// `get`: one object, or a subresource of it.
    Get,
    /// `list`: a collection.
    List,
    /// `watch`: changes of one object or of a collection.
    Watch,
    /// `create`: a new object, or an action such as an eviction.
    Create,
    /// `update`: a whole object in place of the old one.
    Update,
    /// `patch`: any type of patch, server-side apply too.
    Patch,
    /// `delete`: one object.
    Delete,
    /// `deletecollection`: all objects that a selector selects.
    DeleteCollection,
}

/// A text that names no verb.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownVerb(String);

impl Verb {
    /// The verb of a request; none if the method does not fit the path.
    pub(crate) fn of(method: &Method, address: &Named<'_>, query: &Query) -> Option<Verb> {
        let named = address.name.is_some();
        match *method {
            Method::GET | Method::HEAD if address.watches => Some(Verb::Watch),
            _ if address.watches => None,
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

    /// The name in discovery and in messages, such as `deletecollection`.
    pub fn name(self) -> &'static str {
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

impl Verb {
    const ALL: [Verb; 8] = [
        Verb::Get,
        Verb::List,
        Verb::Watch,
        Verb::Create,
        Verb::Update,
        Verb::Patch,
        Verb::Delete,
        Verb::DeleteCollection,
    ];
}

impl TryFrom<&str> for Verb {
    type Error = UnknownVerb;

    fn try_from(name: &str) -> Result<Verb, UnknownVerb> {
        Verb::ALL.into_iter().find(|verb| verb.name() == name).ok_or_else(|| UnknownVerb(name.to_string()))
    }
}

impl fmt::Display for UnknownVerb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Verb::ALL.map(Verb::name).join(", ");
        write!(f, "{:?} is not a verb; verbs are {known}", self.0)
    }
}

impl std::error::Error for UnknownVerb {}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
