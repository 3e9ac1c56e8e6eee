//! One rule: its expression, and what it says when that is false.

use kubemerge_cel::{
    CelError, Compiled,
    evaluate::{EvaluationError, Program},
    value::CelValue,
};
use kubemerge_schema::ValueType;
use serde_json::Value;

use super::compile::{RuleScope, is_old_self_optional, program, text};
use crate::{
    custom::field_path::{ArrayNotation, valid_field_path},
    field::{BadValue, FieldErrorKind},
    field_error::FieldError,
};

/// What a message may measure.
const MAX_MESSAGE_BYTES: usize = 5 * 1024;
/// What evaluating one expression may cost.
const MAX_CALL_COST: u64 = 1_000_000;
/// What evaluating all rules of an object may cost.
pub(super) const MAX_OBJECT_COST: u64 = 10_000_000;

const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// A compiled rule.
#[derive(Debug)]
pub(super) struct Rule {
    program: Program,
    message_program: Option<Program>,
    /// Whether the expression compares with the old value.
    pub(super) uses_old_self: bool,
    /// Whether the old value is an optional one, so that the rule holds for new values, too.
    pub(super) is_optional: bool,
    text: String,
    message: String,
    reason: FieldErrorKind,
    /// Where the error is reported, below the value.
    field_path: String,
}

/// What a rule found out.
pub(super) enum Verdict {
    /// The value satisfies it.
    Satisfied,
    /// The value breaks it, for this reason.
    Broken(String),
    /// It could not be evaluated, for this reason.
    Failed(String),
    /// It cost too much: no other rule is evaluated.
    TooExpensive(String),
}

/// The variables of an evaluation.
pub(super) type Variables<'n, 'v> = [(&'n str, &'n CelValue<'v>)];

impl Rule {
    /// Compiles a rule; an error says why it cannot be, which definitions are refused for.
    pub(super) fn compile(rule: &Value, schema: ValueType<'_>, scope: &RuleScope) -> Result<Rule, CelError> {
        let environment = scope.environment(rule);
        let compiled = scope.compile(rule)?;
        let message = text(rule, "messageExpression");
        let message = if message.is_empty() { None } else { Compiled::new(message, environment).ok() };
        let path = valid_field_path(text(rule, "fieldPath"), schema, ArrayNotation::Allowed).ok();
        Ok(Rule {
            uses_old_self: compiled.mentions("oldSelf"),
            program: program(&compiled)?,
            message_program: message.as_ref().and_then(|message| Program::new(message).ok()),
            is_optional: is_old_self_optional(rule),
            text: text(rule, "rule").trim().to_string(),
            message: text(rule, "message").trim().to_string(),
            reason: match text(rule, "reason") {
                "FieldValueRequired" => FieldErrorKind::Required,
                "FieldValueForbidden" => FieldErrorKind::Forbidden,
                "FieldValueDuplicate" => FieldErrorKind::Duplicate,
                _ => FieldErrorKind::Invalid,
            },
            field_path: path.map(|path| path.text).unwrap_or_default(),
        })
    }

    /// Evaluates the expression; what that costs is taken from the budget.
    pub(super) fn evaluate(&self, variables: &Variables<'_, '_>, budget: &mut u64) -> Verdict {
        let evaluation = self.program.run(variables, MAX_CALL_COST);
        if evaluation.cost > *budget {
            return Verdict::TooExpensive(OUT_OF_BUDGET.to_string());
        }
        *budget -= evaluation.cost;
        let rule = self.name();
        match evaluation.outcome {
            Ok(CelValue::Bool(true)) => Verdict::Satisfied,
            Ok(_) => self.broken(variables, budget),
            Err(EvaluationError::CostLimit) => Verdict::TooExpensive(format!(
                "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to \
                 call cost exceeds limit for rule: {rule}"
            )),
            Err(EvaluationError::Failed(error)) if error.starts_with("no such overload") => {
                Verdict::Failed(format!(
                    "'{error}': call arguments did not match a supported operator, function or macro signature for rule: {rule}"
                ))
            }
            Err(EvaluationError::Failed(error)) => {
                Verdict::Failed(format!("{error} evaluating rule: {rule}"))
            }
            Err(EvaluationError::Crashed(error)) => {
                Verdict::Failed(format!("{error} evaluating rule: {rule}"))
            }
        }
    }

    /// What names the rule in messages.
    fn name(&self) -> &str {
        if self.message.is_empty() { &self.text } else { &self.message }
    }

    /// The result of the message expression, or the message.
    fn broken(&self, variables: &Variables<'_, '_>, budget: &mut u64) -> Verdict {
        let message = || {
            if self.message.is_empty() { format!("failed rule: {}", self.text) } else { self.message.clone() }
        };
        let Some(program) = &self.message_program else { return Verdict::Broken(message()) };
        let evaluation = program.run(variables, MAX_CALL_COST);
        if evaluation.cost > *budget || matches!(evaluation.outcome, Err(EvaluationError::CostLimit)) {
            return Verdict::TooExpensive(
                "messageExpression evaluation failed due to running out of cost budget".to_string(),
            );
        }
        *budget -= evaluation.cost;
        let is_usable =
            |text: &String| !text.is_empty() && text.len() <= MAX_MESSAGE_BYTES && !text.contains('\n');
        let own = match evaluation.outcome {
            Ok(CelValue::String(text)) => Some(text.trim().to_string()).filter(is_usable),
            _ => None,
        };
        Verdict::Broken(own.unwrap_or_else(message))
    }

    /// The error about a value that breaks the rule; maps and lists are not shown.
    pub(super) fn error(&self, path: &str, value: Option<BadValue>, detail: String) -> FieldError {
        let field = match (path, self.field_path.as_str()) {
            ("", "") => "<nil>".to_string(),
            (path, "") => path.to_string(),
            ("", below) => below.to_string(),
            (path, below) => format!("{path}.{below}"),
        };
        let shows_value = matches!(self.reason, FieldErrorKind::Invalid | FieldErrorKind::Duplicate);
        let detail = if self.reason == FieldErrorKind::Duplicate { String::new() } else { detail };
        FieldError { kind: self.reason, field, bad_value: value.filter(|_| shows_value), detail }
    }
}
