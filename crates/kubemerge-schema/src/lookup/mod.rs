//! Finds the rule of a field: by Kubernetes' three look-up behaviours, as `spec` says, or as kustomize does.
//!
//! Each behaviour is a file; this one picks it and turns what it found into a rule.

mod field_rule;
mod found;
mod go;
mod kustomize;
mod openapi_v2;
mod openapi_v3;
mod spec;

use std::borrow::Cow;

use crate::compile::{Dialect, Rule};
use crate::error::{LookupError, LookupErrorKind};
use crate::model::{Column, NodeId};
use crate::schema::Type;

pub use field_rule::{ListRule, MapRule};
use found::{Asked, FoundField};

impl<'s> Type<'s> {
    /// The rule of a field, asked when both sides hold maps there.
    pub fn map_field(self, name: &str) -> Result<MapRule<'s>, LookupError> {
        let found = find(self, name, Asked::Map)?;
        let rule = rule_of(self, found.property)?;
        Ok(MapRule {
            strategy: rule.map,
            retain_keys: rule.retain_keys,
            has_unions: rule.unions,
            value: self.at(found.value),
        })
    }

    /// The rule of a field, asked when both sides hold lists there, or an order list names it.
    pub fn list_field(self, name: &str) -> Result<ListRule<'s>, LookupError> {
        let found = find(self, name, Asked::List)?;
        let rule = rule_of(self, found.property)?;
        let strategy = self.schema.rules().list_strategy(rule);
        Ok(ListRule {
            strategy,
            retain_keys: rule.retain_keys,
            has_unions: rule.unions,
            item: self.at(found.value),
            items: rule.items,
        })
    }

    /// What Kubernetes calls the kind of this type in messages: `struct`, `string`, `object`, …
    pub fn name(self) -> Cow<'s, str> {
        if self.is_untyped() {
            return Cow::Borrowed("untyped");
        }
        match self.model().node(self.node).column {
            Column::Go => Cow::Borrowed(go::kind(self.model(), self.node)),
            Column::V2 => Cow::Owned(openapi_v2::name(self.model(), self.node)),
            Column::V3 => Cow::Borrowed(openapi_v3::name(self.model(), self.node)),
        }
    }
}

fn find(ty: Type<'_>, name: &str, asked: Asked) -> Result<FoundField, LookupError> {
    if ty.is_untyped() {
        return Ok(FoundField::UNTYPED);
    }
    match (ty.schema.dialect(), ty.model().node(ty.node).column) {
        (Dialect::Spec, _) => spec::find(ty, name, asked),
        (Dialect::Kustomize, _) => Ok(kustomize::find(ty, name, asked)),
        // Upstream has three lookups that differ in messages and in what they accept.
        (Dialect::Upstream, Column::Go) => go::find(ty, name, asked),
        (Dialect::Upstream, Column::V2) => openapi_v2::find(ty, name, asked),
        (Dialect::Upstream, Column::V3) => openapi_v3::find(ty, name, asked),
    }
}

fn rule_of(ty: Type<'_>, property: NodeId) -> Result<Rule, LookupError> {
    let rule = ty.schema.rules().of(property);
    if !rule.invalid {
        return Ok(rule);
    }
    let model = ty.model();
    // Printed as Go prints a slice of strings.
    let words: Vec<&str> = model.text(model.node(property).strategy).split(',').collect();
    let message = format!("unexpected patch strategy: [{}]", words.join(" "));
    Err(LookupError { kind: LookupErrorKind::InvalidPatchStrategy, message })
}
