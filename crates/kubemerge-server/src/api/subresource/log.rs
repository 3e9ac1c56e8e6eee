//! `pods/log`: the lines of a container that the options ask for, and those that follow.

use kubemerge_value::part::part_of;
use std::{collections::VecDeque, sync::Arc};

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::{StreamExt, stream};
use kubemerge_kinds::{field_error::FieldError, timestamp::Timestamp};
use kubemerge_value::Arena;
use serde_json::json;
use tokio::sync::watch;

use super::parent;
use crate::{
    api::{
        pod_logs::{ContainerKey, LogLine, PodLogs},
        state::Api,
    },
    catalog::{cluster::Cluster, request_context::RequestContext},
    protocol::{
        query::Query,
        reply::Reply,
        status::{Outcome, Qualified, bad_request, invalid},
    },
    store::{Record, Signal},
};

const PLAIN: &str = "text/plain";
const POD_LOG_OPTIONS: Qualified<'static> = Qualified { group: "", name: "PodLogOptions" };

/// Which lines are wanted, and in which form.
#[derive(Clone, Debug)]
struct PodLogOptions {
    tail_lines: Option<i64>,
    since: Option<Timestamp>,
    limit_bytes: Option<i64>,
    previous: bool,
    timestamps: bool,
    follow: bool,
}

impl PodLogOptions {
    fn read(query: &Query, pod: &str, now: Timestamp) -> Outcome<PodLogOptions> {
        let since_seconds = query.number::<i64>("sinceSeconds")?;
        let since_time = query.get("sinceTime").map(since_time).transpose()?;
        let options = PodLogOptions {
            tail_lines: query.number("tailLines")?,
            since: since_time.or(since_seconds.map(|seconds| now.plus(-seconds))),
            limit_bytes: query.number("limitBytes")?,
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
            follow: query.flag("follow"),
        };
        let mut errors = Vec::new();
        let mut check = |field: &str, value: Option<i64>, least: i64, text: &str| {
            if let Some(value) = value.filter(|value| *value < least) {
                errors.push(FieldError::invalid(field, &json!(value), text));
            }
        };
        check("tailLines", options.tail_lines, 0, "must be greater than or equal to 0");
        check("limitBytes", options.limit_bytes, 1, "must be greater than 0");
        match since_time {
            Some(_) if since_seconds.is_some() => {
                let text = "at most one of `sinceTime` or `sinceSeconds` may be specified";
                // Upstream: the path has one empty name, which prints like this.
                errors.push(FieldError::forbidden("[]", text));
            }
            _ => check("sinceSeconds", since_seconds, 1, "must be greater than 0"),
        }
        if errors.is_empty() { Ok(options) } else { Err(invalid(POD_LOG_OPTIONS, pod, &errors)) }
    }

    /// The text of a line; none if it is too old.
    fn form(&self, line: &LogLine) -> Option<Bytes> {
        if self.since.is_some_and(|since| line.time < since) {
            return None;
        }
        if !self.timestamps {
            return Some(line.text.clone());
        }
        // The kubelet writes nanoseconds; the server's clock has seconds.
        let time = line.time.to_string().replace('Z', ".000000000Z ");
        let mut text = BytesMut::with_capacity(time.len() + line.text.len());
        text.put_slice(time.as_bytes());
        text.put_slice(&line.text);
        Some(text.freeze())
    }

    /// The lines at the end that are wanted. As the kubelet does, the tail is taken before old lines are left out.
    fn tail<'l>(&self, lines: &'l [LogLine]) -> &'l [LogLine] {
        let wanted = self.tail_lines.and_then(|count| usize::try_from(count).ok()).unwrap_or(usize::MAX);
        part_of(lines, lines.len().saturating_sub(wanted)..)
    }
}

fn since_time(text: &str) -> Outcome<Timestamp> {
    Timestamp::parse(text).ok_or_else(|| bad_request(format!("invalid sinceTime {text:?}: not a time")))
}

/// How many bytes may still be sent.
struct Budget(usize);

impl Budget {
    fn of(options: &PodLogOptions) -> Budget {
        Budget(options.limit_bytes.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX))
    }

    /// As much of a text as may be sent.
    fn take(&mut self, text: Bytes) -> Bytes {
        let sent = text.slice(..text.len().min(self.0));
        self.0 -= sent.len();
        sent
    }
}

/// Answers the log of a container; it is empty unless a test wrote one.
pub(crate) fn handle(api: &Api, call: &RequestContext<'_>) -> Outcome<Reply> {
    let options = PodLogOptions::read(call.query, call.name(), call.cluster.clock.now())?;
    let pod = parent::parent(call)?;
    let container = container(call, &pod)?;
    let key = ContainerKey { namespace: call.namespace().into(), pod: call.name().into(), container };
    // The log of a container that has ended cannot grow.
    if options.follow && !options.previous {
        return Ok(follow(api, call, key, options));
    }
    let log = api.pod_logs.get(&key);
    let lines = match (options.previous, log.previous) {
        (true, Some(previous)) => previous,
        (true, None) => return Err(no_previous(&key)),
        (false, _) => log.lines,
    };
    let mut budget = Budget::of(&options);
    let wanted = options.tail(&lines).iter().filter_map(|line| options.form(line));
    let text: Vec<Bytes> = wanted.map(|text| budget.take(text)).collect();
    Ok(Reply::bytes(200, PLAIN, text.concat()))
}

/// What the kubelet says.
fn no_previous(key: &ContainerKey) -> crate::protocol::status::Failure {
    let ContainerKey { pod, container, .. } = key;
    bad_request(format!("previous terminated container {container:?} in pod {pod:?} not found"))
}

/// A reader that follows a log.
struct Follower {
    logs: Arc<PodLogs>,
    cluster: Arc<Cluster>,
    key: ContainerKey,
    /// The key of the pod in the store.
    pod: String,
    options: PodLogOptions,
    budget: Budget,
    lines: VecDeque<Bytes>,
    /// The log that was read, and how many of its lines.
    read: Option<(u64, usize)>,
    changed: watch::Receiver<u64>,
    signal: Signal,
}

fn follow(api: &Api, call: &RequestContext<'_>, key: ContainerKey, options: PodLogOptions) -> Reply {
    let follower = Follower {
        changed: api.pod_logs.subscribe(),
        signal: call.cluster.store.signal(),
        logs: api.pod_logs.clone(),
        cluster: api.cluster.clone(),
        key,
        pod: call.key(),
        budget: Budget::of(&options),
        options,
        lines: VecDeque::new(),
        read: None,
    };
    let pieces = stream::unfold(follower, |mut one| async move { Some((one.next().await?, one)) });
    // A body may be polled again after its end, which `unfold` does not allow.
    Reply::pieces(PLAIN, Box::pin(pieces.fuse()))
}

impl Follower {
    /// The next line; none at the end of the log.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.budget.0 == 0 {
                return None;
            }
            if let Some(line) = self.lines.pop_front() {
                return Some(self.budget.take(line));
            }
            // Marked as seen before reading, so that a change in between wakes the wait below.
            self.changed.borrow_and_update();
            self.signal.borrow_and_update();
            // Before the lines are read, so that the last ones are not missed.
            let is_over = self.pod_is_over();
            let has_ended = self.read_lines();
            if !self.lines.is_empty() {
                continue;
            }
            if is_over || has_ended {
                return None;
            }
            tokio::select! {
                changed = self.changed.changed() => changed.ok()?,
                changed = self.signal.changed() => changed.ok()?,
            }
        }
    }

    /// Takes over what is new, and returns whether the log has ended.
    fn read_lines(&mut self) -> bool {
        let log = self.logs.get(&self.key);
        let new = match self.read {
            // Only the first read has a tail: everything that follows is wanted.
            None => self.options.tail(&log.lines),
            Some((replaced, count)) if replaced == log.replaced => {
                part_of(&log.lines, count.min(log.lines.len())..)
            }
            // Another log was set meanwhile: its lines are all new.
            Some(_) => &log.lines[..],
        };
        self.lines.extend(new.iter().filter_map(|line| self.options.form(line)));
        self.read = Some((log.replaced, log.lines.len()));
        log.has_ended
    }

    /// Whether the pod is gone or has finished, so that its containers write nothing more.
    fn pod_is_over(&self) -> bool {
        let Some(stored) = self.cluster.store.get(&self.pod) else { return true };
        matches!(&*stored.record.text_at(&["status", "phase"]), "Succeeded" | "Failed")
    }
}

/// The container whose log is wanted, of any type; the only container if none is named.
pub(super) fn container(call: &RequestContext<'_>, pod: &Record) -> Outcome<String> {
    let arena = Arena::new();
    let names = |list: &str| -> Vec<String> {
        let list = pod.at(&["spec", list]).map_or(&[][..], |list| list.elements(&arena));
        let names = list.iter().filter_map(|one| one.get("name")?.as_str());
        names.map(|name| name.text().into_owned()).collect()
    };
    let (own, others) =
        (names("containers"), [names("initContainers"), names("ephemeralContainers")].concat());
    match (call.query.get("container"), &own[..]) {
        // A named container may be of any type; without a name only regular ones count.
        (Some(wanted), _) if own.iter().chain(&others).any(|name| name == wanted) => Ok(wanted.to_string()),
        (Some(wanted), _) => {
            Err(bad_request(format!("container {wanted} is not valid for pod {}", call.name())))
        }
        (None, [only]) => Ok(only.clone()),
        (None, _) => {
            let (pod, list) = (call.name(), own.join(" "));
            Err(bad_request(format!(
                "a container name must be specified for pod {pod}, choose one of: [{list}]"
            )))
        }
    }
}
