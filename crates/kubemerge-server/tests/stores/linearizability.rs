//! Concurrent clients on few keys: their histories are linearizable, and revisions agree with real time.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use kubemerge_server::store::{Expect, Store, Stored, WriteError};
use kubemerge_test_support::history::{Call, Held, Operation, is_linearizable};

use crate::stores::subject::{record, request, subjects};

const CLIENTS: u64 = 5;
const KEYS: usize = 3;

pub(crate) fn is_full() -> bool {
    std::env::var_os("KUBEMERGE_STORES").is_some_and(|form| form == "full")
}

fn seen<T>(result: Result<T, WriteError>) -> Result<T, Held> {
    result.map_err(|error| match error {
        WriteError::Mismatch(held) => revision(held),
        WriteError::Store(error) => panic!("the store failed: {error}"),
    })
}

fn revision(held: Option<Stored>) -> Held {
    held.map(|held| held.revision)
}

/// A random operation; `known` is what the client believes the key holds.
fn operate(store: &dyn Store, key: &str, known: Held, random: &mut fastrand::Rng) -> Operation {
    match (random.u8(..10), known) {
        (0..4, _) => Operation::Get { found: revision(store.get(key)) },
        (4, Some(expected)) => {
            Operation::Delete { expected, answer: seen(store.delete(key, expected)).map(|_| ()) }
        }
        (_, expected) => {
            let expect = expected.map_or(Expect::Absent, Expect::Unchanged);
            Operation::Put { expected, answer: seen(store.put(key, record("1"), expect)) }
        }
    }
}

/// What a client believes after an operation.
pub(crate) fn learnt(operation: Operation) -> Held {
    match operation {
        Operation::Get { found: held }
        | Operation::Conflict { expected: held }
        | Operation::Put { answer: Err(held), .. }
        | Operation::Delete { answer: Err(held), .. } => held,
        Operation::Put { answer: Ok(new), .. } => Some(new),
        Operation::Delete { answer: Ok(()), .. } => None,
    }
}

/// The calls of all clients, by key.
fn history(store: &dyn Store, calls: usize, seed: u64) -> HashMap<usize, Vec<Call>> {
    let (clock, all) = (AtomicU64::new(0), Mutex::new(HashMap::<usize, Vec<Call>>::new()));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (clock, all) = (&clock, &all);
            scope.spawn(move || {
                let (mut random, mut known) = (fastrand::Rng::with_seed(seed * 100 + client), [None; KEYS]);
                for _ in 0..calls {
                    let key = random.usize(..KEYS);
                    let called = clock.fetch_add(1, Ordering::SeqCst);
                    let run = || operate(store, &format!("{seed}/{key}"), known[key], &mut random);
                    let operation = request(store, run).unwrap();
                    let returned = clock.fetch_add(1, Ordering::SeqCst);
                    known[key] = learnt(operation);
                    all.lock().unwrap().entry(key).or_default().push(Call { called, returned, operation });
                }
            });
        }
    });
    all.into_inner().unwrap()
}

/// Later writes have larger revisions, over all keys.
fn check_order(history: &HashMap<usize, Vec<Call>>) {
    let write = |call: &Call| match call.operation {
        Operation::Put { answer: Ok(revision), .. } => Some((call.called, call.returned, revision)),
        _ => None,
    };
    let mut writes: Vec<_> = history.values().flatten().filter_map(write).collect();
    writes.sort_unstable_by_key(|(_, _, revision)| *revision);
    let mut latest_call = 0;
    for (called, returned, revision) in writes {
        latest_call = latest_call.max(called);
        assert!(
            latest_call <= returned,
            "write {revision} returned before one with a smaller revision was called"
        );
    }
}

#[test]
fn histories_of_concurrent_clients_are_linearizable() {
    let (rounds, calls) = if is_full() { (300, 60) } else { (6, 40) };
    for subject in subjects("linear") {
        for seed in 0..rounds {
            let history = history(subject.store(), calls, seed);
            for (key, calls) in &history {
                assert!(is_linearizable(calls), "{}: seed {seed}, key {key}: {calls:?}", subject.name);
            }
            check_order(&history);
        }
    }
}
