//! Interceptors: closures that see requests before they are carried out, answer in their place, or see their answers.

mod request;

use std::{
    panic::Location,
    sync::{Arc, PoisonError, RwLock},
};

use bytes::Bytes;
use http::{HeaderValue, header::CONTENT_TYPE, request::Parts};
pub use request::{
    AnyRequest, CreateRequest, DeleteRequest, GetRequest, ListRequest, PatchRequest, TypedRequest,
    UpdateRequest, WatchRequest,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    api::hooks::IncomingRequest,
    protocol::{
        media,
        query::Query,
        reply::Reply,
        status::{Failure, Outcome, internal},
        target::{Address, Named, Target},
        verb::Verb,
    },
    testing::fault::On,
};

/// The answer to a request, as an interceptor sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct InterceptedAnswer {
    /// The HTTP code.
    pub code: u16,
    /// The object, the list, or the `Status` of a failure.
    pub body: Value,
}

impl InterceptedAnswer {
    /// Whether the request was carried out.
    pub fn is_success(&self) -> bool {
        self.code < 400
    }

    /// Answers with a failure instead; what the request changed stays changed.
    pub fn fail(&mut self, failure: &Failure) {
        (self.code, self.body) = (failure.code(), failure.to_value());
    }
}

type Before = dyn Fn(&mut AnyRequest) -> Outcome<()> + Send + Sync;
type Instead = dyn Fn(&AnyRequest) -> Option<Outcome<Value>> + Send + Sync;
type After = dyn Fn(&AnyRequest, &mut InterceptedAnswer) -> Outcome<()> + Send + Sync;

/// When an interceptor is called, and what it does.
#[derive(Clone)]
enum Stage {
    Before(Arc<Before>),
    Instead(Arc<Instead>),
    After(Arc<After>),
}

/// A closure for some requests; build it with [`On::before`], [`On::instead`] or [`On::after`].
#[derive(Clone)]
pub struct Interceptor {
    pub(crate) on: On,
    /// The verbs of the closure's type; all if empty.
    verbs: &'static [Verb],
    stage: Stage,
}

impl On {
    /// Calls the closure before such requests are carried out. It may change their body, or refuse them.
    ///
    /// # Panics
    /// If the verb of the matcher is not one of the closure's type of request.
    #[track_caller]
    pub fn before<R: TypedRequest>(
        self,
        act: impl Fn(&mut R) -> Result<(), Failure> + Send + Sync + 'static,
    ) -> Interceptor {
        let act = move |request: &mut AnyRequest| {
            let mut typed = R::read(request)?;
            act(&mut typed)?;
            typed.write(request)
        };
        Interceptor::new::<R>(self, Stage::Before(Arc::new(act)))
    }

    /// Answers such requests with what the closure returns; they are carried out as usual if it returns none.
    ///
    /// # Panics
    /// If the verb of the matcher is not one of the closure's type of request.
    #[track_caller]
    pub fn instead<R: TypedRequest, O: Serialize>(
        self,
        act: impl Fn(&R) -> Option<Result<O, Failure>> + Send + Sync + 'static,
    ) -> Interceptor {
        let act = move |request: &AnyRequest| match R::read(request) {
            Ok(typed) => act(&typed).map(|answer| answer.and_then(|object| to_value(&object))),
            Err(failure) => Some(Err(failure)),
        };
        Interceptor::new::<R>(self, Stage::Instead(Arc::new(act)))
    }

    /// Calls the closure with the answers to such requests, which it may change. Watches have no answer that is
    /// complete, and are not shown to it.
    ///
    /// # Panics
    /// If the verb of the matcher is not one of the closure's type of request.
    #[track_caller]
    pub fn after<R: TypedRequest>(
        self,
        act: impl Fn(&R, &mut InterceptedAnswer) + Send + Sync + 'static,
    ) -> Interceptor {
        let act = move |request: &AnyRequest, answer: &mut InterceptedAnswer| {
            act(&R::read(request)?, answer);
            Ok(())
        };
        Interceptor::new::<R>(self, Stage::After(Arc::new(act)))
    }
}

fn to_value(object: &impl Serialize) -> Outcome<Value> {
    serde_json::to_value(object)
        .map_err(|error| internal(format!("an interceptor's answer cannot be serialized: {error}")))
}

impl Interceptor {
    #[track_caller]
    fn new<R: TypedRequest>(on: On, stage: Stage) -> Interceptor {
        if let Some(verb) = on.wanted_verb().filter(|verb| !R::VERBS.is_empty() && !R::VERBS.contains(verb)) {
            let (wanted, place) = (std::any::type_name::<R>(), Location::caller());
            panic!("{place}: the closure wants a {wanted}, which no {verb} request is");
        }
        Interceptor { on, verbs: R::VERBS, stage }
    }

    fn covers(&self, request: &AnyRequest) -> bool {
        let address = Named::from(&request.address);
        let incoming = IncomingRequest {
            verb: Some(request.verb),
            address: &address,
            content_type: &request.content_type,
        };
        (self.verbs.is_empty() || self.verbs.contains(&request.verb)) && self.on.covers(&incoming)
    }
}

/// All interceptors of a server, in the order in which they were added.
#[derive(Default)]
pub(crate) struct Interceptors(RwLock<Vec<Interceptor>>);

impl Interceptors {
    pub(crate) fn add(&self, interceptor: Interceptor) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).push(interceptor);
    }

    pub(crate) fn clear(&self) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Those for a request. Cloned, so that closures may add interceptors and send requests themselves.
    fn of(&self, request: &AnyRequest) -> Vec<Interceptor> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter(|one| one.covers(request)).cloned().collect()
    }

    /// Calls what comes before a request or in its place; an answer means that it is not carried out.
    pub(crate) fn intercept(&self, parts: &mut Parts, body: &mut Bytes) -> Option<Outcome<Reply>> {
        let mut request = read(parts, body)?;
        for interceptor in self.of(&request) {
            match interceptor.stage {
                Stage::Before(act) => {
                    if let Err(failure) = act(&mut request) {
                        return Some(Err(failure));
                    }
                    put_back(&request, parts, body);
                }
                Stage::Instead(act) => {
                    if let Some(answer) = act(&request) {
                        let code = if request.verb == Verb::Create { 201 } else { 200 };
                        return Some(answer.map(|value| Reply::value(code, &value)));
                    }
                }
                Stage::After(_) => {}
            }
        }
        None
    }

    /// Shows an answer to what comes after the request.
    pub(crate) fn rewrite(&self, parts: &Parts, body: &Bytes, mut reply: Reply) -> Reply {
        let Some(request) = read(parts, body) else { return reply };
        for interceptor in self.of(&request) {
            let Stage::After(act) = interceptor.stage else { continue };
            reply = reply.whole();
            let Some(value) = reply.json_value() else { continue };
            let mut answer = InterceptedAnswer { code: reply.code, body: value };
            let before = answer.clone();
            reply = match act(&request, &mut answer) {
                Err(failure) => Reply::failure(&failure),
                // Unchanged answers keep their bytes.
                Ok(()) if answer == before => reply,
                Ok(()) => reply.with_json(answer.code, &answer.body),
            };
        }
        reply
    }
}

/// The request, if it is for objects and its method fits the path.
fn read(parts: &Parts, body: &Bytes) -> Option<AnyRequest> {
    let Target::Objects(named) = Target::of(parts.uri.path()) else { return None };
    let query = parts.uri.query().unwrap_or_default();
    Some(AnyRequest {
        verb: Verb::of(&parts.method, &named, &Query::parse(Some(query)))?,
        address: Address::from(named),
        query: query.to_string(),
        content_type: media::content_type(&parts.headers).unwrap_or_default().to_string(),
        body: body.clone(),
    })
}

fn put_back(request: &AnyRequest, parts: &mut Parts, body: &mut Bytes) {
    *body = request.body.clone();
    // A content type that no header can have is the closure's mistake: the old one stays.
    if let Ok(value) = HeaderValue::from_str(&request.content_type)
        && !value.is_empty()
    {
        parts.headers.insert(CONTENT_TYPE, value);
    }
}
