//! Reading a whole object that is as it should be, and of which the text is canonical: one look at each byte.

use std::sync::Arc;

use kubemerge_value::{Excerpt, Spot};
use smallvec::SmallVec;

use super::{
    Default, Member, Pattern, Place, Walk, Want,
    memory::{Known, Last},
};
use crate::{
    object::{
        members::{Members, field_name},
        meta::{Field, Metadata},
    },
    store::beginning::start_of,
};

/// The parts of an object in which there is nothing to put right.
pub(crate) struct Sound {
    pub(crate) metadata: Metadata,
    pub(crate) fields: Members,
    /// The field below which there are defaults, if none is missing.
    pub(crate) complete: Option<Excerpt>,
}

impl Pattern {
    /// Reads the text of an object of this type. Where nothing is answered somebody must look closer.
    pub(crate) fn read(&self, text: &[u8], api_version: &str, kind: &str) -> Option<Sound> {
        let mut intake = Intake {
            pattern: self,
            walk: self.walk(text),
            last: self.memory.last(),
            metadata: [Spot::default(); Field::COUNT],
            fields: SmallVec::new(),
        };
        intake.object(api_version, kind)?;
        intake.finish()
    }
}

/// An object that is being read.
struct Intake<'i> {
    pattern: &'i Pattern,
    walk: Walk<'i>,
    last: Arc<Last>,
    metadata: [Spot; Field::COUNT],
    fields: SmallVec<[Found; 3]>,
}

/// A field that was read.
struct Found {
    /// Which of the pattern's fields it is.
    place: usize,
    spot: Spot,
    /// Whether no default is missing in it.
    complete: bool,
    /// Whether the last object had another one.
    new: bool,
}

impl<'i> Intake<'i> {
    fn object(&mut self, api_version: &str, kind: &str) -> Option<()> {
        self.walk.reader.open_map()?;
        while let Some(name) = self.walk.reader.name()? {
            let (place, field) = self.pattern.field(name)?;
            match name {
                b"apiVersion" => is_text(self.walk.reader.string()?, api_version)?,
                b"kind" => is_text(self.walk.reader.string()?, kind)?,
                b"metadata" => self.walk.metadata(field.want, &mut self.metadata)?,
                _ => self.field(place, field)?,
            }
        }
        Some(())
    }

    fn field(&mut self, place: usize, field: &'i Member) -> Option<()> {
        let start = self.walk.reader.here();
        let known = self.last.get(place).filter(|known| self.walk.reader.pass_same(&known.text.cursor()));
        let (complete, new) = match known {
            Some(known) => (known.complete, false),
            None => {
                self.walk.missing = false;
                self.walk.value(field.want)?;
                (!self.walk.missing, true)
            }
        };
        self.fields.push(Found { place, spot: self.walk.reader.span_from(start), complete, new });
        Some(())
    }

    fn finish(self) -> Option<Sound> {
        let document = Excerpt::from(self.walk.reader.finish()?);
        let mut sound = Sound {
            metadata: Metadata::at(&document, &self.metadata),
            fields: Members::with_capacity(self.fields.len() + 1),
            complete: None,
        };
        for found in self.fields {
            let (member, text) = (&self.pattern.fields[found.place], document.at(found.spot));
            if found.new {
                self.pattern
                    .memory
                    .learn(found.place, Known { text: text.clone(), complete: found.complete });
            }
            if found.complete && member.default == Default::Below {
                sound.complete = Some(text.clone());
            }
            sound.fields.push(field_name((&*member.name).into()), text);
        }
        Some(sound)
    }
}

impl Pattern {
    /// The field of a name, and which one it is.
    fn field(&self, name: &[u8]) -> Option<(usize, &Member)> {
        let start = start_of(name);
        self.fields.iter().enumerate().find(|(_, field)| field.start == start && field.is_named(name))
    }
}

fn is_text(text: &[u8], wanted: &str) -> Option<()> {
    (text == wanted.as_bytes()).then_some(())
}

impl Walk<'_> {
    /// Goes through metadata and notes where its fields are.
    fn metadata(&mut self, want: Place, spots: &mut [Spot; Field::COUNT]) -> Option<()> {
        let Want::Map(map) = &self.wants[want] else { return None };
        let (mut rest, mut fields) = (&map.members[..], Field::all());
        self.reader.open_map()?;
        while let Some(name) = self.reader.name()? {
            let want = self.step(&mut rest, name)?;
            let field = fields.find(|field| field.name().as_bytes() == name)?;
            let start = self.reader.here();
            self.value(want)?;
            spots[field as usize] = self.reader.span_from(start);
        }
        Some(())
    }
}
