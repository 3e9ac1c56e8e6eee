//! The names of all keys that a store has in etcd.
//!
//! Objects are below a generation, so that the whole state can be replaced at one moment: the new objects are written
//! below another generation first. Whatever replicas must see in one order with the objects is below `state`, which is
//! the range that they watch.

/// The names of the keys below a prefix.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    prefix: String,
}

/// What a key below `state` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StateKey<'k> {
    /// Which generation is served.
    Generation,
    /// The oldest revision that can be read.
    Oldest,
    /// An object of a generation.
    Object { generation: u64, key: &'k str },
}

impl Keys {
    /// All keys begin with this path.
    pub(super) fn below(path: &str) -> Keys {
        Keys { prefix: format!("/{path}") }
    }

    pub(super) fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What all keys begin with.
    pub(super) fn all(&self) -> String {
        format!("{}/", self.prefix)
    }

    /// The number of the format of everything below the prefix.
    pub(super) fn format(&self) -> String {
        format!("{}/format", self.prefix)
    }

    /// Written with every object: its revision is that of the newest write.
    pub(super) fn head(&self) -> String {
        format!("{}/head", self.prefix)
    }

    /// The revision that etcd was last compacted to, and whose turn the next compaction is.
    pub(super) fn compaction(&self) -> String {
        format!("{}/compaction", self.prefix)
    }

    /// A number that no two replacements of the state have.
    pub(super) fn replacement(&self) -> String {
        format!("{}/replacement", self.prefix)
    }

    /// Something that one replica has for itself for a while.
    pub(super) fn claim(&self, name: &str) -> String {
        format!("{}/claims/{name}", self.prefix)
    }

    /// Exists as long as a replica is alive.
    pub(super) fn session(&self, lease: i64) -> String {
        format!("{}/sessions/{lease:x}", self.prefix)
    }

    /// The range that replicas watch.
    pub(super) fn state(&self) -> String {
        format!("{}/state/", self.prefix)
    }

    pub(super) fn generation(&self) -> String {
        format!("{}/state/generation", self.prefix)
    }

    pub(super) fn oldest(&self) -> String {
        format!("{}/state/oldest", self.prefix)
    }

    /// The range of all objects of a generation.
    pub(super) fn objects(&self, generation: u64) -> String {
        // Of one length, so that generations are in order.
        format!("{}/state/{generation:020}/", self.prefix)
    }

    pub(super) fn object(&self, generation: u64, key: &str) -> String {
        self.objects(generation) + key
    }

    /// What a key of the watched range is about; none for what this version does not know.
    pub(super) fn read<'k>(&self, key: &'k [u8]) -> Option<StateKey<'k>> {
        let key = std::str::from_utf8(key).ok()?;
        match key.strip_prefix(&self.prefix)?.strip_prefix("/state/")? {
            "generation" => Some(StateKey::Generation),
            "oldest" => Some(StateKey::Oldest),
            object => {
                let (generation, key) = object.split_once('/')?;
                Some(StateKey::Object { generation: generation.parse().ok()?, key })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_were_written() {
        let keys = Keys::below("team/one");
        assert_eq!(keys.object(7, "/pods/a/b"), "/team/one/state/00000000000000000007//pods/a/b");
        let object = keys.object(7, "/pods/a/b");
        assert_eq!(keys.read(object.as_bytes()), Some(StateKey::Object { generation: 7, key: "/pods/a/b" }));
        assert_eq!(keys.read(keys.generation().as_bytes()), Some(StateKey::Generation));
        assert_eq!(keys.read(keys.oldest().as_bytes()), Some(StateKey::Oldest));
        assert_eq!(keys.read(keys.head().as_bytes()), None);
        assert!(object.starts_with(&keys.state()));
    }
}
