//! Brings results to standard output, or back into the files.

use super::Destination;
use super::apply::{Change, PatchedFile};
use crate::failure::{Outcome, Result};
use crate::output::Output;
use crate::render;
use crate::staged::Staged;

/// Whether results may be written at once, or wait until everything is known to be well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    Nothing,
    Everything,
}

/// Takes results in the order of the files.
pub(super) struct Writer {
    destination: Destination,
    hold: Hold,
    out: Output,
    held: String,
    staged: Vec<Staged>,
    objects: usize,
    changed: usize,
}

impl Writer {
    pub(super) fn new(destination: Destination, hold: Hold) -> Writer {
        let (out, held, staged) = (Output::new(), String::new(), Vec::new());
        Writer { destination, hold, out, held, staged, objects: 0, changed: 0 }
    }

    pub(super) fn take(&mut self, file: PatchedFile) -> Result<()> {
        let changed: Vec<&str> = file
            .objects
            .iter()
            .filter(|object| object.change == Change::Some)
            .map(|object| object.title.as_str())
            .collect();
        self.changed += changed.len();
        match self.destination {
            Destination::Yaml => file.objects.iter().for_each(|object| self.yaml(&object.json)),
            Destination::Json | Destination::Patch => {
                file.objects.iter().for_each(|object| self.held.push_str(&render::pretty_json(&object.json)));
            }
            Destination::Diff => self.diff(&file),
            Destination::Check => changed.iter().for_each(|title| self.held.push_str(&format!("{title}\n"))),
            Destination::InPlace => self.staged.extend(file.staged),
        }
        self.objects += file.objects.len();
        if self.hold == Hold::Nothing {
            self.out.text(&self.held)?;
            self.held.clear();
        }
        Ok(())
    }

    fn yaml(&mut self, json: &[u8]) {
        if self.objects > 0 || !self.held.is_empty() {
            self.held.push_str("---\n");
        }
        self.held.push_str(&render::yaml(json));
    }

    fn diff(&mut self, file: &PatchedFile) {
        if let Some([before, after]) = &file.texts {
            self.held.push_str(&render::unified_diff(&file.name, before, after));
        }
    }

    /// Writes what was held back.
    pub(super) fn finish(mut self) -> Result {
        self.out.text(&self.held)?;
        self.out.finish()?;
        let files = self.staged.len();
        for staged in self.staged {
            staged.commit()?;
        }
        if self.destination == Destination::InPlace {
            let (objects, files) = (counted(self.objects, "object"), counted(files, "file"));
            eprintln!("{} of {objects} changed, in {files}", self.changed);
        }
        let found = self.destination == Destination::Check && self.changed > 0;
        Ok(if found { Outcome::Found } else { Outcome::Done })
    }
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
