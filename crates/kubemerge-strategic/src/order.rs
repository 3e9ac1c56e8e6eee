//! The order of a merged list: upstream's weave, and the two orders of the `spec` dialect.
//!
//! Everything here works on positions; no value is read. All of it is linear but for sorts by position.

use hashbrown::HashMap;
use kubemerge_value::part::{item_at, item_at_mut};
use std::hash::Hash;

/// An item of a merged list, as the weave sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WovenItem {
    /// Whether the patch (or order list) names the item.
    pub(crate) named: bool,
    /// Its position in the list that orders its side; `None` if it is not there.
    pub(crate) rank: Option<u32>,
    /// Its position in the server's order; `None` if it is not there.
    pub(crate) server: Option<u32>,
    /// Whether it is a delete item, which goes to the end of its side.
    pub(crate) deleting: bool,
}

/// Upstream's order: both sides sorted by their own order, then woven by the server's.
pub(crate) fn weave(places: &[WovenItem]) -> Vec<usize> {
    weave_asking(places, |_| {})
}

/// The first suspect whose position upstream asks for while it puts the items in order.
///
/// Suspects are on the server's side and have no rank.
pub(crate) fn asked_for(places: &[WovenItem], is_suspect: impl Fn(usize) -> bool) -> Option<usize> {
    let on_side = |(_, place): &(usize, &WovenItem)| !place.named && !place.deleting;
    let sorted: Vec<usize> = places.iter().enumerate().filter(on_side).map(|(at, _)| at).collect();
    let (first, others) =
        sorted.split_first().map_or((None, &[][..]), |(first, others)| (Some(*first), others));
    if let Some(at) = others.iter().find(|at| is_suspect(**at)) {
        return Some(*at);
    }
    // The sort asks for the item before another one only if it knows the other one.
    let first = first.filter(|first| is_suspect(*first));
    if first.is_some() && others.iter().any(|at| item_at(places, *at).rank.is_some()) {
        return first;
    }
    let mut asked = None;
    weave_asking(places, |at| asked = asked.or(is_suspect(at).then_some(at)));
    asked
}

/// The weave; `ask` is told for which items of the server's side a position is looked up.
fn weave_asking(places: &[WovenItem], mut ask: impl FnMut(usize)) -> Vec<usize> {
    let of_side = |named: bool| places.iter().enumerate().filter(move |(_, place)| place.named == named);
    let side = |named: bool| of_side(named).map(|(at, _)| at).collect::<Vec<_>>();
    let server = sort_side(side(false), places);
    let patch = sort_side(side(true), places);
    let mut woven = Vec::with_capacity(places.len());
    let (mut server, mut patch) = (server.into_iter().peekable(), patch.into_iter().peekable());
    while let (Some(&left), Some(&right)) = (server.peek(), patch.peek()) {
        ask(left);
        // A server-only item goes first only if both are known to the server, in this order.
        let server_first = matches!(
            (item_at(places, left).server, item_at(places, right).server),
            (Some(left), Some(right)) if left < right
        );
        woven.extend(if server_first { server.next() } else { patch.next() });
    }
    woven.extend(server);
    woven.extend(patch);
    woven
}

/// Sorts one side by rank; delete items follow.
fn sort_side(side: Vec<usize>, places: &[WovenItem]) -> Vec<usize> {
    let place = |at: &usize| item_at(places, *at);
    let (deleting, mut rest): (Vec<usize>, Vec<usize>) = side.into_iter().partition(|at| place(at).deleting);
    // A sort needs a rank for each item; without one, upstream's own insertion is repeated.
    if rest.iter().any(|at| place(at).rank.is_none()) {
        rest = insert_one_by_one(&rest, places);
    } else if !rest.is_sorted_by_key(|at| place(at).rank) {
        rest.sort_by_key(|at| place(at).rank);
    }
    rest.extend(deleting);
    rest
}

/// What upstream's sort does when items are missing from the order: each item in turn is put to the front if
/// it is missing, else after the last item that does not rank after it.
fn insert_one_by_one(side: &[usize], places: &[WovenItem]) -> Vec<usize> {
    let before = predecessors(side, places);
    // A linked list with an entry 0 as its head; the item at n is entry n + 1.
    let mut next = vec![0usize; side.len() + 1];
    for (at, predecessor) in before.iter().enumerate() {
        let after = predecessor.map_or(0, |at| at + 1);
        let following = std::mem::replace(item_at_mut(&mut next, after), at + 1);
        *item_at_mut(&mut next, at + 1) = following;
    }
    let mut order = Vec::with_capacity(side.len());
    let mut entry = *item_at(&next, 0);
    while entry != 0 {
        order.push(*item_at(side, entry - 1));
        entry = *item_at(&next, entry);
    }
    order
}

/// For each item: the earlier item of the side that it follows, if it has a rank and there is one.
fn predecessors(side: &[usize], places: &[WovenItem]) -> Vec<Option<usize>> {
    let rank = |at: &usize| item_at(places, *item_at(side, *at)).rank;
    let mut ranked: Vec<usize> = (0..side.len()).filter(|at| rank(at).is_some()).collect();
    ranked.sort_by_key(rank);
    // Doubly linked in order of rank; unlinking the latest item shows whom it followed when it came.
    let none = usize::MAX;
    let mut left = vec![none; side.len()];
    let mut right = vec![none; side.len()];
    for (one, other) in ranked.iter().zip(ranked.iter().skip(1)) {
        *item_at_mut(&mut right, *one) = *other;
        *item_at_mut(&mut left, *other) = *one;
    }
    let mut before = vec![None; side.len()];
    for at in (0..side.len()).rev().filter(|at| rank(at).is_some()) {
        let (l, r) = (*item_at(&left, at), *item_at(&right, at));
        *item_at_mut(&mut before, at) = (l != none).then_some(l);
        if l != none {
            *item_at_mut(&mut right, l) = r;
        }
        if r != none {
            *item_at_mut(&mut left, r) = l;
        }
    }
    before
}

/// A live item, as the order of `spec` without an order list sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LiveItem {
    /// The place of its identity among the names of the patch.
    pub(crate) name: Option<u32>,
    /// The position of the first live item of its identity.
    pub(crate) first: u32,
}

/// The live items of these identities.
pub(crate) fn live_items<I: Copy + Eq + Hash>(
    identities: impl Iterator<Item = I>,
    names: &HashMap<I, u32>,
) -> Vec<LiveItem> {
    let mut firsts: HashMap<I, u32> = HashMap::new();
    let mut item = |(at, identity): (usize, I)| LiveItem {
        name: names.get(&identity).copied(),
        first: *firsts.entry(identity).or_insert(at as u32),
    };
    identities.enumerate().map(&mut item).collect()
}

/// The order of `spec` with an order list: items without a position first, then by position.
pub(crate) fn by_position(positions: &[Option<u32>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..positions.len()).collect();
    order.sort_by_key(|at| *item_at(positions, *at));
    order
}

/// The order of `spec` without an order list.
///
/// `names` is the number of distinct identities in the patch. A live item is answered as `Ok(position)`, a new
/// one as `Err(name)`. Existing items are woven as upstream weaves them; a new item goes right before the next
/// existing item that the patch lists after it.
pub(crate) fn without_directive(live: &[LiveItem], names: usize) -> Vec<Result<usize, usize>> {
    let base = weave_known(live);
    let mut known = vec![false; names];
    live.iter().filter_map(|item| item.name).for_each(|name| *item_at_mut(&mut known, name as usize) = true);
    let mut waiting = Vec::new();
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); names];
    for (name, (is_known, before)) in known.iter().zip(&mut before).enumerate() {
        // New items wait for the next one that live has.
        if *is_known {
            *before = std::mem::take(&mut waiting);
        } else {
            waiting.push(name);
        }
    }
    let mut order = Vec::with_capacity(base.len() + names);
    for at in base {
        if let Some(name) = item_at(live, at).name {
            let new = std::mem::take(item_at_mut(&mut before, name as usize));
            order.extend(new.into_iter().map(Err));
        }
        order.push(Ok(at));
    }
    order.extend(waiting.into_iter().map(Err));
    order
}

/// Live items: those that the patch does not name in live order, woven with the named ones in patch order.
fn weave_known(live: &[LiveItem]) -> Vec<usize> {
    let places = 0..live.len();
    let name = |at: &usize| item_at(live, *at).name;
    let (mut known, server): (Vec<usize>, Vec<usize>) = places.partition(|at| name(at).is_some());
    known.sort_by_key(name);
    let mut base = Vec::with_capacity(live.len());
    let (mut server, mut known) = (server.into_iter().peekable(), known.into_iter().peekable());
    while let (Some(&left), Some(&right)) = (server.peek(), known.peek()) {
        // Repeated items count where the first of them is.
        let server_first = item_at(live, left).first < item_at(live, right).first;
        base.extend(if server_first { server.next() } else { known.next() });
    }
    base.extend(server);
    base.extend(known);
    base
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(list: &str, item: char) -> Option<u32> {
        list.find(item).map(|at| at as u32)
    }

    fn woven(live: &str, patch: &str) -> String {
        let mut merged: Vec<char> = live.chars().collect();
        merged.extend(patch.chars().filter(|item| !live.contains(*item)));
        let places: Vec<WovenItem> = merged
            .iter()
            .map(|item| {
                let (rank, server) = (position(patch, *item), position(live, *item));
                WovenItem { named: rank.is_some(), rank: rank.or(server), server, deleting: false }
            })
            .collect();
        weave(&places).into_iter().map(|at| merged[at]).collect()
    }

    fn spec(live: &str, patch: &str) -> String {
        let names: Vec<char> = patch.chars().collect();
        let index = patch.chars().enumerate().map(|(at, item)| (item, at as u32)).collect();
        let items = live_items(live.chars(), &index);
        let live: Vec<char> = live.chars().collect();
        let pick = |at: Result<usize, usize>| at.map_or_else(|name| names[name], |at| live[at]);
        without_directive(&items, names.len()).into_iter().map(pick).collect()
    }

    #[test]
    fn upstream_puts_new_items_before_waiting_ones() {
        assert_eq!(woven("ab", "c"), "cab");
        assert_eq!(woven("ab", "ac"), "acb");
        assert_eq!(woven("abc", "ca"), "bca");
        assert_eq!(woven("BCA", "ABD"), "CABD");
        assert_eq!(woven("12345", "75819"), "723458 19".replace(' ', ""));
    }

    #[test]
    fn spec_hangs_new_items_on_their_anchor() {
        assert_eq!(spec("BCA", "ABD"), "CABD");
        assert_eq!(spec("ab", "c"), "abc");
        assert_eq!(spec("ab", "ca"), "cab");
        assert_eq!(spec("ab", "ac"), "abc");
        assert_eq!(spec("ab", "acb"), "acb");
        assert_eq!(spec("abc", "ca"), "bca");
        assert_eq!(spec("12345", "75819"), "23475819");
    }

    #[test]
    fn spec_takes_repeated_live_items_by_their_first_position() {
        assert_eq!(spec("aba", "b"), "aab");
        assert_eq!(woven("aba", "b"), "aab");
        assert_eq!(spec("bab", "b"), "bba");
    }

    #[test]
    fn items_missing_from_the_order_go_to_the_front_one_by_one() {
        let place = |rank| WovenItem { named: false, rank, server: rank, deleting: false };
        let places = [place(Some(0)), place(Some(1)), place(None), place(None)];
        assert_eq!(weave(&places), [3, 2, 0, 1]);
        let places = [place(None), place(None), place(Some(0)), place(Some(1))];
        assert_eq!(weave(&places), [2, 3, 1, 0]);
    }

    /// The properties that the `spec` order promises, for every small case.
    #[test]
    fn spec_keeps_its_promises() {
        let letters = ['a', 'b', 'c', 'd', 'x', 'y'];
        let live = "abcd";
        for code in 0..7usize.pow(4) {
            let mut patch = String::new();
            let mut rest = code;
            for _ in 0..4 {
                if let Some(letter) = letters.get(rest % 7).filter(|letter| !patch.contains(**letter)) {
                    patch.push(*letter);
                }
                rest /= 7;
            }
            let result = spec(live, &patch);
            let only = |names: &str, keep: bool| -> String {
                result.chars().filter(|item| names.contains(*item) == keep).collect()
            };
            assert_eq!(only(&patch, true), patch, "patch items are in patch order");
            let server: String = live.chars().filter(|item| !patch.contains(*item)).collect();
            assert_eq!(only(&patch, false), server, "server-only items keep their order");
            assert_eq!(spec(&result, &patch), result, "applied twice, the order changes once");
        }
    }
}
