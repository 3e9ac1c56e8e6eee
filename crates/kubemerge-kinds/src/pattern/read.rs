//! Reading a whole object that is valid and whose text is canonical: each byte is read once.

use kubemerge_value::{SharedValue, shared::ByteSpan};

use super::{FieldShape, Member, Pattern, ShapeId, Walk, name_prefix::name_prefix_u64};

/// The type that an object must have.
#[derive(Clone, Copy, Debug)]
pub struct TypeMeta<'t> {
    /// Group and version.
    pub api_version: &'t str,
    /// The kind.
    pub kind: &'t str,
}

/// The parts of an object that needs no change. `N` is the number of metadata fields.
pub struct ValidatedText<'p, const N: usize> {
    /// The text of the whole object.
    pub document: SharedValue,
    /// The values of the metadata fields, by index.
    pub metadata: [ByteSpan; N],
    /// All other fields, in order.
    pub fields: Vec<ReadField<'p>>,
    /// Whether no default is missing.
    pub is_complete: bool,
}

/// A top-level field that was read.
pub struct ReadField<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its value.
    pub span: ByteSpan,
}

impl Pattern {
    /// Reads the text of an object of this type; `metadata_index` gives each metadata field its index. None if the
    /// text is not canonical or needs the full check.
    pub fn read<'p, const N: usize>(
        &'p self,
        text: &'p [u8],
        wanted: TypeMeta<'_>,
        metadata_index: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<ValidatedText<'p, N>> {
        let mut walk = self.walk(text);
        // Most objects have spec and status, or data, and one more.
        let (mut metadata, mut fields) = ([ByteSpan::default(); N], Vec::with_capacity(3));
        walk.reader.open_map()?;
        while let Some(name) = walk.reader.name()? {
            let member = self.field(name)?;
            match name {
                b"apiVersion" => is_text(walk.reader.string()?, wanted.api_version)?,
                b"kind" => is_text(walk.reader.string()?, wanted.kind)?,
                b"metadata" => walk.metadata(member.shape, &mut metadata, &metadata_index)?,
                _ => {
                    let start = walk.reader.here();
                    walk.value(member.shape)?;
                    fields.push(ReadField { name: &member.name, span: walk.reader.span_from(start) });
                }
            }
        }
        let is_complete = !walk.missing;
        let document = SharedValue::from(walk.reader.finish()?);
        Some(ValidatedText { document, metadata, fields, is_complete })
    }

    fn field(&self, name: &[u8]) -> Option<&Member> {
        let prefix = name_prefix_u64(name);
        self.fields.iter().find(|field| field.prefix == prefix && field.is_named(name))
    }
}

fn is_text(text: &[u8], wanted: &str) -> Option<()> {
    (text == wanted.as_bytes()).then_some(())
}

impl Walk<'_> {
    /// Reads metadata and notes where its fields are.
    fn metadata(
        &mut self,
        shape: ShapeId,
        spans: &mut [ByteSpan],
        index: impl Fn(&[u8]) -> Option<usize>,
    ) -> Option<()> {
        let FieldShape::Map(map) = &self.shapes[shape] else { return None };
        let mut rest = &map.members[..];
        self.reader.open_map()?;
        while let Some(name) = self.reader.name()? {
            let shape = self.step(&mut rest, name)?;
            let at = index(name)?;
            let start = self.reader.here();
            self.value(shape)?;
            *spans.get_mut(at)? = self.reader.span_from(start);
        }
        Some(())
    }
}
