//! Records as bytes, and entries of a log: a key, and the record that was written or nothing if it was removed.
//!
//! Texts have their length before them, numbers are little-endian. The owners of fields are kept as they are, since
//! their texts are already in the form that they have in memory.

use std::{collections::HashSet, sync::Arc};

use kubemerge_ssa::managed_fields::{FieldsV1, ManagedFields, ManagedFieldsEntry, Operation, Time};
use kubemerge_value::Canonical;

use crate::store::{Ownership, Record};

/// What the first byte of an entry says.
#[cfg(feature = "file-store")]
const REMOVED: u8 = 0;
#[cfg(feature = "file-store")]
const WRITTEN: u8 = 1;

const APPLY: u8 = 0;
const UPDATE: u8 = 1;

/// How many texts a decoder keeps to share them; a process that reads for ever must not keep all of them.
const MAX_SHARED_TEXTS: usize = 1 << 16;

/// Appends an entry.
#[cfg(feature = "file-store")]
pub(super) fn encode(key: &str, record: Option<&Record>, out: &mut Vec<u8>) {
    out.push(if record.is_some() { WRITTEN } else { REMOVED });
    put_text(key, out);
    if let Some(record) = record {
        encode_record(record, out);
    }
}

/// Appends a record.
pub(super) fn encode_record(record: &Record, out: &mut Vec<u8>) {
    put_bytes(record.canonical().as_bytes(), out);
    put_count(record.owners().len(), out);
    record.owners().iter().for_each(|owner| put_text(owner, out));
    let entries = record.ownership().entries().entries();
    put_count(entries.len(), out);
    entries.iter().for_each(|entry| put_managed(entry, out));
}

fn put_managed(entry: &ManagedFieldsEntry, out: &mut Vec<u8>) {
    out.push(match entry.operation {
        Operation::Apply => APPLY,
        Operation::Update => UPDATE,
    });
    for text in [&*entry.manager, &*entry.api_version, &*entry.subresource, entry.fields.as_str()] {
        put_text(text, out);
    }
    out.push(u8::from(entry.time.is_some()));
    out.extend_from_slice(&entry.time.map_or(0, |time| time.0).to_le_bytes());
}

fn put_text(text: &str, out: &mut Vec<u8>) {
    put_bytes(text.as_bytes(), out);
}

fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_count(bytes.len(), out);
    out.extend_from_slice(bytes);
}

fn put_count(count: usize, out: &mut Vec<u8>) {
    // Bodies of requests have a limit far below.
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

/// Reads entries. Texts that many objects have in common are kept once: names of managers and sets of fields.
#[derive(Default)]
pub(super) struct Decoder {
    names: HashSet<Arc<str>>,
    fields: std::collections::HashMap<Box<str>, FieldsV1>,
}

impl Decoder {
    /// The record of these bytes; none if they are not one.
    #[cfg(feature = "etcd")]
    pub(super) fn decode_record(&mut self, bytes: &[u8]) -> Option<Record> {
        let mut rest = Rest(bytes);
        let record = self.record(&mut rest)?;
        rest.0.is_empty().then_some(record)
    }

    /// The key and the record of an entry; none if the bytes are not an entry.
    #[cfg(feature = "file-store")]
    pub(super) fn decode<'b>(&mut self, bytes: &'b [u8]) -> Option<(&'b str, Option<Record>)> {
        let mut rest = Rest(bytes);
        let kind = rest.byte()?;
        let key = rest.text()?;
        let record = match kind {
            REMOVED => None,
            WRITTEN => Some(self.record(&mut rest)?),
            _ => return None,
        };
        rest.0.is_empty().then_some((key, record))
    }

    fn record(&mut self, rest: &mut Rest<'_>) -> Option<Record> {
        let text = Canonical::from_bytes(rest.bytes()?).ok()?;
        let owners = (0..rest.count()?).map(|_| Some(rest.text()?.to_string())).collect::<Option<_>>()?;
        let entries: Option<Vec<_>> = (0..rest.count()?).map(|_| self.managed(rest)).collect();
        Some(Record::new(text, owners, Ownership::new(ManagedFields::as_listed(entries?))))
    }

    fn managed(&mut self, rest: &mut Rest<'_>) -> Option<ManagedFieldsEntry> {
        let operation = match rest.byte()? {
            APPLY => Operation::Apply,
            UPDATE => Operation::Update,
            _ => return None,
        };
        let [manager, api_version, subresource] = [rest.text()?, rest.text()?, rest.text()?];
        let fields = rest.text()?;
        let has_time = rest.byte()? == 1;
        let seconds = i64::from_le_bytes(rest.array()?);
        Some(ManagedFieldsEntry {
            manager: self.name(manager),
            operation,
            api_version: self.name(api_version),
            subresource: self.name(subresource),
            time: has_time.then_some(Time(seconds)),
            fields: self.fields(fields),
        })
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Arc<str> = text.into();
        if self.names.len() == MAX_SHARED_TEXTS {
            self.names.clear();
        }
        self.names.insert(name.clone());
        name
    }

    fn fields(&mut self, text: &str) -> FieldsV1 {
        if let Some(known) = self.fields.get(text) {
            return known.clone();
        }
        let fields = FieldsV1::trusted(text.into());
        if self.fields.len() == MAX_SHARED_TEXTS {
            self.fields.clear();
        }
        self.fields.insert(text.into(), fields.clone());
        fields
    }
}

/// The bytes that are left.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*array)
    }

    fn byte(&mut self) -> Option<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// A count of things that follow. Each takes a byte at least, so that a wrong count reserves no memory.
    fn count(&mut self) -> Option<usize> {
        let count = u32::from_le_bytes(self.array()?) as usize;
        (count <= self.0.len()).then_some(count)
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let length = self.count()?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<&'b str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

#[cfg(all(test, feature = "file-store"))]
mod tests {
    use super::*;

    fn record() -> Record {
        let text = r#"{"apiVersion":"v1","kind":"K","metadata":{"name":"c"}}"#;
        let entry = |operation, time| ManagedFieldsEntry {
            manager: "m".into(),
            operation,
            api_version: "v1".into(),
            subresource: "status".into(),
            time,
            fields: FieldsV1::trusted(r#"{"f:data":{}}"#.into()),
        };
        let entries = vec![entry(Operation::Apply, None), entry(Operation::Update, Some(Time(-7)))];
        let ownership = Ownership::new(ManagedFields::as_listed(entries));
        Record::new(
            Canonical::from_bytes(text.as_bytes()).unwrap(),
            vec!["u1".into(), "u2".into()],
            ownership,
        )
    }

    fn encoded(record: Option<&Record>) -> Vec<u8> {
        let mut out = Vec::new();
        encode("/configmaps/default/c", record, &mut out);
        out
    }

    #[test]
    fn what_is_written_is_read() {
        let (record, mut decoder) = (record(), Decoder::default());
        let bytes = encoded(Some(&record));
        let (key, read) = decoder.decode(&bytes).unwrap();
        let read = read.unwrap();
        assert_eq!(key, "/configmaps/default/c");
        assert_eq!(read.render(7), record.render(7));
        assert_eq!(read.owners(), record.owners());
        assert_eq!(read.ownership(), record.ownership());
        assert!(decoder.decode(&encoded(None)).unwrap().1.is_none());
    }

    #[test]
    fn other_bytes_are_no_entry() {
        let bytes = encoded(Some(&record()));
        for end in 0..bytes.len() {
            assert!(Decoder::default().decode(&bytes[..end]).is_none(), "cut after {end} bytes");
        }
        let longer = [&bytes[..], b"x"].concat();
        assert!(Decoder::default().decode(&longer).is_none());
        let mut seed = fastrand::Rng::with_seed(7);
        for _ in 0..2000 {
            let mut damaged = bytes.clone();
            let place = seed.usize(..damaged.len());
            damaged[place] = seed.u8(..);
            // Whatever it is read as: it must neither panic nor reserve absurd amounts of memory.
            Decoder::default().decode(&damaged);
        }
    }
}
