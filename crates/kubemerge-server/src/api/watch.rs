//! WATCH: events in the order of their revisions, from wherever the client wants to begin.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::{
    sync::watch,
    time::{Instant, sleep_until},
};

#[cfg(feature = "serve")]
use crate::api::streams::WatchEvents;
use crate::protocol::json::Members;
use crate::{
    api::{
        hooks::{EventFault, WatchEnd, WatchHooks},
        state::Api,
    },
    catalog::{Resource, cluster::Cluster, request_context::RequestContext},
    kind::{Kind, shown::Shown},
    protocol::{
        media::{self, Form, JSON},
        query::ListOptions,
        reply::Reply,
        status::{Failure, Outcome, expired, not_acceptable, too_large_resource_version},
    },
    read::{selection::Selection, table},
    store::{Event, OutOfRange, Range, Record, Revision, Signal, Stored},
};

/// How many events are taken from the store at once.
const MAX_EVENTS_PER_READ: usize = 256;
/// A watch that ends by time sends its last bookmark this long before.
const LAST_BOOKMARK: Duration = Duration::from_secs(2);
/// No watch lives longer; much later times may overflow `Instant`.
const MAX_LIFETIME: Duration = Duration::from_hours(8760);

/// Opens a watch.
pub(crate) fn handle(api: &Api, call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = ListOptions::for_watch(call.query)?;
    if matches!(call.form, Form::PartialList(_)) || media::wants_yaml(call.headers) {
        return Err(not_acceptable(&[JSON]));
    }
    let selection = Selection::new(call, &options)?;
    let current = call.cluster.store.revision();
    let asked = options.resource_version.unwrap_or(0);
    // Version 0 means any state, which begins with what there is.
    let initial = options.send_initial_events.unwrap_or(asked == 0);
    // Initial events would have to wait for a state that does not exist yet.
    if initial && asked > current {
        return Err(too_large_resource_version(asked, current));
    }
    let mut watch = Watch {
        encoder: Encoder {
            resource: call.resource.clone(),
            form: call.form,
            cluster: api.cluster.clone(),
            columns_sent: false,
        },
        prefix: call.resource.prefix(call.namespace()),
        selection,
        cursor: asked,
        queue: VecDeque::new(),
        bookmarks: options.bookmarks,
        next_bookmark: Instant::now() + api.settings.watch.bookmark_interval.min(MAX_LIFETIME),
        deadline: Instant::now() + lifetime(api, &options).min(MAX_LIFETIME),
        last_bookmark_sent: false,
        bookmark_trigger: api.bookmarks.subscribe(),
        bookmark_interval: api.settings.watch.bookmark_interval.min(MAX_LIFETIME),
        catalog: api.cluster.catalog.signal(),
        signal: api.cluster.store.signal(),
        hooks: api.hooks.watch(call.address),
        ended: false,
        cluster: api.cluster.clone(),
    };
    if initial {
        watch.begin_with_state()?;
    } else if asked == 0 {
        watch.cursor = current;
    }
    let pieces = stream::unfold(watch, |mut watch| async move { Some((watch.next().await?, watch)) });
    // A body may be polled again after its end, which `unfold` does not allow.
    let pieces = pieces.fuse();
    let reply = Reply::pieces(JSON, Box::pin(pieces));
    #[cfg(feature = "serve")]
    let reply = reply.extension(WatchEvents);
    Ok(reply)
}

fn lifetime(api: &Api, options: &ListOptions) -> Duration {
    match options.timeout_seconds {
        Some(seconds) if seconds > 0 => Duration::from_secs(seconds),
        // A random part, so that clients that started together do not come back together.
        _ => api.settings.watch.lifetime.min(MAX_LIFETIME).mul_f64(1.0 + api.cluster.entropy.fraction()),
    }
}

/// One open watch.
struct Watch {
    cluster: Arc<Cluster>,
    encoder: Encoder,
    prefix: String,
    selection: Selection,
    /// Everything up to this revision was sent or is in `queue`.
    cursor: Revision,
    queue: VecDeque<Queued>,
    bookmarks: bool,
    next_bookmark: Instant,
    deadline: Instant,
    last_bookmark_sent: bool,
    bookmark_trigger: watch::Receiver<u64>,
    bookmark_interval: Duration,
    catalog: watch::Receiver<u64>,
    signal: Signal,
    hooks: Box<dyn WatchHooks>,
    ended: bool,
}

impl Watch {
    /// Begins with the current state as ADDED events and the bookmark that closes them.
    fn begin_with_state(&mut self) -> Outcome<()> {
        let range = Range { prefix: &self.prefix, ..Range::default() };
        let page = self.cluster.store.range(range).map_err(|error| expired(error.to_string()))?;
        let wanted = page.items.into_iter().filter(|(_, stored)| self.selection.matches(&stored.record));
        self.queue.extend(wanted.map(|(_, Stored { record, revision })| Queued::Event {
            kind: "ADDED",
            record,
            revision,
        }));
        self.cursor = page.revision;
        if self.bookmarks {
            self.queue.push_back(Queued::Bookmark { revision: self.cursor, closing: Closing::Yes });
        }
        Ok(())
    }

    /// The next line; none when the watch has ended.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(queued) = self.queue.pop_front() {
                let line = self.encoder.queued(queued);
                if let Some(delay) = self.hooks.delay() {
                    tokio::time::sleep(delay).await;
                }
                return Some(line);
            }
            match self.hooks.end() {
                _ if self.ended => return None,
                None => {}
                Some(WatchEnd::Silent) => return None,
                Some(WatchEnd::With(failure)) => {
                    self.end_with(&failure);
                    continue;
                }
            }
            // Marked as seen before reading, so that a change in between wakes the wait below.
            self.catalog.borrow_and_update();
            let served = self.look_up_resource();
            self.signal.borrow_and_update();
            let before = self.cursor;
            self.read_events();
            // Events of other prefixes move the cursor, too; there may be more to read.
            let went_on = self.cursor > before && self.cursor < self.cluster.store.durable();
            if !self.queue.is_empty() || self.ended || went_on {
                continue;
            }
            // The last events of a resource that is gone were read after that was known.
            served?;
            self.wait().await;
        }
    }

    /// Shows what comes as the resource is now; none if it is not served any more.
    fn look_up_resource(&mut self) -> Option<()> {
        let Resource { group, version, plural, .. } = &*self.encoder.resource;
        let found = self.cluster.catalog.index().find(group, version, plural).cloned()?;
        self.encoder.resource = found;
        Some(())
    }

    fn read_events(&mut self) {
        // Before the events: what is not durable now may be taken back.
        let durable = self.cluster.store.durable();
        match self.cluster.store.events(&self.prefix, self.cursor, MAX_EVENTS_PER_READ) {
            Ok((events, reached)) => {
                let reached = self.hooks.lag(&events).unwrap_or(reached).min(durable);
                let shown = events.iter().take_while(|event| event.revision <= reached);
                shown.for_each(|event| self.push_event(event));
                self.cursor = self.cursor.max(reached);
            }
            // A watch may start in the future; it waits.
            Err(OutOfRange::Future { .. }) => {}
            Err(OutOfRange::Compacted { oldest }) => {
                let text = format!("too old resource version: {} ({oldest})", self.cursor);
                self.end_with(&expired(text));
            }
        }
    }

    fn end_with(&mut self, failure: &Failure) {
        let line = format!("{}\n", json!({"type": "ERROR", "object": failure.to_value()}));
        self.queue.push_back(Queued::Line(line.into()));
        self.ended = true;
    }

    /// An object that begins to match is new to the client, one that ceases to match is gone for it.
    fn push_event(&mut self, event: &Event) {
        let before = event.previous.as_ref().map(|stored| &stored.record);
        let matched = before.filter(|record| self.selection.matches(record));
        let matches = event.value.as_ref().filter(|record| self.selection.matches(record));
        let (kind, record) = match (matched, matches) {
            (None, Some(record)) => ("ADDED", record),
            (Some(_), Some(record)) => ("MODIFIED", record),
            (Some(record), None) => ("DELETED", record),
            (None, None) => return,
        };
        let queued = Queued::Event { kind, record: record.clone(), revision: event.revision };
        match self.hooks.next_event() {
            EventFault::None => self.queue.push_back(queued),
            EventFault::Dropped => {}
            EventFault::Repeated => self.queue.extend([queued.clone(), queued]),
        }
    }

    /// Sleeps until something happens: a write, a bookmark's time, the end.
    async fn wait(&mut self) {
        let last_bookmark = self.deadline.checked_sub(LAST_BOOKMARK).unwrap_or(self.deadline);
        let mut wake = self.deadline;
        if self.bookmarks {
            wake = wake.min(self.next_bookmark);
            if !self.last_bookmark_sent {
                wake = wake.min(last_bookmark);
            }
        }
        tokio::select! {
            changed = self.signal.changed() => self.ended |= changed.is_err(),
            () = self.hooks.changed() => {}
            () = sleep_until(wake) => self.on_time(last_bookmark),
            Ok(()) = self.catalog.changed() => {}
            Ok(()) = self.bookmark_trigger.changed() => self.push_bookmark(),
        }
    }

    /// Sends a bookmark if the client wants any.
    fn push_bookmark(&mut self) {
        if self.bookmarks && !self.hooks.holds_bookmarks() {
            self.queue.push_back(Queued::Bookmark { revision: self.cursor, closing: Closing::No });
        }
    }

    fn on_time(&mut self, last_bookmark: Instant) {
        let now = Instant::now();
        let due = now >= self.next_bookmark || (now >= last_bookmark && !self.last_bookmark_sent);
        if due {
            self.push_bookmark();
        }
        if now >= self.next_bookmark {
            self.next_bookmark = now + self.bookmark_interval;
        }
        self.last_bookmark_sent |= now >= last_bookmark;
        self.ended |= now >= self.deadline;
    }
}

/// What is to be sent. Events are written one by one when they are sent: those that no client reads are no text.
#[derive(Clone)]
enum Queued {
    Event { kind: &'static str, record: Record, revision: Revision },
    Bookmark { revision: Revision, closing: Closing },
    Line(Bytes),
}

/// Whether a bookmark closes the initial events.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Closing {
    Yes,
    No,
}

/// Writes events in the form the client wants.
struct Encoder {
    resource: Arc<Resource>,
    form: Form,
    cluster: Arc<Cluster>,
    columns_sent: bool,
}

impl Encoder {
    fn kind(&self) -> Kind<'_> {
        Kind::of(&self.cluster, &self.resource)
    }

    fn queued(&mut self, queued: Queued) -> Bytes {
        match queued {
            Queued::Event { kind, record, revision } => self.line(kind, &record, revision),
            Queued::Bookmark { revision, closing } => self.bookmark(revision, closing),
            Queued::Line(line) => line,
        }
    }

    fn line(&mut self, kind: &str, record: &Record, revision: Revision) -> Bytes {
        let shown = Shown::new(record, Some(revision)).with(self.cluster.managed_fields);
        let mut line = format!("{{\"type\":\"{kind}\",\"object\":").into_bytes();
        match self.form {
            Form::Whole | Form::PartialList(_) => shown.write(self.kind(), &mut line),
            Form::Partial(version) => line.extend_from_slice(shown.partial(version).to_string().as_bytes()),
            Form::Table(version, include) => {
                let mut table = table::row(self.kind(), shown, version, include, self.cluster.clock.now());
                self.columns_once(&mut table);
                line.extend_from_slice(table.to_string().as_bytes());
            }
        }
        line.extend_from_slice(b"}\n");
        line.into()
    }

    fn columns_once(&mut self, table: &mut serde_json::Value) {
        // Kubernetes sends the columns with the first event only.
        if std::mem::replace(&mut self.columns_sent, true) {
            table["columnDefinitions"] = serde_json::Value::Null;
        }
    }

    fn bookmark(&mut self, revision: Revision, closing: Closing) -> Bytes {
        let mut metadata = json!({"resourceVersion": revision.to_string(), "creationTimestamp": null});
        if closing == Closing::Yes {
            metadata.set_member("annotations", json!({"k8s.io/initial-events-end": "true"}));
        }
        let (api_version, kind) = match self.form {
            Form::Partial(version) => (version.api_version().to_string(), "PartialObjectMetadata"),
            _ => (self.resource.api_version.clone(), self.resource.kind.as_str()),
        };
        let object = json!({"kind": kind, "apiVersion": api_version, "metadata": metadata});
        let object = match self.form {
            Form::Table(version, _) => {
                let mut table = table::bookmark(self.kind(), version, &metadata);
                self.columns_once(&mut table);
                table
            }
            _ => object,
        };
        format!("{}\n", json!({"type": "BOOKMARK", "object": object})).into()
    }
}
