//! Values that live as long as a request, so that trees can borrow their texts.

use std::cell::OnceCell;

/// Values that are kept until all of them are dropped.
pub(crate) struct Kept<T> {
    value: OnceCell<T>,
    next: OnceCell<Box<Kept<T>>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { value: OnceCell::new(), next: OnceCell::new() }
    }
}

impl<T> Kept<T> {
    /// Keeps a value. Few are kept: one for each attempt of a write.
    pub(crate) fn keep(&self, value: T) -> &T {
        let mut place = self;
        while place.value.get().is_some() {
            place = place.next.get_or_init(Box::default);
        }
        place.value.get_or_init(|| value)
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    #[test]
    fn each_value_stays() {
        let kept = Kept::default();
        let all: Vec<&String> = (0..3).map(|number: i32| kept.keep(number.to_string())).collect();
        assert_eq!(all, ["0", "1", "2"]);
    }
}
