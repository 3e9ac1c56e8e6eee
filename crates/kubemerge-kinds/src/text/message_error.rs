//! Errors that are one message of kube-apiserver.

/// Defines an error that holds such a message.
macro_rules! message_error {
    ($(#[$doc:meta])* pub struct $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name(String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::error::Error for $name {}

        impl<T: Into<String>> From<T> for $name {
            fn from(message: T) -> $name {
                $name(message.into())
            }
        }
    };
}

pub(crate) use message_error;
