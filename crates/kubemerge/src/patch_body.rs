//! What a [`Patch`](crate::Patch) is made of: a document that is borrowed, or one that the patch keeps.

use crate::{
    error::Error,
    object::{Object, Source, Typed, Yaml, serialized},
};
use kubemerge_value::Canonical;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

/// The body of a patch: a reference to any [`Object`], which the patch borrows, or a text, bytes or a value, which it
/// keeps. A body that is kept has canonical form: its keys are sorted.
pub trait PatchBody<'a>: sealed::Sealed {
    #[doc(hidden)]
    fn into_source(self) -> Result<Source<'a>, Error>;

    /// Whether there is nothing to read.
    #[doc(hidden)]
    fn is_absent(&self) -> bool;
}

mod sealed {
    use super::{Canonical, Object, Typed, Value, Yaml};

    pub trait Sealed {}
    impl<O: Object + ?Sized> Sealed for &O {}
    impl Sealed for Vec<u8> {}
    impl Sealed for String {}
    impl Sealed for Value {}
    impl Sealed for Canonical {}
    impl Sealed for Yaml<'_> {}
    impl<T> Sealed for Typed<'_, T> {}
}

impl<'a, O: Object + ?Sized> PatchBody<'a> for &'a O {
    fn into_source(self) -> Result<Source<'a>, Error> {
        self.read()
    }

    fn is_absent(&self) -> bool {
        Object::is_absent(*self)
    }
}

/// Bodies that are given by value.
macro_rules! kept {
    ($($form:ty),*) => {$(
        impl<'a> PatchBody<'a> for $form {
            fn into_source(self) -> Result<Source<'a>, Error> {
                self.read()?.into_owned()
            }

            fn is_absent(&self) -> bool {
                Object::is_absent(self)
            }
        }
    )*};
}

kept!(Vec<u8>, String, Value, Canonical, Yaml<'_>);

impl<'a, T: Serialize + DeserializeOwned> PatchBody<'a> for Typed<'_, T> {
    fn into_source(self) -> Result<Source<'a>, Error> {
        serialized(self.0)
    }

    fn is_absent(&self) -> bool {
        false
    }
}
