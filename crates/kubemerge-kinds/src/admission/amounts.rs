//! Sums of resource quantities, as limits and quotas compare them.

use std::collections::BTreeMap;

use crate::tree::{Map, Value};
use crate::typed::Quantity;

/// A quantity that can be added to others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct ResourceAmount {
    milli: i128,
    /// Written with Ki, Mi and the like.
    is_binary: bool,
}

const MILLI: i128 = 1000;

impl ResourceAmount {
    /// A number of objects.
    pub fn count(number: usize) -> ResourceAmount {
        ResourceAmount { milli: number as i128 * MILLI, is_binary: false }
    }

    /// The amount of a quantity's text; what cannot be read is nothing, as validation refuses it.
    pub fn of(text: &str) -> ResourceAmount {
        let quantity = Quantity::of(text);
        let (milli, value) = (i128::from(quantity.milli_value()), i128::from(quantity.value()));
        // Very large values have no exact number of thousandths.
        let milli = if value > i128::from(i64::MAX) / MILLI { value * MILLI } else { milli };
        ResourceAmount { milli, is_binary: text.ends_with('i') }
    }

    /// Thousandths.
    pub fn milli(self) -> i128 {
        self.milli
    }

    /// The sum, in the form of the first that is not zero.
    pub fn plus(self, other: ResourceAmount) -> ResourceAmount {
        let form = if self.milli == 0 { other } else { self };
        ResourceAmount { milli: self.milli + other.milli, is_binary: form.is_binary }
    }

    /// The difference, in the form of the first.
    pub fn minus(self, other: ResourceAmount) -> ResourceAmount {
        ResourceAmount { milli: self.milli - other.milli, ..self }
    }

    /// The canonical text.
    pub fn text(self) -> String {
        const KIBI: i128 = 1024;
        let whole = self.milli / MILLI;
        let is_kibi = self.is_binary && self.milli % (MILLI * KIBI) == 0;
        let text = if is_kibi { format!("{}Ki", whole / KIBI) } else { format!("{}m", self.milli) };
        Quantity::of(&text).canonical_text()
    }
}

/// Amounts by the names of resources.
pub type ResourceAmounts = BTreeMap<String, ResourceAmount>;

/// The amounts of a resource list.
pub(super) fn amounts(list: Option<&Map<'_>>) -> ResourceAmounts {
    let given = list.into_iter().flat_map(|list| list.iter());
    given.filter_map(|(name, value)| Some((name.to_owned(), ResourceAmount::of(text(value)?)))).collect()
}

fn text<'a>(value: &Value<'a>) -> Option<&'a str> {
    value.as_str()
}

/// Adds amounts to a sum.
pub(super) fn add(sum: &mut ResourceAmounts, more: &ResourceAmounts) {
    for (name, amount) in more {
        let entry = sum.entry(name.clone()).or_default();
        *entry = entry.plus(*amount);
    }
}

fn at_least(amounts: &mut ResourceAmounts, least: &ResourceAmounts) {
    for (name, amount) in least {
        let entry = amounts.entry(name.clone()).or_insert(*amount);
        if amount.milli > entry.milli {
            *entry = *amount;
        }
    }
}

/// What a whole pod needs of its `requests` or `limits`.
pub(super) fn of_pod(pod: &Map<'_>, list: &str) -> ResourceAmounts {
    let Some(spec) = pod.map("spec") else { return ResourceAmounts::new() };
    let mut total = of_containers(spec, list);
    // Resources of the pod itself count instead of those of its containers.
    let of_whole = amounts(spec.map("resources").and_then(|all| all.map(list)));
    total.extend(of_whole.into_iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory")));
    total
}

/// What the containers of a pod need together: init containers run before the others, unless they stay.
pub(crate) fn of_containers(spec: &Map<'_>, list: &str) -> ResourceAmounts {
    let of = |container: &Map<'_>| amounts(container.map("resources").and_then(|all| all.map(list)));
    let mut total = ResourceAmounts::new();
    spec.maps("containers").for_each(|container| add(&mut total, &of(container)));
    let (mut staying, mut starting) = (ResourceAmounts::new(), ResourceAmounts::new());
    for container in spec.maps("initContainers") {
        let own = of(container);
        let mut needed = staying.clone();
        add(&mut needed, &own);
        if container.str("restartPolicy") == "Always" {
            add(&mut total, &own);
            staying = needed.clone();
        }
        at_least(&mut starting, &needed);
    }
    at_least(&mut total, &starting);
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_written_as_kubernetes_does() {
        let sum = |one: &str, other: &str| ResourceAmount::of(one).plus(ResourceAmount::of(other)).text();
        assert_eq!(sum("100m", "200m"), "300m");
        assert_eq!(sum("1", "1500m"), "2500m");
        assert_eq!(sum("1Gi", "512Mi"), "1536Mi");
        assert_eq!(sum("500", "500"), "1k");
        assert_eq!(sum("0", "1Ki"), "1Ki");
    }
}
