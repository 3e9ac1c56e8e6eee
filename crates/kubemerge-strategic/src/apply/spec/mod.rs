//! Values and lists as the design documents describe them: key sets, partial deletes, and the documented order.

mod keyed;
mod list;
mod order;
mod value;
