//! Updates that change two or three fields at once: many may not change, and their errors have an order.

use http::Method;
use serde_json::Value;

use super::{
    cases::{another, leaves},
    exchange::Call,
    kinds::Kind,
    mutate::{find, remove},
    schema::Step,
    stored::Stored,
    trial::Trial,
};
use crate::{connection::Answer, rng::Rng};

/// How many of a hundred fields are removed instead of changed.
const REMOVED_PERCENT: usize = 20;

/// How often kube-apiserver is asked again to see whether its own order is a fixed one.
pub(crate) const MAX_REPEATS: usize = 12;

/// PUT of a stored object with some of its fields changed.
pub(crate) fn update(kind: &Kind, stored: &Stored, rng: &mut Rng) -> Trial {
    let mut object = stored.object.clone();
    let mut places = Vec::new();
    leaves(&object, &mut Vec::new(), &mut places);
    places.retain(|place| is_spec(place));
    for _ in 0..2 + rng.below(2) {
        if places.is_empty() {
            break;
        }
        // Whole maps and lists are changed as well, by their parents.
        let mut place = rng.pick(&places).clone();
        let is_removed = rng.chance(REMOVED_PERCENT);
        if is_removed {
            place.truncate(1 + rng.below(place.len()));
            remove(&mut object, &place);
        } else if let Some(value) = find(&mut object, &place) {
            *value = another(value);
        }
    }
    let call = Call::new(Method::PUT, format!("{}?dryRun=All", stored.path), &object);
    Trial { area: "immutable", kind: kind.label(), call, identities: stored.identities.clone() }
}

fn is_spec(place: &[Step]) -> bool {
    !matches!(place.first(), Some(Step::Key(root)) if ["apiVersion", "kind", "metadata", "status"].contains(&root.as_str()))
}

/// The causes of a refusal in their order, as fields.
pub(crate) fn order(body: &Value) -> Vec<String> {
    let causes = body["details"]["causes"].as_array().into_iter().flatten();
    causes
        .map(|cause| format!("{} {}", cause["field"].as_str().unwrap_or_default(), cause["message"]))
        .collect()
}

/// The same fields without positions, for a report.
pub(crate) fn fields(body: &Value) -> String {
    let causes = body["details"]["causes"].as_array().into_iter().flatten();
    let fields: Vec<&str> = causes.map(|cause| cause["field"].as_str().unwrap_or_default()).collect();
    fields.join(", ")
}

/// Whether both refuse an object as invalid.
pub(crate) fn are_invalid(real: &Answer, ours: &Answer) -> bool {
    real.status == 422 && ours.status == 422
}
