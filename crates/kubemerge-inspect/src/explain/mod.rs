//! What a strategic patch does to each field, which rule applies, and where the dialects differ.

mod record;
mod secret;
mod step;

pub use step::{Action, MergeStep};

use kubemerge_schema::{Dialect, Schema};
use kubemerge_strategic::{MergeError, apply, apply_observed};
use kubemerge_value::{Arena, Node};

use crate::difference::{DialectDifference, Loss, differences};
use record::StepRecorder;
pub use secret::mask_secrets;

/// What a patch does to an object.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The steps of the merge, in the order of the patch.
    pub steps: Vec<MergeStep>,
    /// Where the results of the two dialects differ.
    pub differences: Vec<DialectDifference>,
}

/// Explains a patch in one dialect; `schemas` are those of `upstream` and `spec`.
///
/// Fails as the merge itself. An object whose kind the schema does not have merges without types.
pub fn explain(
    schemas: [&Schema; 2],
    dialect: Dialect,
    api_version: &str,
    kind: &str,
    live: Node<'_>,
    patch: Node<'_>,
) -> Result<Explanation, MergeError> {
    let arena = Arena::new();
    // Both dialects are applied, because differences are part of the answer.
    let types = schemas.map(|schema| schema.type_of(api_version, kind).unwrap_or_else(|| schema.untyped()));
    let ty = if dialect == Dialect::Upstream { types[0] } else { types[1] };
    let mut recorder = StepRecorder::new(ty);
    apply_observed(ty, live, patch, &arena, &mut recorder)?;
    let differences = if types[0].is_custom_resource() {
        let words = "upstream: refuses strategic patches of custom resources (415)".to_owned();
        vec![DialectDifference { path: kind.to_owned(), words, loss: Loss::No }]
    } else {
        match types.map(|ty| apply(ty, live, patch, &arena)) {
            [Ok(upstream), Ok(spec)] => differences(types[1], live, upstream, spec, &arena),
            [Err(error), Ok(_)] => refused("upstream", &error),
            [Ok(_), Err(error)] => refused("spec", &error),
            // The error itself is the answer.
            [Err(_), Err(_)] => Vec::new(),
        }
    };
    Ok(Explanation { steps: recorder.steps, differences })
}

fn refused(dialect: &str, error: &MergeError) -> Vec<DialectDifference> {
    let words = format!("{dialect}: refuses the patch: {}", error.message());
    vec![DialectDifference { path: error.path().to_owned(), words, loss: Loss::No }]
}
