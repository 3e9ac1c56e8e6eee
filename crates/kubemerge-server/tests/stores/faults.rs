//! An etcd that is killed, paused or cut off: what clients were told holds, nothing is half written, and the store works
//! again afterwards.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use kubemerge_server::store::{EtcdStore, Expect, Revision, Store, WriteError};

use crate::{
    etcd::{Etcd, start},
    subject::{record, request},
};

const CLIENTS: usize = 4;

/// What a client knows of its key: what it was told last, and what may have happened since.
#[derive(Default)]
struct Known {
    told: Option<Revision>,
    /// Values whose writes were not confirmed.
    uncertain: Vec<String>,
    value: String,
    confirmed: usize,
}

/// Writes one key again and again until it is over.
fn write_on(store: &EtcdStore, key: &str, is_over: &AtomicBool) -> Known {
    let mut known = Known::default();
    let mut number = 0;
    while !is_over.load(Ordering::Acquire) {
        number += 1;
        let value = number.to_string();
        let expect = known.told.map_or(Expect::Absent, Expect::Unchanged);
        match request(store, || store.put(key, record(&value), expect)) {
            Ok(Ok(revision)) => {
                assert!(known.told.is_none_or(|told| told < revision));
                known =
                    Known { told: Some(revision), value, confirmed: known.confirmed + 1, ..Known::default() };
            }
            // No other client writes this key: it was one of those that were not confirmed.
            Ok(Err(WriteError::Mismatch(held))) => {
                let held = held.expect("a value that was confirmed is not lost");
                let text = held.record.canonical().as_bytes();
                let is_one = |value: &String| text == record(value).canonical().as_bytes();
                assert!(known.uncertain.iter().any(is_one), "{}", String::from_utf8_lossy(text));
                known.told = Some(held.revision);
                known.value = known.uncertain.iter().find(|value| is_one(value)).unwrap().clone();
                known.uncertain.clear();
            }
            Ok(Err(WriteError::Store(_))) => known.uncertain.push(value),
            Err(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    known
}

/// Waits until something is true; the number of tries only ends a test that would never end.
fn wait_for(what: &str, is_true: impl Fn() -> bool) {
    for _ in 0..600 {
        if is_true() {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("{what} takes too long");
}

/// Lets clients of two stores write while `disturb` runs, and compares what they know with what is there.
fn disturbed(etcd: &Etcd, disturb: impl FnOnce(&[EtcdStore])) {
    let stores = [etcd.open("faults"), etcd.open("faults")];
    let is_over = AtomicBool::new(false);
    let known: BTreeMap<String, Known> = std::thread::scope(|scope| {
        let (stores, is_over) = (&stores, &is_over);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let key = format!("key-{client}");
                scope.spawn(move || (key.clone(), write_on(&stores[client % 2], &key, is_over)))
            })
            .collect();
        disturb(stores);
        for store in stores {
            wait_for("recovery", || request(store, || ()).is_ok());
        }
        is_over.store(true, Ordering::Release);
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    for store in &stores {
        request(store, || check(store, &known)).unwrap();
        let (events, _) = store.events("", store.oldest(), usize::MAX).unwrap();
        assert!(events.iter().map(|event| event.revision).is_sorted());
    }
    // A store that is opened now finds the same.
    let fresh = etcd.open("faults");
    check(&fresh, &known);
}

fn check(store: &dyn Store, known: &BTreeMap<String, Known>) {
    for (key, known) in known {
        assert!(known.confirmed > 0, "{key} was written");
        let held = store.get(key).expect("a confirmed value is not lost");
        let candidates = known.uncertain.iter().chain([&known.value]);
        let text = held.record.canonical().as_bytes();
        let mut found = candidates.filter(|value| text == record(value).canonical().as_bytes());
        assert!(found.next().is_some(), "{key}: {}", String::from_utf8_lossy(text));
    }
}

#[test]
fn a_killed_etcd_loses_nothing() {
    let Some(etcd) = start("a_killed_etcd_loses_nothing") else { return };
    disturbed(&etcd, |stores| {
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(500));
            etcd.kill();
            wait_for("failure", || stores.iter().all(|store| store.health().is_err()));
            etcd.restart();
            wait_for("recovery", || stores.iter().all(|store| store.health().is_ok()));
        }
    });
}

#[test]
fn a_paused_etcd_fails_requests_until_it_goes_on() {
    let Some(etcd) = start("a_paused_etcd_fails_requests_until_it_goes_on") else { return };
    disturbed(&etcd, |stores| {
        std::thread::sleep(Duration::from_millis(300));
        etcd.signal("STOP");
        wait_for("failure", || stores.iter().all(|store| store.health().is_err()));
        let asked = Instant::now();
        assert!(request(&stores[0], || ()).is_err(), "no read while nothing is known");
        assert!(asked.elapsed() < Duration::from_secs(60), "it is refused, not left waiting");
        etcd.signal("CONT");
        wait_for("recovery", || stores.iter().all(|store| store.health().is_ok()));
        // Shorter than anything notices.
        for _ in 0..5 {
            etcd.signal("STOP");
            std::thread::sleep(Duration::from_millis(100));
            etcd.signal("CONT");
            std::thread::sleep(Duration::from_millis(100));
        }
    });
}

#[test]
fn compaction_by_others_ends_no_watch_that_can_go_on() {
    let Some(etcd) = start("compaction_by_others_ends_no_watch_that_can_go_on") else { return };
    let (store, other) = (etcd.open("one"), etcd.open("two"));
    let written = request(&store, || store.put("a", record("1"), Expect::Absent).unwrap()).unwrap();
    for number in 0..20 {
        let key = number.to_string();
        request(&other, || other.put(&key, record("1"), Expect::Absent).unwrap()).unwrap();
    }
    etcd.kill();
    wait_for("failure", || store.health().is_err());
    etcd.restart();
    wait_for("recovery", || store.health().is_ok());
    assert_eq!(store.revision(), written);
    let again = request(&store, || store.put("a", record("2"), Expect::Unchanged(written)).unwrap()).unwrap();
    assert_eq!(store.events("", written, 9).unwrap().0[0].revision, again);
}
