//! The rules: code, severity, reason, help and an example each.

use crate::finding::FindingSeverity;

/// A rule of the linter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The code that configuration and comments name.
    pub code: &'static str,
    /// How serious its findings are, unless configured otherwise.
    pub severity: FindingSeverity,
    /// What it finds, in one sentence.
    pub summary: &'static str,
    /// Why it matters.
    pub reason: Option<&'static str>,
    /// What to do about it.
    pub help: Option<&'static str>,
}

macro_rules! rules {
    ($($name:ident = $code:literal $severity:ident $summary:literal, $reason:expr, $help:expr;)*) => {
        $(pub(super) const $name: Rule = Rule {
            code: $code,
            severity: FindingSeverity::$severity,
            summary: $summary,
            reason: $reason,
            help: $help,
        };)*
        /// Every rule, in the order of the documentation.
        pub const RULES: &[Rule] = &[$($name),*];
    };
}

rules! {
    SHARED_MERGE_KEY = "shared-merge-key" Warning
        "Two entries of a list have the same merge key and differ in other keys, such as a port with two protocols.",
        Some("Kubernetes merges the list by this key alone: a patch or `kubectl apply` changes one of them or both"),
        Some("change such a list with a JSON patch or server-side apply");
    DUPLICATE_ITEM = "duplicate-item" Warning
        "Two entries of a list have the same keys.",
        Some("a patch or `kubectl apply` removes one of them"), Some("keep one of them");
    LOST_ITEM = "lost-item" Error
        "The patch removes an entry of a list that it does not name.",
        Some("Kubernetes merges two entries into one, because they share a merge key"),
        Some("use a JSON patch, or server-side apply");
    REPLACED_LIST = "replaced-list" Warning
        "The patch replaces a list as a whole, and entries of the live object would be lost.",
        Some("entries that the patch does not repeat are removed"),
        Some("repeat every entry that should stay, or use a JSON patch");
    UNKNOWN_DIRECTIVE = "unknown-directive" Error
        "A directive such as `$patch` is misspelt, or has an unknown value.", None, None;
    MISPLACED_DIRECTIVE = "misplaced-directive" Error
        "A directive is where it has no effect: in an object, or in a list that is replaced as a whole.", None, None;
    UNKNOWN_FIELD = "unknown-field" Error
        "The schema has no such field; a warning in patches, which are not validated strictly.",
        Some("the API server refuses it from kubectl, which asks for strict validation, and else drops it"),
        Some("check the spelling and the place, or give a schema with --schema");
    UNKNOWN_KIND = "unknown-kind" Error
        "The API group has no such kind.",
        Some("the API server answers 404"), None;
    REMOVED_API = "removed-api" Error
        "The version of the API is removed in the chosen version of Kubernetes.",
        Some("the API server answers 404"), None;
    DEPRECATED_API = "deprecated-api" Warning
        "The version of the API is deprecated and will be removed.", None, None;
    WRONG_TYPE = "wrong-type" Error
        "A value has another type than its field.",
        Some("the API server refuses the object"), None;
    INVALID_FIELD = "invalid-field" Error
        "The API server refuses the value of a field, or misses a required one.",
        Some("the API server answers 422"), None;
    API_WARNING = "api-warning" Warning
        "The API server accepts the object and sends a warning.", None, None;
    INVALID_UNION = "invalid-union" Warning
        "An object sets fields of a union that exclude each other, or not the one that its discriminator selects.",
        Some("the dialect spec refuses the object, and Kubernetes ignores x-kubernetes-unions"),
        Some("set the one field of the union that is meant");
    MANAGED_FIELDS = "managed-fields" Warning
        "The configuration carries the owners of fields, as exported objects do.",
        Some("server-side apply refuses it, and a PUT replaces the owners"), Some("remove metadata.managedFields");
    NEVER_CONVERGES = "never-converges" Warning
        "The API server stores the value in another form, such as the quantity 1000m as 1.",
        Some("every server-side apply, and every diff of a GitOps tool, sees a change"),
        Some("write it as it is stored");
    NO_SCHEMA = "no-schema" Error
        "The schema does not have the kind of an object (only with `--require-schema`).",
        Some("nothing in the object was checked"),
        Some("give its CustomResourceDefinition with --schema FILE");
    CUSTOM_RESOURCE = "custom-resource" Error
        "A strategic merge patch of a custom resource.",
        Some("the API server answers 415"), Some("send a merge patch: --type merge");
    YAML_TRAP = "yaml-trap" Warning
        "A scalar that YAML 1.1 reads differently from how it looks, such as `country: NO`.",
        Some("Kubernetes reads YAML 1.1"), Some("put it in quotes");
    BROKEN_YAML = "broken-yaml" Error
        "A file that cannot be read as YAML.", None, None;
    MISSING_FILE = "missing-file" Error
        "A file or folder that a kustomization names is not there.", Some("kustomize refuses the kustomization"), None;
    BROKEN_DEFINITION = "broken-definition" Error
        "A CustomResourceDefinition cannot be used; objects of its kind are not checked.", None, None;
    UNREADABLE = "unreadable" Error
        "A file or folder cannot be read, or a link leads nowhere or in a circle.", None, None;
    REPEATED_OBJECT = "repeated-object" Warning
        "A file has the same object twice.",
        Some("kubectl applies one after the other, and the last one remains"),
        Some("remove one of them, or give it another name");
    NO_TARGET = "no-target" Warning
        "The object of a patch is not among the files; the patch is checked alone.", None, None;
    MORE_FINDINGS = "more-findings" Warning
        "A text has more than a hundred findings; the rest is not shown.", None, None;
}
