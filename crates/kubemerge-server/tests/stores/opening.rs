//! What an etcd must have for a store, and what is said if it has not.

use base64::prelude::{BASE64_STANDARD, Engine};
use kubemerge_server::store::{EtcdOptions, EtcdStore, Expect, Store};
use serde_json::json;

use crate::stores::{
    etcd::{Stores, start},
    subject::{record, request},
};

fn refusal(options: EtcdOptions) -> String {
    EtcdStore::open(options).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn an_etcd_that_is_not_there_is_named() {
    let text = refusal(EtcdOptions::new("etcd://127.0.0.1:9").unwrap());
    assert!(
        text.contains("cannot reach etcd at 127.0.0.1:9") && text.contains("correct the address"),
        "{text}"
    );
}

#[test]
fn other_data_is_left_alone() {
    let Some(etcd) = start("other_data_is_left_alone") else { return };
    etcd.put("/foreign/key", "value");
    let text = refusal(etcd.options("foreign"));
    assert!(text.contains("data of another program: choose another prefix"), "{text}");
    etcd.put("/newer/format", "kubemerge 9");
    let text = refusal(etcd.options("newer"));
    assert!(text.contains("has format 9") && text.contains("use the newer version"), "{text}");
    // A prefix is a path: names that begin alike are others.
    let store = etcd.open("for");
    assert!(store.newest("").is_empty());
    let count = |prefix: &str| {
        let [key, end] = [prefix.to_string(), format!("{}0", prefix.trim_end_matches('/'))]
            .map(|text| BASE64_STANDARD.encode(text));
        etcd.ask("kv/range", json!({"key": key, "range_end": end, "count_only": true}))["count"].clone()
    };
    assert_eq!((count("/foreign/"), count("/newer/")), (json!("1"), json!("1")), "nothing was written");
}

#[test]
fn users_need_a_password_and_a_role() {
    let Some(etcd) = start("users_need_a_password_and_a_role") else { return };
    let encoded = |text: &str| BASE64_STANDARD.encode(text);
    let user = |name: &str, role: &str| {
        etcd.ask("auth/user/add", json!({"name": name, "password": "hunter2"}));
        etcd.ask("auth/role/add", json!({"name": role}));
        etcd.ask("auth/user/grant", json!({"user": name, "role": role}));
    };
    user("root", "root");
    user("server", "kubemerge");
    let all = json!({"permType": "READWRITE", "key": encoded("/mine/"), "range_end": encoded("/mine0")});
    etcd.ask("auth/role/grant", json!({"name": "kubemerge", "perm": all}));
    etcd.ask("auth/enable", json!({}));
    for options in [
        etcd.options("mine"),
        etcd.options("mine").user("server", "wrong-secret"),
        etcd.options("other").user("server", "hunter2"),
    ] {
        let text = refusal(options);
        assert!(text.contains("refuses the request") && text.contains("give a user"), "{text}");
        assert!(!text.contains("wrong-secret") && !text.contains("hunter2"), "{text}");
    }
    let store = EtcdStore::open(etcd.options("mine").user("server", "hunter2")).unwrap();
    request(&store, || store.put("a", record("1"), Expect::Absent).unwrap()).unwrap();
    assert!(store.claim("name").unwrap());
    store.release("name");
    // Tokens of users end with the etcd that gave them.
    etcd.kill();
    etcd.restart();
    let written = |number: u32| {
        request(&store, || store.put(&number.to_string(), record("1"), Expect::Absent).is_ok()) == Ok(true)
    };
    assert!((0..100).any(|number| {
        std::thread::sleep(std::time::Duration::from_millis(100));
        written(number)
    }));
}

#[cfg(feature = "tls")]
mod certificates {
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

    use super::*;
    use crate::stores::etcd::{Etcd, Stores, open, start_with};

    fn authority() -> CertifiedIssuer<'static, KeyPair> {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    /// An etcd with TLS that wants client certificates, and how to get in.
    fn with_certificates(test: &str) -> Option<(Etcd, EtcdOptions)> {
        let authority = authority();
        let issue = || {
            let key = KeyPair::generate().unwrap();
            let params = CertificateParams::new(["127.0.0.1".to_string()]).unwrap();
            (params.signed_by(&key, &authority).unwrap().pem(), key.serialize_pem())
        };
        let (server, client) = (issue(), issue());
        let etcd = start_with(test, |folder| {
            let files = [
                ("--cert-file", "server.crt", &server.0),
                ("--key-file", "server.key", &server.1),
                ("--trusted-ca-file", "authority.crt", &authority.pem()),
            ];
            let mut flags = vec!["--client-cert-auth".to_string()];
            for (flag, name, text) in files {
                std::fs::write(folder.join(name), text).unwrap();
                flags.push(format!("{flag}={}", folder.join(name).display()));
            }
            flags
        })?;
        let options = etcd.options("tls").certificate_authority(authority.pem());
        Some((etcd, options.client_certificate(client.0, client.1)))
    }

    #[test]
    fn certificates_are_shown_and_checked() {
        let Some((etcd, options)) = with_certificates("certificates_are_shown_and_checked") else { return };
        let store = open(|| options.clone());
        request(&store, || store.put("a", record("1"), Expect::Absent).unwrap()).unwrap();
        let without_tls = etcd.options("tls");
        let other_authority = options.clone().certificate_authority(authority().pem());
        for options in [without_tls, other_authority] {
            let text = refusal(options);
            assert!(text.contains("give a certificate authority if etcd wants TLS"), "{text}");
        }
    }
}
