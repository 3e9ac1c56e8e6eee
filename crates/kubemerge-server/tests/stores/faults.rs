//! An etcd that is killed, paused or cut off: what clients were told holds, nothing is half written, and the store works
//! again afterwards.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use kubemerge_server::store::{EtcdStore, Event, Expect, OutOfRange, Revision, Store, WriteError};
use kubemerge_test_support::history::{Call, Held, Operation, is_linearizable};
use serde_json::json;

use crate::stores::{
    etcd::{Etcd, Stores, start},
    linearizability::{is_full, learnt},
    proxy::Proxy,
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
        assert!(request(&stores[0], || ()).is_err(), "no read while nothing is known");
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
    let write = |store: &EtcdStore, key: &str| {
        request(store, || store.put(key, record("1"), Expect::Absent).unwrap()).unwrap()
    };
    let written = write(&store, "a");
    let mut newest = written;
    for number in 0..20 {
        newest = write(&other, &number.to_string());
    }
    etcd.kill();
    wait_for("failure", || store.health().is_err());
    etcd.restart();
    etcd.ask("kv/compaction", json!({"revision": newest.to_string(), "physical": true}));
    wait_for("recovery", || request(&store, || ()).is_ok());
    assert_eq!(store.revision(), written);
    let again = write(&store, "b");
    assert_eq!(store.events("", written, 9).unwrap().0[0].revision, again);
    // A server that starts now finds the same, although the revision of the newest write cannot be read.
    etcd.ask("kv/compaction", json!({"revision": write(&other, "last").to_string(), "physical": true}));
    assert_eq!(etcd.open("one").revision(), again);
}

#[test]
fn a_watch_that_missed_compacted_events_ends() {
    let Some(etcd) = start("a_watch_that_missed_compacted_events_ends") else { return };
    let proxy = Proxy::start(etcd.port());
    let (near, far) = (etcd.open("one"), proxy.open("one"));
    let first = request(&far, || far.put("a", record("1"), Expect::Absent).unwrap()).unwrap();
    proxy.set_open(false);
    wait_for("failure", || far.health().is_err());
    let mut newest = first;
    for number in 0..5 {
        let key = number.to_string();
        newest = request(&near, || near.put(&key, record("1"), Expect::Absent).unwrap()).unwrap();
    }
    etcd.ask("kv/compaction", json!({"revision": newest.to_string(), "physical": true}));
    assert!(far.put("b", record("1"), Expect::Absent).is_err());
    proxy.set_open(true);
    wait_for("recovery", || request(&far, || ()).is_ok());
    assert!(matches!(far.events("", first, 9), Err(OutOfRange::Compacted { .. })));
    assert_eq!(far.newest("").len(), 6);
    assert_eq!(far.revision(), newest);
}

#[test]
fn histories_over_two_stores_are_linearizable_with_faults() {
    let Some(etcd) = start("histories_over_two_stores_are_linearizable_with_faults") else { return };
    let proxy = Proxy::start(etcd.port());
    let stores = [etcd.open("linear"), proxy.open("linear")];
    let rounds = if is_full() { 20 } else { 2 };
    let history = record_history(&stores, || {
        for _ in 0..rounds {
            for seconds in [0.05, 0.4] {
                proxy.set_open(false);
                std::thread::sleep(Duration::from_secs_f64(seconds));
                proxy.set_open(true);
                std::thread::sleep(Duration::from_millis(300));
                etcd.signal("STOP");
                std::thread::sleep(Duration::from_secs_f64(seconds));
                etcd.signal("CONT");
                std::thread::sleep(Duration::from_millis(300));
            }
            etcd.kill();
            etcd.restart();
            wait_for("recovery", || stores.iter().all(|store| request(store, || ()).is_ok()));
            std::thread::sleep(Duration::from_millis(300));
        }
    });
    assert!(history.values().map(Vec::len).sum::<usize>() > 100, "clients could work");
    for (key, calls) in history {
        assert!(is_linearizable(&calls), "{key}: {calls:?}");
    }
}

#[test]
fn a_name_is_claimed_by_one_store_at_a_time() {
    let Some(etcd) = start("a_name_is_claimed_by_one_store_at_a_time") else { return };
    let (one, two) = (etcd.open("claims"), etcd.open("claims"));
    let put = |key: &str| request(&one, || one.put(key, record("1"), Expect::Absent)).unwrap();
    assert_eq!((one.claim("name"), two.claim("name"), two.claim("other")), (Ok(true), Ok(false), Ok(true)));
    one.release("name");
    assert_eq!(two.claim("name"), Ok(true));
    two.release("name");
    // A store whose session has ended, because it was away, cannot write what it has chosen before.
    assert_eq!(one.claim("name"), Ok(true));
    put("before").unwrap();
    etcd.delete_all("/claims/sessions/");
    etcd.delete_all("/claims/claims/");
    // The first claim of the other store finds that its session is gone as well.
    assert!(two.claim("name").is_err());
    two.release("other");
    assert_eq!(two.claim("name"), Ok(true));
    assert!(matches!(put("after"), Err(WriteError::Store(_))));
    one.release("name");
    put("after").unwrap();
}

#[test]
fn servers_compact_in_turn() {
    let Some(etcd) = start("servers_compact_in_turn") else { return };
    let off = etcd.open("off");
    let first = request(&off, || off.put("a", record("1"), Expect::Absent).unwrap()).unwrap();
    let can_read = |revision: Revision| {
        let asked = etcd.try_ask("kv/range", &json!({"key": "YQ==", "revision": revision.to_string()}));
        !asked.is_err_and(|error| error.to_string().contains("compacted"))
    };
    let interval = Duration::from_millis(300);
    let open = || crate::stores::etcd::open(|| etcd.options("on").compaction_interval(interval));
    let stores = [open(), open()];
    assert!(can_read(first));
    let write = |number: u32| {
        let store = &stores[number as usize % 2];
        request(store, || store.put(&number.to_string(), record("1"), Expect::Absent).unwrap()).unwrap()
    };
    let last = (0..5).map(write).last().unwrap();
    wait_for("compaction", || !can_read(first));
    wait_for("compaction", || !can_read(last - 1));
    // What servers have in memory can be read for longer than what etcd has.
    assert!(
        stores.iter().all(|store| store.events("", last - 1, 9).is_ok_and(|(events, _)| events.len() == 1))
    );
    assert_eq!(off.newest("").len(), 1);
}

/// A call whose write may have happened.
struct Uncertain {
    key: String,
    value: String,
    called: u64,
    expected: Held,
}

/// The calls of five clients on three keys of two stores, while `disturb` runs. No value is written twice, so that the
/// events tell which of the uncertain writes have happened; those may have happened at any time after their call.
fn record_history(stores: &[EtcdStore; 2], disturb: impl FnOnce()) -> BTreeMap<String, Vec<Call>> {
    let (clock, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let (calls, uncertain) = (Mutex::new(BTreeMap::<String, Vec<Call>>::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for client in 0..5 {
            let (clock, is_over, calls, uncertain) = (&clock, &is_over, &calls, &uncertain);
            scope.spawn(move || {
                let (store, mut random) = (&stores[client % 2], fastrand::Rng::with_seed(client as u64));
                let mut known = BTreeMap::<String, Held>::new();
                for number in 0.. {
                    if is_over.load(Ordering::Acquire) {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(random.u64(..10)));
                    let (key, value) = (format!("key-{}", random.u8(..3)), format!("{client}-{number}"));
                    let expected = known.get(&key).copied().flatten();
                    let called = clock.fetch_add(1, Ordering::SeqCst);
                    let operation = if random.bool() {
                        request(store, || {
                            let found = store.get(&key).map(|held| held.revision);
                            Some(Operation::Get { found })
                        })
                    } else {
                        request(store, || put(store, &key, &value, expected))
                    };
                    let returned = clock.fetch_add(1, Ordering::SeqCst);
                    match operation {
                        Ok(Some(operation)) => {
                            known.insert(key.clone(), learnt(operation));
                            calls.lock().unwrap().entry(key).or_default().push(Call {
                                called,
                                returned,
                                operation,
                            });
                        }
                        Ok(None) => {
                            uncertain.lock().unwrap().push(Uncertain { key, value, called, expected });
                        }
                        // It has not begun.
                        Err(_) => {}
                    }
                }
            });
        }
        disturb();
        is_over.store(true, Ordering::Release);
    });
    let mut calls = calls.into_inner().unwrap();
    for Uncertain { key, value, called, expected } in uncertain.into_inner().unwrap() {
        if let Some(revision) = written_at(&stores[0], &key, &value) {
            let operation = Operation::Put { expected, answer: Ok(revision) };
            calls.entry(key).or_default().push(Call { called, returned: u64::MAX, operation });
        }
    }
    calls
}

/// None if the write may or may not have happened.
fn put(store: &EtcdStore, key: &str, value: &str, expected: Held) -> Option<Operation> {
    let expect = expected.map_or(Expect::Absent, Expect::Unchanged);
    let answer = match store.put(key, record(value), expect) {
        Ok(revision) => Ok(revision),
        Err(WriteError::Mismatch(held)) => Err(held.map(|held| held.revision)),
        Err(WriteError::Store(_)) => return None,
    };
    Some(Operation::Put { expected, answer })
}

fn written_at(store: &EtcdStore, key: &str, value: &str) -> Held {
    request(store, || ()).unwrap();
    let (events, _) = store.events(key, store.oldest(), usize::MAX).unwrap();
    let is_it = |event: &Event| {
        let written = event.value.as_ref().map(|value| value.canonical().as_bytes());
        written == Some(record(value).canonical().as_bytes())
    };
    events.iter().find(|event| is_it(event)).map(|event| event.revision)
}
