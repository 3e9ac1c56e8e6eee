//! `/metrics`: what a server has done, in the text format of Prometheus, with kube-apiserver's names where it has some.
//!
//! Only requests through a listener count; those in the same process are seen by the tests that make them.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use crate::{api::state::Api, protocol::reply::Reply, store::Store};

/// The version is part of the media type.
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Upper bounds of the histogram of durations, in seconds.
const BUCKETS: [f64; 10] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];

/// Series beyond these are counted together: definitions come and go, and each leaves its names.
#[cfg(feature = "serve")]
const MAX_SERIES: usize = 5_000;

/// What requests are counted by. Only names that are served are labels: clients choose all others.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RequestLabels {
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) verb: &'static str,
}

/// The requests of one kind.
#[derive(Default)]
struct Series {
    codes: BTreeMap<u16, u64>,
    buckets: [u64; BUCKETS.len()],
    seconds: f64,
}

/// What was counted so far.
#[derive(Default)]
pub(crate) struct Metrics {
    series: Mutex<BTreeMap<RequestLabels, Series>>,
    watches: AtomicUsize,
    panics: AtomicUsize,
}

#[cfg(feature = "serve")]
impl Metrics {
    /// Counts a request that was answered; of a watch, the time that it took to open.
    pub(crate) fn count(&self, labels: RequestLabels, code: u16, duration: std::time::Duration) {
        let mut series = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = series.len() < MAX_SERIES || series.contains_key(&labels);
        let labels =
            if is_known { labels } else { RequestLabels { resource: "other".into(), ..<_>::default() } };
        let series = series.entry(labels).or_default();
        let seconds = duration.as_secs_f64();
        *series.codes.entry(code).or_default() += 1;
        series.seconds += seconds;
        // Buckets include those before them when they are written.
        let mut buckets = series.buckets.iter_mut().zip(BUCKETS);
        if let Some((bucket, _)) = buckets.find(|(_, bound)| seconds <= *bound) {
            *bucket += 1;
        }
    }

    /// Counts a request whose handler panicked.
    pub(crate) fn count_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes how many watches are open.
    pub(crate) fn set_watches(&self, count: usize) {
        self.watches.store(count, Ordering::Relaxed);
    }
}

/// Answers everything that was counted, and the state of the store.
pub(crate) fn answer(api: &Api) -> Reply {
    let mut text = String::new();
    write_requests(&api.metrics, &mut text);
    write_store(&*api.cluster.store, &mut text);
    Reply::bytes(200, TEXT, text)
}

fn write_requests(metrics: &Metrics, out: &mut String) {
    let all = metrics.series.lock().unwrap_or_else(PoisonError::into_inner);
    head(out, "apiserver_request_total", "counter", "Requests that were answered.");
    for (labels, series) in all.iter() {
        for (code, count) in &series.codes {
            line(out, "apiserver_request_total", &format!("{},code=\"{code}\"", labels.text()), count);
        }
    }
    let name = "apiserver_request_duration_seconds";
    head(out, name, "histogram", "How long requests took; watches until they were open.");
    for (labels, series) in all.iter() {
        let (labels, mut below) = (labels.text(), 0);
        for (bound, count) in BUCKETS.iter().zip(series.buckets) {
            below += count;
            line(out, &format!("{name}_bucket"), &format!("{labels},le=\"{bound}\""), below);
        }
        let count: u64 = series.codes.values().sum();
        line(out, &format!("{name}_bucket"), &format!("{labels},le=\"+Inf\""), count);
        line(out, &format!("{name}_sum"), &labels, series.seconds);
        line(out, &format!("{name}_count"), &labels, count);
    }
    head(out, "apiserver_longrunning_requests", "gauge", "Watches that are open.");
    let watches = metrics.watches.load(Ordering::Relaxed);
    line(out, "apiserver_longrunning_requests", "verb=\"WATCH\"", watches);
    head(out, "kubemerge_panics_total", "counter", "Requests that made the server panic: defects.");
    line(out, "kubemerge_panics_total", "", metrics.panics.load(Ordering::Relaxed));
}

fn write_store(store: &dyn Store, out: &mut String) {
    let size = store.size();
    let gauges = [
        ("kubemerge_store_healthy", "1 if the store works, else 0.", u64::from(store.health().is_ok())),
        ("kubemerge_store_revision", "The newest revision.", store.revision()),
        ("kubemerge_store_durable_revision", "The newest revision that cannot be lost.", store.durable()),
        ("kubemerge_store_oldest_revision", "The oldest revision that can be read.", store.oldest()),
        ("kubemerge_store_objects", "Objects in the store.", size.values as u64),
        ("kubemerge_store_events", "Events in the history.", size.events as u64),
        ("kubemerge_store_disk_bytes", "Size of the store on the disk.", size.disk_bytes),
    ];
    for (name, help, value) in gauges {
        head(out, name, "gauge", help);
        line(out, name, "", value);
    }
}

impl RequestLabels {
    fn text(&self) -> String {
        // Names of groups and resources need no escapes.
        format!("verb=\"{}\",group=\"{}\",resource=\"{}\"", self.verb, self.group, self.resource)
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    *out += &format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
}

fn line(out: &mut String, name: &str, labels: &str, value: impl std::fmt::Display) {
    *out += &if labels.is_empty() {
        format!("{name} {value}\n")
    } else {
        format!("{name}{{{labels}}} {value}\n")
    };
}

#[cfg(all(test, feature = "serve"))]
mod tests {
    use super::*;

    #[test]
    fn names_that_come_and_go_are_counted_together() {
        let (metrics, mut text) = (Metrics::default(), String::new());
        for number in 0..MAX_SERIES + 10 {
            let resource = format!("kiosk{number}s");
            let labels = RequestLabels { resource, verb: "GET", ..RequestLabels::default() };
            metrics.count(labels, 200, std::time::Duration::ZERO);
        }
        write_requests(&metrics, &mut text);
        assert!(
            text.contains(
                "apiserver_request_total{verb=\"\",group=\"\",resource=\"other\",code=\"200\"} 10\n"
            )
        );
        assert!(text.contains("resource=\"kiosk0s\",code=\"200\"} 1\n"));
    }
}
