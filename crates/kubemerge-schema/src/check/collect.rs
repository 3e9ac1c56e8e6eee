//! Collects findings, and answers what the rules ask about schemas.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::finding::{SchemaFinding, Severity, Violation, ViolationKind};
use crate::document::{DocumentPath, MAX_REFERENCE_CHAIN};
use crate::pattern::MAX_COMPILED_BYTES;

/// Which rules a document is held to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleSet {
    OpenApi,
    CustomResource,
}

/// Collects the findings of one document.
pub(super) struct Check<'v> {
    pub(super) rules: RuleSet,
    definitions: &'v Map<String, Value>,
    findings: Vec<SchemaFinding>,
    /// Bytes of text in the findings.
    size: usize,
    /// The patterns so far, and how much they take when they are compiled.
    patterns: HashSet<Box<str>>,
    pattern_bytes: usize,
}

/// How much is reported about one document.
// A generated definition may break one rule in every field; no user reads more than this.
const MAX_FINDINGS: usize = 1_000;
const MAX_SIZE: usize = 1 << 20;

impl<'v> Check<'v> {
    pub(super) fn new(rules: RuleSet, definitions: &'v Map<String, Value>) -> Check<'v> {
        Check {
            rules,
            definitions,
            findings: Vec::new(),
            size: 0,
            patterns: HashSet::new(),
            pattern_bytes: 0,
        }
    }

    /// Reports something that the API server refuses in a custom resource definition with a field error.
    pub(super) fn violates(
        &mut self,
        rule: &'static str,
        path: &DocumentPath<'_>,
        kind: ViolationKind,
        detail: impl Into<String>,
    ) {
        let detail = detail.into();
        self.violates_as(rule, path, Violation { kind, detail: detail.clone() }, detail);
    }

    /// Reports a violation with a message of our own.
    pub(super) fn violates_as(
        &mut self,
        rule: &'static str,
        path: &DocumentPath<'_>,
        violation: Violation,
        message: String,
    ) {
        let finding = SchemaFinding::new(self.severity(), path.to_string(), rule, message);
        self.report(SchemaFinding { violation: Some(violation), ..finding });
    }

    /// Counts a pattern. Whether it is the first that is too large together with those before.
    pub(super) fn exceeds_patterns(&mut self, pattern: &str, bytes: usize) -> bool {
        let before = self.pattern_bytes;
        if self.patterns.insert(pattern.into()) {
            self.pattern_bytes = before.saturating_add(bytes);
        }
        before <= MAX_COMPILED_BYTES && self.pattern_bytes > MAX_COMPILED_BYTES
    }

    /// Reports a word that is not supported.
    pub(super) fn not_supported(&mut self, rule: &'static str, path: &DocumentPath<'_>, kind: ViolationKind) {
        let ViolationKind::NotSupported { value, supported } = &kind else { return };
        // Kubernetes quotes the words and lists them in the order of its table.
        let words: Vec<String> = supported.iter().map(|word| format!("{word:?}")).collect();
        let message = format!("Unsupported value: {value}: supported values: {}", words.join(", "));
        self.violates_as(rule, path, Violation { kind, detail: String::new() }, message);
    }

    /// Reports something that makes a custom resource definition useless.
    pub(super) fn broken(&mut self, rule: &'static str, path: &DocumentPath<'_>, message: impl Into<String>) {
        self.report(SchemaFinding::new(self.severity(), path.to_string(), rule, message));
    }

    pub(super) fn warn(&mut self, rule: &'static str, path: &DocumentPath<'_>, message: impl Into<String>) {
        self.report(SchemaFinding::new(Severity::Warning, path.to_string(), rule, message));
    }

    /// Kubernetes' own OpenAPI documents break some of the rules, so there they are only warnings.
    fn severity(&self) -> Severity {
        match self.rules {
            // A published document is in use as it is; a definition would be refused.
            RuleSet::OpenApi => Severity::Warning,
            RuleSet::CustomResource => Severity::Error,
        }
    }

    fn report(&mut self, finding: SchemaFinding) {
        // Paths repeat the names of all schemas around, so the size is bounded too.
        if !self.is_full() {
            self.size += finding.path.len() + finding.message.len() + finding.value_size();
            self.findings.push(finding);
        }
    }

    /// Whether nothing more is reported; rules that report a list as a whole stop then.
    pub(super) fn is_full(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS || self.size >= MAX_SIZE
    }

    /// The findings as the rules have found them.
    pub(super) fn into_findings(self) -> Vec<SchemaFinding> {
        self.findings
    }

    pub(super) fn finish(mut self) -> Vec<SchemaFinding> {
        // Rules run one after another; users read by place.
        self.findings.sort_by(|left, right| (&left.path, left.rule).cmp(&(&right.path, right.rule)));
        self.findings
    }

    /// The schema that describes the value: the end of the references of `map`.
    pub(super) fn resolve(&self, map: &'v Map<String, Value>) -> &'v Map<String, Value> {
        let mut map = map;
        // As many steps as loading allows: a longer chain does not load.
        for _ in 0..MAX_REFERENCE_CHAIN {
            match reference(map).and_then(|name| self.definitions.get(name)).and_then(Value::as_object) {
                Some(target) => map = target,
                None => break,
            }
        }
        map
    }

    /// The items of a list, after references.
    pub(super) fn items(&self, map: &'v Map<String, Value>) -> Option<&'v Map<String, Value>> {
        let items = self.resolve(map).get("items").and_then(Value::as_object)?;
        Some(self.resolve(items))
    }
}

/// The name of the definition that a schema refers to, plainly or wrapped.
fn reference(map: &Map<String, Value>) -> Option<&str> {
    // OpenAPI v3 cannot put keywords beside `$ref`, so Kubernetes wraps the reference in `allOf`.
    let wrapped = map.get("allOf").and_then(Value::as_array).and_then(|entries| entries.first());
    let reference = map.get("$ref").or_else(|| wrapped?.get("$ref"))?.as_str()?;
    reference.strip_prefix("#/definitions/").or_else(|| reference.strip_prefix("#/components/schemas/"))
}

/// The members of the object under a keyword.
pub(super) fn members<'v>(
    map: &'v Map<String, Value>,
    keyword: &str,
) -> impl Iterator<Item = (&'v String, &'v Value)> {
    map.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

/// The one word of `type`.
pub(super) fn type_of(map: &Map<String, Value>) -> &str {
    map.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The strings of the list under a keyword.
pub(super) fn words<'v>(map: &'v Map<String, Value>, keyword: &str) -> Vec<&'v str> {
    map.get(keyword).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}
