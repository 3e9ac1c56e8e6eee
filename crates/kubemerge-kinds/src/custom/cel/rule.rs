//! One rule: its expression, and what it says when that is false.

use kube_cel::cel::{Context, ExecutionError, Program, Value as CelValue};
use serde_json::Value;

use super::{
    checker::{self, CelType},
    source,
};
use crate::{
    custom::field_path::{ArrayNotation, valid_field_path},
    custom::structural::Structural,
    field::{BadValue, FieldErrorKind},
    field_error::FieldError,
};

/// What a message may measure.
const MAX_MESSAGE_BYTES: usize = 5 * 1024;

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
}

impl Rule {
    /// Compiles a rule; none if it cannot be, which definitions are refused for.
    pub(super) fn compile(rule: &Value, schema: &Value) -> Option<Rule> {
        let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
        let program = Program::compile(text("rule")).ok()?;
        let message = text("messageExpression");
        let path = valid_field_path(text("fieldPath"), schema, ArrayNotation::Allowed).ok();
        Some(Rule {
            uses_old_self: program.references().has_variable("oldSelf"),
            program,
            message_program: if message.is_empty() { None } else { Program::compile(message).ok() },
            is_optional: rule.get("optionalOldSelf") == Some(&Value::Bool(true)),
            text: text("rule").trim().to_string(),
            message: text("message").trim().to_string(),
            reason: match text("reason") {
                "FieldValueRequired" => FieldErrorKind::Required,
                "FieldValueForbidden" => FieldErrorKind::Forbidden,
                "FieldValueDuplicate" => FieldErrorKind::Duplicate,
                // The default of the field `reason`.
                _ => FieldErrorKind::Invalid,
            },
            field_path: path.map(|path| path.text).unwrap_or_default(),
        })
    }

    /// Evaluates the expression.
    pub(super) fn evaluate(&self, scope: &Context<'_>) -> Verdict {
        match self.program.execute(scope) {
            Ok(CelValue::Bool(true)) => Verdict::Satisfied,
            Ok(_) => Verdict::Broken(self.detail(scope)),
            Err(error) => {
                let (error, rule) = (error_text(&error), self.name());
                Verdict::Failed(if error.starts_with("no such overload") {
                    format!(
                        "'{error}': call arguments did not match a supported operator, function or macro signature for rule: {rule}"
                    )
                } else {
                    format!("{error} evaluating rule: {rule}")
                })
            }
        }
    }

    /// What names the rule in messages.
    fn name(&self) -> &str {
        if self.message.is_empty() { &self.text } else { &self.message }
    }

    /// The result of the message expression, or the message.
    fn detail(&self, scope: &Context<'_>) -> String {
        let own = self.message_program.as_ref().and_then(|program| match program.execute(scope) {
            Ok(CelValue::String(text)) => Some(text.trim().to_string()),
            _ => None,
        });
        let is_usable =
            |text: &String| !text.is_empty() && text.len() <= MAX_MESSAGE_BYTES && !text.contains('\n');
        own.filter(is_usable).unwrap_or_else(|| {
            if self.message.is_empty() { format!("failed rule: {}", self.text) } else { self.message.clone() }
        })
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

/// Errors of evaluation in the words of Kubernetes.
fn error_text(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::NoSuchOverload
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedUnaryOperator(..)
        | ExecutionError::ValuesNotComparable(..) => "no such overload".to_string(),
        ExecutionError::IndexOutOfBounds(CelValue::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::DivisionByZero(_) => "division by zero".to_string(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".to_string(),
        // cel-go's own words, odd as they are.
        ExecutionError::Overflow(..) => "return error for overflow".to_string(),
        ExecutionError::FunctionError { message, .. } => message.clone(),
        other => other.to_string(),
    }
}

/// Where a rule is.
#[derive(Clone, Copy)]
pub(crate) struct RuleScope<'s> {
    /// The schema that has the rule.
    pub(crate) schema: &'s Structural,
    /// The path of the schema above which old values cannot be told apart, if there is one.
    pub(crate) uncorrelated: Option<&'s str>,
}

/// What is wrong with a rule: the member that it is about, and why the rule is refused.
pub(crate) fn compile_errors(rule: &Value, scope: RuleScope<'_>) -> Vec<(&'static str, String)> {
    let text = |name: &str| rule.get(name).and_then(Value::as_str).unwrap_or_default();
    let program = match compile(rule, text("rule"), scope, "bool") {
        Ok(program) => program,
        Err(Problem::Syntax(error)) => return vec![("rule", format!("compilation failed: {error}"))],
        Err(Problem::Type) => return vec![("rule", "cel expression must evaluate to a bool".to_string())],
    };
    let mut errors = Vec::new();
    let message = text("messageExpression");
    match if message.is_empty() { None } else { compile(rule, message, scope, "string").err() } {
        None => {}
        Some(Problem::Syntax(error)) => {
            errors.push(("messageExpression", format!("messageExpression compilation failed: {error}")));
        }
        Some(Problem::Type) => {
            errors.push(("messageExpression", "messageExpression must evaluate to a string".to_string()));
        }
    }
    match (program.references().has_variable("oldSelf"), scope.uncorrelated) {
        (true, Some(path)) => errors.push((
            "rule",
            format!("oldSelf cannot be used on the uncorrelatable portion of the schema within {path}"),
        )),
        // Upstream looks at whether it is set, not at its value.
        (false, _) if rule.get("optionalOldSelf").is_some() => {
            errors.push(("optionalOldSelf", "may not be set if oldSelf is not used in rule".to_string()));
        }
        _ => {}
    }
    errors
}

/// Why an expression is refused.
enum Problem {
    Syntax(String),
    /// Its value has another type than is wanted.
    Type,
}

fn compile(rule: &Value, source: &str, scope: RuleScope<'_>, wanted: &str) -> Result<Program, Problem> {
    let program = Program::compile(source).map_err(|error| Problem::Syntax(indented(&error.to_string())))?;
    let own = CelType::of_schema(scope.schema);
    let is_optional = rule.get("optionalOldSelf") == Some(&Value::Bool(true));
    // An optional value has functions of its own, which are not checked here.
    let old = if is_optional { CelType::Unknown } else { own };
    let (found, errors) = checker::check(program.expression(), source, own, old);
    if !errors.is_empty() {
        return Err(Problem::Syntax(source::print(source, errors)));
    }
    match found.scalar() {
        // A type that is not known may turn out to be the right one.
        Some(found) if found != wanted => Err(Problem::Type),
        _ => Ok(program),
    }
}

/// Lines of the source are set off by a space, too.
fn indented(error: &str) -> String {
    error.replace("\n| ", "\n | ")
}
