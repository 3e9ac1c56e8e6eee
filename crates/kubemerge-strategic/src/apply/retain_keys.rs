//! `$retainKeys`: the fields of a map that survive.

use super::{Merger, Mode};
use crate::{
    directive::{MapPatch, RETAIN_KEYS},
    error::{MergeError, MergeErrorKind},
    go_text::go_text,
    observe::{MaybeObserver, MergeEvent, Removal},
};
use hashbrown::HashSet;
use kubemerge_value::{Kind, MapEdit, Node, Path, Str, deep_equal};

impl<'a, O: MaybeObserver> Merger<'a, '_, O> {
    /// Checks the directive and drops every live field that it does not name.
    pub(super) fn retain_keys(
        &mut self,
        edit: &mut MapEdit<'a>,
        live: Option<Node<'a>>,
        patch: &MapPatch<'a>,
        path: &Path<'_>,
    ) -> Result<(), MergeError> {
        let Some(directive) = patch.retain_keys else { return Ok(()) };
        let here = path.field(RETAIN_KEYS.into());
        if self.mode == Mode::Combine {
            return keep_directive(edit, directive, &here);
        }
        let names = self.names(directive, &here)?;
        // The patch is checked before live fields are dropped: nothing is half applied.
        check_fields(patch, &names, path)?;
        self.note_dropped(live, &names, path);
        edit.retain(|key| names.contains(&key));
        Ok(())
    }

    fn names(&self, directive: Node<'a>, path: &Path<'_>) -> Result<HashSet<Str<'a>>, MergeError> {
        if directive.kind() != Kind::List {
            return Err(invalid(path).with_hint("$retainKeys is a list of field names"));
        }
        let mut names = HashSet::new();
        for (at, element) in directive.elements(self.arena).iter().enumerate() {
            match element.as_str() {
                Some(name) => _ = names.insert(name),
                None if self.strategy.requires_retained_names() => {
                    return Err(invalid(path).with_hint("every element of $retainKeys is a field name"));
                }
                None if element.scalar().is_none() => return Err(uncomparable(&path.index(at))),
                None => {}
            }
        }
        Ok(names)
    }

    fn note_dropped(&mut self, live: Option<Node<'a>>, names: &HashSet<Str<'a>>, path: &Path<'_>) {
        if !O::WATCHES {
            return;
        }
        for entry in live.map_or(&[][..], |live| live.entries(self.arena)) {
            if !names.contains(&entry.key) {
                let event = MergeEvent::Removed { value: entry.value, cause: Removal::RetainKeys };
                self.observer.note(&path.field(entry.key), event);
            }
        }
    }
}

/// Every field of the patch must be named, unless it is removed anyway.
fn check_fields(patch: &MapPatch<'_>, names: &HashSet<Str<'_>>, path: &Path<'_>) -> Result<(), MergeError> {
    for field in &patch.fields {
        // A removal need not be named: the field is gone either way.
        let removed = field.value.is_none_or(Node::is_null);
        if !removed && !names.contains(&field.field) {
            let hint = format!("add `{}` to $retainKeys, or leave it out of the patch", field.field);
            return Err(invalid(&path.field(field.field)).with_hint(hint));
        }
    }
    Ok(())
}

/// Laying patches over each other: the directive stays, and both must agree on it.
fn keep_directive<'a>(
    edit: &mut MapEdit<'a>,
    directive: Node<'a>,
    path: &Path<'_>,
) -> Result<(), MergeError> {
    match edit.seek(RETAIN_KEYS.into()) {
        Some(under) if !deep_equal(under, directive) => {
            let (under, over) = (go_text(under), go_text(directive));
            let message = format!(
                "{under} and {over} are not deep equal: this may happen when calculating the 3-way diff patch"
            );
            Err(MergeError::new(MergeErrorKind::RetainKeysDiffer, path, message))
        }
        Some(_) => Ok(()),
        None => {
            edit.insert(RETAIN_KEYS.into(), directive);
            Ok(())
        }
    }
}

fn invalid(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::InvalidRetainKeys, path, "invalid patch format of retainKeys")
}

fn uncomparable(path: &Path<'_>) -> MergeError {
    MergeError::new(MergeErrorKind::UncomparableElement, path, "a map or list cannot name a field")
        .with_hint("every element of $retainKeys is a field name")
}
