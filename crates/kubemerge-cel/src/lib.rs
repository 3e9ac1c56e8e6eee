//! Expressions in CEL, as Kubernetes 1.37 reads and evaluates them.
//!
//! [`Compiled`] is an expression whose types fit, with what it may cost at most; [`evaluate::Program`] evaluates it. Texts
//! of errors, values and costs are those of cel-go with the environment of Kubernetes. What expressions are about is not
//! known here: custom resources, policies and devices have an [`Environment`] each, and the [`value`]s of variables are
//! views of their objects.
//!
//! ```
//! use kubemerge_cel::{Compiled, Environment, evaluate::Program, value::CelValue};
//!
//! let environment = Environment::of_admission();
//! let compiled = Compiled::new("'%s has %d'.format([object, [1, 2].size()])", &environment)?;
//! let program = Program::new(&compiled)?;
//! let evaluation = program.run(&[("object", &CelValue::text("a"))], 1_000_000);
//! assert_eq!(evaluation.outcome.unwrap().literal(), "\"a has 2\"");
//! # Ok::<(), kubemerge_cel::CelError>(())
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

mod after_types;
mod check;
mod cost;
mod environment;
mod error;
pub mod evaluate;
mod expr;
mod format_string;
mod functions;
mod library;
mod literal;
mod macros;
mod parse;
mod problem;
mod reserved;
pub mod timestamp;
mod token;
mod types;
mod unify;
pub mod value;

pub use cost::{MaxSizes, SizeEstimate};
pub use environment::{Environment, ObjectTypes};
pub use error::CelError;
pub use reserved::is_word_of_cel;
pub use types::CelType;

use check::Checked;
use expr::Expr;
use problem::shown;

/// Whether expressions are read at all. In a browser they are not: the size of the engine counts for more there.
pub const IS_BUILT_IN: bool = !cfg!(target_family = "wasm");

/// How many characters an expression may have.
const MAX_CODE_POINTS: usize = 100_000;

/// An expression whose types fit.
pub struct Compiled<'e> {
    expr: Expr<'e>,
    checked: Checked,
}

impl<'e> Compiled<'e> {
    /// Reads an expression and checks its types, or says why it does not compile.
    pub fn new(text: &'e str, environment: &Environment) -> Result<Compiled<'e>, CelError> {
        let size = text.chars().count();
        if size > MAX_CODE_POINTS {
            let limit = format!("size: {size}, limit {MAX_CODE_POINTS}");
            return Err(
                format!("compilation failed: expression code point size exceeds limit: {limit}").into()
            );
        }
        let compiled = parse::parse(text).and_then(|parsed| {
            let checked = check::check(&parsed, environment)?;
            after_types::check(&parsed.expr, &checked)?;
            Ok(Compiled { expr: parsed.expr, checked })
        });
        compiled.map_err(|problems| format!("compilation failed: {}", shown(text, &problems)).into())
    }

    /// The type of the result.
    #[must_use]
    pub fn result(&self) -> &CelType {
        self.checked.type_of(&self.expr)
    }

    /// Whether the expression uses a variable.
    #[must_use]
    pub fn mentions(&self, variable: &str) -> bool {
        self.expr.mentions(variable)
    }

    /// What evaluating the expression may cost at most, given how large the values of variables may be.
    pub fn max_cost(&self, sizes: &dyn MaxSizes) -> u64 {
        cost::max_cost(&self.expr, &self.checked, sizes)
    }
}

/// Finds the type of an expression, or says why it does not compile.
pub fn compile(text: &str, environment: &Environment) -> Result<CelType, CelError> {
    if !IS_BUILT_IN {
        return Ok(CelType::Dyn);
    }
    Compiled::new(text, environment).map(|compiled| compiled.result().clone())
}

/// What is wrong with an expression that must give one of these types.
pub fn problem(text: &str, environment: &Environment, results: &[CelType]) -> Option<String> {
    if !IS_BUILT_IN {
        return None;
    }
    let found = match compile(text, environment) {
        Ok(found) => found,
        Err(problem) => return Some(problem.into()),
    };
    // Exactly one of these: an unknown type is no bool here.
    if results.contains(&found) {
        return None;
    }
    let names: Vec<String> = results.iter().map(CelType::result_name).collect();
    Some(match &names[..] {
        [one] => format!("must evaluate to {one} but got {}", found.result_name()),
        _ => format!("must evaluate to one of [{}] but got {}", names.join(" "), found.result_name()),
    })
}

#[cfg(test)]
mod tests {
    use super::{CelType, Environment, problem};

    fn told(text: &str) -> Option<String> {
        problem(text, &Environment::of_admission().with_authorizer(), &[CelType::Bool])
    }

    #[test]
    fn valid_expressions() {
        for text in [
            "true",
            "object.spec.replicas < 10 && has(object.metadata.labels)",
            "!('system:nodes' in request.userInfo.groups)",
            "object.spec.containers.all(c, c.image.contains(':'))",
            "authorizer.group('').resource('pods').check('get').allowed()",
            "sets.contains([1], [2]) ? size('a') == 1 : [1, 2].exists(x, x > 1)",
            "object == null || quantity('1').compareTo(quantity('2')) > 0",
        ] {
            assert_eq!(told(text), None, "{text}");
        }
    }

    #[test]
    fn wrong_types() {
        assert_eq!(told("1").unwrap(), "must evaluate to bool but got int");
        assert_eq!(told("null").unwrap(), "must evaluate to bool but got null_type");
        let text = "compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | \
                    foo.bar\n | ^";
        assert_eq!(told("foo.bar").unwrap(), text);
        let text =
            "compilation failed: ERROR: <input>:1:8: undefined field 'foo'\n | request.foo\n | .......^";
        assert_eq!(told("request.foo").unwrap(), text);
    }

    #[test]
    fn syntax() {
        let text = "compilation failed: ERROR: <input>:1:3: Syntax error: extraneous input 'b' expecting <EOF>\n | \
                    a b\n | ..^";
        assert_eq!(told("a b").unwrap(), text);
        let text = "compilation failed: ERROR: <input>:1:1: Syntax error: token recognition error at: 'ü'\n | ü\n | \
                    ＾\nERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', \
                    '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | \
                    ü\n | ．^";
        assert_eq!(told("ü").unwrap(), text);
    }

    #[test]
    fn deep_and_long_expressions() {
        assert!(told(&"(".repeat(50_000)).unwrap().contains("recursion limit exceeded"));
        assert!(told(&"-".repeat(50_001)).is_some());
        assert!(told(&"!".repeat(50_000)).is_some());
        assert!(told(&"a/".repeat(40_000)).unwrap().contains("more errors") || told("a/").is_some());
        assert!(told(&"a.".repeat(40_000)).is_some());
        assert!(told(&format!("{}1", "1+".repeat(40_000))).is_some());
        assert!(told(&format!("object{}", ".a".repeat(40_000))).is_some());
        assert!(told(&format!("object{}", ".optMap(x, x)".repeat(40))).is_some());
        assert!(told(&format!("[1]{}", ".map(x, {x: x})".repeat(200))).is_some());
    }
}
