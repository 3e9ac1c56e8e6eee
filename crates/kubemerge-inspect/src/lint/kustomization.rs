//! Kustomizations: their own fields, and the patches in them, as kustomize applies them.

use kubemerge::{PatchType, RuleSource, apply_node};
use kubemerge_schema::{Dialect, Schema, SchemaBuilder, Type};
use kubemerge_strategic::apply;
use kubemerge_value::{Arena, Node, to_bytes};
use kubemerge_yaml::YamlDocument;

use super::collect::Findings;
use super::rule::{self, Rule};
use super::subject::{LintObject, LintPatch};
use super::walk::Types;
use super::{Linter, json_patch, merge, only, trap, walk_object, walk_patch, with_trial};
use crate::finding::{Finding, FindingSeverity};
use crate::place::path_in_patch;
use crate::refusal::refusal_of_change;

/// What the walk finds in a patch for Kubernetes, and what of it holds for kustomize: lists merge by other rules.
const RULES: [Rule; 3] = [rule::UNKNOWN_FIELD, rule::UNKNOWN_DIRECTIVE, rule::WRONG_TYPE];

/// The fields of kustomizations, and the rules by which their patches merge.
#[derive(Debug)]
pub struct KustomizeRules {
    fields: Schema,
    merge: Schema,
}

/// A patch of a kustomization, tried on an object.
#[derive(Debug)]
pub struct KustomizeTrial {
    /// What is wrong with the patch, whatever the object is.
    pub findings: Vec<Finding>,
    /// The result.
    pub outcome: KustomizeOutcome,
}

/// What a patch of a kustomization does to an object.
#[derive(Debug)]
pub enum KustomizeOutcome {
    /// There is no object.
    NotTried,
    /// The object with the patch applied.
    Patched(Vec<u8>),
    /// The patch deletes the object.
    Deleted,
    /// kustomize refuses the patch.
    Refused(Box<Finding>),
}

impl KustomizeRules {
    /// Compiles both; `None` if the tables of this build are damaged.
    #[must_use]
    pub fn new() -> Option<KustomizeRules> {
        let fields = serde_json::from_str(include_str!("kustomization.json")).ok()?;
        let fields = SchemaBuilder::new().openapi_v2(&fields).ok()?.compile(Dialect::Upstream).ok()?;
        let merge = SchemaBuilder::kustomize().compile(Dialect::Kustomize).ok()?;
        Some(KustomizeRules { fields, merge })
    }

    /// The findings in the fields of a kustomization, which kustomize refuses.
    pub fn fields(&self, document: &YamlDocument<'_>, value: Node<'_>) -> Vec<Finding> {
        let ty = self.fields.definition("Kustomization").unwrap_or_else(|| self.fields.untyped());
        let object = LintObject { item: None, api_version: "", kind: "Kustomization", value };
        let mut findings = Findings::default();
        walk_object(Types { upstream: ty, spec: ty }, document, &object, &mut findings);
        let refused = |finding| Finding { reason: Some("kustomize refuses it".to_owned()), ..finding };
        only(&RULES, findings)
            .filter(|one| !is_in_other_case(document, one))
            .map(refused)
            .map(as_error)
            .collect()
    }

    fn type_of(&self, patch: &LintPatch<'_>) -> Type<'_> {
        self.merge.type_of(patch.api_version, patch.kind).unwrap_or_else(|| self.merge.untyped())
    }
}

impl Linter<'_> {
    /// The findings in a patch of a kustomization, tried on the object it is for.
    pub fn kustomize_patch(
        &self,
        rules: &KustomizeRules,
        patch: &LintPatch<'_>,
        live: Option<Node<'_>>,
    ) -> KustomizeTrial {
        let types = self.types(patch.api_version, patch.kind).unwrap_or_else(|| self.untyped());
        let mut findings = Findings::default();
        walk_patch(types, patch.document, patch.patch, &mut findings);
        // The result is sent by kubectl apply, which asks for strict validation.
        let mut found: Vec<Finding> = only(&RULES, findings).map(as_error).collect();
        if patch.patch.patch_type() == PatchType::Strategic {
            let mut traps = Findings::default();
            trap::traps(patch.document, &[(patch.document.root(), types.spec)], &mut traps);
            found.extend(traps.finish());
        }
        let Some(live) = live else {
            return KustomizeTrial { findings: found, outcome: KustomizeOutcome::NotTried };
        };
        let (outcome, refused) = self.kustomized(rules.type_of(patch), types, patch, live);
        KustomizeTrial { findings: with_trial(found, refused), outcome }
    }

    /// The result of a patch, and what the API server refuses in it.
    fn kustomized(
        &self,
        ty: Type<'_>,
        types: Types<'_>,
        patch: &LintPatch<'_>,
        live: Node<'_>,
    ) -> (KustomizeOutcome, Vec<Finding>) {
        let arena = Arena::new();
        let body = patch.patch.node();
        let is_json = patch.patch.patch_type() == PatchType::Json;
        let result = if is_json {
            apply_node(RuleSource::None, live, patch.patch, &arena)
                .map_err(|error| merge::refused_by_rfc(patch, &error))
        } else {
            apply(ty, live, body, &arena).map_err(|error| merge::refused(patch, &error))
        };
        let result = match result {
            Ok(result) if result.is_null() => return (KustomizeOutcome::Deleted, Vec::new()),
            Ok(result) => to_bytes(result),
            Err(finding) => {
                let reason = Some("kustomize refuses the patch".to_owned());
                return (KustomizeOutcome::Refused(Box::new(Finding { reason, ..finding })), Vec::new());
            }
        };
        let mut findings = Findings::default();
        let causes = refusal_of_change(self.upstream, &to_bytes(live), &result);
        let place = |field: &str| {
            if is_json {
                json_patch::operation_of(body, field)
            } else {
                path_in_patch(types.upstream, live, body, field, &arena)
            }
        };
        merge::refusals(causes, patch, place, &mut findings);
        (KustomizeOutcome::Patched(result), findings.finish())
    }
}

/// Whether a field only has letters in another case, which Go's decoder takes for the same.
fn is_in_other_case(document: &YamlDocument<'_>, finding: &Finding) -> bool {
    let written = document.text().get(finding.location.range.clone()).unwrap_or_default();
    let meant =
        finding.help.as_deref().and_then(|help| help.strip_prefix("did you mean ")?.strip_suffix('?'));
    meant.is_some_and(|meant| meant.eq_ignore_ascii_case(written))
}

fn as_error(finding: Finding) -> Finding {
    Finding { severity: FindingSeverity::Error, ..finding }
}
