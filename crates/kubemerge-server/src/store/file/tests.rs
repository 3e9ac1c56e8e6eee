//! The store in a folder: what it keeps, whom it lets in, and what it does when the disk fails.

use std::{
    fs, io,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering},
    },
};

use kubemerge_value::Canonical;
use redb::StorageBackend;

use super::*;
use crate::store::Ownership;

/// A folder of one test, removed at its end.
pub(super) struct TestFolder(pub(super) PathBuf);

impl TestFolder {
    pub(super) fn new(name: &str) -> TestFolder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kubemerge-{name}-{}-{number}", std::process::id());
        TestFolder(std::env::temp_dir().join(name))
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(super) fn record(text: &str) -> Record {
    let text = format!(r#"{{"apiVersion":"v1","kind":"K","metadata":{{"name":"n"}},"spec":"{text}"}}"#);
    Record::new(Canonical::from_bytes(text.as_bytes()).unwrap(), vec!["owner".into()], Ownership::default())
}

pub(super) fn flush(store: &FileStore) -> Result<(), StoreError> {
    let ticket = store.begin().wait()?;
    store.finish(ticket).wait()
}

pub(super) fn open(folder: &TestFolder) -> FileStore {
    FileStore::open(&folder.0).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(folder: &TestFolder) -> String {
    FileStore::open(&folder.0).err().map(|error| error.to_string()).unwrap_or_default()
}

/// Everything that a restart must keep.
fn contents(store: &FileStore) -> String {
    let items: Vec<_> =
        store.newest("").iter().map(|(key, stored)| (key.to_string(), stored.render())).collect();
    let (events, reached) = store.events("", store.oldest(), usize::MAX).unwrap();
    let show = |event: &Event| {
        let value = event.value.as_ref().map(|value| value.render(event.revision));
        (event.revision, event.key.clone(), value, event.previous.as_ref().map(|previous| previous.render()))
    };
    let events: Vec<_> = events.iter().map(show).collect();
    format!("{items:?} {events:?} {reached} {} {:?}", store.oldest(), store.dependents("owner"))
}

#[test]
fn a_restart_keeps_values_history_and_revisions() {
    let folder = TestFolder::new("restart");
    let store = open(&folder);
    let one = store.put("a/1", record("1"), Expect::Absent).unwrap();
    let two = store.put("a/1", record("2"), Expect::Unchanged(one)).unwrap();
    store.put("a/2", record("1"), Expect::Absent).unwrap();
    store.delete("a/1", two).unwrap();
    flush(&store).unwrap();
    assert_eq!(store.durable(), store.revision());
    let before = contents(&store);
    drop(store);
    let store = open(&folder);
    assert_eq!(contents(&store), before);
    // What was forgotten stays so, and its entries are gone from the disk.
    store.compact(two);
    flush(&store).unwrap();
    let before = contents(&store);
    drop(store);
    assert_eq!(contents(&open(&folder)), before);
}

#[test]
fn the_log_has_what_can_be_read_and_no_more() {
    let folder = TestFolder::new("log");
    let history = HistoryLimits { events: 2, ..HistoryLimits::default() };
    let store = FileStore::open_with(&folder.0, history).unwrap();
    let mut last = store.put("a", record("0"), Expect::Absent).unwrap();
    for number in 1..20 {
        last = store.put("a", record(&number.to_string()), Expect::Unchanged(last)).unwrap();
        flush(&store).unwrap();
    }
    let gone = store.put("b", record("0"), Expect::Absent).unwrap();
    store.delete("b", gone).unwrap();
    flush(&store).unwrap();
    store.put("c", record("0"), Expect::Absent).unwrap();
    store.put("d", record("0"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    // The next commit drops the entries of what left the history in this one.
    store.put("e", record("0"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    drop(store);
    let files = Files::new(Arc::new(Folder::open(&folder.0).unwrap()));
    let mut keys = Vec::new();
    let each = |_, key: &str, record: Option<Record>| keys.push((key.to_string(), record.is_some()));
    Log::open(&files, each).unwrap();
    let wanted = ["a", "c", "d", "e"].map(|key| (key.to_string(), true));
    assert_eq!(keys, wanted);
}

#[test]
fn old_history_is_forgotten_whatever_the_clock_says() {
    let folder = TestFolder::new("age");
    let history = HistoryLimits { age: Duration::ZERO, ..HistoryLimits::default() };
    let store = FileStore::open_with(&folder.0, history).unwrap();
    let written = store.put("a", record("0"), Expect::Absent).unwrap();
    // Two ticks: one notes when the revision was the newest, a later one finds it too old.
    while store.oldest() < written {
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(matches!(store.events("", written - 1, 9), Err(OutOfRange::Compacted { .. })));
}

#[test]
fn an_adopted_state_is_durable() {
    let (folder, other) = (TestFolder::new("adopt"), MemoryStore::default());
    let written = other.put("b", record("1"), Expect::Absent).unwrap();
    let store = open(&folder);
    store.put("a", record("1"), Expect::Absent).unwrap();
    store.adopt(&other).unwrap();
    assert_eq!(store.durable(), store.revision());
    let before = contents(&store);
    drop(store);
    let store = open(&folder);
    assert_eq!(contents(&store), before);
    assert_eq!(store.get("b").unwrap().revision, written);
    assert!(store.get("a").is_none());
}

#[test]
fn one_process_at_a_time() {
    let folder = TestFolder::new("lock");
    let store = open(&folder);
    let text = refusal(&folder);
    let holder =
        format!("process {} uses it: stop that process, or choose another folder", std::process::id());
    assert!(text.ends_with(&holder), "{text}");
    drop(store);
    open(&folder);
}

#[test]
fn folders_of_others_are_left_alone() {
    let folder = TestFolder::new("foreign");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("thesis.txt"), "important").unwrap();
    let text = refusal(&folder);
    assert!(
        text.ends_with("it holds thesis.txt, which is no store of kubemerge: choose an empty folder"),
        "{text}"
    );
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    #[cfg(unix)]
    assert_ne!(mode(&folder.0), 0o700, "its mode was changed");
    let folder = TestFolder::new("file");
    fs::write(&folder.0, "a file").unwrap();
    assert!(refusal(&folder).starts_with("cannot use "), "{}", refusal(&folder));
    fs::remove_file(&folder.0).unwrap();
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = TestFolder::new("foreign-file");
    fs::create_dir_all(&folder.0).unwrap();
    let path = folder.0.join("kubemerge.redb");
    fs::write(&path, "something else".repeat(1000)).unwrap();
    assert!(refusal(&folder).contains("it is not a database"), "{}", refusal(&folder));
    assert_eq!(fs::read_to_string(&path).unwrap(), "something else".repeat(1000));
    fs::remove_file(&path).unwrap();
    let table: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("accounts");
    let database = redb::Database::create(&path).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(table).unwrap().insert(1, 1).unwrap();
    writing.commit().unwrap();
    drop(database);
    assert!(refusal(&folder).contains("a database of another program"), "{}", refusal(&folder));
}

#[test]
fn a_newer_format_is_refused() {
    let folder = TestFolder::new("format");
    drop(open(&folder));
    let numbers: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("numbers");
    let database = redb::Database::open(folder.0.join("kubemerge.redb")).unwrap();
    let writing = database.begin_write().unwrap();
    writing.open_table(numbers).unwrap().insert("format", 7).unwrap();
    writing.commit().unwrap();
    drop(database);
    let text = refusal(&folder);
    assert!(text.contains("the file has format 7, which a newer version of kubemerge writes"), "{text}");
}

#[test]
fn a_log_that_was_not_finished_is_begun_again() {
    let folder = TestFolder::new("draft");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("kubemerge.redb.new"), "half").unwrap();
    let store = open(&folder);
    store.put("a", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    drop(store);
    assert!(!folder.0.join("kubemerge.redb.new").exists());
    assert!(open(&folder).get("a").is_some());
}

#[test]
fn an_empty_log_is_refused() {
    let folder = TestFolder::new("empty");
    let store = open(&folder);
    store.put("a", record("1"), Expect::Absent).unwrap();
    drop(store);
    fs::write(folder.0.join("kubemerge.redb"), "").unwrap();
    assert!(refusal(&folder).contains("the file is damaged: it is empty"), "{}", refusal(&folder));
}

/// Waits until the store has found out that something is wrong.
fn wait_for_failure(store: &FileStore) -> String {
    loop {
        match store.health() {
            Err(error) => return error.to_string(),
            Ok(()) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

#[cfg(unix)]
#[test]
fn nothing_is_confirmed_in_a_folder_that_was_removed() {
    let folder = TestFolder::new("removed");
    let store = open(&folder);
    store.put("a", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    let aside = TestFolder::new("aside");
    fs::rename(&folder.0, &aside.0).unwrap();
    let ticket = store.begin().wait().unwrap();
    drop(store.put("b", record("1"), Expect::Absent));
    let error = store.finish(ticket).wait().unwrap_err();
    assert!(error.to_string().contains("was removed or replaced while this process used it"), "{error}");
    assert!(store.get("a").is_some() && store.get("b").is_none(), "reads go on with what was confirmed");
    // Another process has the path now: what is there is its own.
    let other = open(&folder);
    other.put("other", record("1"), Expect::Absent).unwrap();
    flush(&other).unwrap();
    assert!(store.put("c", record("1"), Expect::Absent).is_err());
    drop(other);
    fs::remove_dir_all(&folder.0).unwrap();
    fs::rename(&aside.0, &folder.0).unwrap();
    wait_until_healthy(&store);
    store.put("d", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    assert!(store.get("a").is_some());
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_is_noticed_without_a_write() {
    let folder = TestFolder::new("unlinked");
    for name in ["kubemerge.redb", "lock"] {
        let store = open(&folder);
        fs::remove_file(folder.0.join(name)).unwrap();
        let text = wait_for_failure(&store);
        assert!(text.contains("put it back, or save what can still be read and restart"), "{text}");
        assert!(!folder.0.join(name).exists(), "nothing is begun in its place");
    }
}

#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TestFolder::new("mode");
    fs::create_dir_all(&folder.0).unwrap();
    fs::set_permissions(&folder.0, fs::Permissions::from_mode(0o755)).unwrap();
    let store = open(&folder);
    assert_eq!(mode(&folder.0), 0o700);
    for file in ["kubemerge.redb", "lock"] {
        assert_eq!(mode(&folder.0.join(file)), 0o600, "{file}");
    }
    assert!(store.size().disk_bytes > 0);
}

/// A disk in memory that can be full.
#[derive(Clone, Debug, Default)]
pub(super) struct FullDisk {
    log: Arc<Mutex<Option<FullFile>>>,
    draft: Arc<Mutex<FullFile>>,
    failing: Arc<Mutex<Option<FailingCall>>>,
}

/// A file on it.
#[derive(Clone, Debug, Default)]
struct FullFile {
    bytes: Arc<Mutex<Vec<u8>>>,
    failing: Arc<Mutex<Option<FailingCall>>>,
}

/// What a disk refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailingCall {
    /// Every write, as a full disk does.
    Write,
    /// The sync after the writes: they may be on the disk or not. Here they are.
    Sync,
}

impl FullDisk {
    pub(super) fn fail(&self, call: Option<FailingCall>) {
        *self.failing.lock().unwrap() = call;
    }

    pub(super) fn open(&self) -> FileStore {
        self.try_open().unwrap()
    }

    fn try_open(&self) -> Result<FileStore, StoreError> {
        FileStore::start(Arc::new(self.clone()), HistoryLimits::default())
    }
}

impl Disk for FullDisk {
    fn has_log(&self) -> bool {
        self.log.lock().unwrap().is_some()
    }

    fn log(&self) -> io::Result<Box<dyn StorageBackend>> {
        Ok(Box::new(self.log.lock().unwrap().clone().unwrap()))
    }

    fn draft(&self) -> io::Result<Box<dyn StorageBackend>> {
        let draft = FullFile { failing: self.failing.clone(), ..FullFile::default() };
        *self.draft.lock().unwrap() = draft.clone();
        Ok(Box::new(draft))
    }

    fn publish_draft(&self) -> io::Result<()> {
        *self.log.lock().unwrap() = Some(self.draft.lock().unwrap().clone());
        Ok(())
    }
}

impl FullFile {
    fn check(&self, call: FailingCall) -> io::Result<()> {
        if *self.failing.lock().unwrap() == Some(call) {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        } else {
            Ok(())
        }
    }
}

impl StorageBackend for FullFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.lock().unwrap().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.bytes.lock().unwrap();
        let found = bytes.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check(FailingCall::Write)?;
        self.bytes.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check(FailingCall::Sync)
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check(FailingCall::Write)?;
        self.bytes.lock().unwrap()[offset as usize..offset as usize + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// Waits until the store has found out that its disk works again.
pub(super) fn wait_until_healthy(store: &FileStore) {
    while store.health().is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_full_disk_loses_only_what_was_not_confirmed() {
    let disk = FullDisk::default();
    let store = disk.open();
    let kept = store.put("a", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    disk.fail(Some(FailingCall::Write));
    let ticket = store.begin().wait().unwrap();
    let lost = store.put("a", record("2"), Expect::Unchanged(kept)).unwrap();
    // The thread may have found out already that the disk is full.
    drop(store.put("b", record("1"), Expect::Absent));
    let error = store.finish(ticket).wait().unwrap_err();
    assert!(error.to_string().starts_with("the file cannot be written: "), "{error}");
    // Reads go on, with the state that is durable; writes are refused.
    flush(&store).unwrap();
    assert_eq!(store.get("a").unwrap().revision, kept);
    assert!(store.get("b").is_none());
    assert_eq!(store.dependents("owner").len(), 1);
    assert!(matches!(store.put("c", record("1"), Expect::Absent), Err(WriteError::Store(_))));
    assert!(store.health().is_err());
    disk.fail(None);
    wait_until_healthy(&store);
    let next = store.put("c", record("1"), Expect::Absent).unwrap();
    assert!(next > lost, "revisions that were taken back are not used again");
    flush(&store).unwrap();
    let before = contents(&store);
    drop(store);
    assert_eq!(contents(&disk.open()), before);
}

#[test]
fn a_write_whose_sync_failed_happens_as_a_whole_or_not_at_all() {
    let disk = FullDisk::default();
    let store = disk.open();
    let kept = store.put("a", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    disk.fail(Some(FailingCall::Sync));
    let ticket = store.begin().wait().unwrap();
    store.put("a", record("2"), Expect::Unchanged(kept)).unwrap();
    let is_one_commit = store.put("b", record("2"), Expect::Absent).is_ok();
    assert!(store.finish(ticket).wait().is_err());
    disk.fail(None);
    wait_until_healthy(&store);
    // A commit that fails before the second write comes refuses it.
    let (a, b) = (store.get("a").unwrap().revision > kept, store.get("b").is_some());
    assert!(a || !b, "the first write is lost and the second is not");
    assert!(is_one_commit || !b);
    store.put("c", record("1"), Expect::Absent).unwrap();
    flush(&store).unwrap();
    let before = contents(&store);
    drop(store);
    assert_eq!(contents(&disk.open()), before);
}

#[test]
fn a_disk_that_is_full_at_the_start_is_told() {
    let disk = FullDisk::default();
    disk.fail(Some(FailingCall::Write));
    assert!(disk.try_open().is_err());
    disk.fail(Some(FailingCall::Sync));
    assert!(disk.try_open().is_err());
}

#[test]
fn many_writers_share_one_commit() {
    let folder = TestFolder::new("group");
    let store = open(&folder);
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..20 {
                    let ticket = store.begin().wait().unwrap();
                    store.put(&format!("a/{writer}/{number}"), record("1"), Expect::Absent).unwrap();
                    store.finish(ticket).wait().unwrap();
                }
            });
        }
    });
    let before = contents(&store);
    assert_eq!(store.newest("a/").len(), 160);
    drop(store);
    assert_eq!(contents(&open(&folder)), before);
}
