//! Fingerprints: equal values have equal numbers, whatever their text, order of members or aliases.

use std::hash::{BuildHasher, Hash, Hasher};

use hashbrown::DefaultHashBuilder;

use crate::error::YamlError;
use crate::expand::Budget;
use crate::tree::{ItemId, Value, YamlDocument};
use kubemerge_value::part::item_at;
use kubemerge_value::write::write_number;

/// Makes fingerprints that can be compared with each other, not with those of another value of this type: the seed is random,
/// so that no text can be written in which different values have the same number.
#[derive(Default)]
pub(super) struct Fingerprints {
    hashes: DefaultHashBuilder,
}

impl Fingerprints {
    /// The fingerprint of every item of a document.
    ///
    /// An alias comes after the whole of its target, so one walk in reading order, closing each collection
    /// after its last child, finds every part ready.
    pub(super) fn of_items(&self, document: &YamlDocument<'_>) -> Result<Vec<u64>, YamlError> {
        let mut found = vec![0; document.items.len()];
        let mut open: Vec<ItemId> = Vec::new();
        let mut budget = Budget::of(document);
        for id in 0..document.items.len() as ItemId {
            // Items are in reading order, so a collection is complete when the next item is outside it.
            while let Some(last) = open.pop_if(|last| document.item(*last).next <= id) {
                let hash = self.collection(document, last, &found, &mut budget)?;
                set(&mut found, last, hash);
            }
            let hash = match &document.item(id).value {
                Value::List | Value::Map => {
                    open.push(id);
                    continue;
                }
                Value::Alias(target) => at(&found, *target),
                scalar => self.scalar(scalar),
            };
            set(&mut found, id, hash);
        }
        while let Some(last) = open.pop() {
            let hash = self.collection(document, last, &found, &mut budget)?;
            set(&mut found, last, hash);
        }
        Ok(found)
    }

    fn collection(
        &self,
        document: &YamlDocument<'_>,
        id: ItemId,
        found: &[u64],
        budget: &mut Budget,
    ) -> Result<u64, YamlError> {
        let item = document.item(id);
        if item.value == Value::List {
            return Ok(self.hash(|hasher| {
                // A different number for each kind, or `[]` and `{}` would be equal.
                1u8.hash(hasher);
                document.children(id).for_each(|child| at(found, child).hash(hasher));
            }));
        }
        let member = |key, value| {
            self.hash(|hasher| {
                document.key_text(key).hash(hasher);
                at(found, value).hash(hasher);
            })
        };
        // Members count in any order.
        let members = if item.mark.overrides {
            let members = document.members_within(id, budget)?;
            members.iter().fold(0u64, |sum, item| sum.wrapping_add(member(item.key, item.value)))
        } else {
            document.entries(id).fold(0u64, |sum, (key, value)| sum.wrapping_add(member(key, value)))
        };
        Ok(self.hash(|hasher| (2u8, members).hash(hasher)))
    }

    fn scalar(&self, scalar: &Value<'_>) -> u64 {
        self.hash(|hasher| match scalar {
            Value::String(text) => (3u8, text).hash(hasher),
            Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Literal(_) => {
                // 1 and 1.0 are one value for Kubernetes.
                let mut canonical = Vec::new();
                write_number(scalar.json_text().as_bytes(), &mut canonical);
                (4u8, canonical).hash(hasher);
            }
            other => (5u8, other.json_text()).hash(hasher),
        })
    }

    fn hash(&self, feed: impl FnOnce(&mut <DefaultHashBuilder as BuildHasher>::Hasher)) -> u64 {
        let mut hasher = self.hashes.build_hasher();
        feed(&mut hasher);
        hasher.finish()
    }
}

/// The fingerprint of an item.
pub(super) fn at(fingerprints: &[u64], id: ItemId) -> u64 {
    *item_at(fingerprints, id as usize)
}

fn set(fingerprints: &mut [u64], id: ItemId, fingerprint: u64) {
    if let Some(place) = fingerprints.get_mut(id as usize) {
        *place = fingerprint;
    }
}
