//! What is left after a crash: a disk that forgets what was not synced, and files that were cut.
//!
//! `KUBEMERGE_STORES=full` makes many more rounds.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use redb::StorageBackend;

use super::{
    tests::{TestFolder, flush, open, record, wait_until_healthy},
    *,
};

fn rounds(short: u64) -> u64 {
    if std::env::var_os("KUBEMERGE_STORES").is_some_and(|form| form == "full") { short * 50 } else { short }
}

/// A file that loses what was not synced, or keeps any part of it, when the power fails.
#[derive(Clone, Debug, Default)]
struct VolatileFile(Arc<Mutex<Sectors>>);

#[derive(Clone, Debug, Default)]
struct Sectors {
    /// What the process sees.
    current: Vec<u8>,
    synced: Vec<u8>,
    /// The offsets of sectors that were written since the last sync.
    unsynced: BTreeSet<usize>,
    /// The next sync fails and writes some of the sectors. As on Linux, none of them is written by a later sync,
    /// although the process goes on to see them.
    next_sync_fails: Option<fastrand::Rng>,
}

/// A disk writes a sector as a whole or not at all.
const SECTOR: usize = 512;

impl Sectors {
    fn write_to_disk(&mut self, at: usize) {
        let end = (at + SECTOR).min(self.current.len()).min(self.synced.len());
        if at < end {
            self.synced[at..end].copy_from_slice(&self.current[at..end]);
        }
    }
}

impl VolatileFile {
    /// The file as it is after the power failed now.
    fn after_crash(&self, random: &mut fastrand::Rng) -> VolatileFile {
        let mut sectors = self.0.lock().unwrap().clone();
        // A file may have its new length or the old one.
        if random.bool() {
            sectors.synced.resize(sectors.current.len(), 0);
        }
        for at in std::mem::take(&mut sectors.unsynced).into_iter().filter(|_| random.bool()) {
            sectors.write_to_disk(at);
        }
        let synced = sectors.synced;
        VolatileFile(Arc::new(Mutex::new(Sectors { current: synced.clone(), synced, ..Sectors::default() })))
    }
}

/// A folder with a log and a draft. A draft that was published has its name after a crash, too.
#[derive(Clone, Default)]
struct VolatileDisk(Arc<Mutex<Names>>);

#[derive(Clone, Default)]
struct Names {
    log: Option<VolatileFile>,
    draft: VolatileFile,
}

impl Disk for VolatileDisk {
    fn has_log(&self) -> bool {
        self.0.lock().unwrap().log.is_some()
    }

    fn log(&self) -> io::Result<Box<dyn StorageBackend>> {
        self.0.lock().unwrap().log.clone().map(|log| Box::new(log) as _).ok_or(io::ErrorKind::NotFound.into())
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        let draft = VolatileFile::default();
        self.0.lock().unwrap().draft = draft.clone();
        Ok(Box::new(draft))
    }

    fn publish_draft(&self) -> io::Result<()> {
        let mut names = self.0.lock().unwrap();
        names.log = Some(names.draft.clone());
        Ok(())
    }
}

impl VolatileDisk {
    fn open(&self) -> Result<FileStore, StoreError> {
        FileStore::start(Arc::new(self.clone()), HistoryLimits { events: 50, ..HistoryLimits::default() })
    }

    /// The disk as it is after the power failed now.
    fn after_crash(&self, random: &mut fastrand::Rng) -> VolatileDisk {
        let names = self.0.lock().unwrap().clone();
        let log = names.log.map(|log| log.after_crash(random));
        VolatileDisk(Arc::new(Mutex::new(Names { log, ..Names::default() })))
    }

    fn fail_next_sync(&self, random: fastrand::Rng) {
        let log = self.0.lock().unwrap().log.clone().unwrap();
        log.0.lock().unwrap().next_sync_fails = Some(random);
    }
}

impl StorageBackend for VolatileFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().current.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let sectors = self.0.lock().unwrap();
        let found = sectors.current.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().current.resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut sectors = self.0.lock().unwrap();
        let length = sectors.current.len();
        sectors.synced.resize(length, 0);
        let failing = sectors.next_sync_fails.take();
        let mut lost = failing.clone();
        for at in std::mem::take(&mut sectors.unsynced) {
            if lost.as_mut().is_none_or(|random| random.bool()) {
                sectors.write_to_disk(at);
            }
        }
        failing.map_or(Ok(()), |_| Err(io::Error::other("the sync failed")))
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut sectors = self.0.lock().unwrap();
        let (start, end) = (offset as usize, offset as usize + data.len());
        sectors.current[start..end].copy_from_slice(data);
        sectors.unsynced.extend((start / SECTOR * SECTOR..end).step_by(SECTOR));
        Ok(())
    }
}

/// Writes and confirms until it is told to stop; notes what was confirmed.
fn keep_writing(
    store: &FileStore,
    writer: usize,
    confirmed: &Mutex<BTreeMap<String, Revision>>,
    stop: &AtomicBool,
) {
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        let key = format!("a/{writer}/{number}");
        let ticket = store.begin().wait().unwrap();
        let written = store.put(&key, record(&key), Expect::Absent).unwrap();
        store.finish(ticket).wait().unwrap();
        confirmed.lock().unwrap().insert(key, written);
        number += 1;
    }
}

#[test]
fn no_confirmed_write_is_lost_when_the_power_fails() {
    for seed in 0..rounds(6) {
        let (disk, stop) = (VolatileDisk::default(), AtomicBool::new(false));
        let confirmed = Mutex::new(BTreeMap::new());
        let store = disk.open().unwrap();
        let mut random = fastrand::Rng::with_seed(seed);
        let crashes = std::thread::scope(|scope| {
            for writer in 0..4 {
                let (store, confirmed, stop) = (&store, &confirmed, &stop);
                scope.spawn(move || keep_writing(store, writer, confirmed, stop));
            }
            let crashes: Vec<_> = (0..5)
                .map(|_| {
                    std::thread::sleep(Duration::from_millis(random.u64(1..20)));
                    // In this order: what is confirmed before the power fails must be there.
                    let confirmed = confirmed.lock().unwrap().clone();
                    (confirmed, disk.after_crash(&mut random))
                })
                .collect();
            stop.store(true, Ordering::Relaxed);
            crashes
        });
        for (confirmed, disk) in crashes {
            check_after_crash(&disk, &confirmed, seed);
        }
    }
}

/// Puts some values in one request, which may fail; answers their revisions if it was confirmed.
fn try_put(store: &FileStore, keys: &[String]) -> Option<Vec<Revision>> {
    let ticket = store.begin().wait().ok()?;
    let put = |key: &String| store.put(key, record(key), Expect::Absent).ok();
    let written: Option<Vec<Revision>> = keys.iter().map(put).collect();
    store.finish(ticket).wait().ok()?;
    written
}

#[test]
fn no_confirmed_write_is_lost_when_a_sync_and_then_the_power_fails() {
    for seed in 0..rounds(16) {
        let disk = VolatileDisk::default();
        let store = disk.open().unwrap();
        let mut random = fastrand::Rng::with_seed(seed);
        let mut confirmed = BTreeMap::new();
        let mut number = 0;
        // Long keys, so that a commit has many pages, most of which later commits leave alone.
        let mut write = |confirmed: &mut BTreeMap<String, Revision>| {
            number += 1;
            let keys: Vec<String> = (0..8).map(|part| format!("a/{number}/{part}/{:01500}", 0)).collect();
            let revisions = try_put(&store, &keys);
            confirmed.extend(keys.into_iter().zip(revisions.iter().flatten().copied()));
            revisions.is_some()
        };
        (0..random.u32(1..20)).for_each(|_| assert!(write(&mut confirmed)));
        disk.fail_next_sync(random.fork());
        while write(&mut confirmed) {}
        // Before the store works again, and after it went on.
        check_after_crash(&disk.after_crash(&mut random), &confirmed, seed);
        wait_until_healthy(&store);
        (0..random.u32(1..5)).for_each(|_| assert!(write(&mut confirmed)));
        check_after_crash(&disk.after_crash(&mut random), &confirmed, seed);
        drop(store);
        check_after_crash(&disk.after_crash(&mut random), &confirmed, seed);
    }
}

fn check_after_crash(disk: &VolatileDisk, confirmed: &BTreeMap<String, Revision>, seed: u64) {
    let store = disk.open().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    for (key, revision) in confirmed {
        let held = store.get(key).unwrap_or_else(|| panic!("seed {seed}: {key} is lost"));
        assert_eq!(held.revision, *revision, "seed {seed}: {key}");
    }
    for (key, stored) in store.newest("") {
        assert_eq!(stored.record.canonical(), record(&key).canonical(), "seed {seed}: {key} is torn");
    }
    // It goes on from there.
    let newest = store.revision();
    assert!(store.put("b", record("b"), Expect::Absent).unwrap() > newest);
    flush(&store).unwrap();
}

#[test]
fn a_file_that_was_cut_is_refused_or_has_a_part_of_what_was_written() {
    let folder = TestFolder::new("cut");
    let store = open(&folder);
    for number in 0..200 {
        let key = format!("a/{number}");
        store.put(&key, record(&key), Expect::Absent).unwrap();
        flush(&store).unwrap();
    }
    // While it is open, and after it was closed: both are what a crash may leave.
    let path = folder.0.join("kubemerge.redb");
    let (unclean, clean) = (fs::read(&path).unwrap(), {
        drop(store);
        fs::read(&path).unwrap()
    });
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..rounds(40) {
        let bytes = if random.bool() { &clean } else { &unclean };
        fs::write(&path, &bytes[..random.usize(..bytes.len())]).unwrap();
        match FileStore::open(&folder.0) {
            Err(error) => assert!(error.to_string().contains(&folder.0.display().to_string()), "{error}"),
            Ok(store) => {
                for (key, stored) in store.newest("") {
                    assert_eq!(stored.record.canonical(), record(&key).canonical(), "{key}");
                }
            }
        }
    }
}

/// All objects of a store.
fn objects(store: &FileStore) -> Vec<(String, Revision, bytes::Bytes)> {
    let show = |(key, stored): &(Arc<str>, Stored)| (key.to_string(), stored.revision, stored.render());
    store.newest("").iter().map(show).collect()
}

#[test]
fn a_flipped_bit_is_refused_or_changes_nothing() {
    let folder = TestFolder::new("flip");
    let store = open(&folder);
    for number in 0..60 {
        store.put(&format!("a/{number}"), record(&format!("value-{number}")), Expect::Absent).unwrap();
        flush(&store).unwrap();
    }
    let wanted = objects(&store);
    drop(store);
    let path = folder.0.join("kubemerge.redb");
    let clean = fs::read(&path).unwrap();
    let used: Vec<usize> = (0..clean.len()).filter(|&at| clean[at] != 0).collect();
    let mut random = fastrand::Rng::with_seed(11);
    let mut refused = 0;
    for round in 0..rounds(40) {
        // The header, which names the root of everything, is small: it gets every fourth flip.
        let at = if round % 4 == 0 { random.usize(..512) } else { used[random.usize(..used.len())] };
        let mut bytes = clean.clone();
        bytes[at] ^= 1 << random.u32(..8);
        fs::write(&path, bytes).unwrap();
        // The second time as well: what the first attempt leaves must not seem sound.
        for _ in 0..2 {
            match FileStore::open(&folder.0) {
                Ok(store) => assert_eq!(objects(&store), wanted, "byte {at}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > 0, "no flip hit an entry");
}

/// Changes the tables of a closed store.
fn edit(folder: &TestFolder, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = redb::Database::create(folder.0.join("kubemerge.redb")).unwrap();
    let writing = database.begin_write().unwrap();
    change(&writing);
    writing.commit().unwrap();
}

const ENTRIES: redb::TableDefinition<'_, u64, &[u8]> = redb::TableDefinition::new("entries");
const NUMBERS: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("numbers");

#[test]
fn a_missing_entry_and_a_wrong_revision_are_refused() {
    let folder = TestFolder::new("missing");
    let store = open(&folder);
    let first = store.put("a", record("1"), Expect::Absent).unwrap();
    store.put("b", record("1"), Expect::Absent).unwrap();
    drop(store);
    let path = folder.0.join("kubemerge.redb");
    let clean = fs::read(&path).unwrap();
    let refusal = || FileStore::open(&folder.0).err().map(|error| error.to_string()).unwrap_or_default();
    let cure = "entries are missing or its revisions are wrong; restore a dump into another folder";
    edit(&folder, |writing| drop(writing.open_table(ENTRIES).unwrap().remove(first).unwrap()));
    assert!(refusal().ends_with(cure), "{}", refusal());
    fs::write(&path, &clean).unwrap();
    edit(&folder, |writing| drop(writing.open_table(NUMBERS).unwrap().insert("newest", 99).unwrap()));
    assert!(refusal().ends_with(cure), "{}", refusal());
}

#[test]
fn a_file_without_checksums_is_opened_and_gets_them() {
    let folder = TestFolder::new("earlier");
    let mut removed = Vec::new();
    drop(open(&folder));
    edit(&folder, |writing| {
        let mut entries = writing.open_table(ENTRIES).unwrap();
        for (revision, key, value) in
            [(2, "a", Some(record("1"))), (3, "b", Some(record("2"))), (4, "a", None)]
        {
            let mut bytes = Vec::new();
            crate::store::codec::encode(key, value.as_ref(), &mut bytes);
            entries.insert(revision, bytes.as_slice()).unwrap();
        }
        let mut numbers = writing.open_table(NUMBERS).unwrap();
        for (name, number) in [("format", 1), ("newest", 4), ("oldest", 1)] {
            numbers.insert(name, number).unwrap();
        }
        removed.extend(numbers.remove("digest").unwrap().map(|digest| digest.value()));
    });
    assert_eq!(removed.len(), 1, "the earlier format has no digest");
    for _ in 0..2 {
        let store = open(&folder);
        assert_eq!((store.revision(), store.oldest()), (4, 1));
        assert_eq!(store.events("", 1, 9).unwrap().0.len(), 3);
        assert_eq!(
            objects(&store),
            [("b".to_string(), 3, Stored { record: record("2"), revision: 3 }.render())]
        );
    }
}
