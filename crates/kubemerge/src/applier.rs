//! Who applies on the server's side, and how.

use kubemerge_ssa::{
    fieldpath::FieldSet,
    managed_fields::{Conflicting, Time},
    value::Arena,
};
use std::borrow::Cow;

/// Who applies, and how.
///
/// ```
/// use kubemerge::{Applier, Time};
///
/// let applier = Applier::new("my-operator").forced().at(Time::parse("2026-01-02T03:04:05Z").ok_or("no time")?);
/// assert_eq!(applier.manager(), "my-operator");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Applier<'a> {
    manager: Cow<'a, str>,
    subresource: Cow<'a, str>,
    conflicting: Conflicting,
    time: Option<Time>,
    reset_fields: ResetFields<'a>,
}

#[derive(Clone, Debug)]
enum ResetFields<'a> {
    Borrowed(&'a [&'a [&'a str]]),
    Owned(Vec<Vec<String>>),
}

impl<'a> Applier<'a> {
    /// A manager that refuses conflicts. Its entries have no time unless [`Applier::at`] gives one: a library reads no
    /// clock.
    pub fn new(manager: impl Into<Cow<'a, str>>) -> Self {
        Applier {
            manager: manager.into(),
            subresource: Cow::Borrowed(""),
            conflicting: Conflicting::Refuse,
            time: None,
            reset_fields: ResetFields::Borrowed(&[]),
        }
    }

    /// The same manager, taking fields from others.
    #[must_use]
    pub fn forced(self) -> Self {
        Applier { conflicting: Conflicting::Force, ..self }
    }

    /// The same manager, whose entry gets this time if the apply changes something.
    #[must_use]
    pub fn at(self, time: Time) -> Self {
        Applier { time: Some(time), ..self }
    }

    /// The same manager, applying to a subresource such as `status`.
    #[must_use]
    pub fn to_subresource(self, subresource: impl Into<Cow<'a, str>>) -> Self {
        Applier { subresource: subresource.into(), ..self }
    }

    /// The same manager, at an endpoint that does not write these fields, such as `status`: claims on them do not count.
    #[must_use]
    pub fn without_fields(self, reset_fields: &'a [&'a [&'a str]]) -> Self {
        Applier { reset_fields: ResetFields::Borrowed(reset_fields), ..self }
    }

    /// The field manager.
    #[must_use]
    pub fn manager(&self) -> &str {
        &self.manager
    }

    /// Whether it takes fields from others.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.conflicting == Conflicting::Force
    }

    pub(crate) fn into_owned(self) -> Applier<'static> {
        let owned = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        let reset_fields = match self.reset_fields {
            ResetFields::Owned(paths) => paths,
            ResetFields::Borrowed(paths) => {
                paths.iter().map(|path| path.iter().map(ToString::to_string).collect()).collect()
            }
        };
        Applier {
            manager: owned(self.manager),
            subresource: owned(self.subresource),
            conflicting: self.conflicting,
            time: self.time,
            reset_fields: ResetFields::Owned(reset_fields),
        }
    }

    pub(crate) fn conflicting(&self) -> Conflicting {
        self.conflicting
    }

    pub(crate) fn subresource_name(&self) -> &str {
        &self.subresource
    }

    pub(crate) fn time(&self) -> Option<Time> {
        self.time
    }

    pub(crate) fn reset_fields<'f>(&'f self, arena: &'f Arena) -> FieldSet<'f> {
        match &self.reset_fields {
            ResetFields::Borrowed(paths) => FieldSet::of_names(paths, arena),
            ResetFields::Owned(paths) => {
                let paths: Vec<Vec<&str>> =
                    paths.iter().map(|path| path.iter().map(String::as_str).collect()).collect();
                let paths: Vec<&[&str]> = paths.iter().map(Vec::as_slice).collect();
                FieldSet::of_names(&paths, arena)
            }
        }
    }
}
