//! Matchers for requests: faults and searches in the log use the same ones.

use std::fmt;

use super::{Fault, FaultRule, When};
use crate::{
    api::hooks::IncomingRequest,
    catalog::Index,
    protocol::{target::Address, verb::Verb},
};

/// Which requests match; what is not set matches all.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct On {
    verb: Option<Verb>,
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

    /// Requests with this verb, as [`Verb::Patch`] or by its name, `"patch"`.
    ///
    /// # Panics
    /// If there is no verb of this name.
    #[track_caller]
    pub fn verb<V>(verb: V) -> On
    where
        V: TryInto<Verb>,
        V::Error: fmt::Display,
    {
        match verb.try_into() {
            Ok(verb) => On { verb: Some(verb), ..On::default() },
            Err(error) => panic!("{error}"),
        }
    }

    /// … for this plural name, in the group that is named after it or in any: `deployments.apps`, `deployments`.
    /// Where it is used, it is an error that no such resource is served.
    pub fn resource(mut self, resource: &str) -> On {
        let (plural, group) = match resource.split_once('.') {
            Some((plural, group)) => (plural, Some(group.to_string())),
            None => (resource, None),
        };
        self.resource = Some(plural.to_string());
        self.group = group;
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

    /// The matcher for requests like one that was made, with its code: both sides of an expectation are shown alike.
    pub(crate) fn exactly(verb: Option<Verb>, address: &Address) -> On {
        On {
            verb,
            group: Some(address.group.clone()),
            resource: Some(address.resource.clone()),
            namespace: address.namespace.clone(),
            name: address.name.clone(),
            subresource: address.subresource.clone(),
            content_type: None,
        }
    }

    /// The verb that requests must have, if any.
    pub(crate) fn wanted_verb(&self) -> Option<Verb> {
        self.verb
    }

    /// Why no request can match: no such resource is served. A custom resource may be defined later, which only a name
    /// with a group tells.
    pub(crate) fn problem(&self, index: &Index) -> Option<String> {
        let plural = self.resource.as_deref()?;
        let Some(group) = self.group.as_deref() else {
            let is_served = index.each_preferred().any(|resource| resource.plural == plural);
            return (!is_served).then(|| {
                format!("no resource {plural:?} is served in any group; one that is defined later needs its group: \"{plural}.example.com\"")
            });
        };
        let is_missing = index.preferred(group, plural).is_none() && !index.may_grow(group);
        is_missing.then(|| format!("no resource {plural:?} is served in group {group:?}"))
    }

    pub(crate) fn covers(&self, request: &IncomingRequest<'_>) -> bool {
        let address = request.address;
        let same = |wanted: &Option<String>, found: &str| wanted.as_deref().is_none_or(|one| one == found);
        self.verb.is_none_or(|verb| request.verb == Some(verb))
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
        write!(f, "{} {}", self.verb.map_or("*", Verb::name), or_any(&self.resource))?;
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
