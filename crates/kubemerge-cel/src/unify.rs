//! Which types fit where, and what type parameters turn out to be.

use kubemerge_value::part::item_at_mut;

use super::types::CelType;

/// How many parts of a type are looked at: chained macros can double a type again and again.
const MAX_TYPE_PARTS: usize = 500;

/// What is known about type parameters, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Substitutions {
    found: Vec<Option<CelType>>,
    /// What parameters were before the changes of the comparison that is being made.
    undo: Vec<(u32, Option<CelType>)>,
}

impl Substitutions {
    /// A parameter that nothing is known about.
    pub(super) fn fresh(&mut self) -> CelType {
        self.found.push(None);
        CelType::Param((self.found.len() - 1) as u32)
    }

    fn get(&self, param: u32) -> Option<&CelType> {
        self.found.get(param as usize)?.as_ref()
    }

    fn set(&mut self, param: u32, found: CelType) {
        if let Some(place) = self.found.get_mut(param as usize) {
            self.undo.push((param, place.replace(found)));
        }
    }

    /// Whether each type fits where the other is expected; what is learnt about parameters is kept only then.
    pub(super) fn fits(&mut self, one: &CelType, other: &CelType) -> bool {
        self.all_fit(&[(one, other)])
    }

    /// Whether all pairs fit.
    pub(super) fn all_fit(&mut self, pairs: &[(&CelType, &CelType)]) -> bool {
        self.undo.clear();
        let fits = pairs.iter().all(|(one, other)| self.assign(one, other));
        if !fits {
            for (param, before) in std::mem::take(&mut self.undo).into_iter().rev() {
                *item_at_mut(&mut self.found, param as usize) = before;
            }
        }
        fits
    }

    fn assign(&mut self, one: &CelType, other: &CelType) -> bool {
        if let CelType::Param(param) = other {
            let (is_valid, is_known) = self.substitute_param(one, *param);
            if is_valid || is_known {
                return is_valid;
            }
        }
        if let CelType::Param(param) = one {
            return self.substitute_param(other, *param).0;
        }
        if one.is_dyn_or_error() || other.is_dyn_or_error() {
            return true;
        }
        match (one, other) {
            (CelType::Null, _) => other.is_nullable(),
            (_, CelType::Null) => one.is_nullable(),
            (CelType::OfTypes(_), CelType::OfTypes(_)) => true,
            (CelType::List(a), CelType::List(b)) | (CelType::Optional(a), CelType::Optional(b)) => {
                self.assign(a, b)
            }
            (CelType::Map(key, value), CelType::Map(other_key, other_value)) => {
                self.assign(key, other_key) && self.assign(value, other_value)
            }
            _ => one == other,
        }
    }

    /// Whether a parameter may be this type, and whether something was known about it before.
    fn substitute_param(&mut self, found: &CelType, param: u32) -> (bool, bool) {
        if *found == CelType::Param(param) {
            return (true, true);
        }
        if let Some(known) = self.get(param).cloned() {
            if *found == known {
                return (true, true);
            }
            if !self.assign(found, &known) {
                return (false, true);
            }
            let general = most_general(found, &known);
            if !self.is_within(param, &general) {
                self.set(param, general);
            }
            return (true, true);
        }
        if self.is_within(param, found) {
            return (false, false);
        }
        self.set(param, found.clone());
        (true, false)
    }

    /// Whether a type has the parameter in it, which would be without end.
    fn is_within(&self, param: u32, within: &CelType) -> bool {
        self.has_within(param, within, &mut MAX_TYPE_PARTS.clone())
    }

    fn has_within(&self, param: u32, within: &CelType, left: &mut usize) -> bool {
        // A type that is too large to look at is taken for one without end.
        if *left == 0 {
            return true;
        }
        *left -= 1;
        match within {
            CelType::Param(other) if *other == param => true,
            CelType::Param(other) => {
                self.get(*other).is_some_and(|found| self.has_within(param, found, left))
            }
            _ => within.parameters().into_iter().any(|part| self.has_within(param, part, left)),
        }
    }

    /// A type with all that is known about its parameters.
    pub(super) fn substitute(&self, of: &CelType, unknown: Unknown) -> CelType {
        self.substituted(of, unknown, &mut MAX_TYPE_PARTS.clone())
    }

    fn substituted(&self, of: &CelType, unknown: Unknown, left: &mut usize) -> CelType {
        // The rest of a type that is too large is checked when it runs.
        if *left == 0 {
            return CelType::Dyn;
        }
        *left -= 1;
        match of {
            CelType::Param(param) => match (self.get(*param), unknown) {
                (Some(found), _) => self.substituted(found, unknown, left),
                (None, Unknown::Dyn) => CelType::Dyn,
                (None, Unknown::Kept) => of.clone(),
            },
            _ => of.with_parameters(&mut |part| self.substituted(part, unknown, left)),
        }
    }
}

/// What parameters become that nothing is known about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    Kept,
    Dyn,
}

/// Of two types that fit, the one that says less.
pub(super) fn most_general(one: &CelType, other: &CelType) -> CelType {
    if says_no_more(one, other) { one.clone() } else { other.clone() }
}

fn says_no_more(one: &CelType, other: &CelType) -> bool {
    match (one, other) {
        (CelType::Dyn | CelType::Param(_), _) => true,
        (_, CelType::Dyn | CelType::Param(_)) => false,
        (CelType::OfTypes(_), CelType::OfTypes(_)) => true,
        (CelType::List(a), CelType::List(b)) | (CelType::Optional(a), CelType::Optional(b)) => {
            says_no_more(a, b)
        }
        (CelType::Map(key, value), CelType::Map(other_key, other_value)) => {
            says_no_more(key, other_key) && says_no_more(value, other_value)
        }
        _ => one == other,
    }
}
