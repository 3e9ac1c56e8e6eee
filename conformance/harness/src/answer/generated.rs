//! Operations that make patches or compare them: documents in, a patch or a verdict out.

use kubemerge::Object;
use kubemerge_schema::Type;
use kubemerge_strategic::{
    DiffOptions, Emission, MergeError, OnConflict, Precondition, VersionNodes, check_preconditions, compose,
    conflicts, diff, three_way_checked,
};
use kubemerge_value::{Arena, Canonical, Document, Node, to_canonical, to_value};
use serde_json::Value;

use super::{
    operation::{Answer, value, value_text},
    refusal::Refusal,
    request::{Api, Request, Switches},
};

/// The patch from original to modified.
pub(super) fn two_way(request: &Request<'_>, ty: Type<'_>) -> Result<Answer, Refusal> {
    let texts = [request.document("original"), request.document("modified")];
    let options = request.options.map_or_else(DiffOptions::default, options);
    let preconditions = preconditions(request);
    with_documents(request.api, &texts, |nodes, arena| {
        let patch = diff(ty, nodes[0], nodes[1], &options, arena)?;
        check_preconditions(patch, &preconditions)?;
        Ok(patch)
    })
}

/// The patch that brings current to modified.
pub(super) fn three_way(request: &Request<'_>, ty: Type<'_>) -> Result<Answer, Refusal> {
    let texts = ["original", "modified", "current"].map(|field| request.document(field));
    let on_conflict = if request.overwrite { OnConflict::Overwrite } else { OnConflict::Fail };
    let preconditions = preconditions(request);
    with_documents(request.api, &texts, |nodes, arena| {
        let versions = VersionNodes { original: nodes[0], modified: nodes[1], current: nodes[2] };
        three_way_checked(ty, &versions, on_conflict, &preconditions, arena)
    })
}

/// The three-way patch for kinds without a schema.
pub(super) fn json_three_way(request: &Request<'_>) -> Result<Answer, Refusal> {
    let texts = ["original", "modified", "current"].map(|field| request.document(field));
    match request.api {
        Api::Checked => three_states(request, texts),
        Api::Canonical => {
            let held = texts.map(|text| Canonical::from_bytes(text.as_bytes()));
            let [original, modified, current] = held;
            three_states(request, [&original?, &modified?, &current?])
        }
        Api::Value => {
            let [original, modified, current] = texts.map(value);
            three_states(request, [&original?, &modified?, &current?])
        }
    }
}

fn three_states<O: Object + ?Sized>(request: &Request<'_>, states: [&O; 3]) -> Result<Answer, Refusal> {
    let [original, modified, current] = states;
    let versions = kubemerge::Versions { original, modified, current };
    let patch = kubemerge::json_three_way(&versions, &preconditions(request))?;
    Ok(to_canonical(patch.node()).into_bytes())
}

/// One patch for several.
pub(super) fn composed(request: &Request<'_>, ty: Type<'_>) -> Result<Answer, Refusal> {
    with_documents(request.api, &request.patches(), |nodes, arena| compose(ty, nodes, arena))
}

/// Whether two patches disagree.
pub(super) fn disagree(request: &Request<'_>, ty: Type<'_>) -> Result<Answer, Refusal> {
    let texts = request.patches();
    if texts.len() != 2 {
        return Err(Refusal::bad_request(format!(
            "conflicts needs exactly two patches, got {}",
            texts.len()
        )));
    }
    let held = hold(request.api, &texts)?;
    let (arena, nodes) = (Arena::new(), nodes(&held)?);
    let found = conflicts(ty, nodes[0], nodes[1], &arena)?;
    // Kubernetes says only whether there are conflicts.
    Ok((!found.is_empty()).to_string().into_bytes())
}

fn options(switches: Switches) -> DiffOptions {
    let emission = |on: bool| if on { Emission::Emit } else { Emission::Omit };
    DiffOptions {
        element_order: emission(switches.set_element_order),
        changes: emission(!switches.ignore_changes),
        deletions: emission(!switches.ignore_deletions),
    }
}

fn preconditions<'r>(request: &'r Request<'_>) -> Vec<Precondition<'r>> {
    request.preconditions.iter().map(|field| Precondition::parse(field)).collect()
}

/// Reads the documents through the interface that is asked for, runs the operation and writes its result.
fn with_documents(
    api: Api,
    texts: &[&str],
    operation: impl for<'a> FnOnce(&[Node<'a>], &'a Arena) -> Result<Node<'a>, MergeError>,
) -> Result<Answer, Refusal> {
    let held = hold(api, texts)?;
    let (arena, nodes) = (Arena::new(), nodes(&held)?);
    let result = operation(&nodes, &arena)?;
    match api {
        Api::Value => value_text(&to_value(result)?),
        Api::Checked | Api::Canonical => Ok(to_canonical(result).into_bytes()),
    }
}

/// A document as one of our interfaces takes it.
enum Held<'t> {
    Checked(Document<'t>),
    Canonical(Canonical),
    Value(Value),
}

fn hold<'t>(api: Api, texts: &[&'t str]) -> Result<Vec<Held<'t>>, Refusal> {
    let read = |text: &&'t str| -> Result<Held<'t>, Refusal> {
        let bytes = text.as_bytes();
        Ok(match api {
            Api::Checked => Held::Checked(Document::check(bytes)?),
            Api::Canonical => Held::Canonical(Canonical::from_bytes(bytes)?),
            Api::Value => Held::Value(to_value(Document::check(bytes)?.node())?),
        })
    };
    texts.iter().map(read).collect()
}

fn nodes<'h>(held: &'h [Held<'_>]) -> Result<Vec<Node<'h>>, Refusal> {
    let node = |held: &'h Held<'_>| -> Result<Node<'h>, Refusal> {
        Ok(match held {
            Held::Checked(document) => document.node(),
            Held::Canonical(canonical) => canonical.node(),
            Held::Value(value) => Node::from_value(value)?,
        })
    };
    held.iter().map(node).collect()
}

impl From<MergeError> for Refusal {
    fn from(error: MergeError) -> Refusal {
        Refusal::at(error.kind().name(), error.message(), error.path())
    }
}
