//! Members and elements by pointer: the four things that operations do with them.

use super::{
    fault::{MISSING, OperationFault},
    pointer::{self, NoIndex, Pointer},
    tree::{Part, Slot, Tree},
};
use kubemerge_value::Str;

/// The member or element that a pointer names.
pub(super) struct Target<'a> {
    pub(super) container: Part,
    pub(super) key: &'a str,
    /// How many members and indices lead there.
    pub(super) level: usize,
}

impl<'a> Tree<'a> {
    /// Follows a pointer to the container of what it names.
    pub(super) fn find(&mut self, root: Part, pointer: &'a str) -> Option<Target<'a>> {
        let Pointer { parents, key } = pointer::split(pointer, self.arena)?;
        let level = parents.len() + 1;
        let mut container = root;
        for parent in parents {
            let next = self.get(&Target { container, key: parent, level: 0 }).ok()??;
            match self.open(next) {
                Slot::Map(_) | Slot::List(_) | Slot::CopiedNull => container = next,
                // A scalar has nothing below it.
                Slot::Closed(..) | Slot::GivenNull => return None,
            }
        }
        Some(Target { container, key, level })
    }

    /// The value in a container; `None` for nothing, and for a null of the document.
    pub(super) fn get(&mut self, target: &Target<'a>) -> Result<Option<Part>, OperationFault> {
        let found = match self.slot(target.container) {
            Slot::List(open) => {
                let at = existing_index(target.key, open.len())?;
                self.element(target.container, at)
            }
            _ => self.member(target.container, Str::plain(target.key)),
        };
        // Upstream: a null of the document counts as absent.
        Ok(found.filter(|part| !self.is_null(*part)))
    }

    /// Gives an existing element, or a member, another value.
    pub(super) fn set(&mut self, target: &Target<'a>, value: Part) -> Result<(), OperationFault> {
        match self.slot(target.container) {
            Slot::List(open) => {
                let at = existing_index(target.key, open.len())?;
                self.set_element(target.container, at, value);
                Ok(())
            }
            _ => self.put(target, value),
        }
    }

    /// Adds a member or inserts an element.
    pub(super) fn insert(&mut self, target: &Target<'a>, value: Part) -> Result<(), OperationFault> {
        let Slot::List(open) = self.slot(target.container) else {
            return self.put(target, value);
        };
        let length = open.len();
        let at = match target.key {
            // The position after the last element.
            "-" => length,
            key => existing_index(key, length + 1).map_err(|fault| not_an_index(fault, key))?,
        };
        self.insert_element(target.container, at, value);
        Ok(())
    }

    fn put(&mut self, target: &Target<'a>, value: Part) -> Result<(), OperationFault> {
        if let Slot::CopiedNull = self.slot(target.container) {
            return Err(OperationFault::new("the parent is a copy of a null")
                .with_hint("Kubernetes' API server crashes on it: add an object there first"));
        }
        self.put_member(target.container, Str::plain(target.key), value);
        Ok(())
    }

    /// Removes a member or an element.
    pub(super) fn take(&mut self, target: &Target<'a>) -> Result<(), OperationFault> {
        if let Slot::List(open) = self.slot(target.container) {
            let at = existing_index(target.key, open.len())?;
            self.remove_element(target.container, at);
            return Ok(());
        }
        if self.remove_member(target.container, Str::plain(target.key)) {
            return Ok(());
        }
        Err(OperationFault::new(format!("Unable to remove nonexistent key: {}: {MISSING}", target.key)))
    }
}

/// The position of an element that exists; negative indices count from the end.
fn existing_index(token: &str, length: usize) -> Result<usize, OperationFault> {
    let index = pointer::index(token).map_err(|NoIndex(text)| OperationFault::new(text))?;
    let length = i64::try_from(length).unwrap_or(i64::MAX);
    if index >= length || index < -length {
        return Err(OperationFault::new(format!(
            "Unable to access invalid index: {index}: invalid index referenced"
        )));
    }
    let at = if index < 0 { index + length } else { index };
    // Between 0 and the length, after the test above.
    Ok(usize::try_from(at).unwrap_or_default())
}

/// A token that is no index at all gets another message when something is to be added there.
fn not_an_index(fault: OperationFault, token: &str) -> OperationFault {
    if pointer::index(token).is_ok() {
        return fault;
    }
    fault.within(format_args!("value was not a proper array index: '{token}'"))
}
