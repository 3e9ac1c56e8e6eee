//! The operations, one by one, over the working tree.

use super::{
    copy_size::CopySize,
    fault::{MISSING, OperationFault},
    operation::{Operand, Operation},
    tree::{Part, Slot, Spelling, Tree},
};
use kubemerge_value::{Arena, Document, Kind, MAX_DEPTH, Node, to_bytes, to_canonical};

/// Longer values are not shown in a hint.
// Longer values would hide the message.
const MAX_HINT_BYTES: usize = 200;
const ADD_PARENT: &str = "add the parent first";

/// A document with the operations that have run.
pub(super) struct Run<'a> {
    tree: Tree<'a>,
    root: Part,
    copied: CopySize,
    patch_depth: usize,
    /// How much deeper the document may have become since its depth was checked.
    excess: usize,
}

/// So much `excess` is looked into at once. It bounds the depth that a run can reach, and the longest patch
/// makes this happen a few times only.
// Checking the depth writes the document, so it waits until it could have grown by this much.
const MAX_UNCHECKED_EXCESS: usize = 30_000;

impl<'a> Run<'a> {
    pub(super) fn new(live: Node<'a>, patch_depth: usize, arena: &'a Arena) -> Self {
        let mut tree = Tree::new(arena);
        let root = tree.part(Slot::Closed(live, Spelling::Given));
        tree.open(root);
        Run { tree, root, copied: CopySize::default(), patch_depth, excess: 0 }
    }

    pub(super) fn operate(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        // Upstream's word for a missing op.
        match operation.op.unwrap_or("unknown") {
            "add" => self.add(operation),
            "remove" => self.remove(operation),
            "replace" => self.replace(operation),
            "move" => self.move_(operation),
            "test" => self.test(operation),
            "copy" => self.copy(operation),
            unknown => Err(OperationFault::new(format!("Unexpected kind: {unknown}"))
                .with_hint("operations are add, remove, replace, move, copy and test")),
        }
    }

    fn add(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let path = operation
            .path
            .ok_or_else(|| OperationFault::new(format!("add operation failed to decode path: {MISSING}")))?;
        let target = self.tree.find(self.root, path).ok_or_else(|| {
            OperationFault::new(format!(
                "add operation does not apply: doc is missing path: \"{path}\": {MISSING}"
            ))
            .with_hint(ADD_PARENT)
        })?;
        let value = self.operand(operation.value);
        self.tree
            .insert(&target, value)
            .map_err(|fault| fault.within(format_args!("error in add for path: '{path}'")))?;
        self.reach(target.level + self.patch_depth)
    }

    fn remove(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let path = operation.path.ok_or_else(|| {
            OperationFault::new(format!("remove operation failed to decode path: {MISSING}"))
        })?;
        let target = self.tree.find(self.root, path).ok_or_else(|| {
            OperationFault::new(format!(
                "remove operation does not apply: doc is missing path: \"{path}\": {MISSING}"
            ))
        })?;
        self.tree
            .take(&target)
            .map_err(|fault| fault.within(format_args!("error in remove for path: '{path}'")))
    }

    fn replace(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let path = required_path(operation, "replace")?;
        if path.is_empty() {
            return self.replace_root(operation.value);
        }
        let missing = |what: &str| {
            OperationFault::new(format!(
                "replace operation does not apply: doc is missing {what}: {path}: {MISSING}"
            ))
        };
        let target = self.tree.find(self.root, path).ok_or_else(|| missing("path").with_hint(ADD_PARENT))?;
        // An absent member of a map is no error here: upstream replaces what is not there.
        self.tree.get(&target).map_err(|_| missing("key"))?;
        let value = self.operand(operation.value);
        self.tree
            .set(&target, value)
            .map_err(|fault| fault.within(format_args!("error in remove for path: '{path}'")))?;
        self.reach(target.level + self.patch_depth)
    }

    fn replace_root(&mut self, operand: Operand<'a>) -> Result<(), OperationFault> {
        match operand {
            Operand::Value(node) if matches!(node.kind(), Kind::Map | Kind::List) => {
                self.root = self.operand(operand);
                self.tree.open(self.root);
                Ok(())
            }
            Operand::Absent => Err(OperationFault::new("replace operation value must be object or array")
                .with_hint("the operation has no value: Kubernetes' API server crashes on it")),
            // Upstream: this is how its message ends. Case `replace the document with a scalar`.
            _ => Err(OperationFault::new("replace operation value must be object or array: %!w(<nil>)")),
        }
    }

    fn move_(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let from = required_from(operation, "move")?;
        let source = self.tree.find(self.root, from).ok_or_else(|| {
            OperationFault::new(format!(
                "move operation does not apply: doc is missing from path: {from}: {MISSING}"
            ))
        })?;
        let in_move = |fault: OperationFault, place: &str| {
            fault.within(format_args!("error in move for path: '{place}'"))
        };
        let found = self.tree.get(&source).map_err(|fault| in_move(fault, source.key))?;
        // Before the target is looked up, so a move into itself finds nothing.
        self.tree.take(&source).map_err(|fault| in_move(fault, source.key))?;
        let path = required_path(operation, "move")?;
        let target = self.tree.find(self.root, path).ok_or_else(|| {
            OperationFault::new(format!(
                "move operation does not apply: doc is missing destination path: {path}: {MISSING}"
            ))
            .with_hint(ADD_PARENT)
        })?;
        let value = self.or_null(found);
        self.tree.insert(&target, value).map_err(|fault| in_move(fault, path))?;
        self.rise(target.level)
    }

    fn copy(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let from = required_from(operation, "copy")?;
        let source = self.tree.find(self.root, from).ok_or_else(|| {
            OperationFault::new(format!(
                "copy operation does not apply: doc is missing from path: {from}: {MISSING}"
            ))
        })?;
        let found = self
            .tree
            .get(&source)
            .map_err(|fault| fault.within(format_args!("error in copy for from: '{from}'")))?;
        let path = operation
            .path
            .ok_or_else(|| OperationFault::new(format!("copy operation failed to decode path: {MISSING}")))?;
        let target = self.tree.find(self.root, path).ok_or_else(|| {
            OperationFault::new(format!(
                "copy operation does not apply: doc is missing destination path: {path}: {MISSING}"
            ))
            .with_hint(ADD_PARENT)
        })?;
        // A value of its own: later operations on one do not change the other.
        let copy = self.duplicate(found)?;
        self.tree
            .insert(&target, copy)
            .map_err(|fault| fault.within("error while adding value during copy"))?;
        self.rise(target.level)
    }

    fn test(&mut self, operation: &Operation<'a>) -> Result<(), OperationFault> {
        let path = required_path(operation, "test")?;
        let found = if path.is_empty() {
            Some(self.root)
        } else {
            let target = self.tree.find(self.root, path).ok_or_else(|| {
                OperationFault::new(format!(
                    "test operation does not apply: is missing path: {path}: {MISSING}"
                ))
            })?;
            self.tree
                .get(&target)
                .map_err(|fault| fault.within(format_args!("error in test for path: '{path}'")))?
        };
        if self.tree.passes(found, operation.value)? {
            return Ok(());
        }
        let fault = OperationFault::new(format!("testing value {path} failed: test failed"));
        Err(fault.with_hint(self.what_is_there(found)))
    }

    /// What a failed test found.
    fn what_is_there(&self, found: Option<Part>) -> String {
        let Some(part) = found else { return "there is no value".to_owned() };
        let text = to_canonical(self.tree.node(part)).into_bytes();
        if text.len() > MAX_HINT_BYTES {
            return format!("the value there has {} bytes", text.len());
        }
        format!("the value there is {}", String::from_utf8_lossy(&text))
    }

    fn operand(&mut self, operand: Operand<'a>) -> Part {
        self.tree.part(match operand {
            Operand::Absent => Slot::Closed(Node::NULL, Spelling::Given),
            Operand::Null => Slot::GivenNull,
            Operand::Value(node) => Slot::Closed(node, Spelling::Given),
        })
    }

    fn or_null(&mut self, found: Option<Part>) -> Part {
        found.unwrap_or_else(|| self.operand(Operand::Absent))
    }

    fn duplicate(&mut self, found: Option<Part>) -> Result<Part, OperationFault> {
        let Some(part) = found else { return Ok(self.or_null(None)) };
        let node = self.tree.copied(part);
        self.copied.add(node)?;
        let is_null = matches!(self.tree.slot(part), Slot::GivenNull | Slot::CopiedNull);
        Ok(self.tree.part(if is_null { Slot::CopiedNull } else { Slot::Closed(node, Spelling::Copied) }))
    }

    /// Takes note that a value of the patch reaches down to this level at most.
    fn reach(&mut self, level: usize) -> Result<(), OperationFault> {
        self.rise(level.saturating_sub(MAX_DEPTH))
    }

    /// Takes note that a value may have come so much deeper.
    fn rise(&mut self, levels: usize) -> Result<(), OperationFault> {
        self.excess += levels;
        if self.excess > MAX_UNCHECKED_EXCESS {
            self.check_depth()?;
            self.excess = 0;
        }
        Ok(())
    }

    fn check_depth(&self) -> Result<(), OperationFault> {
        match Document::check(&to_bytes(self.tree.node(self.root))) {
            Ok(_) => Ok(()),
            Err(error) => Err(OperationFault::new(format!("the result cannot be a document: {error}"))),
        }
    }

    pub(super) fn finish(self) -> Result<Node<'a>, OperationFault> {
        if self.excess > 0 {
            self.check_depth()?;
        }
        Ok(self.tree.node(self.root))
    }
}

fn required_path<'a>(operation: &Operation<'a>, name: &str) -> Result<&'a str, OperationFault> {
    operation.path.ok_or_else(|| {
        OperationFault::new(format!(
            "{name} operation failed to decode path: operation missing path field: {MISSING}"
        ))
    })
}

fn required_from<'a>(operation: &Operation<'a>, name: &str) -> Result<&'a str, OperationFault> {
    operation.from.ok_or_else(|| {
        OperationFault::new(format!(
            "{name} operation failed to decode from: operation, missing from field: {MISSING}"
        ))
    })
}
