//! The namespace of a configuration that has none.

use kubemerge::{Patch, RuleSource, Schema, apply};
use serde_json::json;

use crate::load::Manifest;
use crate::report::{Notice, Result};

/// Adds the namespace of `--namespace`, as kubectl does. Another namespace in the configuration is an error there.
pub(super) fn from_option(config: &mut Manifest<'_>, given: Option<&str>, schema: &Schema) -> Result<()> {
    // kubectl ignores --namespace for kinds of the cluster.
    let Some(given) = given.filter(|_| is_namespaced(config, schema)) else { return Ok(()) };
    match config.identity.namespace.as_str() {
        "" => set(config, given),
        own if own == given => Ok(()),
        own => {
            let title = format!(
                "the namespace from the provided object \"{own}\" does not match the namespace \"{given}\". \
                 You must pass '--namespace={own}' to perform this operation."
            );
            Err(Notice::error(title).at(config.excerpt("metadata.namespace", "")).into())
        }
    }
}

/// Adds the namespace of the live object: kubectl would have found it only with that one.
pub(super) fn from_live(config: &mut Manifest<'_>, live: Option<&Manifest<'_>>) -> Result<()> {
    match live.map(|live| live.identity.namespace.clone()) {
        Some(namespace) if config.identity.namespace.is_empty() && !namespace.is_empty() => {
            set(config, &namespace)
        }
        _ => Ok(()),
    }
}

fn set(config: &mut Manifest<'_>, namespace: &str) -> Result<()> {
    // Patched instead of edited in the text: the file of the user stays as it is.
    let body = json!({"metadata": {"namespace": namespace}}).to_string();
    let patch = Patch::merge(&body).map_err(|error| config.fault(&error))?;
    config.json = apply(RuleSource::None, &config.json, &patch).map_err(|error| config.fault(&error))?;
    config.identity.namespace = namespace.to_owned();
    Ok(())
}

/// Kinds that the schema does not have may have a namespace.
fn is_namespaced(config: &Manifest<'_>, schema: &Schema) -> bool {
    let (group, version) = config.identity.group_and_version();
    let kind = config.identity.kind.as_str();
    let mut resources = schema.resources();
    let own = resources.find(|one| (one.group(), one.version(), one.kind()) == (group, version, kind));
    own.is_none_or(|resource| resource.is_namespaced())
}
