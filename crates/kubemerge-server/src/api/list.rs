//! LIST: a consistent state, in pages if wanted.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::{
    catalog::{Resource, request_context::RequestContext},
    protocol::{
        query::{ListOptions, Match},
        reply::Reply,
        status::{Failure, Outcome, bad_request, expired, too_large_resource_version},
    },
    read::{
        list_text::Found,
        present::{self, ListMeta},
        selection::Selection,
    },
    store::{OutOfRange, Range, Revision},
};

const TOKEN_TOO_OLD: &str = "The provided continue parameter is too old to display a consistent list result. You \
    can start a new list without the continue parameter, or use the continue token in this response to retrieve the \
    remainder of the results. Continuing with the provided token results in an inconsistent list - objects that \
    were created, modified, or deleted between the time the first chunk was returned and now may show up in the \
    list.";

/// What a list found.
pub(crate) struct ListedObjects {
    pub(crate) items: Found,
    pub(crate) meta: ListMeta,
}

/// Answers the matching objects.
pub(crate) fn handle(call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = ListOptions::for_list(call.query)?;
    let found = find(call, &options)?;
    present::list(call, found.items, &found.meta)
}

/// Reads one page.
pub(crate) fn find(call: &RequestContext<'_>, options: &ListOptions) -> Outcome<ListedObjects> {
    let selection = Selection::new(call, options)?;
    let prefix = call.resource.prefix(call.namespace());
    let place = match &options.continue_token {
        Some(token) => PageStart::of_token(token, call)?,
        None => PageStart { at: exact_revision(call, options)?, start: None },
    };
    let limit = options.limit.filter(|_| !ignores_limit(call.resource, options));
    let found = Search { call, prefix: &prefix, limit, selection: &selection };
    found.page(&place).map_err(|error| unreadable(error, &place))
}

/// Upstream: a list of any version comes whole out of a cache, which Events do not have.
fn ignores_limit(resource: &Resource, options: &ListOptions) -> bool {
    let is_cached = resource.custom().is_some() || resource.kind != "Event";
    is_cached && options.resource_version == Some(0) && options.continue_token.is_none()
}

/// The revision a list must be read at, if it must not be the newest.
fn exact_revision(call: &RequestContext<'_>, options: &ListOptions) -> Outcome<Option<Revision>> {
    let Some(asked) = options.resource_version.filter(|asked| *asked > 0) else { return Ok(None) };
    let current = call.cluster.store.revision();
    if asked > current {
        return Err(too_large_resource_version(asked, current));
    }
    let exact = match options.version_match {
        Some(Match::Exact) => true,
        Some(Match::NotOlderThan) => false,
        // Upstream: a limit makes a resourceVersion exact, so that pages are consistent.
        None => options.limit.is_some(),
    };
    Ok(exact.then_some(asked))
}

/// A list, or a page of one.
struct Search<'s> {
    call: &'s RequestContext<'s>,
    prefix: &'s str,
    limit: Option<usize>,
    selection: &'s Selection,
}

/// How many objects are looked through at once for those that are selected.
const LOOKED_THROUGH: usize = 500;

impl Search<'_> {
    /// Takes the matching items up to the limit. What a page costs depends on what it looks through, and not on the list.
    fn page(&self, place: &PageStart) -> Result<ListedObjects, OutOfRange> {
        let (limit, takes_all) = (self.limit.unwrap_or(usize::MAX), self.selection.is_empty());
        // One more tells whether there is another page, and where it begins.
        let at_once =
            self.limit.map(|limit| limit.saturating_add(1).max(if takes_all { 0 } else { LOOKED_THROUGH }));
        let mut found = ListedObjects { items: Vec::new(), meta: ListMeta::default() };
        let (mut at, mut start) = (place.at, place.start.clone());
        loop {
            let range = Range { prefix: self.prefix, start: start.as_deref(), at, limit: at_once };
            let page = self.call.cluster.store.range(range)?;
            found.meta.revision = page.revision;
            if found.items.is_empty() && takes_all {
                found.items.reserve_exact(page.items.len().min(limit));
            }
            let (count, mut last) = (page.items.len(), None);
            for (number, (key, stored)) in page.items.into_iter().enumerate() {
                // Checked before the item is taken: a full page without a next item needs no token. "More" counts all
                // keys that follow, matching or not.
                if found.items.len() == limit {
                    found.meta.continue_token = Some(token(json!(page.revision), within_collection(&key)));
                    found.meta.remaining = takes_all.then_some(count - number + page.more);
                    return Ok(found);
                }
                last = Some(key.clone());
                if self.selection.matches(&stored.record) {
                    found.items.push((key, stored));
                }
            }
            let Some(last) = last.filter(|_| page.more > 0) else { return Ok(found) };
            // The next key is larger, whatever it is; all of a list is of one moment.
            (at, start) = (Some(page.revision), Some(format!("{last}\0")));
        }
    }
}

/// Where a page begins.
struct PageStart {
    at: Option<Revision>,
    start: Option<String>,
}

impl PageStart {
    fn of_token(text: &str, call: &RequestContext<'_>) -> Outcome<PageStart> {
        let parsed = || {
            let bytes = URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()?;
            let token: Value = serde_json::from_slice(&bytes).ok()?;
            let known = token.get("v").and_then(Value::as_str) == Some("meta.k8s.io/v1");
            let start = token.get("start").and_then(Value::as_str)?;
            let at = token.get("rv").and_then(Value::as_i64)?;
            // Only the part within the collection is taken from the client.
            let start = format!("{}{start}", call.resource.prefix(""));
            known.then(|| PageStart { at: Revision::try_from(at).ok(), start: Some(start) })
        };
        parsed().ok_or_else(|| bad_request(format!("invalid continue token: {text:?}")))
    }
}

/// The part of a key after group and resource.
fn within_collection(key: &str) -> &str {
    key.splitn(3, '/').nth(2).unwrap_or(key)
}

fn token(revision: Value, start: &str) -> String {
    URL_SAFE_NO_PAD.encode(json!({"v": "meta.k8s.io/v1", "rv": revision, "start": start}).to_string())
}

fn unreadable(error: OutOfRange, place: &PageStart) -> Failure {
    match (error, &place.start) {
        (OutOfRange::Compacted { .. }, Some(start)) => {
            // This token continues with the newest state.
            expired(TOKEN_TOO_OLD).continue_with(token(json!(-1), within_collection(start)))
        }
        (OutOfRange::Compacted { .. }, None) => {
            expired("The resourceVersion for the provided list is too old.")
        }
        (OutOfRange::Future { current }, _) => {
            too_large_resource_version(place.at.unwrap_or_default(), current)
        }
    }
}
