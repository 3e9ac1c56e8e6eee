//! A checker of linearizability for one key: is there an order of all operations, each between its call and its return,
//! in which every answer is right? The search is Wing and Gong's, with the memory of visited states that Lowe added.

use std::collections::HashSet;

/// What a key holds: the revision of its value.
pub type Held = Option<u64>;

/// An operation and its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// A read.
    Get {
        /// What it found.
        found: Held,
    },
    /// A write if the key holds what is expected: then it holds the new revision.
    Put {
        /// What the key must hold.
        expected: Held,
        /// The new revision, or what the key holds instead.
        answer: Result<u64, Held>,
    },
    /// A write that was refused without saying what the key holds.
    Conflict {
        /// What the key must hold.
        expected: Held,
    },
    /// A deletion of what is expected.
    Delete {
        /// What the key must hold.
        expected: u64,
        /// What the key holds instead.
        answer: Result<(), Held>,
    },
}

/// An operation with the moments of its call and its return.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// When it was called.
    pub called: u64,
    /// When it returned.
    pub returned: u64,
    /// What was asked and answered.
    pub operation: Operation,
}

/// What the key holds after the operation, if the answer is right for what it held before.
fn step(held: Held, operation: Operation) -> Option<Held> {
    let (right, after) = match operation {
        Operation::Get { found } => (found == held, held),
        Operation::Put { expected, answer: Ok(new) } => (expected == held, Some(new)),
        Operation::Put { expected, answer: Err(seen) } => (expected != held && seen == held, held),
        Operation::Conflict { expected } => (expected != held, held),
        Operation::Delete { expected, answer: Ok(()) } => (Some(expected) == held, None),
        Operation::Delete { expected, answer: Err(seen) } => (Some(expected) != held && seen == held, held),
    };
    right.then_some(after)
}

/// Whether the calls on one key, which holds nothing at first, are linearizable.
pub fn is_linearizable(calls: &[Call]) -> bool {
    let mut calls = calls.to_vec();
    calls.sort_by_key(|call| call.called);
    let mut visited = HashSet::new();
    // Which calls are done, as those before `first` and a few after it, and what the key holds then.
    let mut open: Vec<(usize, Vec<usize>, Held)> = vec![(0, Vec::new(), None)];
    while let Some((first, done, held)) = open.pop() {
        if first == calls.len() {
            return true;
        }
        // The next call is one that was made before any of those that are not done returned.
        let rest = (first..calls.len()).filter(|at| !done.contains(at));
        let limit = rest.clone().map(|at| calls[at].returned).min().unwrap_or(u64::MAX);
        for at in rest.take_while(|at| calls[*at].called < limit) {
            let Some(after) = step(held, calls[at].operation) else { continue };
            let (mut next, mut ahead) = (first, done.clone());
            ahead.push(at);
            ahead.sort_unstable();
            while let Some(place) = ahead.iter().position(|one| *one == next) {
                ahead.remove(place);
                next += 1;
            }
            if visited.insert((next, ahead.clone(), after)) {
                open.push((next, ahead, after));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(called: u64, returned: u64, operation: Operation) -> Call {
        Call { called, returned, operation }
    }

    const CREATE: Operation = Operation::Put { expected: None, answer: Ok(5) };

    #[test]
    fn concurrent_operations_may_have_either_order() {
        for found in [None, Some(5)] {
            assert!(is_linearizable(&[call(1, 4, CREATE), call(2, 3, Operation::Get { found })]));
        }
    }

    #[test]
    fn wrong_histories_are_found() {
        let stale = [call(1, 2, CREATE), call(3, 4, Operation::Get { found: None })];
        assert!(!is_linearizable(&stale), "a read that missed a write");
        let twice = [call(1, 4, CREATE), call(2, 3, Operation::Put { expected: None, answer: Ok(6) })];
        assert!(!is_linearizable(&twice), "two creations of one key");
        let seen = |at, found| call(at, at + 1, Operation::Get { found });
        let back = [call(1, 9, CREATE), seen(2, Some(5)), seen(4, None)];
        assert!(!is_linearizable(&back), "a value that was seen and then not");
        let refused = [call(1, 2, CREATE), call(3, 4, Operation::Conflict { expected: Some(5) })];
        assert!(!is_linearizable(&refused), "a conflict although nothing has changed");
        let invented = [call(1, 2, Operation::Put { expected: None, answer: Err(Some(3)) })];
        assert!(!is_linearizable(&invented), "a conflict with nothing");
    }
}
