//! Writes what is sent, the resulting objects, or the changes in the live ones.

use clap::ValueEnum;
use kubemerge::{KubectlApplied, LAST_APPLIED, Patch, RuleSource, apply};
use kubemerge_yaml as yaml;
use serde_json::{Value, json};

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
    /// Unified diff of the live object, without the last applied configuration
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
        ApplyOutput::Diff => {
            let created = steps.iter().map(created).collect::<Result<Vec<_>>>()?;
            diff(steps, live)? + &created.concat()
        }
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
    let changed = steps.iter().filter_map(|step| Some((step, step.live?)));
    let mut changes = changed
        .map(|(step, at)| Ok((at, without_memory(step.config, Some(&live[at]), step.result(live))?)))
        .collect::<Result<Vec<(usize, Vec<u8>)>>>()?;
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

/// The result with the last applied configuration of the live object: every apply changes that, and all of it is in
/// the rest of the diff.
fn without_memory(config: &Manifest<'_>, live: Option<&Manifest<'_>>, result: &[u8]) -> Result<Vec<u8>> {
    let (before, after) = (live.and_then(|live| annotations(&live.json)), annotations(result));
    let is_memory_alone = after.as_ref().and_then(Value::as_object).is_some_and(|after| after.len() == 1);
    let kept = match (&before, &after) {
        (_, Some(after)) if after.get(LAST_APPLIED).is_none() => return Ok(result.to_vec()),
        (_, None) => return Ok(result.to_vec()),
        // An empty map would be a change as well.
        (None, _) if is_memory_alone => Value::Null,
        (before, _) => json!({LAST_APPLIED: before.as_ref().and_then(|before| before.get(LAST_APPLIED))}),
    };
    let body = json!({"metadata": {"annotations": kept}}).to_string();
    let patch = Patch::merge(&body).map_err(|error| config.fault(&error))?;
    apply(RuleSource::None, result, &patch).map_err(|error| config.fault(&error).into())
}

fn annotations(object: &[u8]) -> Option<Value> {
    let object: Value = serde_json::from_slice(object).ok()?;
    object.pointer("/metadata/annotations").filter(|annotations| annotations.is_object()).cloned()
}

/// The object as an addition, if there was none.
fn created(step: &ConfigResult<'_, '_>) -> Result<String> {
    match &step.applied {
        KubectlApplied::Created(object) => {
            let object = without_memory(step.config, None, object)?;
            let [_, text] = step.config.source.shown_pair("", &render::yaml(&object));
            Ok(render::addition(&step.config.identity.to_string(), &text))
        }
        KubectlApplied::Configured { .. } | KubectlApplied::Unchanged => Ok(String::new()),
    }
}
