//! Resources of a pod as a whole: what follows from those of its containers, and what they have to cover.

use std::cmp::Ordering;

use crate::admission::{ResourceAmount, of_containers};
use crate::field::Field;
use crate::registry::Context;
use crate::tree::Map;

/// Resources that a pod may have as a whole.
fn is_supported(name: &str) -> bool {
    is_compute(name) || is_huge_page(name)
}

/// Containers may be promised more of these than there is.
fn is_compute(name: &str) -> bool {
    matches!(name, "cpu" | "memory")
}

fn is_huge_page(name: &str) -> bool {
    name.starts_with("hugepages-")
}

/// Completes the resources of a pod that has some of its own.
pub(crate) fn complete(spec: &mut Map<'_>, context: Context) {
    if !context.since(34) {
        return;
    }
    let Some(mut own) = spec.take("resources") else { return };
    if let Some(own) = own.as_map_mut()
        && ["requests", "limits"].into_iter().any(|list| own.map(list).is_some_and(|given| !given.is_empty()))
    {
        limit_huge_pages(own, spec);
        // Since 1.37 requests are completed without limits as well.
        let has_limits = own.map("limits").is_some_and(|limits| !limits.is_empty());
        if has_limits || context.since(37) {
            complete_requests(own, spec);
        }
        if context.since(37) {
            complete_limits(own, spec);
        }
    }
    spec.set("resources", own);
}

/// Huge pages are limited to what the containers may use, unless the pod asks for some.
fn limit_huge_pages(own: &mut Map<'_>, spec: &Map<'_>) {
    for (name, amount) in of_containers(spec, "limits").iter().filter(|(name, _)| is_huge_page(name)) {
        if !has(own, "requests", name) {
            set_if_absent(own, "limits", name, &amount.text());
        }
    }
}

/// A pod requests what its containers request, and else what it is limited to.
fn complete_requests(own: &mut Map<'_>, spec: &Map<'_>) {
    for (name, amount) in of_containers(spec, "requests").iter().filter(|(name, _)| is_compute(name)) {
        set_if_absent(own, "requests", name, &amount.text());
    }
    for (name, limit) in texts(own, "limits").iter().filter(|(name, _)| is_supported(name)) {
        set_if_absent(own, "requests", name, limit);
    }
}

/// A pod whose containers are all limited is limited to their sum, or to what it requests.
fn complete_limits(own: &mut Map<'_>, spec: &Map<'_>) {
    let limits = of_containers(spec, "limits");
    let containers = || {
        ["containers", "initContainers", "ephemeralContainers"].into_iter().flat_map(|list| spec.maps(list))
    };
    for (name, request) in texts(own, "requests").iter().filter(|(name, _)| is_supported(name)) {
        let is_limited =
            |container: &Map<'_>| container.map("resources").is_some_and(|all| has(all, "limits", name));
        let Some(sum) = limits.get(name).filter(|_| containers().all(is_limited)) else { continue };
        let is_more = ResourceAmount::of(request).milli() > sum.milli();
        set_if_absent(own, "limits", name, &if is_more { request.clone() } else { sum.text() });
    }
}

fn has(resources: &Map<'_>, list: &str, name: &str) -> bool {
    resources.map(list).is_some_and(|list| list.has(name))
}

/// The quantities of a list, apart from it.
fn texts(resources: &Map<'_>, list: &str) -> Vec<(String, String)> {
    let given = resources.map(list).into_iter().flat_map(Map::iter);
    given.filter_map(|(name, value)| Some((name.to_owned(), value.as_str()?.to_owned()))).collect()
}

fn set_if_absent(resources: &mut Map<'_>, list: &'static str, name: &str, quantity: &str) {
    let list = resources.ensure_map(list);
    if !list.has(name) {
        list.set_text(list.arena().alloc_str(name), quantity);
    }
}

/// What the pod asks for has to cover what its containers ask for.
pub(super) fn covers_containers(spec: Field<'_>, resources: Field<'_>) {
    let Some(containers) = spec.map() else { return };
    for (list, sums) in ["requests", "limits"].map(|list| (list, of_containers(containers, list))) {
        // Only huge pages are limited by sum: other limits are compared one by one.
        for (name, sum) in sums.iter().filter(|(name, _)| list == "requests" || is_huge_page(name)) {
            let own = resources.field(list).key_owned(name);
            if own.is_set() && sum.milli() > ResourceAmount::of(own.str()).milli() {
                let text =
                    format!("must be greater than or equal to aggregate container {list} of {}", sum.text());
                own.invalid_as(own.str(), text);
            }
        }
    }
    within_limits(spec, resources);
}

fn within_limits(spec: Field<'_>, resources: Field<'_>) {
    for (index, container) in spec.field("containers").items().enumerate() {
        for (name, limit) in container.fields(["resources", "limits"]).entries() {
            let pod = resources.field("limits").key(name);
            if pod.is_set() && limit.quantity().compare(&pod.quantity()) == Ordering::Greater {
                // Upstream: the path goes through the resources of the pod and ends with the field, after the
                // key.
                let place = resources.field("containers").index(index).key(name).field("limits");
                let text = format!("must be less than or equal to pod limits of {}", pod.str());
                place.invalid_as(limit.str(), text);
            }
        }
    }
}
