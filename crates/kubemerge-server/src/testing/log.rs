//! The request log: what was asked, what was answered, and what each write changed.

use kubemerge_value::part::part_of;
use std::{
    borrow::Cow,
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
};

use bytes::{Bytes, BytesMut};
use http::{
    HeaderValue, Method,
    header::{CONTENT_TYPE, USER_AGENT},
    request::Parts,
};
use serde_json::Value;

use crate::{
    api::hooks::Answered,
    protocol::{
        media,
        target::{Address, Target},
    },
    store::Stored,
    testing::difference::differences,
    write::commit::transaction::Changes,
};

/// How many bytes of requests and objects the log holds at most, whatever the number of requests.
const MAX_LOG_BYTES: usize = 128 * 1024 * 1024;

/// The requests of a server, the newest last; the oldest are forgotten when there are too many.
pub(crate) struct Log {
    held: Mutex<Held>,
    max_entries: usize,
    max_bytes: usize,
}

#[derive(Default)]
struct Held {
    requests: VecDeque<Noted>,
    bytes: usize,
    pages: Pages,
}

/// What is kept of a request, and its result. Most are never asked for, so that nothing is taken apart.
#[derive(Clone, Debug)]
struct Noted {
    method: Method,
    /// Path, query, user agent and content type, one after the other.
    head: Bytes,
    /// Where they end.
    ends: [u32; 4],
    body: Bytes,
    code: u16,
    changes: Changes,
}

/// Where short texts are copied to, one after the other. What a client has sent could be kept as it is; but then
/// it would find no memory in the processor's caches for its next request.
#[derive(Default)]
struct Pages(BytesMut);

/// How much is reserved at once.
const PAGE: usize = 64 * 1024;
/// Longer texts are not copied.
const MAX_COPIED_BYTES: usize = PAGE / 16;

impl Pages {
    fn add(&mut self, text: &[u8]) {
        if self.0.capacity() - self.0.len() < text.len() {
            // A new page; the old one lives on as long as a request in it.
            self.0.reserve(text.len().max(PAGE));
        }
        self.0.extend_from_slice(text);
    }

    /// All that was added since the last time.
    fn take(&mut self) -> Bytes {
        self.0.split().freeze()
    }

    fn keep(&mut self, text: Bytes) -> Bytes {
        // A copy of a long body costs more than what it saves.
        if text.len() > MAX_COPIED_BYTES || text.is_empty() {
            return text;
        }
        self.add(&text);
        self.take()
    }
}

impl Noted {
    fn new(request: Answered, pages: &mut Pages) -> Noted {
        let Parts { method, uri, headers, .. } = request.parts;
        let header = |name| headers.get(name).map(HeaderValue::as_bytes).unwrap_or_default();
        let texts = [
            uri.path().as_bytes(),
            uri.query().unwrap_or_default().as_bytes(),
            header(USER_AGENT),
            header(CONTENT_TYPE),
        ];
        let mut end = 0;
        let ends = texts.map(|text| {
            pages.add(text);
            // Paths and headers are far below 4 GB.
            end += text.len() as u32;
            end
        });
        let (head, body) = (pages.take(), pages.keep(request.body));
        Noted { method, head, ends, body, code: request.code, changes: request.changes }
    }

    /// How much the request weighs in the log.
    fn size(&self) -> usize {
        let states = self.changes.iter().flat_map(|one| [&one.before, &one.after]).flatten();
        let states = states.map(|stored| stored.record.canonical().as_bytes().len());
        self.body.len() + self.head.len() + states.sum::<usize>()
    }

    /// Path, query, user agent and content type.
    fn texts(&self) -> [Cow<'_, str>; 4] {
        let mut start = 0;
        self.ends.map(|end| {
            let text = start..end as usize;
            start = text.end;
            String::from_utf8_lossy(part_of(&self.head, text))
        })
    }
}

/// One request with its answer.
#[derive(Clone, Debug)]
pub struct LoggedRequest {
    /// `GET`, `POST`, …
    pub method: String,
    /// The path.
    pub path: String,
    /// The query, as it was sent.
    pub query: String,
    /// The `User-Agent`.
    pub user_agent: String,
    /// The content type of the body, without parameters.
    pub content_type: String,
    /// The body.
    pub body: Bytes,
    /// The objects the path names, if it names any.
    pub address: Option<Address>,
    /// The HTTP code of the answer.
    pub code: u16,
    /// What the request changed, in order: its own object first, then those that followed.
    pub transitions: Vec<Transition>,
}

/// The change of one object.
#[derive(Clone, Debug)]
pub struct Transition {
    key: String,
    before: Option<Stored>,
    after: Option<Stored>,
}

impl Log {
    pub(crate) fn new(max_entries: usize) -> Self {
        Log { held: Mutex::default(), max_entries, max_bytes: MAX_LOG_BYTES }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn add(&self, request: Answered) {
        // Nothing would be kept, so that nothing is copied.
        if self.max_entries == 0 {
            return;
        }
        let mut held = self.held();
        let request = Noted::new(request, &mut held.pages);
        held.bytes += request.size();
        held.requests.push_back(request);
        // The newest request may itself be larger than the limit: then the log is empty.
        while held.requests.len() > self.max_entries || held.bytes > self.max_bytes {
            let Some(oldest) = held.requests.pop_front() else { return };
            held.bytes -= oldest.size();
        }
    }

    pub(crate) fn entries(&self) -> Vec<LoggedRequest> {
        self.held().requests.iter().cloned().map(LoggedRequest::from).collect()
    }

    pub(crate) fn max_entries(&self) -> usize {
        self.max_entries
    }

    pub(crate) fn clear(&self) {
        *self.held() = Held::default();
    }
}

impl From<Noted> for LoggedRequest {
    fn from(request: Noted) -> LoggedRequest {
        let [path, query, user_agent, content_type] = request.texts();
        LoggedRequest {
            method: request.method.to_string(),
            address: match Target::of(&path) {
                Target::Objects(named) => Some(named.into()),
                _ => None,
            },
            path: path.into_owned(),
            query: query.into_owned(),
            user_agent: user_agent.into_owned(),
            content_type: media::essence(&content_type).to_string(),
            body: request.body,
            code: request.code,
            transitions: request
                .changes
                .into_iter()
                .map(|change| Transition {
                    key: change.key.to_string(),
                    before: change.before,
                    after: change.after,
                })
                .collect(),
        }
    }
}

impl LoggedRequest {
    /// The body as JSON, if it is JSON.
    pub fn json(&self) -> Option<Value> {
        serde_json::from_slice(&self.body).ok()
    }

    /// Whether this is a request with the method for the plural name: `entry.is("PATCH", "deployments")`.
    pub fn is(&self, method: &str, resource: &str) -> bool {
        self.method == method && self.address.as_ref().is_some_and(|address| address.resource == resource)
    }

    /// Whether anything was written.
    pub fn changed_anything(&self) -> bool {
        !self.transitions.is_empty()
    }
}

impl fmt::Display for LoggedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.query.is_empty() { "" } else { "?" };
        write!(f, "{} {}{mark}{} {}", self.method, self.path, self.query, self.code)
    }
}

impl Transition {
    /// The object before; none if it was created.
    pub fn before(&self) -> Option<Value> {
        self.before.as_ref().map(tree)
    }

    /// The object after; none if it was removed.
    pub fn after(&self) -> Option<Value> {
        self.after.as_ref().map(tree)
    }

    /// Group, resource, namespace and name, joined by slashes.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What changed, one line per field: `~ spec.replicas: 1 -> 3`. Server-owned versions are left out.
    pub fn diff(&self) -> Vec<String> {
        let (before, after) = (self.before().unwrap_or_default(), self.after().unwrap_or_default());
        let mut lines = differences(&before, &after);
        // It changes with every write and says nothing.
        lines.retain(|line| !line.contains(" metadata.resourceVersion:"));
        lines
    }
}

fn tree(stored: &Stored) -> Value {
    // Records are JSON that is not nested too deep.
    serde_json::from_slice(&stored.render()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_is_bounded_by_number_and_size() {
        let request = |body: &'static str| {
            let (parts, ()) = http::Request::new(()).into_parts();
            Answered { parts, body: Bytes::from_static(body.as_bytes()), code: 200, changes: Changes::new() }
        };
        let log = Log { held: Mutex::default(), max_entries: 3, max_bytes: 20 };
        for body in ["1", "2", "3", "4"] {
            log.add(request(body));
        }
        assert_eq!(log.entries().len(), 3);
        log.add(request("1234567890123456"));
        let bodies = || log.entries().into_iter().map(|entry| entry.body).collect::<Vec<Bytes>>();
        assert_eq!(bodies(), ["4", "1234567890123456"], "a path weighs too");
        let mut other = request("5");
        other.parts.uri = "/a?b=c".parse().unwrap();
        other.parts.headers.insert(USER_AGENT, HeaderValue::from_static("agent/1"));
        log.add(other);
        assert_eq!(bodies(), ["5"]);
        let entry = log.entries().remove(0);
        assert_eq!(
            (entry.path.as_str(), entry.query.as_str(), entry.user_agent.as_str()),
            ("/a", "b=c", "agent/1")
        );
        assert_eq!(log.held().bytes, "5/ab=cagent/1".len());
    }
}
