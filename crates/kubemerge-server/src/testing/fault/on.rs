//! Matchers for requests: faults and searches in the log use the same ones.

use std::fmt;

use super::{Fault, FaultRule, When};
use crate::{api::hooks::IncomingRequest, protocol::verb::Verb};

/// Which requests match; what is not set matches all.
#[derive(Clone, Debug, Default)]
pub struct On {
    verb: Option<String>,
    group: Option<String>,
    resource: Option<String>,
    namespace: Option<String>,
    name: Option<String>,
    subresource: Option<String>,
    content_type: Option<String>,
}

impl On {
    /// Every request.
    pub fn any() -> On {
        On::default()
    }

    /// Requests with this verb: `get`, `list`, `watch`, `create`, `update`, `patch`, `delete` or
    /// `deletecollection`.
    pub fn verb(verb: &str) -> On {
        On { verb: Some(verb.to_string()), ..On::default() }
    }

    /// … for this plural name, with its group unless it is in the core group: `deployments.apps`.
    pub fn resource(mut self, resource: &str) -> On {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        self.resource = Some(plural.to_string());
        self.group = Some(group.to_string());
        self
    }

    /// … in this namespace.
    pub fn namespace(mut self, namespace: &str) -> On {
        self.namespace = Some(namespace.to_string());
        self
    }

    /// … for the object of this name in the path, which requests that create have none in.
    pub fn name(mut self, name: &str) -> On {
        self.name = Some(name.to_string());
        self
    }

    /// … for this subresource.
    pub fn subresource(mut self, subresource: &str) -> On {
        self.subresource = Some(subresource.to_string());
        self
    }

    /// … with a body of this content type.
    pub fn content_type(mut self, content_type: &str) -> On {
        self.content_type = Some(content_type.to_string());
        self
    }

    /// Every such request gets the fault.
    pub fn always(self, fault: Fault) -> FaultRule {
        FaultRule { on: self, when: When::Always, fault }
    }

    /// The n-th such request gets the fault, counted from 1.
    pub fn nth(self, n: u64, fault: Fault) -> FaultRule {
        FaultRule { on: self, when: When::Nth(n), fault }
    }

    /// The first n such requests get the fault.
    pub fn first(self, n: u64, fault: Fault) -> FaultRule {
        FaultRule { on: self, when: When::First(n), fault }
    }

    /// Each such request gets the fault with this probability, from the server's source of randomness.
    pub fn sometimes(self, probability: f64, fault: Fault) -> FaultRule {
        FaultRule { on: self, when: When::Sometimes(probability), fault }
    }

    pub(crate) fn covers(&self, request: &IncomingRequest<'_>) -> bool {
        let address = request.address;
        let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|one| one == found);
        same(&self.verb, request.verb.map(Verb::name).unwrap_or_default())
            && same(&self.group, &address.group)
            && same(&self.resource, &address.resource)
            && same(&self.namespace, address.namespace.as_deref().unwrap_or_default())
            && same(&self.name, address.name.as_deref().unwrap_or_default())
            && same(&self.subresource, address.subresource.as_deref().unwrap_or_default())
            && same(&self.content_type, request.content_type)
    }
}

impl fmt::Display for On {
    /// `patch deployments.apps/scale default/web`, as far as it is set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or_any = |part: &Option<String>| part.clone().unwrap_or("*".into());
        write!(f, "{} {}", or_any(&self.verb), or_any(&self.resource))?;
        if let Some(group) = self.group.as_ref().filter(|group| !group.is_empty()) {
            write!(f, ".{group}")?;
        }
        if let Some(subresource) = &self.subresource {
            write!(f, "/{subresource}")?;
        }
        match (&self.namespace, &self.name) {
            (None, None) => {}
            (None, Some(name)) => write!(f, " {name}")?,
            (Some(namespace), name) => write!(f, " {namespace}/{}", or_any(name))?,
        }
        self.content_type.as_ref().map_or(Ok(()), |content_type| write!(f, " ({content_type})"))
    }
}
