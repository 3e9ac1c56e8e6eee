//! Lists that grow: the time of an item must not grow with them.

use serde_json::{Value, json};

/// One row of the growth table: a request of the protocol for a list of n.
pub(super) struct Growth {
    pub(super) name: &'static str,
    pub(super) op: &'static str,
    make: fn(usize) -> Value,
}

/// The rows. Lists are keyed by `name`, or hold integers, or strings where the schema wants these.
pub(super) const ROWS: &[Growth] = &[
    Growth { name: "apply, all items changed and reordered, order list", op: "apply", make: reorder_all },
    Growth { name: "apply, one item into n", op: "apply", make: one_into_many },
    Growth { name: "two-way diff, items reversed and changed", op: "diff", make: two_way },
    Growth { name: "three-way diff, items", op: "three-way", make: three_way },
    Growth { name: "two-way diff, scalars", op: "diff", make: two_way_scalars },
    Growth { name: "apply, scalars, order list", op: "apply", make: reorder_scalars },
];

impl Growth {
    /// The documents of the row, by the names of the protocol.
    pub(super) fn documents(&self, count: usize) -> Value {
        (self.make)(count)
    }
}

fn items(count: usize, value: &str) -> Vec<Value> {
    (0..count).map(|at| json!({ "name": format!("item-{at:06}"), "value": value })).collect()
}

fn reversed(mut list: Vec<Value>) -> Vec<Value> {
    list.reverse();
    list
}

fn pod(env: Vec<Value>) -> Value {
    json!({ "spec": { "containers": [{ "name": "app", "env": env }] } })
}

fn scalars(count: usize) -> Vec<Value> {
    (0..count).map(|at| json!(format!("example.com/finalizer-{at:06}"))).collect()
}

fn reorder_all(count: usize) -> Value {
    let changed = reversed(items(count, "new"));
    let order: Vec<Value> = changed.iter().map(|item| json!({ "name": item["name"] })).collect();
    let mut patch = pod(changed);
    patch["spec"]["containers"][0]["$setElementOrder/env"] = json!(order);
    json!({ "original": pod(items(count, "old")), "patch": patch })
}

fn one_into_many(count: usize) -> Value {
    let middle = items(count, "new").swap_remove(count / 2);
    json!({ "original": pod(items(count, "old")), "patch": pod(vec![middle]) })
}

fn two_way(count: usize) -> Value {
    json!({ "original": pod(items(count, "old")), "modified": pod(reversed(items(count, "new"))) })
}

fn three_way(count: usize) -> Value {
    // One item that only the server has, so that the third document is not the first.
    let mut current = items(count, "old");
    current.push(json!({ "name": "server", "value": "x" }));
    json!({
        "original": pod(items(count, "old")), "modified": pod(reversed(items(count, "new"))), "current": pod(current),
        "overwrite": true,
    })
}

fn two_way_scalars(count: usize) -> Value {
    let modified: Vec<Value> = reversed(scalars(count + count / 2)).into_iter().take(count).collect();
    json!({ "original": { "metadata": { "finalizers": scalars(count) } }, "modified": { "metadata": { "finalizers": modified } } })
}

fn reorder_scalars(count: usize) -> Value {
    let wanted = reversed(scalars(count));
    json!({
        "original": { "metadata": { "finalizers": scalars(count) } },
        "patch": { "metadata": { "finalizers": wanted, "$setElementOrder/finalizers": wanted } },
    })
}
