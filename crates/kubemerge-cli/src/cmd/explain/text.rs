//! Explanations as a tree, coloured on a terminal.

use kubemerge_inspect::{Action, MergeStep, RefusalCause};

use super::ObjectExplanation;
use crate::cmd::refusal::sentence;
use crate::report::{Colours, Ink, colours_of, sanitize};

/// All explanations, a blank line between two.
pub(super) fn text(explanations: &[ObjectExplanation]) -> String {
    let colours = colours_of(&std::io::stdout());
    explanations.iter().map(|explanation| tree(explanation, colours)).collect::<Vec<_>>().join("\n")
}

fn tree(explanation: &ObjectExplanation, colours: Colours) -> String {
    let rules = match explanation.dialect {
        Some(dialect) => format!("dialect {dialect}"),
        None => format!("--type {}", explanation.patch_type),
    };
    let mut text = format!("{}: {}, {rules}\n", sanitize(&explanation.file), sanitize(&explanation.object));
    let steps: Vec<&MergeStep> = explanation.steps.iter().filter(|step| step.depth > 0).collect();
    for (at, step) in steps.iter().enumerate() {
        if !is_folded(step, &steps[at + 1..]) {
            text.push_str(&line(step, colours));
        }
    }
    let unchanged = steps.iter().filter(|step| step.action == Action::Unchanged).count();
    match unchanged {
        0 => {}
        1 => text.push_str("  1 field unchanged\n"),
        count => text.push_str(&format!("  {count} fields unchanged\n")),
    }
    if !explanation.differences.is_empty() {
        text.push_str("where the dialects differ\n");
        let differences = explanation.differences.iter();
        differences
            .for_each(|one| text.push_str(&format!("  {}: {}\n", sanitize(&one.path), sanitize(&one.words))));
    }
    for causes in explanation.refusal.chunk_by(|one, other| one.refuser() == other.refuser()) {
        let refuser = causes.first().map_or("", RefusalCause::refuser);
        text.push_str(&format!("{refuser} would refuse the result\n"));
        let lines = causes
            .iter()
            .map(|cause| format!("  {}\n", Ink::Red.paint(&sanitize(&sentence(cause)), colours)));
        lines.for_each(|line| text.push_str(&line));
    }
    text
}

/// Whether nothing happens at a place, nor below it.
fn is_folded(step: &MergeStep, rest: &[&MergeStep]) -> bool {
    let is_quiet =
        |step: &MergeStep| matches!(step.action, Action::Unchanged | Action::MapMerged | Action::ItemMatched);
    is_quiet(step) && rest.iter().take_while(|below| below.depth > step.depth).all(|below| is_quiet(below))
}

fn line(step: &MergeStep, colours: Colours) -> String {
    let indent = "  ".repeat(step.depth);
    let ink = match step.action {
        Action::Added | Action::ItemAdded => Ink::Green,
        Action::Removed => Ink::Red,
        Action::Set | Action::MapReplaced | Action::ListReplaced | Action::Reordered | Action::Changed => {
            Ink::Yellow
        }
        Action::Unchanged | Action::MapMerged | Action::ListMerged | Action::ItemMatched => Ink::Plain,
    };
    let sentence = ink.paint(&sanitize(&step.sentence()), colours);
    let because = match step.because.as_slice() {
        [] => String::new(),
        because => format!(" ({})", sanitize(&because.join("; "))),
    };
    format!("{indent}{}: {sentence}{because}\n", sanitize(&step.name))
}
