//! `# kubemerge: ignore RULE`: findings that the author of a file does not want to see.

use crate::finding::Finding;

const MARK: &str = "kubemerge: ignore";

/// Whether a comment on the line of the finding, or on the line before it, names its rule.
#[must_use]
pub fn is_ignored(text: &str, finding: &Finding) -> bool {
    // A range of another text must not panic.
    let start = text.floor_char_boundary(finding.location.range.start.min(text.len()));
    let (head, tail) = text.split_at(start);
    let lines = head.rsplit_once('\n');
    let (before, line_start) = lines.unwrap_or(("", head));
    let line_end = tail.split('\n').next().unwrap_or_default();
    let before = before.rsplit('\n').next().unwrap_or_default();
    // On the line before only a comment of its own counts: one after a value belongs to that value.
    let alone = Some(before).filter(|line| line.trim_start().starts_with('#'));
    let line = format!("{line_start}{line_end}");
    [Some(line.as_str()), alone].into_iter().flatten().any(|line| names(line, finding.rule))
}

/// Whether a line has a comment that ignores a rule.
fn names(line: &str, rule: &str) -> bool {
    let Some((_, comment)) = line.split_once('#') else { return false };
    let Some(rules) = comment.split_once(MARK).map(|(_, rules)| rules) else { return false };
    rules.split([',', ' ']).any(|one| one == rule)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{FindingSeverity, Location};

    fn check(text: &str, expected: bool) {
        let start = text.find('x').unwrap();
        let finding = Finding {
            rule: "yaml-trap",
            severity: FindingSeverity::Warning,
            message: String::new(),
            reason: None,
            help: None,
            location: Location { range: start..start + 1, label: String::new() },
            related: Vec::new(),
        };
        assert_eq!(is_ignored(text, &finding), expected, "{text}");
    }

    #[test]
    fn a_comment_on_the_line_or_before_it_counts() {
        check("x: 1 # kubemerge: ignore yaml-trap", true);
        check("# kubemerge: ignore other, yaml-trap\nx: 1\n", true);
        check("  # kubemerge: ignore yaml-trap\n  x: 1\n", true);
        check("a: 1 # kubemerge: ignore yaml-trap\nx: 1", false);
        check("x: 1 # kubemerge: ignore other", false);
        check("x: 1", false);
        check("# kubemerge: ignore yaml-trap\n\nx: 1", false);
    }
}
