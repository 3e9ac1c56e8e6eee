//! What a strategic patch does to each field, which rule applies, and where the dialects differ.

mod record;
mod secret;
mod step;

pub use step::{Action, MergeStep};

use kubemerge_schema::{Dialect, Schema, StrategicPatch, Type};
use kubemerge_strategic::{MergeError, apply, apply_observed};
use kubemerge_value::{Arena, Node};

use crate::difference::{DialectDifference, DialectOutcome, DialectResult, differences};
use record::StepRecorder;
pub use secret::mask_secrets;

/// What a patch does to an object.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The steps of the merge, in the order of the patch.
    pub steps: Vec<MergeStep>,
    /// Where the results of the dialects differ.
    pub differences: Vec<DialectDifference>,
}

/// The schemas of the dialects that an explanation compares.
#[derive(Clone, Copy)]
pub struct DialectSchemas<'s> {
    /// The rules of `upstream`.
    pub upstream: &'s Schema,
    /// The rules of `spec`.
    pub spec: &'s Schema,
    /// The rules of `kustomize`, if that dialect is explained.
    pub kustomize: Option<&'s Schema>,
}

impl<'s> DialectSchemas<'s> {
    fn types(self, api_version: &str, kind: &str) -> DialectTypes<'s> {
        // An object whose kind the schema does not have merges without types.
        let of = |schema: &'s Schema| schema.type_of(api_version, kind).unwrap_or_else(|| schema.untyped());
        DialectTypes { upstream: of(self.upstream), spec: of(self.spec), kustomize: self.kustomize.map(of) }
    }
}

/// The types of an object in each dialect.
#[derive(Clone, Copy)]
struct DialectTypes<'s> {
    upstream: Type<'s>,
    spec: Type<'s>,
    kustomize: Option<Type<'s>>,
}

/// Explains a patch: in the dialect `kustomize` if its rules are given, else in `dialect`.
///
/// Fails as the merge itself. An object whose kind the schema does not have merges without types.
pub fn explain(
    schemas: DialectSchemas<'_>,
    dialect: Dialect,
    api_version: &str,
    kind: &str,
    live: Node<'_>,
    patch: Node<'_>,
) -> Result<Explanation, MergeError> {
    let arena = Arena::new();
    let types = schemas.types(api_version, kind);
    let ty = match (types.kustomize, dialect) {
        (Some(ty), _) => ty,
        (None, Dialect::Upstream) => types.upstream,
        (None, _) => types.spec,
    };
    let mut recorder = StepRecorder::new(ty);
    let result = apply_observed(ty, live, patch, &arena, &mut recorder)?;
    // All dialects are applied, because differences are part of the answer.
    let comparison = DialectComparison { types, kind, live, patch, arena: &arena };
    let differences = match types.kustomize {
        Some(_) => comparison.with_kustomize(result),
        None => comparison.upstream_and_spec(),
    };
    Ok(Explanation { steps: recorder.steps, differences })
}

/// A patch that is applied in several dialects.
struct DialectComparison<'c, 's, 'a> {
    types: DialectTypes<'s>,
    kind: &'c str,
    live: Node<'a>,
    patch: Node<'a>,
    arena: &'a Arena,
}

impl<'a> DialectComparison<'_, '_, 'a> {
    fn upstream_and_spec(&self) -> Vec<DialectDifference> {
        if self.types.upstream.strategic_patch() == StrategicPatch::Refused {
            return vec![self.refused_custom_resource()];
        }
        match [self.types.upstream, self.types.spec].map(|ty| apply(ty, self.live, self.patch, self.arena)) {
            [Ok(upstream), Ok(spec)] => {
                self.compare(self.types.spec, [("upstream", upstream), ("spec", spec)])
            }
            [Err(error), Ok(_)] => vec![self.refused("upstream", &error)],
            [Ok(_), Err(error)] => vec![self.refused("spec", &error)],
            // The error itself is the answer.
            [Err(_), Err(_)] => Vec::new(),
        }
    }

    /// Where the result of kustomize differs from those of the other two. What those have in common is told once.
    fn with_kustomize(&self, result: Node<'a>) -> Vec<DialectDifference> {
        let mut found = match self.types.upstream.strategic_patch() {
            StrategicPatch::Refused => vec![self.refused_custom_resource()],
            StrategicPatch::Accepted => self.beside("upstream", self.types.upstream, result),
        };
        for difference in self.beside("spec", self.types.spec, result) {
            let is_same = |known: &&mut DialectDifference| {
                known.path == difference.path
                    && known.outcomes.iter().map(|(_, outcome)| outcome).eq(outcomes_of(&difference))
            };
            match found.iter_mut().find(is_same) {
                Some(known) => {
                    let outcomes = difference.outcomes.into_iter().take(1);
                    known.outcomes.splice(1..1, outcomes);
                }
                None => found.push(difference),
            }
        }
        found
    }

    fn beside(&self, dialect: &'static str, ty: Type<'_>, kustomize: Node<'a>) -> Vec<DialectDifference> {
        match apply(ty, self.live, self.patch, self.arena) {
            Ok(result) => self.compare(self.types.spec, [(dialect, result), ("kustomize", kustomize)]),
            Err(error) => vec![self.refused(dialect, &error)],
        }
    }

    fn compare(&self, ty: Type<'_>, results: [(&'static str, Node<'a>); 2]) -> Vec<DialectDifference> {
        let results = results.map(|(dialect, object)| DialectResult { dialect, object });
        let mut found = differences(ty, self.live, results, self.arena);
        found.iter_mut().for_each(|one| one.path = self.place(&one.path));
        found
    }

    /// The whole object is named by its kind.
    fn place(&self, path: &str) -> String {
        if path.is_empty() { self.kind.to_owned() } else { path.to_owned() }
    }

    fn refused(&self, dialect: &'static str, error: &MergeError) -> DialectDifference {
        let outcomes = vec![(dialect, DialectOutcome::Refused(error.message().to_owned()))];
        DialectDifference { path: self.place(error.path()), outcomes, loses_live_data: false }
    }

    fn refused_custom_resource(&self) -> DialectDifference {
        let outcomes = vec![("upstream", DialectOutcome::RefusedCustomResource)];
        DialectDifference { path: self.kind.to_owned(), outcomes, loses_live_data: false }
    }
}

fn outcomes_of(difference: &DialectDifference) -> impl Iterator<Item = &DialectOutcome> {
    difference.outcomes.iter().map(|(_, outcome)| outcome)
}
