//! The watch that the state in memory is fed by, and the heartbeat that finds out when it no longer is.

use std::{sync::atomic::Ordering, time::Duration};

use etcd_client::{Event, EventType, GetOptions, KeyValue, WatchResponse, WatchStream};
use tokio::time::sleep;

use super::{
    connection::{CallError, signed, unsigned},
    keys::StateKey,
    roots::{Roots, damaged, load, number},
    shared::{Part, Shared},
};
use crate::store::{Record, Revision, Store, StoreError, codec::Decoder, state::State};

/// How soon a watch that broke is tried again.
const RETRY_DELAY: Duration = Duration::from_millis(200);
/// How often a server without requests asks whether etcd works.
const HEARTBEAT: Duration = Duration::from_secs(1);
/// How large etcd is changes slowly.
const HEARTBEATS_PER_SIZE: u64 = 10;

/// How many revisions of history are read at the start. etcd shows old ones slowly: about ten thousand in a second.
const MAX_REPLAYED_REVISIONS: u64 = 10_000;

/// Reads the state, as early as the history goes back; answers the revision after which the watch has to begin, and the
/// one that it has to reach.
pub(super) async fn begin(shared: &Shared) -> Result<(Revision, Revision), StoreError> {
    let roots = Roots::open(&shared.connection, &shared.keys).await?;
    let earliest = roots.oldest.max(roots.generation.since);
    let start = earliest.max(roots.revision.saturating_sub(MAX_REPLAYED_REVISIONS));
    // The state is the same from the newest write until now, and older ones may be compacted.
    let (at, shown) = if start < roots.head { (start, start) } else { (roots.revision, roots.head) };
    let (keys, generation) = (&shared.keys, roots.generation);
    let (items, at, shown) = match load(&shared.connection, keys, generation.id, at).await {
        // By another program, which has not told. The state of now is always there.
        Err(CallError::Compacted) => {
            let items = load(&shared.connection, keys, generation.id, roots.revision).await?;
            (items, roots.revision, roots.head)
        }
        loaded => (loaded?, at, shown),
    };
    shared.install(generation, State::of(items, shown));
    Ok((at, roots.head))
}

/// Feeds the state in memory until the store is dropped.
pub(super) async fn run(shared: &Shared, mut after: Revision) {
    let mut decoder = Decoder::default();
    loop {
        let broken = follow(shared, &mut after, &mut decoder).await;
        shared.note(Part::Feed, Err(broken));
        sleep(RETRY_DELAY).await;
    }
}

/// Asks for the newest revision from time to time: nothing else tells a quiet server that etcd is gone.
pub(super) async fn heartbeat(shared: &Shared) {
    for count in 0u64.. {
        sleep(HEARTBEAT).await;
        if count.is_multiple_of(HEARTBEATS_PER_SIZE) {
            // Unknown stays what it was: some users may not ask for it.
            if let Ok(size) = shared.connection.disk_bytes().await {
                shared.disk_bytes.store(size, Ordering::Relaxed);
            }
        }
        let result = shared.catch_up().await;
        if result.is_err() {
            // The watch may hang although etcd works again.
            shared.restart.notify_one();
        }
        shared.note(Part::Heartbeat, result);
    }
}

/// What to do after an answer of the watch.
enum Next {
    GoOn,
    /// The state was replaced: it has to be read again.
    Reload,
    /// The watch cannot go on from where it was, because etcd has compacted its history to this revision.
    Compacted(Revision),
}

/// Watches until something fails: that is the answer.
async fn follow(shared: &Shared, after: &mut Revision, decoder: &mut Decoder) -> StoreError {
    let mut stream = match shared.connection.watch(shared.keys.state(), *after + 1).await {
        Ok(stream) => stream,
        Err(error) => return error.into(),
    };
    loop {
        let next = match message(shared, &mut stream).await {
            Ok(message) => apply(shared, &message, after, decoder),
            Err(error) => return error,
        };
        match next {
            Ok(Next::GoOn) => shared.note(Part::Feed, Ok(())),
            Ok(lost) => match find_again(shared, lost, after).await {
                Ok(again) => stream = again,
                Err(error) => return error,
            },
            Err(error) => return error,
        }
    }
}

/// A watch from where the state in memory is after this.
async fn find_again(shared: &Shared, lost: Next, after: &mut Revision) -> Result<WatchStream, StoreError> {
    *after = match lost {
        Next::Compacted(to) if has_missed_nothing(shared, to).await? => to,
        _ => shared.reload().await?,
    };
    Ok(shared.connection.watch(shared.keys.state(), *after + 1).await?)
}

/// Whether nothing was written below the prefix until a revision: etcd has compacted what others wrote, and watches need
/// not end for that.
async fn has_missed_nothing(shared: &Shared, until: Revision) -> Result<bool, StoreError> {
    let options = GetOptions::new().with_revision(signed(until));
    match shared.connection.get(shared.keys.head(), options).await {
        Ok(found) => Ok(found
            .kvs()
            .first()
            .is_some_and(|head| unsigned(head.mod_revision()) == shared.index.revision())),
        // And further meanwhile.
        Err(CallError::Compacted) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

async fn message(shared: &Shared, stream: &mut WatchStream) -> Result<WatchResponse, StoreError> {
    let message = tokio::select! {
        message = stream.message() => message,
        () = shared.restart.notified() => return Err(StoreError::new("the watch of etcd is begun again")),
    };
    match message {
        Ok(Some(message)) => Ok(message),
        Ok(None) => Err(StoreError::new("etcd has ended its watch")),
        Err(error) => Err(StoreError::new(format!("the connection to etcd broke: {error}"))),
    }
}

/// Applies an answer.
fn apply(
    shared: &Shared,
    message: &WatchResponse,
    after: &mut Revision,
    decoder: &mut Decoder,
) -> Result<Next, StoreError> {
    if message.compact_revision() > 0 {
        return Ok(Next::Compacted(unsigned(message.compact_revision())));
    }
    if message.canceled() {
        return Err(StoreError::new(format!("etcd has ended its watch: {}", message.cancel_reason())));
    }
    let mut changes = Vec::new();
    for event in message.events() {
        let Some(value) = event.kv() else { continue };
        match shared.keys.read(value.key()) {
            Some(StateKey::Object { generation, key }) if generation == shared.generation().id => {
                changes.push((unsigned(value.mod_revision()), key, record(shared, event, value, decoder)?));
            }
            Some(StateKey::Generation) => return Ok(Next::Reload),
            Some(StateKey::Oldest) => shared.index.compact(number(value)),
            // A state that is being written, or one that was replaced and is being deleted.
            Some(StateKey::Object { .. }) | None => {}
        }
        *after = unsigned(value.mod_revision());
    }
    replay(shared, changes);
    Ok(Next::GoOn)
}

/// The new record; none if the key was deleted.
fn record(
    shared: &Shared,
    event: &Event,
    value: &KeyValue,
    decoder: &mut Decoder,
) -> Result<Option<Record>, StoreError> {
    if event.event_type() == EventType::Delete {
        return Ok(None);
    }
    let own = value.key_str().ok().and_then(|key| shared.pending.find(key, value.value()));
    let read = own.or_else(|| decoder.decode_record(value.value()));
    read.map(Some).ok_or_else(|| damaged(value.key()))
}

fn replay(shared: &Shared, changes: Vec<(Revision, &str, Option<Record>)>) {
    let Some(revision) = changes.last().map(|(revision, ..)| *revision) else { return };
    let mut state = shared.index.write();
    for (revision, key, record) in changes {
        state.replay(revision, key, record);
    }
    state.trim(shared.index.history, revision, |_| {});
    drop(state);
    shared.announce(revision);
}
