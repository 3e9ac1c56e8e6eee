//! Finds the place of a field path in the text, so that errors about values can point into the file.

use super::expand::Member;
use super::tree::{ItemId, Place, Value, YamlDocument};

/// Where a path leads.
#[derive(Clone, Copy, Debug)]
pub struct YamlLocation<'d, 't> {
    /// The key, if the last step of the path is a map member.
    pub key: Option<Place<'d, 't>>,
    /// The value. For an alias it is the value that the alias refers to.
    pub value: Place<'d, 't>,
}

impl<'t> YamlDocument<'t> {
    /// The place of a path such as `spec.containers[0].image` or `metadata.labels[app.kubernetes.io/name]`.
    ///
    /// The empty path is the whole document. `None` if the path leads nowhere.
    #[must_use]
    pub fn locate(&self, path: &str) -> Option<YamlLocation<'_, 't>> {
        let (location, rest) = self.follow(path);
        rest.is_empty().then_some(location)
    }

    /// Like [`YamlDocument::locate`], but stops at the last place on the way that exists.
    #[must_use]
    pub fn locate_nearest(&self, path: &str) -> YamlLocation<'_, 't> {
        self.follow(path).0
    }

    /// Goes as far as the path leads; the rest of the path is what was not found.
    fn follow<'p>(&self, path: &'p str) -> (YamlLocation<'_, 't>, &'p str) {
        let place = |id| Place { document: self, id };
        let mut location = YamlLocation { key: None, value: place(self.root().id) };
        let mut rest = path;
        while !rest.is_empty() {
            // The nearest place that exists is still useful to point at.
            let Some((key, value, tail)) = self.step(location.value.id, rest) else { break };
            location = YamlLocation { key: key.map(place), value: place(self.resolve_alias(value)) };
            rest = tail;
        }
        (location, rest)
    }

    /// Takes the first step of a path: key, value and what is left of the path.
    fn step<'p>(&self, at: ItemId, path: &'p str) -> Option<(Option<ItemId>, ItemId, &'p str)> {
        match self.item(at).value {
            Value::List => {
                let (index, tail) = path.strip_prefix('[')?.split_once(']')?;
                let element = self.children(at).nth(index.parse().ok()?)?;
                Some((None, element, tail))
            }
            Value::Map => {
                let (member, tail) =
                    // Names in brackets may contain brackets, so every possible end is tried.
                    candidates(path).find_map(|(key, tail)| Some((self.member(at, key)?, tail)))?;
                Some((Some(member.0), member.1, tail))
            }
            _ => None,
        }
    }

    /// The member in effect, merges and overrides considered.
    fn member(&self, map: ItemId, key: &str) -> Option<(ItemId, ItemId)> {
        if !self.item(map).mark.overrides {
            return self.entries(map).find(|(candidate, _)| self.key_text(*candidate) == key);
        }
        let members = self.members(map).ok()?;
        members
            .iter()
            .find(|member| self.key_text(member.key) == key)
            .map(|Member { key, value, .. }| (*key, *value))
    }
}

/// The keys a path may start with, and what follows each. A key in brackets may itself hold brackets.
fn candidates(path: &str) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
    if let Some(bracketed) = path.strip_prefix('[') {
        let closings = bracketed.match_indices(']');
        return Box::new(
            closings.filter_map(move |(at, _)| Some((bracketed.get(..at)?, bracketed.get(at + 1..)?))),
        );
    }
    let path = path.strip_prefix('.').unwrap_or(path);
    let end = path.find(['.', '[']).unwrap_or(path.len());
    Box::new(std::iter::once(path.split_at(end)))
}
