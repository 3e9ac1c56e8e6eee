//! The walk through a value that stands where an older one stood: what both have in common was looked at before.

use kubemerge_value::Cursor;

use super::{MapWant, Place, Walk, Want};

impl<'w> Walk<'w> {
    /// Goes through the next value, next to an old one in the same place that was as it should be.
    pub(super) fn changed(&mut self, mut old: Cursor<'w>, want: Place) -> bool {
        match &self.wants[want] {
            Want::Map(map) if old.take(b'{') => self.cursor.take(b'{') && self.changed_members(old, map),
            Want::List(items) if old.take(b'[') => self.cursor.take(b'[') && self.changed_items(old, *items),
            _ => self.value(want),
        }
    }

    /// Goes through new members, old ones and the names there may be side by side, since all are sorted.
    fn changed_members(&mut self, mut old: Cursor<'w>, map: &'w MapWant) -> bool {
        let mut rest = &map.members[..];
        let mut before = next_member(&mut old);
        while !self.cursor.take(b'}') {
            self.cursor.take(b',');
            let Some(name) = self.cursor.name() else { return false };
            let Some(want) = self.step(&mut rest, name).or(map.others) else { return false };
            while before.as_ref().is_some_and(|(older, _)| *older < name) {
                before = next_member(&mut old);
            }
            let sure = match before.take_if(|(older, _)| *older == name) {
                Some((_, older)) => self.next_to(older, want),
                None => self.value(want),
            };
            if !sure {
                return false;
            }
            before = before.or_else(|| next_member(&mut old));
        }
        self.pass_members(rest);
        true
    }

    fn changed_items(&mut self, mut old: Cursor<'w>, want: Place) -> bool {
        while !self.cursor.take(b']') {
            self.cursor.take(b',');
            let sure = match next_item(&mut old) {
                Some(older) => self.next_to(older, want),
                None => self.value(want),
            };
            if !sure {
                return false;
            }
        }
        true
    }

    /// Goes through the next value; what is the same as before is passed over.
    fn next_to(&mut self, older: Cursor<'w>, want: Place) -> bool {
        let mut behind = self.cursor.clone();
        if behind.value().rest() == older.rest() {
            self.cursor = behind;
            return true;
        }
        self.changed(older, want)
    }
}

/// The next member of an old map whose beginning was passed.
///
/// A name with escapes would leave the cursor before its value, where the next call would go astray. There is
/// none: the old text was accepted, and no walk accepts a map with such a name.
fn next_member<'w>(old: &mut Cursor<'w>) -> Option<(&'w [u8], Cursor<'w>)> {
    old.take(b',');
    let name = old.name()?;
    Some((name, old.value()))
}

/// The next item of a list whose beginning was passed.
fn next_item<'w>(old: &mut Cursor<'w>) -> Option<Cursor<'w>> {
    old.take(b',');
    (!matches!(old.next_byte(), 0 | b']')).then(|| old.value())
}
