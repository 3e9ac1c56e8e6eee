//! Field selectors: `path=value`, `path==value`, `path!=value`, joined by commas; a backslash escapes.

use super::selector_error::SelectorError;

/// A conjunction of requirements on fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct FieldSelector(Vec<Term>);

/// A requirement on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// The field, as the selector names it.
    pub field: String,
    /// The value to compare with.
    pub value: String,
    /// Whether the value is wanted.
    pub wanted: Wanted,
}

/// Whether a term asks for a value or for any other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The value.
    Equal,
    /// Any other value.
    Different,
}

impl FieldSelector {
    /// Reads a selector.
    pub fn parse(text: &str) -> Result<FieldSelector, SelectorError> {
        let parts = split_terms(text).into_iter().filter(|part| !part.is_empty());
        Ok(FieldSelector(parts.map(|part| parse_term(&part)).collect::<Result<_, SelectorError>>()?))
    }

    /// The selector for one object's name.
    pub fn and_name(mut self, name: &str) -> FieldSelector {
        let field = "metadata.name".to_string();
        self.0.push(Term { field, value: name.to_string(), wanted: Wanted::Equal });
        self
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All requirements.
    pub fn terms(&self) -> &[Term] {
        &self.0
    }

    /// The value that a field must have, if the selector asks for one.
    pub fn required(&self, field: &str) -> Option<&str> {
        let found = self.0.iter().find(|term| term.field == field && term.wanted == Wanted::Equal);
        found.map(|term| term.value.as_str())
    }

    /// Whether an object is wanted; `holds` says whether one of its fields has the value of a term.
    pub fn matches(&self, holds: impl Fn(&Term) -> bool) -> bool {
        self.0.iter().all(|term| holds(term) == (term.wanted == Wanted::Equal))
    }
}

/// Splits at commas that are not escaped; escapes stay in.
fn split_terms(text: &str) -> Vec<String> {
    let (mut terms, mut last) = (Vec::new(), String::new());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => last.extend(std::iter::once(c).chain(chars.next())),
            ',' => terms.push(std::mem::take(&mut last)),
            c => last.push(c),
        }
    }
    terms.push(last);
    terms
}

fn parse_term(term: &str) -> Result<Term, SelectorError> {
    for (sign, wanted) in [("!=", Wanted::Different), ("==", Wanted::Equal), ("=", Wanted::Equal)] {
        if let Some((field, value)) = split_at_operator(term, sign) {
            let bad_escape = || format!("invalid field selector: {term}: bad escape").into();
            let value = unescaped(value).ok_or_else::<SelectorError, _>(bad_escape)?;
            return Ok(Term { field: field.to_string(), value, wanted });
        }
    }
    Err(format!("invalid selector: '{term}'; can't understand '{term}'").into())
}

/// The parts of a term around an operator; upstream looks for the first sign, whichever it is.
fn split_at_operator<'t>(term: &'t str, sign: &str) -> Option<(&'t str, &'t str)> {
    let (field, rest) = term.split_at(term.find(['=', '!'])?);
    Some((field, rest.strip_prefix(sign)?))
}

fn unescaped(value: &str) -> Option<String> {
    let mut out = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                _ => return None,
            },
            ',' | '=' => return None,
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str, name: &str) -> bool {
        FieldSelector::parse(selector).unwrap().matches(|term| {
            assert_eq!(term.field, "metadata.name");
            term.value == name
        })
    }

    #[test]
    fn equal_and_different() {
        assert!(selects("metadata.name=a", "a"));
        assert!(selects("metadata.name==a", "a"));
        assert!(selects("metadata.name!=a", "b"));
        assert!(!selects("metadata.name!=a,metadata.name=b", "c"));
        assert!(selects(r"metadata.name=a\,b\=c\\", r"a,b=c\"));
        assert!(selects("", "x"));
    }

    #[test]
    fn what_does_not_parse_is_an_error() {
        for bad in ["metadata.name", "a=b=c", r"a=b\c"] {
            assert!(FieldSelector::parse(bad).is_err(), "{bad}");
        }
    }
}
