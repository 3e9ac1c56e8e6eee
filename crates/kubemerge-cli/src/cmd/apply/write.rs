//! Writes what is sent, the resulting objects, or the changes in the live ones.

use clap::ValueEnum;
use kubemerge::{KubectlApplied, Patch};
use kubemerge_yaml as yaml;

use crate::load::{self, Manifest, ObjectChange};
use crate::render;
use crate::report::Result;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum ApplyOutput {
    /// The patch and the object, as two YAML documents
    #[default]
    Both,
    /// The patch as JSON, as it is sent
    Patch,
    /// The object as YAML
    Yaml,
    /// The object as JSON
    Json,
    /// Unified diff of the live object
    Diff,
}

/// The result of a configuration.
pub(super) struct ConfigResult<'m, 's> {
    pub(super) config: &'m Manifest<'s>,
    /// The number of its live object.
    pub(super) live: Option<usize>,
    pub(super) applied: KubectlApplied<Vec<u8>>,
}

/// The results of all steps as text.
pub(super) fn text(
    output: ApplyOutput,
    steps: &[ConfigResult<'_, '_>],
    live: &[Manifest<'_>],
) -> Result<String> {
    let parts = |text: &dyn Fn(&ConfigResult<'_, '_>) -> String| steps.iter().map(text).collect::<Vec<_>>();
    Ok(match output {
        // One object needs no title.
        ApplyOutput::Both if steps.len() == 1 => parts(&|step| both(step, live)).concat(),
        ApplyOutput::Both => {
            parts(&|step| format!("# {}\n{}", step.config.title(), both(step, live))).join("---\n")
        }
        ApplyOutput::Patch => parts(&patch).concat(),
        ApplyOutput::Yaml => parts(&|step| render::yaml(step.result(live))).join("---\n"),
        ApplyOutput::Json => parts(&|step| render::pretty_json(step.result(live))).concat(),
        ApplyOutput::Diff => diff(steps, live)? + &parts(&created).concat(),
    })
}

impl ConfigResult<'_, '_> {
    /// The object in the end.
    fn result<'r>(&'r self, live: &'r [Manifest<'_>]) -> &'r [u8] {
        match (&self.applied, self.live) {
            (KubectlApplied::Configured { result, .. } | KubectlApplied::Created(result), _) => result,
            (KubectlApplied::Unchanged, Some(at)) => &live[at].json,
            // Cannot happen: what has no live object is created.
            (KubectlApplied::Unchanged, None) => b"{}",
        }
    }
}

fn both(step: &ConfigResult<'_, '_>, live: &[Manifest<'_>]) -> String {
    let result = render::yaml(step.result(live));
    format!("{}---\n# The resulting object.\n{result}", sent(&step.applied))
}

fn patch(step: &ConfigResult<'_, '_>) -> String {
    let patch = match &step.applied {
        KubectlApplied::Configured { patch, .. } => Patch::to_bytes(patch),
        // Nothing is patched, and programs that read the output expect a patch for each object.
        KubectlApplied::Created(_) | KubectlApplied::Unchanged => b"{}".to_vec(),
    };
    format!("{}\n", String::from_utf8_lossy(&patch))
}

/// What is sent, in a comment where it is no patch.
fn sent(applied: &KubectlApplied<Vec<u8>>) -> String {
    match applied {
        KubectlApplied::Created(_) => "# The object is created.\n".to_owned(),
        KubectlApplied::Unchanged => "# Nothing is sent.\n".to_owned(),
        KubectlApplied::Configured { patch, .. } => {
            format!("# The patch ({}).\n{}", patch.content_type(), render::yaml(&patch.to_bytes()))
        }
    }
}

/// What changes in the files of the live objects.
fn diff(steps: &[ConfigResult<'_, '_>], live: &[Manifest<'_>]) -> Result<String> {
    let mut changes: Vec<(usize, &[u8])> =
        steps.iter().filter_map(|step| Some((step.live?, step.result(live)))).collect();
    // Edits of a text must come in its order; configurations may have another one.
    changes.sort_by_key(|(at, _)| *at);
    let changes: Vec<ObjectChange<'_, '_>> =
        changes.iter().map(|(at, json)| ObjectChange { manifest: &live[*at], json: Some(json) }).collect();
    let mut text = String::new();
    for file in changes.chunk_by(|one, other| std::ptr::eq(one.manifest.source, other.manifest.source)) {
        let source = file[0].manifest.source;
        let after = yaml::apply_edits(source.text(), &load::edits(file)?.edits);
        let [before, after] = source.shown_pair(source.text(), &after);
        text.push_str(&render::unified_diff(&source.name, &before, &after));
    }
    Ok(text)
}

/// The object as an addition, if there was none.
fn created(step: &ConfigResult<'_, '_>) -> String {
    match &step.applied {
        KubectlApplied::Created(object) => {
            let [_, text] = step.config.source.shown_pair("", &render::yaml(object));
            render::addition(&step.config.identity.to_string(), &text)
        }
        KubectlApplied::Configured { .. } | KubectlApplied::Unchanged => String::new(),
    }
}
