//! Why a selector cannot be read.

use super::message_error::message_error;

message_error! {
    /// What is wrong with the text of a selector, in the words of kube-apiserver.
    pub struct SelectorError
}
