//! Who sends a request, as Kubernetes' `UserInfo` describes it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Map, Value};

/// A user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User {
    /// The name that identifies the user.
    pub name: String,
    /// What distinguishes users that had one name at different times; may be empty.
    pub uid: String,
    /// The groups that the user is in.
    pub groups: Vec<String>,
    /// What an authenticator knows besides.
    pub extra: BTreeMap<String, Vec<String>>,
}

static ADMINISTRATOR: LazyLock<User> = LazyLock::new(|| User {
    name: "system:admin".to_owned(),
    groups: vec!["system:masters".to_owned(), "system:authenticated".to_owned()],
    ..User::default()
});

static ANONYMOUS: LazyLock<User> = LazyLock::new(|| User {
    name: "system:anonymous".to_owned(),
    groups: vec!["system:unauthenticated".to_owned()],
    ..User::default()
});

impl User {
    /// The key in `extra` of what identifies the credential.
    pub const CREDENTIAL_ID: &str = "authentication.kubernetes.io/credential-id";

    /// The user that all requests are from where users are not distinguished.
    pub fn administrator() -> &'static User {
        &ADMINISTRATOR
    }

    /// The user of requests without credentials, where users are distinguished.
    pub fn anonymous() -> &'static User {
        &ANONYMOUS
    }

    /// A `UserInfo`. What is empty is left out.
    pub fn to_info(&self) -> Value {
        let mut info = Map::new();
        info.insert("username".to_owned(), self.name.as_str().into());
        if !self.uid.is_empty() {
            info.insert("uid".to_owned(), self.uid.as_str().into());
        }
        if !self.groups.is_empty() {
            info.insert("groups".to_owned(), self.groups.as_slice().into());
        }
        if !self.extra.is_empty() {
            let extra = self.extra.iter().map(|(key, values)| (key.clone(), values.as_slice().into()));
            info.insert("extra".to_owned(), Value::Object(extra.collect()));
        }
        Value::Object(info)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_parts_are_left_out() {
        let alone = User { name: "a".into(), ..User::default() };
        assert_eq!(alone.to_info(), json!({"username": "a"}));
        let extra = BTreeMap::from([("k".to_owned(), vec!["v".to_owned()])]);
        let whole = User { name: "a".into(), uid: "u".into(), groups: vec!["g".into()], extra };
        let expected = json!({"username": "a", "uid": "u", "groups": ["g"], "extra": {"k": ["v"]}});
        assert_eq!(whole.to_info(), expected);
    }
}
