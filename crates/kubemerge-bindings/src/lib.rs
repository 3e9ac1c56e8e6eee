//! kubemerge as one function from JSON to JSON, for other languages and for browsers.
//!
//! A request names a call, its texts (YAML or JSON) and the settings of the schema; the answer has either
//! `answer` or `error`. [`Engine`] keeps the schemas it has compiled, because compiling one costs far more than
//! a call. No call does input or output, and none panics on any request.
//!
//! For authors of packages in other languages; programs in Rust use the crate `kubemerge`. The calls are `apply`,
//! `explain`, `diff`, `threeWay`, `lint`, `lintPatch`, `admit`, `serverSideApply`, `owners`, `kinds` and `versions`.
//! The feature `cel` evaluates the rules of custom resources.
//!
//! ```
//! use kubemerge_bindings::Engine;
//!
//! let answer = Engine::new().answer(
//!     r#"{
//!         "call": "apply",
//!         "object": "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: web  # ours\n    image: web:1\n",
//!         "patch": "spec: {containers: [{name: web, image: web:2}]}"
//!     }"#,
//! );
//! let result = r"- name: web  # ours\n    image: web:2\n";
//! assert!(answer.contains(result), "{answer}");
//! ```

#![cfg_attr(
    not(test),
    deny(
        clippy::disallowed_methods,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::unwrap_used
    )
)]
#![forbid(unsafe_code)]
#![warn(clippy::must_use_candidate)]

mod calls;
mod failure;
mod place;
mod request;
mod schemas;
mod text;

use serde_json::{Value, json};

use failure::Failure;
use request::Request;
use schemas::SchemaCache;

/// Answers requests, and remembers the schemas that they used.
#[derive(Debug, Default)]
pub struct Engine {
    schemas: SchemaCache,
}

impl Engine {
    /// An engine that has compiled nothing yet.
    #[must_use]
    pub fn new() -> Engine {
        Engine::default()
    }

    /// Answers one request. What is wrong with it is part of the answer.
    pub fn answer(&mut self, request: &str) -> String {
        let answered = match Request::read(request) {
            Ok(request) => self.call(&request),
            Err(error) => Err(Failure::request(&error)),
        };
        match answered {
            Ok(answer) => json!({ "answer": answer }).to_string(),
            Err(failure) => json!({ "error": failure }).to_string(),
        }
    }

    fn call(&mut self, request: &Request) -> Result<Value, Failure> {
        let schemas = self.schemas.get(&request.settings)?;
        calls::run(&request.call, schemas, request.settings.dialect)
    }
}
