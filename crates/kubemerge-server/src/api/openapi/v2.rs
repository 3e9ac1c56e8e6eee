//! Paths of version 3 in the syntax of version 2.

use serde_json::{Map, Value, json};

use super::syntax::Syntax;
use crate::protocol::json::Members;

/// A path with its operations.
pub(super) fn path_item(item: Value) -> Value {
    let Value::Object(item) = item else { return item };
    let members = item.into_iter().map(|(name, member)| match name.as_str() {
        "parameters" => (name, parameters(&member)),
        _ => (name, operation(member)),
    });
    Value::Object(members.collect())
}

fn parameters(list: &Value) -> Value {
    list.as_array().into_iter().flatten().map(parameter).collect()
}

/// The schema of a parameter is part of the parameter.
fn parameter(given: &Value) -> Value {
    let mut parameter = given.as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(schema)) = parameter.remove("schema") {
        parameter.extend(schema);
    }
    Value::Object(parameter)
}

fn operation(mut operation: Value) -> Value {
    let body = operation.as_object_mut().and_then(|members| members.remove("requestBody"));
    let mut list =
        operation.member("parameters").as_array().into_iter().flatten().map(parameter).collect::<Vec<_>>();
    operation.set_member("consumes", json!(["*/*"]));
    if let Some(body) = body {
        operation.set_member("consumes", media_types(body.member("content")));
        list.insert(0, body_parameter(&body));
    }
    if list.is_empty() {
        operation.as_object_mut().map(|members| members.remove("parameters"));
    } else {
        operation.set_member("parameters", list.into());
    }
    operation
        .set_member("produces", media_types(operation.member("responses").member("200").member("content")));
    operation.set_member("schemes", json!(["https"]));
    for response in operation.member_mut("responses").as_object_mut().into_iter().flatten() {
        flatten_content(response.1);
    }
    operation
}

fn media_types(content: &Value) -> Value {
    content.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect()
}

fn body_parameter(body: &Value) -> Value {
    let mut parameter = json!({"in": "body", "name": "body", "schema": schema(&body["content"])});
    if body["required"] == true {
        parameter.set_member("required", true.into());
    }
    parameter
}

fn flatten_content(response: &mut Value) {
    let content = response.as_object_mut().and_then(|members| members.remove("content"));
    if let Some(content) = content {
        response["schema"] = schema(&content);
    }
}

/// The schema of a body, which is the same in all media types.
fn schema(content: &Value) -> Value {
    let first = content.as_object().and_then(|content| content.values().next());
    let mut schema = first.map(|media| media["schema"].clone()).unwrap_or_default();
    let name = schema.member("$ref").as_str().and_then(|reference| reference.rsplit_once('/'));
    if let Some(name) = name.map(|(_, name)| name.to_string()) {
        schema = json!({"$ref": Syntax::V2.reference(&name)});
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_becomes_a_parameter() {
        let content = json!({"application/json": {"schema": {"$ref": "#/components/schemas/A"}}});
        let item = json!({
            "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}}],
            "put": {"requestBody": {"required": true, "content": content},
                "responses": {"200": {"description": "OK", "content": content}}},
        });
        let put = json!({
            "consumes": ["application/json"],
            "produces": ["application/json"],
            "schemes": ["https"],
            "parameters": [{"in": "body", "name": "body", "required": true, "schema": {"$ref": "#/definitions/A"}}],
            "responses": {"200": {"description": "OK", "schema": {"$ref": "#/definitions/A"}}},
        });
        let parameters = json!([{"name": "name", "in": "path", "required": true, "type": "string"}]);
        assert_eq!(path_item(item), json!({"parameters": parameters, "put": put}));
    }
}
