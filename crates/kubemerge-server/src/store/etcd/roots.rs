//! What a prefix in etcd holds besides objects, and how it is read at the start.

use std::sync::Arc;

use etcd_client::{Compare, CompareOp, GetOptions, KeyValue, Txn, TxnOp};

use super::{
    connection::{CallError, Connection, found, signed, unsigned},
    keys::{Keys, StateKey},
};
use crate::store::{Revision, StoreError, Stored, codec::Decoder};

/// The format that this version writes, and the newest that it reads.
const FORMAT: u64 = 1;
const FORMAT_NAME: &str = "kubemerge ";
const FIRST_GENERATION: u64 = 1;

/// How many objects are read at once.
const PAGE_OBJECTS: i64 = 250;

/// Which objects are the state, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Generation {
    pub(super) id: u64,
    /// When it became the state.
    pub(super) since: Revision,
}

/// What is known of the state at a revision of etcd.
#[derive(Clone, Copy, Debug)]
pub(super) struct Roots {
    /// The revision of etcd at which this was read.
    pub(super) revision: Revision,
    pub(super) generation: Generation,
    /// The newest write.
    pub(super) head: Revision,
    /// The oldest revision that may be read.
    pub(super) oldest: Revision,
}

impl Roots {
    /// Reads them; an empty prefix is taken into use.
    pub(super) async fn open(connection: &Connection, keys: &Keys) -> Result<Roots, StoreError> {
        if let Some(roots) = Self::read(connection, keys).await? {
            return Ok(roots);
        }
        initialize(connection, keys).await?;
        let missing = || StoreError::new(format!("{} was emptied while it was opened", keys.prefix()));
        Self::read(connection, keys).await?.ok_or_else(missing)
    }

    /// None if the prefix is empty.
    pub(super) async fn read(connection: &Connection, keys: &Keys) -> Result<Option<Roots>, StoreError> {
        let any = GetOptions::new().with_prefix().with_limit(1).with_keys_only();
        let names = [keys.format(), keys.head(), keys.generation(), keys.oldest(), keys.compaction()];
        let mut reads: Vec<TxnOp> = names.into_iter().map(|name| TxnOp::get(name, None)).collect();
        reads.push(TxnOp::get(keys.all(), Some(any)));
        // In one transaction: other replicas may be starting, too.
        let answered = connection.txn(Txn::new().and_then(reads)).await?;
        let revision = answered.header().map_or(0, |header| unsigned(header.revision()));
        let values: [Option<KeyValue>; 6] = found(&answered)
            .try_into()
            .map_err(|_| StoreError::new("etcd did not answer all parts of a transaction"))?;
        let [format, head, generation, oldest, compaction, any] = values;
        if any.is_none() {
            return Ok(None);
        }
        check_format(keys, format.as_ref())?;
        let (Some(head), Some(generation)) = (head, generation) else { return Err(foreign(keys)) };
        Ok(Some(Roots {
            revision,
            generation: Generation { id: number(&generation), since: unsigned(generation.mod_revision()) },
            head: unsigned(head.mod_revision()),
            oldest: oldest.iter().chain(&compaction).map(number).max().unwrap_or(0),
        }))
    }
}

/// The number that a key holds; 0 if it holds something else.
pub(super) fn number(value: &KeyValue) -> u64 {
    value.value_str().ok().and_then(|text| text.parse().ok()).unwrap_or(0)
}

fn check_format(keys: &Keys, format: Option<&KeyValue>) -> Result<(), StoreError> {
    let text = format.and_then(|format| format.value_str().ok()).unwrap_or_default();
    match text.strip_prefix(FORMAT_NAME).and_then(|number| number.parse::<u64>().ok()) {
        Some(FORMAT) => Ok(()),
        Some(newer) if newer > FORMAT => Err(StoreError::new(format!(
            "{} in etcd has format {newer}, which a newer version of kubemerge writes; this one reads formats up to \
             {FORMAT}: use the newer version, or another prefix",
            keys.prefix()
        ))),
        _ => Err(foreign(keys)),
    }
}

fn foreign(keys: &Keys) -> StoreError {
    StoreError::new(format!(
        "{} in etcd holds data of another program: choose another prefix, as in etcd://HOST:PORT/PREFIX",
        keys.prefix()
    ))
}

async fn initialize(connection: &Connection, keys: &Keys) -> Result<(), StoreError> {
    let writes = [
        TxnOp::put(keys.format(), format!("{FORMAT_NAME}{FORMAT}"), None),
        TxnOp::put(keys.generation(), FIRST_GENERATION.to_string(), None),
        TxnOp::put(keys.head(), "", None),
    ];
    // Another replica may be faster, which is as good.
    let is_new = Compare::version(keys.format(), CompareOp::Equal, 0);
    connection.txn(Txn::new().when([is_new]).and_then(writes)).await?;
    Ok(())
}

/// All objects of a generation as they were at a revision.
pub(super) async fn load(
    connection: &Connection,
    keys: &Keys,
    generation: u64,
    at: Revision,
) -> Result<Vec<(Arc<str>, Stored)>, CallError> {
    let objects = keys.objects(generation);
    let mut decoder = Decoder::default();
    let (mut items, mut from) = (Vec::new(), objects.clone().into_bytes());
    loop {
        let options =
            GetOptions::new().with_range(end_of(&objects)).with_revision(signed(at)).with_limit(PAGE_OBJECTS);
        let page = connection.get(from, options).await?;
        for value in page.kvs() {
            items.push(read_object(keys, value, &mut decoder).map_err(CallError::Failed)?);
        }
        match page.kvs().last() {
            // The smallest key after the last one.
            Some(last) if page.more() => from = [last.key(), b"\0"].concat(),
            _ => return Ok(items),
        }
    }
}

fn read_object(
    keys: &Keys,
    value: &KeyValue,
    decoder: &mut Decoder,
) -> Result<(Arc<str>, Stored), StoreError> {
    let Some(StateKey::Object { key, .. }) = keys.read(value.key()) else { return Err(damaged(value.key())) };
    let record = decoder.decode_record(value.value()).ok_or_else(|| damaged(value.key()))?;
    Ok((key.into(), Stored { record, revision: unsigned(value.mod_revision()) }))
}

pub(super) fn damaged(key: &[u8]) -> StoreError {
    StoreError::new(format!(
        "the value of {} in etcd cannot be read: another program wrote it; delete it, or restore a dump below another \
         prefix",
        String::from_utf8_lossy(key)
    ))
}

/// The first key after all that begin with this text, which ends with a slash.
fn end_of(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}
