//! Duplicate fields in the objects of a JSON text.

use std::{
    borrow::Cow,
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use kubemerge_value::{Reader, Str};

use crate::field_error::MAX_COMPLAINTS;

/// The paths of repeated fields in a text that was checked to be JSON, each once, no more than are reported.
pub fn fields(text: &[u8]) -> Vec<String> {
    // Canonical text has none, and most clients write such text.
    let mut reader = Reader::new(text);
    if reader.pass().is_some() && reader.is_finished() {
        return Vec::new();
    }
    let mut scan = Scan { text, at: 0, levels: Vec::new(), marks: Marks::default(), found: Vec::new() };
    while scan.marks.noted.len() < MAX_COMPLAINTS && scan.step() {}
    scan.found
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    levels: Vec<Level<'t>>,
    marks: Marks,
    found: Vec<String>,
}

/// A map or list around the place of the scan, with the mark of its own place.
struct Level<'t> {
    mark: u64,
    inside: Inside<'t>,
}

enum Inside<'t> {
    Map { seen: HashSet<Cow<'t, str>>, key: Cow<'t, str>, key_is_next: bool },
    List { index: usize },
}

impl Level<'_> {
    /// The mark of the place in this level where the scan is.
    fn here(&self, marks: &Marks) -> u64 {
        match &self.inside {
            Inside::Map { key, .. } => marks.hash.hash_one((self.mark, key)),
            Inside::List { index } => marks.hash.hash_one((self.mark, index)),
        }
    }
}

/// Hashes in place of paths, so that a long path is only written out when it is reported.
#[derive(Default)]
struct Marks {
    hash: RandomState,
    /// The places of repeated fields.
    noted: HashSet<u64>,
}

impl<'t> Scan<'t> {
    /// Reads one token; false at the end.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.get(self.at).copied() else { return false };
        self.at += 1;
        match byte {
            b'{' => {
                let (seen, key) = (HashSet::new(), Cow::Borrowed(""));
                self.push(Inside::Map { seen, key, key_is_next: true });
            }
            b'[' => self.push(Inside::List { index: 0 }),
            b'}' | b']' => drop(self.levels.pop()),
            b',' => match self.inside() {
                Some(Inside::Map { key_is_next, .. }) => *key_is_next = true,
                Some(Inside::List { index }) => *index += 1,
                None => {}
            },
            b'"' => self.string(),
            _ => {}
        }
        true
    }

    fn push(&mut self, inside: Inside<'t>) {
        let mark = self.levels.last().map_or(0, |around| around.here(&self.marks));
        self.levels.push(Level { mark, inside });
    }

    fn inside(&mut self) -> Option<&mut Inside<'t>> {
        self.levels.last_mut().map(|level| &mut level.inside)
    }

    fn string(&mut self) {
        let start = self.at - 1;
        while let Some(byte) = self.text.get(self.at).copied() {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        let end = self.at.min(self.text.len());
        let is_key = matches!(self.inside(), Some(Inside::Map { key_is_next: true, .. }));
        if is_key {
            self.enter(Str::given(inside_quotes(&self.text[start..end])).text());
        }
    }

    fn enter(&mut self, name: Cow<'t, str>) {
        let Some(Inside::Map { seen, key, key_is_next }) = self.inside() else { return };
        *key_is_next = false;
        *key = name.clone();
        if !seen.insert(name) {
            self.note();
        }
    }

    /// Notes the place of the scan. Different places may read alike, since a name can hold a dot.
    fn note(&mut self) {
        let Some(level) = self.levels.last() else { return };
        let mark = level.here(&self.marks);
        if self.marks.noted.insert(mark) {
            let path = self.path();
            if !self.found.contains(&path) {
                self.found.push(path);
            }
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for level in &self.levels {
            match &level.inside {
                Inside::Map { key, .. } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                }
                Inside::List { index } => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

fn inside_quotes(quoted: &[u8]) -> &[u8] {
    quoted.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(quoted)
}

#[cfg(test)]
mod tests {
    use super::{MAX_COMPLAINTS, fields};

    #[test]
    fn repeated_fields_are_named_once() {
        let text =
            br#"{"a": 1, "b": {"c": "x\"y", "c": 2, "c": 3}, "l": [{"k": 1}, {"k": 1, "k": 2}], "a": "}"}"#;
        assert_eq!(fields(text), ["b.c", "l[1].k", "a"]);
        assert!(fields(br#"{"a": {"a": {"a": 1}}, "b": ["a", "a"]}"#).is_empty());
    }

    #[test]
    fn no_more_are_counted_than_reported() {
        let many: String = (0..200_000).map(|at| format!("\"k{at}\":1,\"k{at}\":2,")).collect();
        assert_eq!(fields(format!("{{{many}\"end\":1}}").as_bytes()).len(), MAX_COMPLAINTS);
    }

    #[test]
    fn one_place_below_a_long_name_is_written_out_once() {
        let long = "x".repeat(1 << 20);
        let again = r#""k":1,"#.repeat(100_000);
        let maps = r#""m":{"k":1,"k":2},"#.repeat(50_000);
        let text = format!(r#"{{"{long}":{{{maps}{again}"end":1}}}}"#);
        let names: Vec<String> = fields(text.as_bytes()).iter().map(|path| path.replace(&long, "")).collect();
        assert_eq!(names, [".m.k", ".m", ".k"]);
    }

    #[test]
    fn escaped_names_are_the_same_names() {
        assert_eq!(fields(br#"{"a": 1, "\u0061": 2}"#), ["a"]);
    }
}
