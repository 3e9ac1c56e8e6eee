//! One writer and many watches of what it writes: how long until every watch has the event.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet};

use super::{
    clients::Timings,
    requests::{WATCH_NAMESPACE, collection, object, request},
};
use crate::connection::{Connection, Endpoint, Stream};

pub(super) const WATCHES: usize = 100;
/// Between two writes: fast enough to count, slow enough for clients on the same two cores.
const INTERVAL: Duration = Duration::from_millis(25);
/// How long the last events may take.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);
/// Comes before the time at which an event's write was sent.
const MARK: &[u8] = b"\"sent\":\"";

/// Writes for a while; returns how long each event took to each watch.
pub(super) async fn measure(endpoint: &Endpoint, duration: Duration) -> Result<Timings, String> {
    let mut writer = Connection::new(endpoint.clone());
    let maps = collection(WATCH_NAMESPACE);
    let created = writer.ask("POST", &maps, &object("shown")).await?.json();
    let version = created["metadata"]["resourceVersion"].as_str().unwrap_or_default();
    let watch = request("GET", &format!("{maps}?watch=true&resourceVersion={version}"), &Value::Null);
    let (origin, (sender, mut receiver)) = (Arc::new(Instant::now()), mpsc::unbounded_channel());
    let mut watches = JoinSet::new();
    for _ in 0..WATCHES {
        let stream = Connection::stream(endpoint.clone(), &watch).await?;
        if stream.status() != 200 {
            return Err(format!("a watch was answered with {}", stream.status()));
        }
        watches.spawn(follow(stream, origin.clone(), sender.clone()));
    }
    let until = Instant::now() + duration;
    let mut writes = 0;
    while Instant::now() < until {
        let sent = json!({"data": {"sent": origin.elapsed().as_nanos().to_string()}});
        writer.ask("PATCH", &format!("{maps}/shown"), &sent).await?;
        writes += 1;
        tokio::time::sleep(INTERVAL).await;
    }
    let (wanted, mut timings) = (writes * WATCHES, Vec::new());
    while timings.len() < wanted {
        let event = tokio::time::timeout(DRAIN_TIMEOUT, receiver.recv()).await;
        let missing = || format!("{} of {wanted} events arrived", timings.len());
        timings.push(event.map_err(|_| missing())?.ok_or_else(missing)?);
    }
    Ok(Timings(timings))
}

/// Notes the age of every event.
async fn follow(mut stream: Stream, origin: Arc<Instant>, ages: mpsc::UnboundedSender<Duration>) {
    let mut text = Vec::new();
    while let Some(piece) = stream.next().await {
        let now = origin.elapsed();
        text.extend_from_slice(&piece);
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            if let Some(sent) = sent_at(&text[..end])
                && ages.send(now.saturating_sub(sent)).is_err()
            {
                return;
            }
            text.drain(..=end);
        }
    }
}

/// When the write of an event was sent.
fn sent_at(line: &[u8]) -> Option<Duration> {
    let at = line.windows(MARK.len()).position(|window| window == MARK)? + MARK.len();
    let digits = line[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = std::str::from_utf8(&line[at..at + digits]).ok()?;
    Some(Duration::from_nanos(text.parse().ok()?))
}
