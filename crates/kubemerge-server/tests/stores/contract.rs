//! The contract, one rule a test, over every store and after a restart.

use kubemerge_server::store::{Expect, OutOfRange, Range, Revision, Store, WriteError};

use crate::stores::subject::{Subject, owned, record, request, subjects};

fn each(test: &str, check: impl Fn(&mut Subject)) {
    for mut subject in subjects(test) {
        check(&mut subject);
    }
}

fn create(store: &dyn Store, key: &str) -> Revision {
    request(store, || store.put(key, record(key), Expect::Absent).unwrap()).unwrap()
}

fn keys(store: &dyn Store, range: Range<'_>) -> Vec<String> {
    store.range(range).unwrap().items.iter().map(|(key, _)| key.to_string()).collect()
}

#[test]
fn writes_are_compare_and_swap() {
    each("swap", |subject| {
        let one = create(subject.store(), "a");
        subject.restart();
        let store = subject.store();
        let Err(WriteError::Mismatch(Some(held))) = store.put("a", record("2"), Expect::Absent) else {
            panic!("{}: the key was free", subject.name);
        };
        assert_eq!(held.revision, one);
        let two = store.put("a", record("2"), Expect::Unchanged(one)).unwrap();
        assert!(two > one);
        assert!(store.put("a", record("3"), Expect::Unchanged(one)).is_err());
        assert!(store.delete("a", one).is_err());
        let three = store.delete("a", two).unwrap();
        assert!(three > two);
        assert!(matches!(store.delete("a", two), Err(WriteError::Mismatch(None))));
        assert!(matches!(
            store.put("a", record("4"), Expect::Unchanged(two)),
            Err(WriteError::Mismatch(None))
        ));
        assert_eq!(store.revision(), three, "what was refused is no write");
    });
}

#[test]
fn ranges_are_in_order_and_can_be_read_at_a_revision() {
    each("range", |subject| {
        let store = subject.store();
        let before = store.revision();
        let c = create(store, "a/c");
        create(store, "b/x");
        let a = create(store, "a/a");
        request(store, || store.delete("a/c", c).unwrap()).unwrap();
        create(store, "a/b");
        subject.restart();
        let store = subject.store();
        let of = |at| Range { prefix: "a/", at, ..Range::default() };
        assert_eq!(keys(store, of(None)), ["a/a", "a/b"]);
        assert_eq!(keys(store, of(Some(a))), ["a/a", "a/c"]);
        assert_eq!(keys(store, Range { start: Some("a/b"), ..of(Some(a)) }), ["a/c"]);
        assert_eq!(keys(store, of(Some(before))), [""; 0]);
        let future = store.range(of(Some(store.revision() + 1)));
        assert!(matches!(future, Err(OutOfRange::Future { .. })));
    });
}

#[test]
fn events_come_once_and_in_order() {
    each("events", |subject| {
        let store = subject.store();
        let start = store.revision();
        let one = create(store, "a/1");
        create(store, "b/1");
        let two = request(store, || store.put("a/1", record("2"), Expect::Unchanged(one)).unwrap()).unwrap();
        let gone = request(store, || store.delete("a/1", two).unwrap()).unwrap();
        subject.restart();
        let store = subject.store();
        let (events, reached) = store.events("a/", start, usize::MAX).unwrap();
        assert_eq!(events.iter().map(|event| event.revision).collect::<Vec<_>>(), [one, two, gone]);
        assert_eq!(reached, store.revision());
        let previous: Vec<_> =
            events.iter().map(|event| event.previous.as_ref().map(|previous| previous.revision)).collect();
        assert_eq!(previous, [None, Some(one), Some(two)]);
        assert!(events[2].value.is_none());
        // In portions, each continues after the one before.
        let (some, reached) = store.events("a/", start, 1).unwrap();
        assert_eq!((some[0].revision, reached), (one, one));
        let (some, _) = store.events("a/", reached, 1).unwrap();
        assert_eq!(some[0].revision, two);
        assert_eq!(store.durable(), store.revision());
    });
}

#[test]
fn compacted_revisions_are_refused() {
    each("compact", |subject| {
        let store = subject.store();
        let one = create(store, "a");
        let two = create(store, "b");
        create(store, "c");
        store.compact(two);
        request(store, || ()).unwrap();
        subject.restart();
        let store = subject.store();
        assert_eq!(store.oldest(), two);
        assert!(matches!(store.events("", one, 9), Err(OutOfRange::Compacted { oldest }) if oldest == two));
        assert!(store.range(Range { at: Some(one), ..Range::default() }).is_err());
        assert_eq!(keys(store, Range { at: Some(two), ..Range::default() }), ["a", "b"]);
        assert_eq!(store.events("", two, 9).unwrap().0.len(), 1);
        assert_eq!(store.newest("").len(), 3);
    });
}

#[test]
fn dependents_follow_their_owners() {
    each("owners", |subject| {
        let store = subject.store();
        let put = |key: &str, owners: &[&str], expect| {
            request(store, || store.put(key, owned("1", owners), expect).unwrap()).unwrap()
        };
        let a = put("a", &["u1", "u2"], Expect::Absent);
        let b = put("b", &["u1"], Expect::Absent);
        put("a", &["u2"], Expect::Unchanged(a));
        request(store, || store.delete("b", b).unwrap()).unwrap();
        put("c", &["u1"], Expect::Absent);
        subject.restart();
        let of = |owner: &str| -> Vec<String> {
            subject.store().dependents(owner).iter().map(|key| key.to_string()).collect()
        };
        assert_eq!((of("u1"), of("u2"), of("u3")), (vec!["c".to_string()], vec!["a".to_string()], vec![]));
    });
}

#[test]
fn forks_are_independent_and_can_be_adopted() {
    each("fork", |subject| {
        let store = subject.store();
        let written = create(store, "a");
        let fork = store.fork();
        assert_eq!(fork.revision(), store.revision());
        request(store, || store.delete("a", written).unwrap()).unwrap();
        create(store, "b");
        let (before, mut signal) = (store.revision(), store.signal());
        assert_eq!(fork.get("a").unwrap().revision, written);
        assert!(fork.get("b").is_none());
        signal.borrow_and_update();
        store.adopt(&*fork).unwrap();
        assert!(signal.has_changed().unwrap());
        subject.restart();
        let store = subject.store();
        let adopted = store.get("a").unwrap();
        assert_eq!(adopted.record.render(1), fork.get("a").unwrap().record.render(1));
        if subject.keeps_adopted_revisions() {
            assert_eq!(adopted.revision, written);
        }
        assert!(store.get("b").is_none());
        assert!(store.revision() > before, "revisions never go back");
        assert!(matches!(store.events("", before, 9), Err(OutOfRange::Compacted { .. })));
    });
}

#[test]
fn the_signal_tells_what_is_durable() {
    each("signal", |subject| {
        let store = subject.store();
        let mut signal = store.signal();
        signal.borrow_and_update();
        let written = create(store, "a");
        assert!(signal.has_changed().unwrap(), "{}", subject.name);
        assert!(*signal.borrow() >= written);
        assert_eq!(store.size().values, 1);
        assert!(store.health().is_ok());
    });
}
