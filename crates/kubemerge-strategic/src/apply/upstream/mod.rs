//! Values and lists as Kubernetes merges them: by hash, item by item, and sorted by order lists.

mod clean;
mod keyed;
mod order_check;
mod ordered;
mod scalars;
mod slots;
mod value;
