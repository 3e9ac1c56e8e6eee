//! LimitRanges: defaults for the resources of new containers, and what pods and claims may ask for.

use super::amounts::{ResourceAmount, ResourceAmounts, amounts, of_pod};
use crate::tree::Map;

const ANNOTATION: &str = "kubernetes.io/limit-ranger";

/// Sets what a LimitRange gives containers that ask for nothing, and notes it in an annotation.
pub fn set_container_limits(pod: &mut Map<'_>, range: &Map<'_>) {
    let mut notes = Vec::new();
    let spec = pod.ensure_map("spec");
    for (list, word) in [("containers", "container"), ("initContainers", "init container")] {
        for container in spec.maps_mut(list) {
            notes.extend(set_defaults(container, range, word));
        }
    }
    if !notes.is_empty() {
        let note = format!("LimitRanger plugin set: {}", notes.join("; "));
        pod.ensure_map("metadata").ensure_map("annotations").set_text(ANNOTATION, &note);
    }
}

fn set_defaults(container: &mut Map<'_>, range: &Map<'_>, word: &str) -> Vec<String> {
    let name = container.str("name");
    let mut notes = Vec::new();
    for (defaults, list, note) in [("defaultRequest", "requests", "request"), ("default", "limits", "limit")]
    {
        let mut set = Vec::new();
        let limits = items(range, "Container").filter_map(|limit| limit.map(defaults));
        for (resource, quantity) in limits.flat_map(Map::iter) {
            let resources = container.ensure_map("resources").ensure_map(list);
            if !resources.has(resource) {
                let resource = resources.arena().alloc_str(resource);
                resources.set_text(resource, quantity.as_str().unwrap_or_default());
                set.push(&*resource);
            }
        }
        set.sort_unstable();
        if !set.is_empty() {
            notes.push(format!("{} {note} for {word} {name}", set.join(", ")));
        }
    }
    notes
}

/// The limits of a LimitRange for a type.
fn items<'r, 'a>(range: &'r Map<'a>, of_type: &'static str) -> impl Iterator<Item = &'r Map<'a>> {
    let all = range.map("spec").into_iter().flat_map(|spec| spec.maps("limits"));
    all.filter(move |limit| limit.str("type") == of_type)
}

/// Why a LimitRange does not allow a pod.
pub fn check_pod_limits(pod: &Map<'_>, range: &Map<'_>) -> Vec<String> {
    let mut errors = Vec::new();
    for limit in items(range, "Container") {
        let spec = pod.map("spec").into_iter();
        for container in spec.flat_map(|spec| spec.maps("containers").chain(spec.maps("initContainers"))) {
            let list = |name| amounts(container.map("resources").and_then(|all| all.map(name)));
            check(limit, &Asked { requests: list("requests"), limits: list("limits") }, &mut errors);
        }
    }
    for limit in items(range, "Pod") {
        let asked = Asked { requests: of_pod(pod, "requests"), limits: of_pod(pod, "limits") };
        check(limit, &asked, &mut errors);
    }
    errors
}

/// Why a LimitRange does not allow a claim.
pub fn check_claim_limits(claim: &Map<'_>, range: &Map<'_>) -> Vec<String> {
    let requests =
        claim.map("spec").and_then(|spec| spec.map("resources")).and_then(|all| all.map("requests"));
    let asked = Asked { requests: amounts(requests), limits: ResourceAmounts::new() };
    let mut errors = Vec::new();
    for limit in items(range, "PersistentVolumeClaim") {
        constraints(limit, "min", |name, least| errors.extend(too_little(limit, name, least, &asked)));
        constraints(limit, "max", |name, most| errors.extend(request_too_large(limit, name, most, &asked)));
    }
    errors
}

/// What a container, a pod or a claim asks for.
struct Asked {
    requests: ResourceAmounts,
    limits: ResourceAmounts,
}

fn check(limit: &Map<'_>, asked: &Asked, errors: &mut Vec<String>) {
    constraints(limit, "min", |name, least| errors.extend(too_little(limit, name, least, asked)));
    constraints(limit, "max", |name, most| errors.extend(too_much(limit, name, most, asked)));
    constraints(limit, "maxLimitRequestRatio", |name, most| {
        errors.extend(ratio_too_large(limit, name, most, asked));
    });
}

fn constraints(limit: &Map<'_>, list: &str, mut each: impl FnMut(&str, &str)) {
    for (name, quantity) in limit.map(list).into_iter().flat_map(Map::iter) {
        each(name, quantity.as_str().unwrap_or_default());
    }
}

fn of_type<'a>(limit: &Map<'a>) -> &'a str {
    limit.str("type")
}

fn too_little(limit: &Map<'_>, name: &str, least: &str, asked: &Asked) -> Option<String> {
    let intro = format!("minimum {name} usage per {} is {least}", of_type(limit));
    let least = ResourceAmount::of(least).milli();
    let Some(request) = asked.requests.get(name) else {
        return Some(format!("{intro}.  No request is specified"));
    };
    if request.milli() < least {
        return Some(format!("{intro}, but request is {}", request.text()));
    }
    let limit = asked.limits.get(name).filter(|limit| limit.milli() < least)?;
    Some(format!("{intro}, but limit is {}", limit.text()))
}

fn too_much(limit: &Map<'_>, name: &str, most: &str, asked: &Asked) -> Option<String> {
    let intro = format!("maximum {name} usage per {} is {most}", of_type(limit));
    let most = ResourceAmount::of(most).milli();
    let Some(limit) = asked.limits.get(name) else { return Some(format!("{intro}.  No limit is specified")) };
    if limit.milli() > most {
        return Some(format!("{intro}, but limit is {}", limit.text()));
    }
    let request = asked.requests.get(name).filter(|request| request.milli() > most)?;
    Some(format!("{intro}, but request is {}", request.text()))
}

/// Claims have requests only.
fn request_too_large(limit: &Map<'_>, name: &str, most: &str, asked: &Asked) -> Option<String> {
    let intro = format!("maximum {name} usage per {} is {most}", of_type(limit));
    match asked.requests.get(name) {
        None => Some(format!("{intro}.  No request is specified")),
        Some(request) if request.milli() > ResourceAmount::of(most).milli() => {
            Some(format!("{intro}, but request is {}", request.text()))
        }
        Some(_) => None,
    }
}

fn ratio_too_large(limit: &Map<'_>, name: &str, most: &str, asked: &Asked) -> Option<String> {
    let intro = format!("{name} max limit to request ratio per {} is {most}", of_type(limit));
    let milli = |list: &ResourceAmounts| list.get(name).map_or(0, |amount| amount.milli());
    let (request, of_limit) = (milli(&asked.requests), milli(&asked.limits));
    if request == 0 {
        return Some(format!("{intro}, but no request is specified or request is 0"));
    }
    if of_limit == 0 {
        return Some(format!("{intro}, but no limit is specified or limit is 0"));
    }
    let ratio = of_limit as f64 / request as f64;
    let is_too_large = ratio * 1000.0 > ResourceAmount::of(most).milli() as f64;
    is_too_large.then(|| format!("{intro}, but provided ratio is {ratio:.6}"))
}
