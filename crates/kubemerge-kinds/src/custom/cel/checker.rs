//! Types of expressions: fields that a schema does not declare, names that do not exist, operators that do not fit.
//!
//! Only what is certainly wrong is reported. Where a type is not known, because a function or a conversion made the
//! value, everything passes: the API server may refuse such a rule, and evaluation will tell.

use kube_cel::cel::{
    common::ast::{CallExpr, ComprehensionExpr, Expr, IdedExpr, LiteralValue, SelectExpr, operators},
    parser::Expression,
};

use super::{
    super::structural::{Additional, Structural},
    names::escape,
    source::{Locator, SourceError},
};

/// Names that functions are grouped under, and those of types.
const KNOWN_NAMES: [&str; 24] = [
    "bool",
    "int",
    "uint",
    "double",
    "string",
    "bytes",
    "list",
    "map",
    "null_type",
    "type",
    "optional",
    "math",
    "sets",
    "quantity",
    "semver",
    "ip",
    "cidr",
    "url",
    "format",
    "base64",
    "strings",
    "lists",
    "cel",
    "google",
];

/// The type of a value, as far as it is known.
#[derive(Clone, Copy)]
pub(super) enum CelType<'s> {
    Scalar(&'static str),
    /// A value that a schema describes: a list, a map or an object.
    Of(&'s Structural),
    Unknown,
}

impl<'s> CelType<'s> {
    pub(super) fn of_schema(schema: &'s Structural) -> CelType<'s> {
        match (schema.only_type(), schema.format.as_deref()) {
            (Some("boolean"), _) => CelType::Scalar("bool"),
            (Some("integer"), _) => CelType::Scalar("int"),
            (Some("number"), _) => CelType::Scalar("double"),
            // Texts of some formats are other values.
            (Some("string"), Some("byte" | "date" | "date-time" | "duration")) => CelType::Unknown,
            (Some("string"), _) => CelType::Scalar("string"),
            (Some("array" | "object"), _) => CelType::Of(schema),
            _ => CelType::Unknown,
        }
    }

    /// The name, if it is a scalar's.
    pub(super) fn scalar(self) -> Option<&'static str> {
        match self {
            CelType::Scalar(name) => Some(name),
            _ => None,
        }
    }

    /// The type of an item of a list, or of a value of a map.
    fn element(self) -> CelType<'s> {
        let CelType::Of(schema) = self else { return CelType::Unknown };
        match (&schema.items, &schema.additional) {
            (Some(items), _) => CelType::of_schema(items),
            (None, Additional::Schema(values)) => CelType::of_schema(values),
            _ => CelType::Unknown,
        }
    }
}

/// Checks an expression about values of a schema; answers its type and what is wrong.
pub(super) fn check<'s>(
    expression: &Expression,
    source: &str,
    own: CelType<'s>,
    old: CelType<'s>,
) -> (CelType<'s>, Vec<SourceError>) {
    let variables = vec![("self".to_string(), own), ("oldSelf".to_string(), old)];
    let mut checker = Checker { variables, locator: Locator::new(source), errors: Vec::new() };
    let found = checker.type_of(expression);
    (found, checker.errors)
}

struct Checker<'s> {
    variables: Vec<(String, CelType<'s>)>,
    locator: Locator,
    errors: Vec<SourceError>,
}

impl<'s> Checker<'s> {
    fn type_of(&mut self, expression: &IdedExpr) -> CelType<'s> {
        match &expression.expr {
            Expr::Ident(name) => self.ident(name),
            Expr::Select(select) => self.select(select),
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::Literal(literal) => literal_type(literal),
            Expr::List(list) => {
                for element in &list.elements {
                    self.type_of(element);
                }
                CelType::Unknown
            }
            // Maps and structs in expressions are rare: their parts pass.
            Expr::Map(_) | Expr::Struct(_) | Expr::Unspecified => CelType::Unknown,
        }
    }

    fn ident(&mut self, name: &str) -> CelType<'s> {
        let place = self.locator.ident(name);
        if let Some((_, found)) = self.variables.iter().rev().find(|(known, _)| known == name) {
            return *found;
        }
        // Names of macros start with a sign that no expression can write.
        if !name.starts_with(['@', '_']) && !KNOWN_NAMES.contains(&name) {
            self.report(place, format!("undeclared reference to '{name}' (in container '')"));
        }
        CelType::Unknown
    }

    fn select(&mut self, select: &SelectExpr) -> CelType<'s> {
        // The locator finds words in the order of the source, so each is asked for when the walk passes it.
        let test = select.test.then(|| self.locator.has());
        let operand = self.type_of(&select.operand);
        let dot = self.locator.field(&select.field);
        let place = test.unwrap_or(dot);
        let CelType::Of(schema) = operand else { return CelType::Unknown };
        if let (true, Additional::Schema(_)) = (schema.properties.is_empty(), &schema.additional) {
            return if select.test { CelType::Scalar("bool") } else { operand.element() };
        }
        // Fields that the schema does not list may exist.
        if schema.items.is_some() || !matches!(schema.additional, Additional::Unset) {
            return CelType::Unknown;
        }
        let is_field = |name: &String| escape(name).is_some_and(|escaped| escaped == select.field);
        // Fields without a type cannot be named in expressions.
        match schema
            .properties
            .iter()
            .find(|(name, _)| is_field(name))
            .filter(|(_, field)| !field.types.is_empty())
        {
            None => {
                self.report(place, format!("undefined field '{}'", select.field));
                CelType::Unknown
            }
            Some(_) if select.test => CelType::Scalar("bool"),
            Some((_, field)) => CelType::of_schema(field),
        }
    }

    fn call(&mut self, call: &CallExpr) -> CelType<'s> {
        let name = call.func_name.as_str();
        if let (None, [left, right]) = (&call.target, call.args.as_slice())
            && let Some(operator) = binary_operator(name)
        {
            let left = self.type_of(left);
            let place = self.locator.operator(operator);
            let right = self.type_of(right);
            return self.binary(name, place, left, right);
        }
        if let (operators::LOGICAL_NOT, [operand]) = (name, call.args.as_slice()) {
            let place = self.locator.operator("!");
            let operand = self.type_of(operand);
            if let Some(found) = operand.scalar().filter(|found| *found != "bool") {
                self.report(place, format!("found no matching overload for '!_' applied to '({found})'"));
            }
            return CelType::Scalar("bool");
        }
        if let Some(target) = call.target.as_deref() {
            self.type_of(target);
        }
        let types: Vec<CelType<'s>> = call.args.iter().map(|argument| self.type_of(argument)).collect();
        match (name, types.as_slice()) {
            (operators::INDEX, [operand, _]) => operand.element(),
            (operators::IN | "startsWith" | "endsWith" | "contains" | "matches", _) => {
                CelType::Scalar("bool")
            }
            ("size", _) => CelType::Scalar("int"),
            _ => CelType::Unknown,
        }
    }

    fn binary(
        &mut self,
        name: &str,
        place: Option<usize>,
        left: CelType<'s>,
        right: CelType<'s>,
    ) -> CelType<'s> {
        let is_sum = name == operators::ADD;
        let (Some(one), Some(other)) = (left.scalar(), right.scalar()) else {
            return if is_sum { CelType::Unknown } else { CelType::Scalar("bool") };
        };
        let is_number = |name: &str| matches!(name, "int" | "double");
        let fits = match name {
            operators::EQUALS | operators::NOT_EQUALS => one == other,
            operators::LOGICAL_AND | operators::LOGICAL_OR => one == "bool" && other == "bool",
            operators::ADD => one == other && one != "bool",
            // Numbers of all types are ordered.
            _ => one == other || is_number(one) && is_number(other),
        };
        if !fits {
            self.report(
                place,
                format!("found no matching overload for '{name}' applied to '({one}, {other})'"),
            );
            return CelType::Unknown;
        }
        if is_sum { left } else { CelType::Scalar("bool") }
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) -> CelType<'s> {
        let range = self.type_of(&comprehension.iter_range);
        let is_list = matches!(range, CelType::Of(schema) if schema.items.is_some());
        self.locator.variable(&comprehension.iter_var);
        let item =
            if is_list && comprehension.iter_var2.is_none() { range.element() } else { CelType::Unknown };
        let before = self.variables.len();
        let other = comprehension.iter_var2.clone();
        self.variables.push((comprehension.accu_var.clone(), CelType::Unknown));
        self.variables.push((comprehension.iter_var.clone(), item));
        self.variables.extend(other.map(|name| (name, CelType::Unknown)));
        self.type_of(&comprehension.loop_step);
        self.variables.truncate(before);
        match &comprehension.accu_init.expr {
            Expr::Literal(LiteralValue::Boolean(_) | LiteralValue::Int(_)) => CelType::Scalar("bool"),
            _ => CelType::Unknown,
        }
    }

    fn report(&mut self, place: Option<usize>, text: String) {
        // A place that is not found in the source would be a wrong one.
        self.errors.extend(place.map(|at| SourceError { at, text }));
    }
}

/// How an operator is written.
fn binary_operator(name: &str) -> Option<&'static str> {
    Some(match name {
        operators::EQUALS => "==",
        operators::NOT_EQUALS => "!=",
        operators::LESS => "<",
        operators::LESS_EQUALS => "<=",
        operators::GREATER => ">",
        operators::GREATER_EQUALS => ">=",
        operators::ADD => "+",
        operators::LOGICAL_AND => "&&",
        operators::LOGICAL_OR => "||",
        _ => return None,
    })
}

fn literal_type<'s>(literal: &LiteralValue) -> CelType<'s> {
    match literal {
        LiteralValue::Boolean(_) => CelType::Scalar("bool"),
        LiteralValue::Double(_) => CelType::Scalar("double"),
        LiteralValue::Int(_) => CelType::Scalar("int"),
        LiteralValue::String(_) => CelType::Scalar("string"),
        LiteralValue::Bytes(_) | LiteralValue::UInt(_) | LiteralValue::Null => CelType::Unknown,
    }
}
