//! Fields that stand twice in one object of a JSON text.

use std::collections::HashSet;

/// The paths of repeated fields in a text that was checked to be JSON, each once.
pub(crate) fn fields(text: &[u8]) -> Vec<String> {
    let mut scan = Scan { text, at: 0, levels: Vec::new(), found: Vec::new() };
    while scan.step() {}
    scan.found
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    levels: Vec<Level>,
    found: Vec<String>,
}

enum Level {
    Map { seen: HashSet<String>, key: String, key_is_next: bool },
    List { index: usize },
}

impl Scan<'_> {
    /// Reads one token; false at the end.
    fn step(&mut self) -> bool {
        let Some(byte) = self.text.get(self.at).copied() else { return false };
        self.at += 1;
        match byte {
            b'{' => {
                self.levels.push(Level::Map { seen: HashSet::new(), key: String::new(), key_is_next: true });
            }
            b'[' => self.levels.push(Level::List { index: 0 }),
            b'}' | b']' => drop(self.levels.pop()),
            b',' => match self.levels.last_mut() {
                Some(Level::Map { key_is_next, .. }) => *key_is_next = true,
                Some(Level::List { index }) => *index += 1,
                None => {}
            },
            b'"' => self.string(),
            _ => {}
        }
        true
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
        let is_key = matches!(self.levels.last(), Some(Level::Map { key_is_next: true, .. }));
        if !is_key {
            return;
        }
        let name: String = serde_json::from_slice(&self.text[start..end]).unwrap_or_default();
        self.enter(name);
    }

    fn enter(&mut self, name: String) {
        let Some(Level::Map { seen, key, key_is_next }) = self.levels.last_mut() else { return };
        *key_is_next = false;
        *key = name.clone();
        if !seen.insert(name) {
            let path = self.path();
            if !self.found.contains(&path) {
                self.found.push(path);
            }
        }
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for level in &self.levels {
            match level {
                Level::Map { key, .. } => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(key);
                }
                Level::List { index } => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn repeated_fields_are_named_once() {
        let text =
            br#"{"a": 1, "b": {"c": "x\"y", "c": 2, "c": 3}, "l": [{"k": 1}, {"k": 1, "k": 2}], "a": "}"}"#;
        assert_eq!(fields(text), ["b.c", "l[1].k", "a"]);
        assert!(fields(br#"{"a": {"a": {"a": 1}}, "b": ["a", "a"]}"#).is_empty());
    }

    #[test]
    fn escaped_names_are_the_same_names() {
        assert_eq!(fields(br#"{"a": 1, "\u0061": 2}"#), ["a"]);
    }
}
