//! The rules of the linter: code, severity, reason and help.

use crate::report::{Notice, Severity};

/// What can be found without a failing merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    SharedMergeKey,
    DuplicateItem,
    LostItem,
    ReplacedList,
    UnknownDirective,
    MisplacedDirective,
    UnknownField,
    CustomResource,
    YamlTrap,
    BrokenYaml,
    NoTarget,
    MoreFindings,
}

impl Rule {
    pub(super) fn code(self) -> &'static str {
        match self {
            Rule::SharedMergeKey => "shared-merge-key",
            Rule::DuplicateItem => "duplicate-item",
            Rule::LostItem => "lost-item",
            Rule::ReplacedList => "replaced-list",
            Rule::UnknownDirective => "unknown-directive",
            Rule::MisplacedDirective => "misplaced-directive",
            Rule::UnknownField => "unknown-field",
            Rule::CustomResource => "custom-resource",
            Rule::YamlTrap => "yaml-trap",
            Rule::BrokenYaml => "broken-yaml",
            Rule::NoTarget => "no-target",
            Rule::MoreFindings => "more-findings",
        }
    }

    fn severity(self) -> Severity {
        match self {
            Rule::LostItem | Rule::UnknownDirective | Rule::MisplacedDirective | Rule::CustomResource => {
                Severity::Error
            }
            _ => Severity::Warning,
        }
    }

    fn reason(self) -> Option<&'static str> {
        match self {
            Rule::SharedMergeKey => Some(
                "Kubernetes merges the list by this key alone: a patch or `kubectl apply` changes one of them or both",
            ),
            Rule::DuplicateItem => Some("a patch or `kubectl apply` removes one of them"),
            Rule::LostItem => Some("Kubernetes merges two entries into one, because they share a merge key"),
            Rule::ReplacedList => Some("entries that the patch does not repeat are removed"),
            Rule::UnknownField => Some("the API server drops it, or refuses a patch below it"),
            Rule::CustomResource => Some("the API server answers 415"),
            Rule::YamlTrap => Some("Kubernetes reads YAML 1.1"),
            Rule::UnknownDirective
            | Rule::MisplacedDirective
            | Rule::BrokenYaml
            | Rule::NoTarget
            | Rule::MoreFindings => None,
        }
    }

    fn help(self) -> Option<&'static str> {
        match self {
            Rule::SharedMergeKey => Some("change such a list with a JSON patch or server-side apply"),
            Rule::DuplicateItem => Some("keep one of them"),
            Rule::LostItem => Some("use a JSON patch, or server-side apply"),
            Rule::ReplacedList => Some("repeat every entry that should stay, or use a JSON patch"),
            Rule::CustomResource => Some("send a merge patch: --type merge"),
            Rule::UnknownField => Some("check the spelling and the place, or give a schema with --schema"),
            Rule::YamlTrap => Some("put it in quotes"),
            Rule::UnknownDirective
            | Rule::MisplacedDirective
            | Rule::BrokenYaml
            | Rule::NoTarget
            | Rule::MoreFindings => None,
        }
    }

    /// A finding of this rule.
    pub(super) fn notice(self, title: String) -> Notice {
        let notice = Notice::new(self.severity(), title).code(self.code());
        let notice = self.reason().map_or(notice.clone(), |reason| notice.reason(reason));
        self.help().map_or(notice.clone(), |help| notice.help(help))
    }
}
