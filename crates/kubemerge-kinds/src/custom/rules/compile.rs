//! The expressions of rules: what is wrong with them, and what they may cost.

use kubemerge_schema::ValueType;
use serde_json::Value;

use super::declaration::Declaration;
use kubemerge_cel::{CelError, CelType, Compiled, Environment, ObjectTypes, evaluate::Program};

/// The name of the type of `self`. Kubernetes adds a number that differs from call to call.
const SELF_TYPE: &str = "selfType0";

/// What the rules of a schema can see.
pub(crate) struct RuleScope {
    declaration: Declaration,
    plain: Environment,
    /// Where `oldSelf` may be absent.
    optional: Environment,
}

/// What was found out about a rule.
#[derive(Default)]
pub(crate) struct RuleCheck {
    /// Why the rule does not compile.
    pub(crate) problem: Option<String>,
    /// What evaluating it once may cost; nothing if it does not compile.
    pub(crate) cost: u64,
    /// The same about the expression of its message.
    pub(crate) message: Option<Result<u64, String>>,
    /// Whether it compares with the old value.
    pub(crate) uses_old_self: bool,
    /// How much the regular expressions of both take when they are compiled.
    pub(crate) pattern_bytes: usize,
}

impl RuleScope {
    /// The scope of a schema; none if expressions cannot see its values.
    pub(crate) fn of(schema: ValueType<'_>) -> Option<RuleScope> {
        let declaration = Declaration::of(schema)?;
        let mut objects = ObjectTypes::new();
        let own = declaration.declare(SELF_TYPE, &mut objects);
        let plain = Environment::of_rules(own.clone(), own.clone(), objects.clone());
        let optional = Environment::of_rules(own.clone(), CelType::optional(own), objects);
        Some(RuleScope { declaration, plain, optional })
    }

    /// How often values of the schema can be in a request, if nothing above limits that.
    pub(crate) fn max_cardinality(&self) -> u64 {
        self.declaration.max_cardinality()
    }

    /// What the expressions of a rule can use.
    pub(super) fn environment(&self, rule: &Value) -> &Environment {
        if is_old_self_optional(rule) { &self.optional } else { &self.plain }
    }

    /// Checks the expressions of a rule.
    pub(crate) fn check(&self, rule: &Value) -> RuleCheck {
        let environment = self.environment(rule);
        let compiled = match self.compile(rule) {
            Ok(compiled) => compiled,
            Err(problem) => return RuleCheck { problem: Some(problem.into()), ..RuleCheck::default() },
        };
        let program = match program(&compiled) {
            Ok(program) => program,
            Err(problem) => return RuleCheck { problem: Some(problem.into()), ..RuleCheck::default() },
        };
        let mut pattern_bytes = program.pattern_bytes();
        let message = text(rule, "messageExpression");
        let message =
            (!message.is_empty()).then(|| self.check_message(message, environment, &mut pattern_bytes));
        RuleCheck {
            problem: None,
            cost: compiled.max_cost(&self.declaration),
            message,
            uses_old_self: compiled.mentions("oldSelf"),
            pattern_bytes,
        }
    }

    /// Compiles the expression of a rule, or tells why it is refused.
    pub(super) fn compile<'r>(&self, rule: &'r Value) -> Result<Compiled<'r>, CelError> {
        let compiled = Compiled::new(text(rule, "rule"), self.environment(rule))?;
        if *compiled.result() != CelType::Bool {
            return Err("cel expression must evaluate to a bool".into());
        }
        Ok(compiled)
    }

    fn check_message(
        &self,
        message: &str,
        environment: &Environment,
        pattern_bytes: &mut usize,
    ) -> Result<u64, String> {
        match Compiled::new(message, environment) {
            Ok(compiled) if *compiled.result() == CelType::String => match Program::new(&compiled) {
                Ok(program) => {
                    *pattern_bytes = pattern_bytes.saturating_add(program.pattern_bytes());
                    Ok(compiled.max_cost(&self.declaration))
                }
                Err(problem) => Err(format!("messageExpression instantiation failed: {problem}")),
            },
            Ok(_) => Err("messageExpression must evaluate to a string".to_owned()),
            Err(problem) => Err(format!("messageExpression {problem}")),
        }
    }
}

/// The steps of an expression; an error if a part of it that is constant has no value.
pub(super) fn program(compiled: &Compiled<'_>) -> Result<Program, CelError> {
    Program::new(compiled).map_err(|problem| format!("program instantiation failed: {problem}").into())
}

/// Whether the old value of a rule is an optional one.
pub(super) fn is_old_self_optional(rule: &Value) -> bool {
    rule.get("optionalOldSelf") == Some(&Value::Bool(true))
}

/// The text of a member of a rule.
pub(super) fn text<'r>(rule: &'r Value, name: &str) -> &'r str {
    rule.get(name).and_then(Value::as_str).unwrap_or_default()
}
