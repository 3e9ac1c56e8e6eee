//! The query string, and the options that list, watch and write requests take from it.

use std::{
    num::{IntErrorKind, ParseIntError},
    str::FromStr,
};

use kubemerge_kinds::{
    field_error::{FieldError, quoted},
    field_selector::FieldSelector,
    label_selector::LabelSelector,
};
use serde_json::json;

use crate::protocol::{
    manager::{MAX_MANAGER_BYTES, is_printable},
    status::{Failure, Outcome, Qualified, bad_request, invalid, unclassified},
};

/// Query parameters in the order given; the first of a repeated key counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads `a=b&c=d`; empty pairs are skipped, because clients send them.
    pub(crate) fn parse(text: Option<&str>) -> Query {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let decoded = pairs.map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent_decoded(&key.replace('+', " ")), percent_decoded(&value.replace('+', " ")))
        });
        Query(decoded.collect())
    }

    /// The value of a parameter; an empty value counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Whether there is a parameter, with or without a value.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.0.iter().any(|(name, _)| name == key)
    }

    /// The values of a parameter, as often as it is given.
    pub(crate) fn all<'q>(&'q self, key: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// A boolean as Go's converter reads it: present and neither `false` nor `0`.
    pub(crate) fn flag(&self, key: &str) -> bool {
        self.optional_flag(key).unwrap_or(false)
    }

    fn optional_flag(&self, key: &str) -> Option<bool> {
        let (_, value) = self.0.iter().find(|(name, _)| name == key)?;
        Some(!matches!(value.to_ascii_lowercase().as_str(), "false" | "0"))
    }

    /// A number; 400 for anything else.
    pub(crate) fn number<T: FromStr<Err = ParseIntError>>(&self, key: &str) -> Outcome<Option<T>> {
        self.get(key).map(|text| go_number("ParseInt", text).map_err(bad_request)).transpose()
    }
}

/// A number, or what Go's function says that reads it.
pub(crate) fn go_number<T: FromStr<Err = ParseIntError>>(function: &str, text: &str) -> Result<T, String> {
    text.parse().map_err(|error: ParseIntError| {
        let why = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.{function}: parsing {}: {why}", quoted(text))
    })
}

/// `%41` to `A`; broken escapes and bytes that are not UTF-8 stay readable rather than fail.
pub(crate) fn percent_decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_string();
    }
    let byte_of = |hex: &[u8; 2]| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok();
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.split_first_chunk().filter(|_| *first == b'%');
        if let Some((byte, after)) = escaped.and_then(|(hex, after)| Some((byte_of(hex)?, after))) {
            out.push(byte);
            rest = after;
        } else {
            out.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// How to match a given resourceVersion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Match {
    NotOlderThan,
    Exact,
}

/// What list, watch and deletecollection take from the query.
#[derive(Clone, Debug)]
pub(crate) struct ListOptions {
    pub(crate) labels: LabelSelector,
    pub(crate) fields: FieldSelector,
    pub(crate) limit: Option<usize>,
    pub(crate) continue_token: Option<String>,
    /// As given; `Some(0)` is "any".
    pub(crate) resource_version: Option<u64>,
    pub(crate) version_match: Option<Match>,
    pub(crate) timeout_seconds: Option<u64>,
    pub(crate) bookmarks: bool,
    pub(crate) send_initial_events: Option<bool>,
}

const LIST_OPTIONS: Qualified<'static> = Qualified { group: "meta.k8s.io", name: "ListOptions" };

impl ListOptions {
    /// Reads the options of a list.
    pub(crate) fn for_list(query: &Query) -> Outcome<ListOptions> {
        let options = Self::read(query, |why| bad_request(format!("invalid resource version: {why}")))?;
        options.check_list()?;
        Ok(options)
    }

    /// Reads the options of a watch.
    pub(crate) fn for_watch(query: &Query) -> Outcome<ListOptions> {
        let options = Self::read(query, unclassified)?;
        options.check_watch()?;
        Ok(options)
    }

    fn read(query: &Query, refuse_version: fn(String) -> Failure) -> Outcome<ListOptions> {
        let resource_version = query.get("resourceVersion").map(parse_resource_version);
        let resource_version = resource_version.transpose().map_err(refuse_version)?;
        Ok(ListOptions {
            labels: LabelSelector::parse(query.get("labelSelector").unwrap_or_default())
                .map_err(|error| bad_request(error.to_string()))?,
            fields: FieldSelector::parse(query.get("fieldSelector").unwrap_or_default())
                .map_err(|error| bad_request(error.to_string()))?,
            // Upstream: a limit of 0 or less means no limit.
            limit: query.number::<i64>("limit")?.filter(|limit| *limit > 0).map(|limit| limit as usize),
            continue_token: query.get("continue").map(str::to_string),
            resource_version,
            version_match: query.get("resourceVersionMatch").map(parse_match).transpose()?,
            timeout_seconds: query.number::<i64>("timeoutSeconds")?.map(|seconds| seconds.max(0) as u64),
            bookmarks: query.flag("allowWatchBookmarks"),
            send_initial_events: query.optional_flag("sendInitialEvents"),
        })
    }

    fn check_list(&self) -> Outcome<()> {
        let forbidden = |field: &str, text: &str| list_options_error(FieldError::forbidden(field, text));
        if self.send_initial_events.is_some() {
            return Err(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
        }
        if self.version_match.is_some() {
            let field = "resourceVersionMatch";
            if self.resource_version.is_none() {
                let text = "resourceVersionMatch is forbidden unless resourceVersion is provided";
                return Err(forbidden(field, text));
            }
            if self.continue_token.is_some() {
                return Err(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
            }
            // "0" means any version, which contradicts "exactly this one".
            if self.version_match == Some(Match::Exact) && self.resource_version == Some(0) {
                let text = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                return Err(forbidden(field, text));
            }
        }
        if self.continue_token.is_some() && self.resource_version.unwrap_or(0) != 0 {
            return Err(bad_request("specifying resource version is not allowed when using continue"));
        }
        Ok(())
    }

    fn check_watch(&self) -> Outcome<()> {
        let field = "resourceVersionMatch";
        match (self.send_initial_events, self.version_match) {
            // Upstream: initial events and the match come together or not at all.
            (Some(_), Some(Match::NotOlderThan)) | (None, None) => Ok(()),
            (Some(_), _) => Err(list_options_error(FieldError::forbidden(
                field,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ))),
            (None, Some(_)) => Err(list_options_error(FieldError::forbidden(
                field,
                "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
            ))),
        }
    }
}

fn list_options_error(error: FieldError) -> Failure {
    invalid(LIST_OPTIONS, "", &[error])
}

fn parse_match(text: &str) -> Outcome<Match> {
    match text {
        "NotOlderThan" => Ok(Match::NotOlderThan),
        "Exact" => Ok(Match::Exact),
        other => {
            let supported = ["Exact".to_string(), "NotOlderThan".to_string(), String::new()];
            let error = FieldError::not_supported("resourceVersionMatch", &json!(other), &supported);
            Err(list_options_error(error))
        }
    }
}

/// A resourceVersion, or what is wrong with it.
pub(crate) fn parse_resource_version(text: &str) -> Result<u64, String> {
    go_number("ParseUint", text)
        .map_err(|why| format!("resourceVersion: Invalid value: {}: {why}", quoted(text)))
}

/// Whether a write is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DryRun {
    /// Store the result.
    No,
    /// Do everything but store.
    All,
}

/// What happens to fields that the kind does not have, and to repeated ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum FieldValidation {
    Ignore,
    #[default]
    Warn,
    Strict,
}

/// The kind of the options of a write, which faults in the query are reported about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionsKind {
    Create,
    Update,
    Patch,
}

impl OptionsKind {
    fn name(self) -> &'static str {
        match self {
            OptionsKind::Create => "CreateOptions",
            OptionsKind::Update => "UpdateOptions",
            OptionsKind::Patch => "PatchOptions",
        }
    }
}

/// What create, update and patch take from the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriteOptions {
    pub(crate) dry_run: DryRun,
    pub(crate) field_validation: FieldValidation,
}

impl WriteOptions {
    /// Reads the options; faults are 422 of their kind.
    pub(crate) fn read(query: &Query, options_kind: OptionsKind) -> Outcome<WriteOptions> {
        let mut errors = Vec::new();
        // Only apply patches can be forced; their options are read by `ApplyOptions`.
        if options_kind == OptionsKind::Patch && query.optional_flag("force").is_some() {
            errors.push(FieldError::forbidden("force", "may not be specified for non-apply patch"));
        }
        Self::read_after(query, options_kind, errors)
    }

    /// Reads the options after those that only one type of request has.
    fn read_after(
        query: &Query,
        options_kind: OptionsKind,
        mut errors: Vec<FieldError>,
    ) -> Outcome<WriteOptions> {
        check_field_manager(query.get("fieldManager").unwrap_or_default(), &mut errors);
        let dry_run = dry_run(query.all("dryRun"), &mut errors);
        let field_validation = field_validation(query.get("fieldValidation"), &mut errors);
        if errors.is_empty() {
            Ok(WriteOptions { dry_run, field_validation })
        } else {
            Err(invalid(Qualified { group: "meta.k8s.io", name: options_kind.name() }, "", &errors))
        }
    }
}

/// What an apply patch takes from the query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ApplyOptions {
    pub(crate) write: WriteOptions,
    /// Whether fields are taken from other managers.
    pub(crate) force: bool,
}

impl ApplyOptions {
    /// Reads the options; faults are 422.
    pub(crate) fn read(query: &Query) -> Outcome<ApplyOptions> {
        let mut errors = Vec::new();
        if query.get("fieldManager").is_none() {
            errors.push(FieldError::required("fieldManager", "is required for apply patch"));
        }
        let write = WriteOptions::read_after(query, OptionsKind::Patch, errors)?;
        Ok(ApplyOptions { write, force: query.flag("force") })
    }
}

/// Reads `dryRun` values, from a query or from DeleteOptions.
pub(crate) fn dry_run<'v>(values: impl Iterator<Item = &'v str>, errors: &mut Vec<FieldError>) -> DryRun {
    let values: Vec<&str> = values.collect();
    if values.iter().any(|value| *value != "All") {
        errors.push(FieldError::not_supported("dryRun", &json!(values), &["All".to_string()]));
    }
    // Upstream: an unknown value is an error, but never lets a write through.
    if values.is_empty() { DryRun::No } else { DryRun::All }
}

fn field_validation(value: Option<&str>, errors: &mut Vec<FieldError>) -> FieldValidation {
    match value {
        None | Some("Warn") => FieldValidation::Warn,
        Some("Ignore") => FieldValidation::Ignore,
        Some("Strict") => FieldValidation::Strict,
        Some(other) => {
            let supported = ["", "Ignore", "Strict", "Warn"].map(str::to_string);
            errors.push(FieldError::not_supported("fieldValidation", &json!(other), &supported));
            FieldValidation::Warn
        }
    }
}

fn check_field_manager(manager: &str, errors: &mut Vec<FieldError>) {
    // The limit is in bytes, as in Kubernetes.
    if manager.len() > MAX_MANAGER_BYTES {
        errors.push(FieldError::too_long("fieldManager", MAX_MANAGER_BYTES));
    }
    // Upstream: positions count bytes, and the first one is reported.
    if let Some((place, found)) = manager.char_indices().find(|(_, one)| !is_printable(*one)) {
        let text = format!("invalid character U+{:04X} (at position {place})", u32::from(found));
        errors.push(FieldError::invalid("fieldManager", &json!(manager), &text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(query: &str) -> Result<ListOptions, String> {
        ListOptions::for_list(&Query::parse(Some(query))).map_err(|failure| failure.to_string())
    }

    #[test]
    fn empty_pairs_and_escapes_are_read() {
        let query = Query::parse(Some("&force=true&&fieldManager=a%20b+c&x"));
        assert_eq!(query.get("fieldManager"), Some("a b c"));
        assert!(query.flag("force") && query.flag("x"));
        assert_eq!(percent_decoded("100%"), "100%");
    }

    #[test]
    fn list_options_are_checked_as_upstream_does() {
        assert_eq!(
            list("resourceVersionMatch=Exact").unwrap_err(),
            "422 Invalid: ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: \
             resourceVersionMatch is forbidden unless resourceVersion is provided"
        );
        assert!(list("resourceVersionMatch=Exact&resourceVersion=0").is_err());
        assert!(list("sendInitialEvents=true").is_err());
        assert!(list("continue=abc&resourceVersion=5").is_err());
        assert!(list("resourceVersion=x").unwrap_err().starts_with("400"));
        assert_eq!(list("limit=5&resourceVersion=7").unwrap().limit, Some(5));
    }

    #[test]
    fn force_belongs_to_apply() {
        let query = Query::parse(Some("force=true"));
        assert!(WriteOptions::read(&query, OptionsKind::Patch).is_err());
        assert!(WriteOptions::read(&query, OptionsKind::Create).is_ok());
    }
}
