//! Watches that come and go at random revisions: each sees every event of its keys once and in order.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use kubemerge_server::store::{Expect, Revision, Store};

use crate::stores::subject::{record, request, subjects};

const WATCHES: usize = 1000;
const RECONNECTS: usize = 10;
const THREADS: usize = 4;
const PREFIXES: usize = 8;

/// A client that watches a prefix.
struct Watch {
    prefix: String,
    cursor: Revision,
    seen: Vec<Revision>,
    reconnects: usize,
}

impl Watch {
    /// Reads as a watch of the server does: nothing that is not durable.
    fn read(&mut self, store: &dyn Store, limit: usize) {
        let durable = store.durable();
        let (events, reached) = store.events(&self.prefix, self.cursor, limit).unwrap();
        let reached = reached.min(durable);
        self.seen.extend(events.iter().map(|event| event.revision).filter(|revision| *revision <= reached));
        self.cursor = self.cursor.max(reached);
    }

    /// Begins again at an earlier revision and forgets what came after it.
    fn reconnect(&mut self, start: Revision, random: &mut fastrand::Rng) {
        if self.reconnects > 0 && random.u8(..3) == 0 {
            self.reconnects -= 1;
            self.cursor = random.u64(start..=self.cursor);
            self.seen.retain(|revision| *revision <= self.cursor);
        }
    }
}

fn write_some(store: &dyn Store, writer: usize, count: usize) {
    for number in 0..count {
        let key = format!("p{}/{writer}-{number}", number % PREFIXES);
        request(store, || {
            let created = store.put(&key, record("1"), Expect::Absent).unwrap();
            if number % 3 == 0 {
                store.delete(&key, created).unwrap();
            }
        })
        .unwrap();
    }
}

fn watch_all(store: &dyn Store, start: Revision, seed: u64, is_over: &AtomicBool) -> Vec<Watch> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut watches: Vec<Watch> = (0..WATCHES / THREADS)
        .map(|at| Watch {
            prefix: format!("p{}/", at % PREFIXES),
            cursor: start,
            seen: Vec::new(),
            reconnects: RECONNECTS,
        })
        .collect();
    loop {
        // Asked before reading: whatever was written before is read in this round.
        let last_round = is_over.load(Ordering::Acquire);
        for watch in &mut watches {
            watch.reconnect(start, &mut random);
            watch.read(store, random.usize(1..40));
        }
        // Leaves time to the writers: an etcd runs on the same machine.
        std::thread::sleep(Duration::from_millis(1));
        let is_done = |watch: &Watch| watch.reconnects == 0 && watch.cursor == store.revision();
        if last_round && watches.iter().all(is_done) {
            return watches;
        }
    }
}

#[test]
fn a_thousand_watches_see_every_event_once() {
    for subject in subjects("watching") {
        let (store, is_over) = (subject.store(), AtomicBool::new(false));
        let start = store.revision();
        let watches: Vec<Watch> = std::thread::scope(|scope| {
            let writers: Vec<_> =
                (0..2).map(|writer| scope.spawn(move || write_some(store, writer, 300))).collect();
            let is_over = &is_over;
            let watching: Vec<_> = (0..THREADS as u64)
                .map(|seed| scope.spawn(move || watch_all(store, start, seed, is_over)))
                .collect();
            writers.into_iter().for_each(|writer| writer.join().unwrap());
            is_over.store(true, Ordering::Release);
            watching.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(watches.len(), WATCHES);
        for watch in watches {
            let (events, _) = store.events(&watch.prefix, start, usize::MAX).unwrap();
            let wanted: Vec<Revision> = events.iter().map(|event| event.revision).collect();
            assert_eq!(watch.seen, wanted, "{}", subject.name);
            assert!(wanted.is_sorted());
        }
    }
}
