//! The items of two merged lists, and their order.
//!
//! The configuration decides the order of shared items. Live items that it does not name keep their place
//! beside their live neighbours; its new items come before the next shared one, or last.

use bumpalo::collections::Vec as ArenaVec;
use kubemerge_schema::ListForm;
use kubemerge_value::part::{item_at, item_at_mut};

use super::identity::{claimed_element, have_same_identities, is_rising};
use super::identity_order::{are_unique, in_order};
use super::list_index::{Item, identify};
use super::merge::MergeWalk;
use super::{Form, first_form};
use crate::value::{Items, ParsedValue};

/// Up to this length comparing all pairs costs less than sorting.
const MAX_PAIRWISE: usize = 12;

/// The merged items of two associative lists.
pub(super) fn merged_items<'a>(
    walk: &mut MergeWalk<'a>,
    list: ListForm<'a>,
    live: Items<'a>,
    config: Items<'a>,
) -> ArenaVec<'a, ParsedValue<'a>> {
    let arena = walk.arena;
    // The usual case of a repeated apply.
    if live.len() > MAX_PAIRWISE
        // A type that allows nothing has no items to keep.
        && !matches!(first_form(list.element), Form::Nothing)
        && have_same_identities(list, live, config, arena)
        && is_rising(list, live, arena)
    {
        return merged_beside(walk, list, live, config);
    }
    let before = walk.problems.0.len();
    let config = identify(list, config, arena, &walk.path, &mut walk.problems);
    let live = identify(list, live, arena, &walk.path, &mut walk.problems);
    // As above, for short lists and for those that are not sorted.
    if before == walk.problems.0.len() && is_same_order(&live, &config) {
        return merged_pairwise(walk, list, &live, &config);
    }
    let identities = Identities::new(&live, &config);
    for place in &identities.repeated_in_config {
        let element = item_at(&config, *place).element;
        walk.problems.add(&walk.path, format!("duplicate entries for key {element}"));
    }
    // Nothing is merged by guessing.
    if walk.problems.0.len() > before {
        return ArenaVec::new_in(arena);
    }
    let mut merged = ArenaVec::with_capacity_in(live.len().max(config.len()), arena);
    for step in order(&identities) {
        let (item, live, config) = match step {
            MergedItem::Live(place) => {
                let live = *item_at(&live, place);
                (live, Some(live.value), None)
            }
            MergedItem::Config(place) => {
                let live = identities.live_value(&live, *item_at(&identities.config, place));
                let config = *item_at(&config, place);
                (config, live, Some(config.value))
            }
        };
        walk.path.push(item.element);
        merged.extend(walk.pair(list.element, live, config));
        walk.path.pop();
    }
    merged
}

/// Whether both lists have the same items in the same order, each once.
fn is_same_order(live: &[Item<'_>], config: &[Item<'_>]) -> bool {
    let is_unique = || match live.len() {
        ..=MAX_PAIRWISE => {
            let is_new = |(place, item): (usize, &Item<'_>)| {
                live.iter().take(place).all(|before| before.element != item.element)
            };
            live.iter().enumerate().all(is_new)
        }
        _ => are_unique(live.len(), &|place| item_at(live, place as usize).element),
    };
    live.len() == config.len()
        && live.iter().zip(config).all(|(live, config)| live.element == config.element)
        && is_unique()
}

/// Merges lists that have items of the same identities at the same places. Only items that differ are identified.
fn merged_beside<'a>(
    walk: &mut MergeWalk<'a>,
    list: ListForm<'a>,
    live: Items<'a>,
    config: Items<'a>,
) -> ArenaVec<'a, ParsedValue<'a>> {
    let mut merged = ArenaVec::with_capacity_in(live.len(), walk.arena);
    for (live, config) in live.iter().zip(config.iter()) {
        if is_flat(config) && live.is_identical(config) {
            merged.push(live);
            continue;
        }
        walk.path.push(claimed_element(list, config, walk.arena));
        merged.extend(walk.pair(list.element, Some(live), Some(config)));
        walk.path.pop();
    }
    merged
}

/// Whether a value has nothing in it that could be wrong with a list: then it merges with the same one to itself.
fn is_flat(value: ParsedValue<'_>) -> bool {
    match value {
        ParsedValue::Map(members) => members.iter().all(|member| member.value.is_scalar()),
        other => other.is_scalar(),
    }
}

fn merged_pairwise<'a>(
    walk: &mut MergeWalk<'a>,
    list: ListForm<'a>,
    live: &[Item<'a>],
    config: &[Item<'a>],
) -> ArenaVec<'a, ParsedValue<'a>> {
    let mut merged = ArenaVec::with_capacity_in(live.len(), walk.arena);
    for (live, config) in live.iter().zip(config) {
        walk.path.push(config.element);
        merged.extend(walk.pair(list.element, Some(live.value), Some(config.value)));
        walk.path.pop();
    }
    merged
}

/// Numbers for identities: equal items have equal numbers.
struct Identities {
    live: Vec<u32>,
    config: Vec<u32>,
    /// How often the live list has each identity, and where first.
    in_live: Vec<Occurrence>,
    in_config: Vec<bool>,
    repeated_in_config: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Occurrence {
    count: u32,
    first: u32,
}

impl Identities {
    fn new(live: &[Item<'_>], config: &[Item<'_>]) -> Identities {
        let mut this = Identities {
            live: vec![0; live.len()],
            config: vec![0; config.len()],
            in_live: Vec::with_capacity(live.len().max(config.len())),
            in_config: Vec::with_capacity(live.len().max(config.len())),
            repeated_in_config: Vec::new(),
        };
        // Both lists in one, the live items first.
        let at = |place: usize| live.get(place).unwrap_or_else(|| item_at(config, place - live.len()));
        let item = |place: u32| at(place as usize);
        for placed in in_order(live.len() + config.len(), &|place| item(place).element) {
            if !placed.is_repeated {
                this.in_live.push(Occurrence::default());
                this.in_config.push(false);
            }
            match placed.place.checked_sub(live.len() as u32) {
                None => this.add_live(placed.place),
                Some(place) => this.add_config(place),
            }
        }
        this
    }

    /// Adds a live item of the last identity.
    fn add_live(&mut self, place: u32) {
        let number = self.in_live.len() - 1;
        *item_at_mut(&mut self.live, place as usize) = number as u32;
        let occurrence = item_at_mut(&mut self.in_live, number);
        if occurrence.count == 0 {
            occurrence.first = place;
        }
        occurrence.count += 1;
    }

    /// Adds an item of the configuration, of the last identity.
    fn add_config(&mut self, place: u32) {
        let number = self.in_config.len() - 1;
        *item_at_mut(&mut self.config, place as usize) = number as u32;
        if std::mem::replace(item_at_mut(&mut self.in_config, number), true) {
            self.repeated_in_config.push(place as usize);
        }
    }

    /// The live partner of an item of the configuration. A repeated one counts as null.
    fn live_value<'a>(&self, live: &[Item<'a>], number: u32) -> Option<ParsedValue<'a>> {
        match *item_at(&self.in_live, number as usize) {
            Occurrence { count: 0, .. } => None,
            Occurrence { count: 1, first } => Some(item_at(live, first as usize).value),
            // Upstream: repeated live items have no single value to merge with.
            _ => Some(ParsedValue::Null),
        }
    }
}

/// An item of the merged list: a live one as it is, or one of the configuration with its live partner.
enum MergedItem {
    Live(usize),
    Config(usize),
}

/// The order of the merged list.
fn order(identities: &Identities) -> Vec<MergedItem> {
    let (live, config) = (&identities.live, &identities.config);
    // Items of both lists, in the order of the configuration.
    let is_shared = |number: &u32| item_at(&identities.in_live, *number as usize).count > 0;
    let is_configured = |number: u32| *item_at(&identities.in_config, number as usize);
    let mut shared = config.iter().copied().filter(is_shared);
    let mut next_shared = shared.next();
    let mut is_emitted = vec![false; identities.in_live.len()];
    let mut steps = Vec::with_capacity(live.len().max(config.len()));
    let (mut left, mut right) = (0, 0);
    while left < live.len() || right < config.len() {
        let (next_live, next_config) = (live.get(left).copied(), config.get(right).copied());
        if let (Some(number), Some(wanted)) = (next_live, next_config) {
            if number == wanted {
                *item_at_mut(&mut is_emitted, number as usize) = true;
                steps.push(MergedItem::Config(right));
                (left, right) = (left + 1, right + 1);
                next_shared = shared.next();
                continue;
            }
            // A shared item that is not the next one of the configuration is emitted where that wants it.
            if is_configured(number) && next_shared.is_some_and(|next| next != number) {
                left += 1;
                continue;
            }
        }
        if let Some(number) = next_live {
            if !is_configured(number) {
                steps.push(MergedItem::Live(left));
                left += 1;
                continue;
            }
            left += usize::from(*item_at(&is_emitted, number as usize));
        }
        if let Some(number) = next_config {
            *item_at_mut(&mut is_emitted, number as usize) = true;
            steps.push(MergedItem::Config(right));
            right += 1;
            if next_shared == Some(number) {
                next_shared = shared.next();
            }
        }
    }
    steps
}
