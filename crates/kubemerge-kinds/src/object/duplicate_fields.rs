//! Duplicate fields in the objects of a JSON text.

use std::{
    collections::HashSet,
    hash::{BuildHasher, RandomState},
};

use kubemerge_value::{Arena, Level, PullReader, Start};

use crate::field_error::MAX_COMPLAINTS;

/// The paths of repeated fields in a text that was checked to be JSON, each once, no more than are reported.
pub fn fields(text: &[u8]) -> Vec<String> {
    let arena = Arena::new();
    // Canonical text has none, and most clients write such text.
    if PullReader::of_bytes(text, &arena).is_canonical() {
        return Vec::new();
    }
    let reader = PullReader::of_bytes(text, &arena);
    let mut scan = Scan { reader, places: Vec::new(), marks: Marks::default(), found: Vec::new() };
    scan.enter();
    while scan.marks.noted.len() < MAX_COMPLAINTS && scan.step() {}
    scan.found
}

struct Scan<'t> {
    reader: PullReader<'t>,
    places: Vec<OpenContainer<'t>>,
    marks: Marks,
    found: Vec<String>,
}

/// A map or list around the place of the scan, with the mark of its own place.
struct OpenContainer<'t> {
    mark: u64,
    level: Level<'t>,
    inside: Inside<'t>,
}

enum Inside<'t> {
    Map { names: Names<'t>, name: &'t str },
    List { index: usize },
}

impl OpenContainer<'_> {
    /// The mark of the part where the scan is.
    fn here(&self, marks: &Marks) -> u64 {
        match &self.inside {
            Inside::Map { name, .. } => marks.hash.hash_one((self.mark, name)),
            Inside::List { index } => marks.hash.hash_one((self.mark, index)),
        }
    }
}

/// The names of a map. They are hashed from the first one on that does not come after the one before it.
#[derive(Default)]
struct Names<'t> {
    sorted: Vec<&'t str>,
    seen: HashSet<&'t str>,
}

impl<'t> Names<'t> {
    /// Adds a name; returns whether it was there before.
    fn is_repeated(&mut self, name: &'t str, level: &Level<'t>) -> bool {
        if level.is_sorted() {
            self.sorted.push(name);
            return false;
        }
        self.seen.extend(self.sorted.drain(..));
        !self.seen.insert(name)
    }
}

/// Hashes in place of paths, so that a long path is only written out when it is reported.
#[derive(Default)]
struct Marks {
    hash: RandomState,
    /// The places of repeated fields.
    noted: HashSet<u64>,
}

impl Scan<'_> {
    /// Goes on to the next member or item; false at the end of the text.
    fn step(&mut self) -> bool {
        let Some(OpenContainer { level, inside, .. }) = self.places.last_mut() else { return false };
        let mut is_repeated = false;
        let has_more = match inside {
            Inside::Map { names, name } => match self.reader.name(level) {
                Some(next) => {
                    *name = next;
                    is_repeated = names.is_repeated(next, level);
                    true
                }
                None => false,
            },
            Inside::List { index } => {
                *index = index.wrapping_add(1);
                self.reader.item(level)
            }
        };
        if !has_more {
            self.places.pop();
            return true;
        }
        if is_repeated {
            self.note();
        }
        self.enter();
        true
    }

    /// Passes over a scalar, or into a map or list.
    fn enter(&mut self) {
        let (level, inside) = match self.reader.start() {
            Start::Map => (self.reader.open_map(), Inside::Map { names: Names::default(), name: "" }),
            // The first step leads to the first item.
            Start::List => (self.reader.open_list(), Inside::List { index: usize::MAX }),
            _ => {
                self.reader.pass();
                return;
            }
        };
        let mark = self.places.last().map_or(0, |around| around.here(&self.marks));
        self.places.push(OpenContainer { mark, level, inside });
    }

    /// Notes the place of the scan. Different places may read alike, since a name can hold a dot.
    fn note(&mut self) {
        let Some(place) = self.places.last() else { return };
        let mark = place.here(&self.marks);
        if self.marks.noted.insert(mark) {
            let path = self.path();
            if !self.found.contains(&path) {
                self.found.push(path);
            }
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for place in &self.places {
            match &place.inside {
                Inside::Map { name, .. } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                }
                Inside::List { index } => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
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
