//! Random validation rules in CEL: most have the types of their schema, some do not.

use serde_json::{Value, json};

use crate::rng::Rng;

/// How deep expressions are nested.
const MAX_DEPTH: usize = 3;

/// Adds rules to some of the schemas below this one, and limits to some of its lists, maps and texts.
pub(crate) fn add_rules(schema: &mut Value, percent: usize, rng: &mut Rng) {
    add_limits(schema, rng);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.values_mut().for_each(|property| add_rules(property, percent, rng));
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(child) = schema.get_mut(keyword).filter(|child| child.is_object()) {
            add_rules(child, percent, rng);
        }
    }
    if rng.chance(percent) {
        let rules: Vec<Value> = (0..=rng.below(2)).map(|_| rule(schema, rng)).collect();
        schema["x-kubernetes-validations"] = Value::Array(rules);
    }
}

fn add_limits(schema: &mut Value, rng: &mut Rng) {
    let keyword = match schema["type"].as_str() {
        Some("string") => "maxLength",
        Some("array") => "maxItems",
        Some("object") if schema.get("additionalProperties").is_some() => "maxProperties",
        _ => return,
    };
    match rng.below(4) {
        0 => schema[keyword] = json!([10, 50, 1_000, 100_000][rng.below(4)]),
        1 if keyword == "maxItems" => _ = schema.as_object_mut().and_then(|map| map.remove(keyword)),
        _ => {}
    }
}

/// One rule about values of a schema.
fn rule(schema: &Value, rng: &mut Rng) -> Value {
    let mut writer = Writer::new(schema, rng);
    let mut rule = json!({"rule": writer.of_type("bool", MAX_DEPTH)});
    if writer.rng.chance(30) {
        rule["message"] = json!("must be right");
    }
    if writer.rng.chance(25) {
        rule["messageExpression"] = json!(writer.of_type("string", MAX_DEPTH - 1));
    }
    if writer.rng.chance(15) {
        let reasons =
            ["FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate", "FieldValueInvalid"];
        rule["reason"] = json!(reasons[writer.rng.below(4)]);
    }
    if writer.rng.chance(10) {
        rule["fieldPath"] = json!([".a", ".b", ".a.b", "['a']", ".nosuch", "a"][writer.rng.below(6)]);
    }
    if writer.rng.chance(8) {
        rule["optionalOldSelf"] = json!(writer.rng.chance(70));
    }
    rule
}

/// A value that expressions can name.
#[derive(Clone)]
struct Named {
    text: String,
    schema: Value,
}

/// Writes expressions.
struct Writer<'d> {
    named: Vec<Named>,
    variables: usize,
    rng: &'d mut Rng,
}

impl<'d> Writer<'d> {
    fn new(schema: &Value, rng: &'d mut Rng) -> Writer<'d> {
        let mut writer = Writer { named: Vec::new(), variables: 0, rng };
        writer.name("self".to_owned(), schema, 3);
        if writer.rng.chance(15) {
            writer.name("oldSelf".to_owned(), schema, 1);
        }
        writer
    }

    /// Keeps a value and what can be reached from it.
    fn name(&mut self, text: String, schema: &Value, depth: usize) {
        if depth > 0 {
            for (name, property) in schema["properties"].as_object().into_iter().flatten() {
                self.name(format!("{text}.{name}"), property, depth - 1);
            }
            if let Some(items) = schema.get("items") {
                self.name(format!("{text}[0]"), items, depth - 1);
            }
            if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
                self.name(format!("{text}['k']"), values, depth - 1);
            }
        }
        self.named.push(Named { text, schema: schema.clone() });
    }

    /// A named value of a type.
    fn pick(&mut self, wanted: &str) -> Option<Named> {
        let fitting: Vec<&Named> = self.named.iter().filter(|one| type_of(&one.schema) == wanted).collect();
        if fitting.is_empty() { None } else { Some((*self.rng.pick(&fitting)).clone()) }
    }

    fn of_type(&mut self, wanted: &str, depth: usize) -> String {
        // Some mistakes: another type, a name that does not exist, a word too many.
        match self.rng.below(150) {
            0 => return self.any(),
            1 => return "self.nosuch".to_owned(),
            2 => return format!("{} {}", self.any(), self.any()),
            3 => return "unknown(self)".to_owned(),
            _ => {}
        }
        if depth > 0 && self.rng.chance(75) {
            return match wanted {
                "bool" => self.boolean(depth - 1),
                "string" => self.string(depth - 1),
                "int" => self.integer(depth - 1),
                "double" => self.double(depth - 1),
                _ => self.leaf(wanted),
            };
        }
        self.leaf(wanted)
    }

    fn any(&mut self) -> String {
        let place = self.rng.below(self.named.len());
        self.named[place].text.clone()
    }

    fn leaf(&mut self, wanted: &str) -> String {
        if self.rng.chance(70)
            && let Some(found) = self.pick(wanted)
        {
            return found.text;
        }
        let literals: &[&str] = match wanted {
            "bool" => &["true", "false"],
            "int" => &["0", "1", "-5", "100", "0x1F"],
            "double" => &["0.5", "1.0", "-2.5e3"],
            "string" => &["'a'", "\"web\"", "'x' + 'y'", "''", "r'\\d+'"],
            _ => &["null"],
        };
        (*self.rng.pick(literals)).to_owned()
    }

    fn boolean(&mut self, depth: usize) -> String {
        let compare = ["==", "!=", "<", "<=", ">", ">="][self.rng.below(6)];
        match self.rng.below(14) {
            0 => format!("{} {compare} {}", self.of_type("int", depth), self.of_type("int", depth)),
            1 => format!("{} {compare} {}", self.of_type("string", depth), self.of_type("string", depth)),
            2 => format!("{} {compare} {}", self.of_type("double", depth), self.of_type("double", depth)),
            3 => format!("{} && {}", self.of_type("bool", depth), self.of_type("bool", depth)),
            4 => format!("({} || {})", self.of_type("bool", depth), self.of_type("bool", depth)),
            5 => format!("!({})", self.of_type("bool", depth)),
            6 => format!(
                "{} ? {} : {}",
                self.of_type("bool", depth),
                self.of_type("bool", depth),
                self.of_type("bool", depth)
            ),
            7 | 8 => self.quantifier(depth),
            9 => self.presence(),
            10 => self.text_test(depth),
            11 => self.type_test(),
            12 => self.list_test(depth),
            _ => self.library_test(depth),
        }
    }

    fn quantifier(&mut self, depth: usize) -> String {
        let of_list = self.rng.chance(70);
        let Some(range) = self.pick(if of_list { "list" } else { "map" }) else { return self.leaf("bool") };
        let name = format!("v{}", self.variables);
        self.variables += 1;
        let key = json!({"type": "string"});
        let schema = if of_list { range.schema["items"].clone() } else { key };
        self.name(name.clone(), &schema, 2);
        let body = self.of_type("bool", depth);
        let found = match self.rng.below(7) {
            0 | 1 => format!("{}.all({name}, {body})", range.text),
            2 | 3 => format!("{}.exists({name}, {body})", range.text),
            4 => format!("{}.exists_one({name}, {body})", range.text),
            5 => format!("{}.filter({name}, {body}).size() > 1", range.text),
            _ => format!("{}.map({name}, {body}).size() > 1", range.text),
        };
        self.named.retain(|one| {
            one.text != name
                && !one.text.starts_with(&format!("{name}."))
                && !one.text.starts_with(&format!("{name}["))
        });
        found
    }

    fn presence(&mut self) -> String {
        let fields: Vec<String> = self
            .named
            .iter()
            .map(|one| one.text.clone())
            .filter(|text| text.contains('.') && !text.ends_with(']'))
            .collect();
        if fields.is_empty() {
            return "has(self.nosuch)".to_owned();
        }
        let field = self.rng.pick(&fields).clone();
        match self.rng.below(4) {
            0 => {
                let (before, name) = field.rsplit_once('.').unwrap_or(("self", "a"));
                format!("{before}.?{name}.hasValue()")
            }
            1 => format!("has({field}) && {field} == {field}"),
            _ => format!("has({field})"),
        }
    }

    fn text_test(&mut self, depth: usize) -> String {
        let (text, other) = (self.leaf("string"), self.of_type("string", depth));
        match self.rng.below(5) {
            0 => format!("{text}.startsWith({other})"),
            1 => format!("{text}.endsWith({other})"),
            2 => format!("{text}.contains({other})"),
            3 => format!("{text}.matches('{}')", ["^[a-z]+$", "a|b", "(", "[0-9]{3}"][self.rng.below(4)]),
            _ => format!("{text} in [{other}, 'a', 'b']"),
        }
    }

    fn type_test(&mut self) -> String {
        let value = self.pick("dyn").map_or_else(|| self.any(), |named| named.text);
        let name = ["string", "int", "double", "map", "list", "bool"][self.rng.below(6)];
        format!("type({value}) == {name}")
    }

    fn list_test(&mut self, depth: usize) -> String {
        let Some(list) = self.pick("list") else { return self.leaf("bool") };
        let text = &list.text;
        match self.rng.below(6) {
            0 => format!("{text}.isSorted()"),
            1 => format!("{text}.size() == {}", self.of_type("int", depth)),
            2 => format!("{text}[0] in {text}"),
            3 => format!("{text} == {text}"),
            4 => format!("{text}.sum() > 0"),
            _ => format!("sets.contains({text}, {text})"),
        }
    }

    fn library_test(&mut self, depth: usize) -> String {
        let text = self.of_type("string", depth);
        match self.rng.below(8) {
            0 => format!("quantity({text}).isLessThan(quantity('1Gi'))"),
            1 => format!("isURL({text}) && url({text}).getHost() == 'a'"),
            2 => format!("isIP({text})"),
            3 => format!("cidr('10.0.0.0/8').containsIP({text})"),
            4 => format!("!format.dns1123Label().validate({text}).hasValue()"),
            5 => format!("{text}.split(',').all(s, s.size() < 5)"),
            6 => format!("duration('{}') > duration('1s')", ["1h", "x", "5m30s"][self.rng.below(3)]),
            _ => format!("{text}.find('[a-z]') == 'a'"),
        }
    }

    fn string(&mut self, depth: usize) -> String {
        match self.rng.below(8) {
            0 => format!("{} + {}", self.of_type("string", depth), self.of_type("string", depth)),
            1 => format!("string({})", self.of_type("int", depth)),
            2 => format!("{}.lowerAscii()", self.leaf("string")),
            3 => format!("{}.replace({}, {})", self.leaf("string"), self.leaf("string"), self.leaf("string")),
            4 => format!("{}.substring(0, 1)", self.leaf("string")),
            5 => format!("{}.split('-').join({})", self.leaf("string"), self.leaf("string")),
            6 => format!("({} ? {} : 'no')", self.of_type("bool", depth), self.of_type("string", depth)),
            _ => format!("'%s'.format([{}])", self.any()),
        }
    }

    fn integer(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            0 => format!("{} + {}", self.of_type("int", depth), self.of_type("int", depth)),
            1 => format!("{} * 2", self.leaf("int")),
            2 => format!("size({})", self.of_type("string", depth)),
            3 => format!("{}.size()", self.pick("list").map_or_else(|| "'a'".to_owned(), |list| list.text)),
            4 => format!("int({})", self.of_type("double", depth)),
            _ => format!("-({})", self.leaf("int")),
        }
    }

    fn double(&mut self, depth: usize) -> String {
        match self.rng.below(3) {
            0 => format!("{} * {}", self.of_type("double", depth), self.of_type("double", depth)),
            1 => format!("double({})", self.of_type("int", depth)),
            _ => self.leaf("double"),
        }
    }
}

/// The type that values of a schema have in expressions.
fn type_of(schema: &Value) -> &'static str {
    match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), Some("date-time" | "date")) => "timestamp",
        (Some("string"), Some("byte")) => "bytes",
        (Some("string"), Some("duration")) => "duration",
        (Some("string"), _) => "string",
        (Some("integer"), _) => "int",
        (Some("number"), _) => "double",
        (Some("boolean"), _) => "bool",
        (Some("array"), _) => "list",
        (Some("object"), _) if schema["additionalProperties"].is_object() => "map",
        (Some("object"), _) => "object",
        _ => "dyn",
    }
}
