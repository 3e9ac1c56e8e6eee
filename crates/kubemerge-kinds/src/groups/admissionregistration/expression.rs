//! Expressions of webhooks and policies: what they may use, and what they must give.

use crate::field::Field;
use kubemerge_cel::{CelError, CelType, Environment, compile, problem};

/// Whether expressions may use `params`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Params {
    /// There are none.
    None,
    /// The policy names a kind of parameters.
    Given,
}

impl Params {
    /// Those of the spec of a policy.
    pub(super) fn of(spec: Field<'_>) -> Params {
        if spec.field("paramKind").is_set() { Params::Given } else { Params::None }
    }

    /// What an expression may use that asks for no permissions.
    pub(super) fn environment(self) -> Environment {
        let environment = Environment::of_admission();
        if self == Params::Given { environment.with_params() } else { environment }
    }
}

/// The variables that a policy has defined so far; none if it cannot define any.
pub(super) struct Variables {
    found: Option<Vec<(String, CelType)>>,
}

impl Variables {
    /// Validates the variables of a policy one after the other: each may use those before it.
    pub(super) fn of(spec: Field<'_>, when_none: WhenNone) -> Variables {
        let list = spec.field("variables");
        let mut variables = Variables { found: None };
        if list.is_empty() && when_none == WhenNone::Undefined {
            return variables;
        }
        variables.found = Some(Vec::new());
        for variable in list.items() {
            let expression = variable.field("expression");
            if expression.str().trim().is_empty() {
                expression.required("expression is not specified");
                continue;
            }
            let environment = variables.extend(Params::of(spec).environment().with_authorizer());
            let result = compile(expression.str(), &environment);
            let name = variable.field("name").str().to_owned();
            // A variable that does not compile is known to those after it, so that each mistake is reported
            // once.
            variables.found.get_or_insert_default().push((name, as_declared(&result)));
            if let Err(problem) = result {
                expression.invalid(problem);
            }
        }
        variables
    }

    /// Adds the variables to what an expression may use.
    pub(super) fn extend(&self, environment: Environment) -> Environment {
        match &self.found {
            Some(found) => environment.with_variables(found),
            None => environment,
        }
    }
}

/// What `variables` is in a policy without any.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum WhenNone {
    /// There is no such name.
    Undefined,
    /// A value without fields.
    Empty,
}

/// Variables keep simple types; all others are known when they run.
fn as_declared(result: &Result<CelType, CelError>) -> CelType {
    match result {
        Ok(CelType::Null | CelType::OfTypes(_) | CelType::Optional(_) | CelType::Named(_)) | Err(_) => {
            CelType::Dyn
        }
        Ok(found) => found.clone(),
    }
}

/// Reports what is wrong with an expression.
pub(super) fn check(field: Field<'_>, environment: &Environment, results: &[CelType]) {
    if let Some(problem) = problem(field.str(), environment, results) {
        field.invalid(problem);
    }
}

/// Reports what is wrong with an expression whose outer spaces do not count.
pub(super) fn check_trimmed(field: Field<'_>, environment: &Environment, results: &[CelType]) {
    let text = field.str().trim();
    if let Some(problem) = problem(text, environment, results) {
        field.invalid_as(text, problem);
    }
}
