//! Variables with the fields and indexes after them.

use super::constant::{invalid_key, is_key};
use super::outcome::{EvaluationError, Outcome};
use super::program::{Attribute, Qualifier, Root};
use super::{Machine, State};
use crate::error::CelError;
use crate::value::{CelValue, index_of};

/// What a field or an index finds.
enum FoundValue<'v> {
    Present(CelValue<'v>),
    Absent,
}

/// Whether a field or an index must be there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

impl<'m, 'v> Machine<'m, 'v> {
    /// The value of an attribute. A name costs one, a choice only what it evaluates.
    pub(super) fn attribute(&mut self, attribute: &'m Attribute) -> Outcome<'v> {
        let outcome = self.resolve(attribute);
        if outcome.as_ref().is_err_and(EvaluationError::is_final) {
            return outcome;
        }
        let own = !matches!(attribute.root, Root::Conditional { .. });
        match (own, attribute.is_test) {
            (true, false) => self.charge(1)?,
            // Upstream: asking for a field of a choice is refunded what it did not cost.
            (false, true) => self.cost = self.cost.saturating_sub(1),
            _ => {}
        }
        match outcome {
            Ok(CelValue::Optional(value)) if attribute.is_test => Ok(CelValue::Bool(value.is_some())),
            outcome => outcome,
        }
    }

    /// The value without what the attribute costs itself.
    fn resolve(&mut self, attribute: &'m Attribute) -> Outcome<'v> {
        let root = match &attribute.root {
            Root::Variable(name) => self.variable(name)?,
            Root::Computed(step) => self.value(step)?,
            Root::Conditional { condition, yes, no } => match self.value(condition)? {
                CelValue::Bool(true) => self.resolve(yes)?,
                CelValue::Bool(false) => self.resolve(no)?,
                _ => return Err(EvaluationError::no_overload()),
            },
        };
        self.qualified(root, attribute)
    }

    fn variable(&mut self, name: &str) -> Outcome<'v> {
        if let Some(at) = self.locals.iter().rposition(|local| local.name == name) {
            self.know(at)?;
            if let Some(State::Known(outcome)) = self.locals.get(at).map(|local| &local.state) {
                return outcome.clone();
            }
        }
        match self.variables.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => Ok((*value).clone()),
            None => Err(format!("no such attribute(s): {name}").into()),
        }
    }

    /// Computes an accumulator that was not used so far, where it was declared.
    pub(super) fn know(&mut self, at: usize) -> Result<(), EvaluationError> {
        let Some(State::Unused { init, outside }) = self.locals.get(at).map(|local| &local.state) else {
            return Ok(());
        };
        let (init, outside) = (*init, *outside);
        let inside = self.locals.split_off(outside);
        let outcome = self.attempt(init);
        self.locals.truncate(outside);
        self.locals.extend(inside);
        let outcome = outcome?;
        if let Some(local) = self.locals.get_mut(at) {
            local.state = State::Known(outcome);
        }
        Ok(())
    }

    fn qualified(&mut self, root: CelValue<'v>, attribute: &'m Attribute) -> Outcome<'v> {
        let mut is_optional = false;
        let mut value = match root {
            CelValue::Optional(None) => return Ok(CelValue::Optional(None)),
            CelValue::Optional(Some(value)) => {
                is_optional = true;
                (*value).clone()
            }
            value => value,
        };
        for (at, qualifier) in attribute.qualifiers.iter().enumerate() {
            is_optional |= qualifier.is_optional();
            let is_test = attribute.is_test && at + 1 == attribute.qualifiers.len();
            let presence = if is_optional || is_test { Presence::Optional } else { Presence::Required };
            let found = self.qualify(&value, qualifier, presence);
            // What is absent costs nothing, unless it was asked for.
            let is_free = is_optional && matches!(found, Ok(FoundValue::Absent)) || found_limit(&found);
            if !(is_free || is_optional && found.is_err()) {
                self.charge(1)?;
            }
            value = match found? {
                FoundValue::Present(_) if is_test && !is_optional => return Ok(CelValue::Bool(true)),
                FoundValue::Absent if is_test && !is_optional => return Ok(CelValue::Bool(false)),
                FoundValue::Absent => return Ok(CelValue::Optional(None)),
                FoundValue::Present(value) => value,
            };
        }
        Ok(if is_optional { CelValue::optional(Some(value)) } else { value })
    }

    fn qualify(
        &mut self,
        value: &CelValue<'v>,
        qualifier: &'m Qualifier,
        presence: Presence,
    ) -> Result<FoundValue<'v>, EvaluationError> {
        let key = match qualifier {
            Qualifier::Constant { key, .. } => self.constant(*key)?,
            Qualifier::Computed { key, .. } => self.resolve(key)?,
        };
        if !is_key(&key) {
            return Err(invalid_key(&key).into());
        }
        member(value, &key, presence).map_err(EvaluationError::from)
    }
}

fn found_limit(found: &Result<FoundValue<'_>, EvaluationError>) -> bool {
    found.as_ref().is_err_and(EvaluationError::is_final)
}

/// A member of a map or an item of a list.
fn member<'v>(of: &CelValue<'v>, key: &CelValue<'v>, presence: Presence) -> Result<FoundValue<'v>, CelError> {
    let (found, missing) = match of {
        CelValue::Map(map) => (map.find(key)?, "no such key"),
        CelValue::List(list) => {
            let index = usize::try_from(index_of(key)?).ok();
            (index.and_then(|index| list.get(index)), "index out of bounds")
        }
        _ => (None, "no such key"),
    };
    match found {
        Some(value) => Ok(FoundValue::Present(value)),
        None if presence == Presence::Optional => Ok(FoundValue::Absent),
        None => Err(format!("{missing}: {}", key.shown()).into()),
    }
}
