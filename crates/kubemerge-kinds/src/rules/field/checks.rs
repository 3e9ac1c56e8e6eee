//! What validation says about a field: the kinds of errors, and checks that many rules share.

use super::{BadValue, Field, FieldErrorKind};
use crate::{format::Problems, tree::Value};

impl Field<'_> {
    /// Reports `Required value`.
    pub fn required(self, detail: impl Into<String>) {
        self.add(FieldErrorKind::Required, None, detail);
    }

    /// Reports `Required value` if the field is absent or empty; returns whether it was.
    pub fn require(self, detail: &str) -> bool {
        if self.is_empty() {
            self.required(detail);
        }
        self.is_empty()
    }

    /// Reports `Invalid value` with the value of the field. An absent value is printed as `""`: use
    /// [`Field::invalid_as`] for other types.
    pub fn invalid(self, detail: impl Into<String>) {
        self.add(FieldErrorKind::Invalid, Some(self.own_value()), detail);
    }

    /// Reports `Invalid value` without any value.
    pub fn invalid_omitted(self, detail: impl Into<String>) {
        self.add(FieldErrorKind::Invalid, None, detail);
    }

    /// Reports `Invalid value` with another value.
    pub fn invalid_as(self, bad_value: impl Into<BadValue>, detail: impl Into<String>) {
        self.add(FieldErrorKind::Invalid, Some(bad_value.into()), detail);
    }

    /// Reports `Unsupported value` with the values that are supported, in Kubernetes' order.
    pub fn not_supported(self, supported: &[&str]) {
        self.not_supported_as(self.own_value(), supported);
    }

    /// Reports `Unsupported value` for another value than that of the field.
    pub fn not_supported_as(self, bad_value: impl Into<BadValue>, supported: &[&str]) {
        let quoted: Vec<String> = supported.iter().map(|value| crate::go_text::quoted(value)).collect();
        let detail = if quoted.is_empty() {
            String::new()
        } else {
            format!("supported values: {}", quoted.join(", "))
        };
        self.add(FieldErrorKind::NotSupported, Some(bad_value.into()), detail);
    }

    /// Reports `Unsupported value` unless the string is one of these; returns whether it is.
    pub fn one_of(self, supported: &[&str]) -> bool {
        let is_supported = supported.contains(&self.str());
        if !is_supported {
            self.not_supported(supported);
        }
        is_supported
    }

    /// Reports `Required value` if the string is absent or empty, `Unsupported value` unless it is one of these.
    pub fn require_one_of(self, supported: &[&str]) {
        if !self.require("") {
            self.one_of(supported);
        }
    }

    /// Reports `Duplicate value`.
    pub fn duplicate(self) {
        self.add(FieldErrorKind::Duplicate, Some(self.own_value()), "");
    }

    /// Reports `Duplicate value` with another value.
    pub fn duplicate_as(self, bad_value: impl Into<BadValue>) {
        self.add(FieldErrorKind::Duplicate, Some(bad_value.into()), "");
    }

    /// Reports `Duplicate value` with another value and a detail.
    pub fn duplicate_with(self, bad_value: impl Into<BadValue>, detail: impl Into<String>) {
        self.add(FieldErrorKind::Duplicate, Some(bad_value.into()), detail);
    }

    /// Reports `Not found`.
    pub fn not_found(self) {
        self.add(FieldErrorKind::NotFound, Some(self.own_value()), "");
    }

    /// Reports `Not found` with another value and a detail.
    pub fn not_found_as(self, bad_value: impl Into<BadValue>, detail: impl Into<String>) {
        self.add(FieldErrorKind::NotFound, Some(bad_value.into()), detail);
    }

    /// Reports `Forbidden`.
    pub fn forbidden(self, detail: impl Into<String>) {
        self.add(FieldErrorKind::Forbidden, None, detail);
    }

    /// Reports `Too long` for a text of more than `max` bytes.
    pub fn too_long(self, max: usize) {
        let unit = if max == 1 { "byte" } else { "bytes" };
        self.add(FieldErrorKind::TooLong, None, format!("may not be more than {max} {unit}"));
    }

    /// Reports `Too long` for a text of more than `max` characters.
    pub fn too_many_characters(self, max: usize) {
        let unit = if max == 1 { "character" } else { "characters" };
        self.add(FieldErrorKind::TooLong, None, format!("may not be more than {max} {unit}"));
    }

    /// Reports `Too many` for a list of more than `max` items.
    pub fn too_many(self, actual: usize, max: usize) {
        let unit = if max == 1 { "item" } else { "items" };
        let detail = format!("must have at most {max} {unit}");
        self.add(FieldErrorKind::TooMany, Some(BadValue::from(actual as i64)), detail);
    }

    /// Reports `Internal error`.
    pub fn internal(self, detail: impl Into<String>) {
        self.add(FieldErrorKind::Internal, None, detail);
    }

    /// Reports what a check of [`crate::format`] finds wrong with the string.
    pub fn check(self, format: fn(&str) -> Problems) -> bool {
        self.report_problems(format(self.str()))
    }

    /// Reports problems as `Invalid value`; returns whether there were none.
    pub fn report_problems(self, problems: Problems) -> bool {
        let is_fine = problems.is_empty();
        problems.into_iter().for_each(|problem| self.invalid(problem));
        is_fine
    }

    /// Reports a number below zero.
    pub fn check_not_negative(self) {
        if self.int() < 0 {
            self.invalid("must be greater than or equal to 0");
        }
    }

    /// Reports a number that is not above zero.
    pub fn check_positive(self) {
        if self.int() <= 0 {
            self.invalid_as(self.int(), "must be greater than zero");
        }
    }

    /// Reports a number outside of a range.
    pub fn check_range(self, least: i64, most: i64) -> bool {
        let is_fine = (least..=most).contains(&self.int());
        if !is_fine {
            self.invalid_as(self.int(), format!("must be between {least} and {most}, inclusive"));
        }
        is_fine
    }

    /// Reports a number that is not a port.
    pub fn check_port(self) -> bool {
        self.check_range(1, 65535)
    }

    /// Reports a value that differs from that of the stored object: `field is immutable`.
    pub fn check_immutable(self, old: Field<'_>) -> bool {
        let is_same = self.same_as(old);
        if !is_same {
            match self.value {
                Some(Value::Null) | None => self.invalid_as(old.zero(), "field is immutable"),
                Some(_) => self.invalid("field is immutable"),
            }
        }
        is_same
    }

    /// Reports `Invalid value` with a value of an internal Go type: `core.PodSpec`, `[]core.Volume`,
    /// `*metav1.LabelSelector`, `map[string]string`.
    pub fn invalid_struct(self, go_type: &str, detail: impl Into<String>) {
        // The error would be left out, so its value need not be printed.
        if self.report.is_full() {
            return;
        }
        self.invalid_as(BadValue::internal(go_type, self), detail);
    }

    /// Reports a value of an internal Go type that differs from that of the stored object.
    pub fn check_immutable_struct(self, old: Field<'_>, go_type: &str) -> bool {
        let is_same = self.same_as(old);
        if !is_same {
            self.invalid_struct(go_type, "field is immutable");
        }
        is_same
    }

    /// What Go prints for the zero value of the same type as this value.
    fn zero(self) -> BadValue {
        match self.value {
            Some(Value::Bool(_)) => BadValue::from(false),
            Some(Value::Int(_) | Value::Float(_)) => BadValue::from(0),
            Some(Value::Str(_)) => BadValue::from(""),
            _ => BadValue::null(),
        }
    }
}
