//! Which findings are shown, and how serious they are: `--ignore`, `--severity` and `--min-severity`.

use std::collections::{HashMap, HashSet};

use kubemerge_inspect::{RULES, nearest};

use super::{LintArgs, SeverityArg};
use crate::report::{Notice, Result, Severity};

/// The settings of a run.
pub(super) struct Settings {
    ignored: HashSet<String>,
    severities: HashMap<String, Severity>,
    min: Severity,
}

impl Settings {
    pub(super) fn new(args: &LintArgs) -> Result<Settings> {
        let mut severities = HashMap::new();
        for word in &args.severity {
            let (rule, severity) = rule_and_severity(word)?;
            check_rule(rule)?;
            severities.insert(rule.to_owned(), severity);
        }
        // A misspelt rule would silently ignore nothing.
        args.ignore.iter().try_for_each(|rule| check_rule(rule))?;
        let min = match args.min_severity {
            SeverityArg::Warning => Severity::Warning,
            SeverityArg::Error => Severity::Error,
        };
        Ok(Settings { ignored: args.ignore.iter().cloned().collect(), severities, min })
    }

    // Ignored first, then graded: --min-severity sees the severity that the user set.
    /// The findings that are shown.
    pub(super) fn apply(&self, notices: Vec<Notice>) -> Vec<Notice> {
        let is_ignored = |notice: &Notice| notice.code.is_some_and(|code| self.ignored.contains(code));
        let kept = notices.into_iter().filter(|notice| !is_ignored(notice));
        let graded = kept.map(|notice| {
            let set = notice.code.and_then(|code| self.severities.get(code)).copied();
            Notice { severity: set.unwrap_or(notice.severity), ..notice }
        });
        graded.filter(|notice| notice.severity >= self.min).collect()
    }
}

fn rule_and_severity(word: &str) -> Result<(&str, Severity)> {
    match word.split_once('=') {
        Some((rule, "warning")) => Ok((rule, Severity::Warning)),
        Some((rule, "error")) => Ok((rule, Severity::Error)),
        _ => {
            Err(Notice::error(format!("bad severity {word}")).help("write RULE=warning or RULE=error").into())
        }
    }
}

fn check_rule(word: &str) -> Result<()> {
    let codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    if codes.contains(&word) {
        return Ok(());
    }
    let notice = Notice::error(format!("there is no rule {word}"));
    Err(match nearest(word, &codes) {
        Some(meant) => notice.help(format!("did you mean {meant}?")),
        // Errors with which Kubernetes refuses a patch have codes as well, such as missing-merge-key.
        None if word.contains('-') => return Ok(()),
        None => notice.help("`kubemerge lint --list-rules` lists all"),
    }
    .into())
}
