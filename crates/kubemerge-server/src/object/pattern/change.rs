//! The walk through a value that stands where an older one stood: what both have in common was looked at before.

use kubemerge_value::{Cursor, Difference, Excerpt};

use super::{MapWant, Place, Walk, Want};

/// A text that was as it should be, with no default missing, in whose place another one stands now.
#[derive(Clone, Copy)]
pub(crate) struct Older<'o> {
    pub(crate) text: &'o Excerpt,
    /// How many bytes at the end of both are the same.
    pub(crate) common_end: usize,
}

impl<'o> Older<'o> {
    /// Compares a text with the one that stands in its place now.
    pub(crate) fn than(new: &Excerpt, text: &'o Excerpt) -> Self {
        Older { text, common_end: Difference::between(text.as_bytes(), new.as_bytes()).common_end() }
    }
}

/// A walk through new and old text side by side.
pub(super) struct Comparison<'w, 's> {
    walk: &'s mut Walk<'w>,
    old: Cursor<'w>,
    /// How many bytes both texts end with.
    common_end: usize,
}

/// How far a comparison came.
#[derive(PartialEq, Eq)]
pub(super) enum Progress {
    /// Behind the value.
    Behind,
    /// To a place from which on both texts are the same: nothing else is to be looked at.
    ToTheSame,
}

impl<'w, 's> Comparison<'w, 's> {
    pub(super) fn new(walk: &'s mut Walk<'w>, older: Older<'w>) -> Self {
        Comparison { walk, old: older.text.cursor(), common_end: older.common_end }
    }

    /// Goes through the next value of both texts.
    pub(super) fn value(&mut self, want: Place) -> Option<Progress> {
        match &self.walk.wants[want] {
            Want::Map(map) if self.old.take(b'{') => self.members(map),
            Want::List(items) if self.old.take(b'[') => self.items(*items),
            _ => {
                self.old.pass();
                self.walk.value(want)?;
                Some(Progress::Behind)
            }
        }
    }

    /// Goes through new members, old ones and the names there may be side by side, since all are sorted.
    fn members(&mut self, map: &'w MapWant) -> Option<Progress> {
        self.walk.reader.open_map()?;
        let mut rest = &map.members[..];
        let mut older = self.next_old_name();
        while let Some(name) = self.walk.reader.name()? {
            let want = self.walk.step(&mut rest, name).or(map.others)?;
            while older.is_some_and(|older| older < name) {
                self.old.pass();
                older = self.next_old_name();
            }
            if older != Some(name) {
                self.walk.value(want)?;
                continue;
            }
            if self.next_to(want)? == Progress::ToTheSame {
                return Some(Progress::ToTheSame);
            }
            older = self.next_old_name();
        }
        while older.is_some() {
            self.old.pass();
            older = self.next_old_name();
        }
        self.walk.pass_members(rest);
        Some(Progress::Behind)
    }

    fn items(&mut self, want: Place) -> Option<Progress> {
        self.walk.reader.open_list()?;
        let mut is_older = self.next_old_item();
        while self.walk.reader.item()? {
            if !is_older {
                self.walk.value(want)?;
                continue;
            }
            if self.next_to(want)? == Progress::ToTheSame {
                return Some(Progress::ToTheSame);
            }
            is_older = self.next_old_item();
        }
        while is_older {
            self.old.pass();
            is_older = self.next_old_item();
        }
        Some(Progress::Behind)
    }

    /// Goes through the next value in the same place of both texts; what is the same as before is passed over.
    fn next_to(&mut self, want: Place) -> Option<Progress> {
        let left = self.walk.reader.left();
        if left == self.old.rest().len() && left <= self.common_end {
            return Some(Progress::ToTheSame);
        }
        let mut behind = self.old.clone();
        if self.walk.reader.pass_same(&behind.value()) {
            self.old = behind;
            return Some(Progress::Behind);
        }
        self.value(want)
    }

    /// The name of the next member of an old map, or none behind its end.
    ///
    /// A name with escapes would leave the cursor before its value, where the next call would go astray. There is
    /// none: the old text was accepted, and no walk accepts a map with such a name.
    fn next_old_name(&mut self) -> Option<&'w [u8]> {
        self.old.take(b',');
        if self.old.take(b'}') { None } else { self.old.name() }
    }

    /// Whether an old list has another item; if not, its end is passed.
    fn next_old_item(&mut self) -> bool {
        self.old.take(b',');
        !self.old.take(b']')
    }
}
