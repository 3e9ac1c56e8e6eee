//! The fields of the last object that was read. Controllers make their objects from templates, so that one is like
//! the other in all but its metadata; and what is the same as before need not be looked at again.

use std::sync::{Arc, PoisonError, RwLock};

use kubemerge_value::Excerpt;

/// A text that matches the pattern.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) text: Excerpt,
    /// Whether no default is missing in it.
    pub(super) complete: bool,
}

/// What is known of the last object: fields by their place in the pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Last(Vec<Option<Known>>);

impl Last {
    pub(super) fn get(&self, place: usize) -> Option<&Known> {
        self.0.get(place)?.as_ref()
    }
}

/// Fields of longer documents are not remembered: a field holds its whole document.
const LENGTH_MOST: usize = 64 * 1024;

#[derive(Debug, Default)]
pub(super) struct Memory(RwLock<Arc<Last>>);

impl Memory {
    pub(super) fn last(&self) -> Arc<Last> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Remembers a field.
    pub(super) fn learn(&self, place: usize, known: Known) {
        if known.text.document().as_bytes().len() > LENGTH_MOST {
            return;
        }
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let last = Arc::make_mut(&mut held);
        if last.0.len() <= place {
            last.0.resize(place + 1, None);
        }
        last.0[place] = Some(known);
    }
}
